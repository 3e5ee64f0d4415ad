//! Emulation of AMX in software, for tests on CPUs without it.
//!
//! For an unknown instruction the system sends the process the signal SIGILL. The handler decodes
//! and executes the instruction as Intel's Software Developer's Manual specifies (volume 2, under
//! the names of the instructions), and resumes after it.

use std::cell::{Cell, RefCell};
use std::mem::MaybeUninit;
use std::ptr::null_mut;
use std::sync::Once;

use nix::libc::{
    REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RAX, REG_RBP,
    REG_RBX, REG_RCX, REG_RDI, REG_RDX, REG_RIP, REG_RSI, REG_RSP, SA_NODEFER, SA_SIGINFO, SIG_DFL,
    SIGILL, c_int, c_void, greg_t, sigaction, siginfo_t, signal, ucontext_t,
};

use super::detection;

/// General registers in the order of their encoding.
const REGISTERS: [c_int; 16] = [
    REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI, REG_R8, REG_R9,
    REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15,
];

/// A tile: its data, and how many rows and bytes per row are in use.
#[derive(Clone, Copy)]
struct TileRegister {
    rows: usize,
    bytes: usize,
    data: [[u8; 64]; 16],
}

const EMPTY: TileRegister = TileRegister { rows: 0, bytes: 0, data: [[0; 64]; 16] };

thread_local! {
    static TILES: RefCell<[TileRegister; 8]> = const { RefCell::new([EMPTY; 8]) };
    static PRODUCTS: Cell<u64> = const { Cell::new(0) };
}

/// Number of multiply-adds that this thread has emulated so far.
pub(in crate::nn::conv::kernel) fn products() -> u64 {
    PRODUCTS.get()
}

/// Makes the instructions usable, by emulation if the CPU lacks some.
pub(in crate::nn::conv::kernel) fn prepare() {
    if !(detection::has_bf16() && detection::has_bytes()) {
        install();
    }
}

/// Installs the emulation in this process.
fn install() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        // SAFETY: the handler is async-signal-safe: it neither allocates nor locks. All bits zero
        // are a valid `sigaction`.
        let result = unsafe {
            let mut action: sigaction = MaybeUninit::zeroed().assume_init();
            action.sa_sigaction = handle as *const () as usize;
            action.sa_flags = SA_SIGINFO | SA_NODEFER;
            nix::libc::sigaction(SIGILL, &action, null_mut())
        };
        assert_eq!(result, 0);
    });
}

extern "C" fn handle(_: c_int, _: *mut siginfo_t, context: *mut c_void) {
    // SAFETY: the system passes the registers at the instruction, which is readable code.
    unsafe {
        let registers = &mut (*context.cast::<ucontext_t>()).uc_mcontext.gregs;
        let code = registers[REG_RIP as usize] as *const u8;
        match TILES.with_borrow_mut(|tiles| execute(code, registers, tiles)) {
            Some(length) => registers[REG_RIP as usize] += length as greg_t,
            // The instruction runs again without the handler, and ends the process.
            None => drop(signal(SIGILL, SIG_DFL)),
        }
    }
}

/// Executes the instruction at `code`. Returns its length, or none if it does not belong to AMX.
///
/// # Safety
///
/// `code` must be an instruction that a program has come to, with these registers.
unsafe fn execute(
    code: *const u8,
    registers: &[greg_t; 23],
    tiles: &mut [TileRegister; 8],
) -> Option<usize> {
    // SAFETY: the caller guarantees the code. The memory that an instruction accesses is that which
    // the program guarantees to the instruction.
    unsafe {
        let [vex, flags, rest, opcode, modrm] = code.cast::<[u8; 5]>().read();
        // Three-byte VEX prefix, opcode map 0F38, W0, 128 bits.
        if vex != 0xc4 || flags & 0x1f != 2 || rest & 0x84 != 0 {
            return None;
        }
        let (prefix, third) = (rest & 3, usize::from(!rest >> 3 & 15));
        let (mode, first, second) =
            (modrm >> 6, usize::from(modrm >> 3 & 7), usize::from(modrm & 7));
        match (opcode, prefix, mode) {
            (0x49, 0, 3) => *tiles = [EMPTY; 8],
            (0x49, 3, 3) => tiles[first].data = EMPTY.data,
            (0x5c, 2, 3) => multiply(tiles, [first, second, third], 2, add_bf16),
            (0x5e, 1, 3) => multiply(tiles, [first, second, third], 4, add_bytes),
            (0x49, 0, _) => {
                let (address, _, length) = address(code.add(4), flags, registers);
                configure(&address.cast::<[u8; 64]>().read(), tiles);
                return Some(4 + length);
            }
            (0x4b, 2 | 3, _) => {
                assert_eq!(second, 4, "a base and an index");
                let (address, stride, length) = address(code.add(4), flags, registers);
                let tile = &mut tiles[first];
                assert!(tile.rows > 0, "a tile that has been set up");
                for row in 0..tile.rows {
                    let memory = address.wrapping_offset(row as isize * stride);
                    let data = tile.data[row].as_mut_ptr();
                    let (from, to) = if prefix == 3 { (memory, data) } else { (data, memory) };
                    from.copy_to_nonoverlapping(to, tile.bytes);
                }
                return Some(4 + length);
            }
            _ => return None,
        }
        Some(5)
    }
}

/// Decodes a memory operand from the byte ModRM on. Returns the sum of base and displacement, the
/// scaled index, and the length of the operand in bytes.
///
/// # Safety
///
/// As for [`execute`], of whose instruction this must be the byte ModRM.
unsafe fn address(
    modrm: *const u8,
    flags: u8,
    registers: &[greg_t; 23],
) -> (*mut u8, isize, usize) {
    let register = |low: u8, flag: u8| {
        let high = if flags & flag == 0 { 8 } else { 0 };
        registers[REGISTERS[usize::from(low) + high] as usize] as isize
    };
    // SAFETY: the caller guarantees the code.
    unsafe {
        let (mode, low) = (*modrm >> 6, *modrm & 7);
        let (base, index, mut length) = if low == 4 {
            let sib = *modrm.add(1);
            let index = register(sib >> 3 & 7, 0x40) << (sib >> 6);
            assert!(mode != 0 || sib & 7 != 5, "a base");
            (register(sib & 7, 0x20), index, 2)
        } else {
            assert!(mode != 0 || low != 5, "a base");
            (register(low, 0x20), 0, 1)
        };
        let displacement = match mode {
            0 => 0,
            1 => modrm.add(length).cast::<i8>().read() as isize,
            _ => modrm.add(length).cast::<i32>().read_unaligned() as isize,
        };
        length += [0, 1, 4][usize::from(mode)];
        ((base + displacement) as *mut u8, index, length)
    }
}

fn configure(sizes: &[u8; 64], tiles: &mut [TileRegister; 8]) {
    assert_eq!(sizes[..2], [1, 0], "palette and first row");
    assert!(sizes[2..16].iter().chain(&sizes[32..48]).chain(&sizes[56..]).all(|&byte| byte == 0));
    for (index, tile) in tiles.iter_mut().enumerate() {
        let bytes = u16::from_le_bytes([sizes[16 + 2 * index], sizes[17 + 2 * index]]);
        *tile = TileRegister { rows: sizes[48 + index].into(), bytes: bytes.into(), ..EMPTY };
        assert!(tile.rows <= 16 && tile.bytes <= 64 && (tile.rows > 0) == (tile.bytes > 0));
    }
}

/// Pairs of dwords.
type Pairs<'a> = dyn Iterator<Item = [[u8; 4]; 2]> + 'a;

/// Executes TDPBF16PS or TDPBUSD: `add` returns a sum of 32 bits with the products of a pair of
/// dwords of `each` numbers added, for all pairs of a row and a column.
fn multiply(
    tiles: &mut [TileRegister; 8],
    [sums, left, right]: [usize; 3],
    each: usize,
    add: fn([u8; 4], &mut Pairs<'_>) -> [u8; 4],
) {
    assert!(sums != left && sums != right && left != right, "three tiles");
    let ([left, right], sums) = ([tiles[left], tiles[right]], &mut tiles[sums]);
    assert_eq!((left.rows, left.bytes / 4, right.bytes), (sums.rows, right.rows, sums.bytes));
    assert!(sums.rows > 0 && right.rows > 0, "tiles that have been set up");
    PRODUCTS.set(PRODUCTS.get() + (sums.rows * right.rows * sums.bytes / 4 * each) as u64);
    let dword = |tile: &TileRegister, row: usize, column: usize| -> [u8; 4] {
        std::array::from_fn(|byte| tile.data[row][4 * column + byte])
    };
    for row in 0..sums.rows {
        for column in 0..sums.bytes / 4 {
            let pairs = |index: usize| [dword(&left, row, index), dword(&right, index, column)];
            let sum = add(dword(sums, row, column), &mut (0..right.rows).map(pairs));
            sums.data[row][4 * column..][..4].copy_from_slice(&sum);
        }
    }
}

/// Adds products of two bf16 each. They are exact in `f32`: only sums are rounded. The lower and
/// the upper numbers are summed apart.
fn add_bf16(before: [u8; 4], pairs: &mut Pairs<'_>) -> [u8; 4] {
    let number =
        |[low, high]: [u8; 2]| f32::from_bits(u32::from(u16::from_le_bytes([low, high])) << 16);
    let mut parts = [0.0; 2];
    for [[a, b, c, d], [e, f, g, h]] in pairs {
        parts[0] += number([a, b]) * number([e, f]);
        parts[1] += number([c, d]) * number([g, h]);
    }
    (f32::from_le_bytes(before) + (parts[0] + parts[1])).to_le_bytes()
}

/// Adds products of four unsigned by four signed bytes each.
fn add_bytes(before: [u8; 4], pairs: &mut Pairs<'_>) -> [u8; 4] {
    let product = |(left, right): (u8, u8)| i32::from(left) * i32::from(right as i8);
    let products = pairs.flat_map(|[left, right]| left.into_iter().zip(right).map(product));
    products.fold(i32::from_le_bytes(before), i32::wrapping_add).to_le_bytes()
}
