//! `cargo bench -p race --bench race`: ours against every peer, interleaved.

fn main() -> std::process::ExitCode {
    race::run(std::env::args().skip(1), race::peers::entries)
}
