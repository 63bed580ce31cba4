//! The `deck` program: parse, dispatch, exit code.

fn main() -> std::process::ExitCode {
    deck::cli::main()
}
