//! Starts and stops `tavoliere serve`.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Command, Stdio};

use super::cli;

/// Starts `tavoliere serve` with these arguments, and returns it with its address.
pub fn serve(args: &[&str]) -> (std::process::Child, SocketAddr) {
    started(cli::program(&[&["serve", "--port", "0"], args].concat()))
}

/// Starts a server, and returns it with its address.
pub fn started(mut command: Command) -> (std::process::Child, SocketAddr) {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut address = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut address).unwrap();
    let address = address.strip_prefix("http://").and_then(|rest| rest.strip_suffix("/\n"));
    (child, address.unwrap().parse().unwrap())
}

/// Ends the server, which must have nothing to say.
pub fn interrupt(child: std::process::Child) {
    stop(child, "-INT");
}

/// As [`interrupt`], by this signal.
pub fn stop(child: std::process::Child, signal: &str) {
    let id = child.id().to_string();
    assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr), (Some(0), Vec::new()));
}
