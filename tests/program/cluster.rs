//! One run on many machines: what is wrong is said without a server, and nothing is written.
//! `scripts/cluster.py` has a server.

#![cfg(feature = "cluster")]

use crate::common::cli::run;
use crate::common::run::Setup;

/// Nobody listens at this address.
const NOWHERE: &str = "nats://user:secret@127.0.0.1:1";

#[test]
fn without_a_server_everyone_says_how_to_start_one() {
    let setup = Setup::new("game = 'tic_tac_toe'");
    let train = setup.train(&["--cluster", NOWHERE]);
    let others = ["worker", "cluster"].map(|command| run(&[command, NOWHERE]));
    let others = others.map(|done| (done.status, done.stdout, done.stderr));
    for (status, stdout, stderr) in
        others.into_iter().chain([(train.status, train.stdout, train.stderr)])
    {
        assert_eq!(status, Some(1), "{stderr}");
        assert!(stderr.contains("127.0.0.1:1: ") && stderr.contains("nats-server -js"), "{stderr}");
        assert!(!format!("{stdout}{stderr}").contains("secret"), "{stdout}{stderr}");
    }
    assert!(!setup.run().exists(), "nothing was written");
}

#[track_caller]
fn refused(arguments: &[&str], words: &str) {
    let done = run(arguments);
    assert_eq!(done.status, Some(2), "{done:?}");
    assert!(done.stderr.contains(words), "{done:?}");
}

#[test]
fn an_address_that_is_none_is_a_usage_error() {
    for address in ["http://localhost", "nats://", "://", ""] {
        refused(&["worker", address], "nats://HOST:4222");
    }
}

#[test]
fn a_name_of_a_run_that_is_none_is_a_usage_error() {
    for name in ["../x", "a.b", "*", ""] {
        refused(&["worker", NOWHERE, "--run", name], "letters, digits");
    }
}
