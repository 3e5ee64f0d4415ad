//! `tavoliere completions`: prints a script that completes commands in a shell.

use std::io::{Write, stdout};

use clap_complete::{Shell, generate};

use super::{Failure, wording};

/// Print a script that completes commands and options in a shell
///
///   tavoliere completions bash > ~/.local/share/bash-completion/completions/tavoliere
///   tavoliere completions zsh > ~/.zfunc/_tavoliere
///   tavoliere completions fish > ~/.config/fish/completions/tavoliere.fish
///
/// For zsh the folder has to be in `fpath`, before `compinit` is called in ~/.zshrc.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// The shell
    shell: Shell,
}

impl Args {
    pub(super) fn run(self) -> Result<(), Failure> {
        let (mut command, mut script) = (wording::command(), Vec::new());
        generate(self.shell, &mut command, wording::name(), &mut script);
        Ok(stdout().lock().write_all(&script)?)
    }
}
