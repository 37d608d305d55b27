//! What the race times through arkworks, on whatever ark-ff-macros the build has. It answers the
//! requests of `crates/race` (`race::remote`).

mod elements;
mod groth16;
mod many;
mod rows;
mod signature;
#[cfg(test)]
mod tests;

fn main() -> std::process::ExitCode {
    race::remote::serve(rows::all())
}
