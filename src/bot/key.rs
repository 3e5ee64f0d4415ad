//! The public key that the server signs with, in the ways in which such keys are written.

use std::str::FromStr;

use anyhow::{Context, Error, Result, bail, ensure};
use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use ring::signature::{ED25519, UnparsedPublicKey};

/// The name of the algorithm in keys of SSH.
const SSH: &str = "ssh-ed25519";

/// What comes before the 32 bytes of a key in the binary form of a PEM file (RFC 8410).
const DER: [u8; 12] = [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00];

/// Base64 with or without padding.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// An Ed25519 public key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PublicKey([u8; 32]);

impl PublicKey {
    /// Whether this is the signature of a message.
    pub(super) fn has_signed(&self, message: &[u8], signature: &[u8]) -> bool {
        UnparsedPublicKey::new(&ED25519, self.0).verify(message, signature).is_ok()
    }
}

/// Decodes base64.
pub(super) fn decoded(text: &str) -> Option<Vec<u8>> {
    BASE64.decode(text).ok()
}

impl FromStr for PublicKey {
    type Err = Error;

    /// Reads a line of OpenSSH, a file of SSH2 (RFC 4716), a PEM file, or one of these in base64.
    fn from_str(text: &str) -> Result<Self> {
        let text = text.trim().trim_matches(['"', '\'']).trim();
        if is_plain(text) {
            return plain(text);
        }
        let bytes = decoded(&text.split_whitespace().collect::<String>());
        let bytes = bytes.context("it is neither a key of SSH nor PEM nor base64")?;
        match std::str::from_utf8(&bytes) {
            Ok(inner) if is_plain(inner) => plain(inner.trim()),
            _ => of_bytes(&bytes),
        }
    }
}

fn is_plain(text: &str) -> bool {
    text.starts_with(SSH) || text.contains("----")
}

/// Reads a key that is not in base64 as a whole.
fn plain(text: &str) -> Result<PublicKey> {
    ensure!(!text.contains("PRIVATE KEY"), "it is a private key, which should stay where it was");
    if !text.contains("----") {
        let word = text.split_whitespace().nth(1).context("there is no key after `ssh-ed25519`")?;
        return of_bytes(&decoded(word).context("what follows `ssh-ed25519` is not base64")?);
    }
    // A file of SSH2 may have headers, such as `Comment: "..."`, continued after a backslash.
    let (mut body, mut is_header) = (String::new(), false);
    for line in text.lines().map(str::trim).filter(|line| !line.starts_with("----")) {
        is_header = line.contains(':') || is_header && body.is_empty();
        if !is_header {
            body.push_str(line);
        }
        is_header &= line.ends_with('\\');
    }
    of_bytes(&decoded(&body).context("what it has between BEGIN and END is not base64")?)
}

/// Reads a key in one of the binary forms.
fn of_bytes(bytes: &[u8]) -> Result<PublicKey> {
    let key = match bytes.strip_prefix(&DER) {
        Some(key) => key,
        None => match field(bytes) {
            Some((name, rest)) if name == SSH.as_bytes() => {
                field(rest).filter(|(_, rest)| rest.is_empty()).context("the key is cut off")?.0
            }
            _ => bail!("it is no Ed25519 key"),
        },
    };
    Ok(PublicKey(key.try_into().context("an Ed25519 key has 32 bytes")?))
}

/// Reads a field of SSH's binary form: four bytes with its length, then the field.
fn field(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    rest.split_at_checked(u32::from_be_bytes(*length) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bytes of a hexadecimal number.
    fn bytes(hex: &str) -> Vec<u8> {
        let digits = |at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
        (0..hex.len()).step_by(2).map(digits).collect()
    }

    fn key(hex: &str) -> PublicKey {
        PublicKey(bytes(hex).try_into().unwrap())
    }

    /// The tests 1 to 3 of RFC 8032, section 7.1: public key, message, signature.
    const VECTORS: [[&str; 3]; 3] = [
        [
            "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
            "",
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46b\
             d25bf5f0595bbe24655141438e7a100b",
        ],
        [
            "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
            "72",
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c\
             387b2eaeb4302aeeb00d291612bb0c00",
        ],
        [
            "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
            "af82",
            "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc659\
             4a7c15e9716ed28dc027beceea1ec40a",
        ],
    ];

    #[test]
    fn signatures_of_rfc_8032_are_verified() {
        for [public, message, signature] in VECTORS {
            let (key, mut message, mut signature) = (key(public), bytes(message), bytes(signature));
            assert!(key.has_signed(&message, &signature), "{public}");
            for bit in 0..signature.len() * 8 {
                signature[bit / 8] ^= 1 << (bit % 8);
                assert!(!key.has_signed(&message, &signature), "{public}: bit {bit}");
                signature[bit / 8] ^= 1 << (bit % 8);
            }
            assert!(!key.has_signed(&message, &signature[..63]), "{public}");
            message.push(0);
            assert!(!key.has_signed(&message, &signature), "{public}");
        }
    }

    #[test]
    fn a_key_is_read_however_it_is_written() {
        let wanted = key(VECTORS[1][0]);
        let ssh = [&[0, 0, 0, 11][..], SSH.as_bytes(), &[0, 0, 0, 32], &wanted.0].concat();
        let [ssh, der] = [ssh, [&DER[..], &wanted.0].concat()].map(|bytes| BASE64.encode(bytes));
        let (first, rest) = ssh.split_at(40);
        let file = format!(
            "---- BEGIN SSH2 PUBLIC KEY ----\r\nComment: \"a key \\\r\n  of somebody\"\r\n\
             {first}\r\n{rest}\r\n---- END SSH2 PUBLIC KEY ----\r\n"
        );
        let pem = format!("-----BEGIN PUBLIC KEY-----\n{der}\n-----END PUBLIC KEY-----\n");
        let line = format!("{SSH} {ssh} somebody@somewhere\n");
        let texts = [
            BASE64.encode(&file),
            BASE64.encode(&line),
            format!("\"{line}\""),
            ssh.trim_end_matches('=').to_owned(),
            file,
            pem,
            line,
            der,
        ];
        for text in texts {
            assert_eq!(text.parse::<PublicKey>().unwrap(), wanted, "{text}");
        }
    }

    #[test]
    fn what_is_no_key_is_refused() {
        let short = BASE64.encode([&[0, 0, 0, 11][..], SSH.as_bytes(), &[0, 0, 0, 32, 1]].concat());
        for (text, words) in [
            ("", "no Ed25519 key"),
            ("not a key", "neither"),
            ("ssh-ed25519", "after"),
            ("ssh-ed25519 ???", "base64"),
            (&short, "cut off"),
            ("-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n", "private key"),
            ("ssh-rsa AAAAB3NzaC1yc2E", "neither"),
        ] {
            let error = text.parse::<PublicKey>().unwrap_err().to_string();
            assert!(error.contains(words), "{text}: {error}");
        }
    }
}
