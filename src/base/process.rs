//! Processes that this program starts.

use std::process::{Child, Command};

/// Makes a process leader of a group of its own: Ctrl-C in a terminal, which reaches the whole
/// group of this program, then does not end it in the middle of its work.
pub(crate) fn in_own_group(command: &mut Command) -> &mut Command {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    #[cfg(windows)]
    {
        /// `CREATE_NEW_PROCESS_GROUP`.
        const NEW_GROUP: u32 = 0x200;
        std::os::windows::process::CommandExt::creation_flags(command, NEW_GROUP);
    }
    command
}

/// Kills a process that leads a group, with those that it started unless they left the group.
pub(crate) fn kill_group(child: &mut Child) {
    // The number of a process that was waited for may belong to another one by now.
    if matches!(child.try_wait(), Ok(None)) {
        kill_started_by(child.id());
    }
    // Fails if the process has ended already.
    let _ = child.kill();
}

#[cfg(unix)]
fn kill_started_by(leader: u32) {
    use nix::sys::signal::{Signal, killpg};
    use nix::unistd::Pid;

    if let Ok(group) = leader.try_into() {
        let _ = killpg(Pid::from_raw(group), Signal::SIGKILL);
    }
}

/// Windows kills single processes; its own program `taskkill` finds those that they started.
#[cfg(windows)]
fn kill_started_by(leader: u32) {
    use std::process::Stdio;

    let id = leader.to_string();
    let mut command = Command::new("taskkill");
    command.args(["/T", "/F", "/PID", &id]);
    let _ = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
}

#[cfg(not(any(unix, windows)))]
fn kill_started_by(_: u32) {}

/// Asks a process to save its work and end.
#[cfg(unix)]
pub(crate) fn ask_to_end(child: &mut Child) {
    use nix::sys::signal::{Signal, kill};
    use nix::unistd::Pid;

    // It may just have ended.
    let _ = kill(Pid::from_raw(child.id() as i32), Signal::SIGTERM);
}

/// Ends a process: there is no signal that asks it to. What it has not saved is done again.
#[cfg(not(any(unix, target_family = "wasm")))]
pub(crate) fn ask_to_end(child: &mut Child) {
    let _ = child.kill();
}
