//! The test that the README gives, which shows whether the patch is in use.

/// A field whose configuration says which macros made it.
#[derive(ark_ff::MontConfig)]
#[modulus = "17"]
#[generator = "3"]
struct Probe;

/// What the configuration says without the patch.
#[allow(dead_code, reason = "the patch puts a constant of the type before it")]
trait Published {
    const ON_FIELDC: bool = false;
}
impl<T> Published for T {}

#[test]
fn arkworks_runs_on_fieldc() {
    const { assert!(Probe::ON_FIELDC, "the patch of ark-ff-macros is not in use: see `cargo tree`") };
}
