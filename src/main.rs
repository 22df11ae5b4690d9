//! The entry: command line in, exit status out.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(fbunlock::cli::main().code())
}
