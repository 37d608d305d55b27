//! The test suites of the published curves, on kernels, and on kernels that are wrong.
//!
//! The packages ship their tests. They are copied from cargo's registry into the target folder,
//! into a workspace with the patch, and run there as they are; nothing is skipped.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const CURVES: [&str; 2] = ["ark-bls12-381", "ark-bn254"];
const RELEASE: &str = "0.6";
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// Where cargo keeps the source of a package of the tested release.
fn source(metadata: &serde_json::Value, name: &str) -> PathBuf {
    let packages = metadata["packages"].as_array().expect("cargo lists packages");
    let is_it = |package: &&serde_json::Value| {
        let version = package["version"].as_str().unwrap_or("");
        package["name"] == name && version.starts_with(&format!("{RELEASE}."))
    };
    let found = packages.iter().find(is_it).expect(name);
    assert!(found["source"].as_str().unwrap_or("").starts_with("registry"), "{name} is patched");
    let manifest = found["manifest_path"].as_str().expect("a package has a manifest");
    Path::new(manifest).parent().expect("a file is in a folder").to_path_buf()
}

fn metadata() -> serde_json::Value {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1"])
        .current_dir(ROOT)
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("cargo prints JSON")
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("the target folder can be written");
    for entry in fs::read_dir(from).expect("cargo unpacked the package") {
        let entry = entry.expect("a folder can be read");
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).expect("the target folder can be written");
        }
    }
}

/// A workspace of the unmodified packages, the patch, and a package that wants a feature of it.
fn workspace(name: &str, feature: Option<&str>) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    let metadata = metadata();
    for curve in CURVES {
        copy(&source(&metadata, curve), &folder.join(curve));
    }
    let patch = Path::new(ROOT).join("ark-ff-macros").canonicalize().expect("it is there");
    let manifest = format!(
        "[workspace]\nmembers = [\"wants\", \"ark-*\"]\nresolver = \"3\"\n\n\
         [patch.crates-io]\nark-ff-macros = {{ path = {patch:?} }}\n"
    );
    let wants = format!(
        "[package]\nname = \"wants\"\nedition = \"2024\"\n\n[dependencies]\n\
         ark-ff-macros = {{ version = {RELEASE:?}, features = {:?} }}\n",
        feature.as_slice()
    );
    fs::create_dir_all(folder.join("wants/src")).expect("the target folder can be written");
    for (file, text) in [
        ("Cargo.toml", manifest.as_str()),
        ("wants/Cargo.toml", wants.as_str()),
        ("wants/src/lib.rs", ""),
    ] {
        fs::write(folder.join(file), text).expect("the target folder can be written");
    }
    fs::copy(Path::new(ROOT).join("Cargo.lock"), folder.join("Cargo.lock")).expect("it is there");
    folder
}

/// Runs the tests of the packages whose names the filters have.
fn run(folder: &Path, filters: &[&str]) -> Output {
    let output = Command::new(env!("CARGO"))
        .args(["test", "--release", "--workspace", "--lib", "--no-fail-fast", "--"])
        .args(filters)
        .current_dir(folder)
        .env("CARGO_TARGET_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).join("published"))
        .output()
        .expect("cargo runs");
    println!("{}", String::from_utf8_lossy(&output.stdout));
    eprintln!("{}", String::from_utf8_lossy(&output.stderr));
    output
}

/// How many tests the runs of all packages say of a kind.
fn count(output: &Output, kind: &str) -> usize {
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let results = text.lines().filter(|line| line.starts_with("test result:"));
    let counts = results.flat_map(|line| line.split(['.', ';'])).filter_map(|part| {
        let (number, name) = part.trim().split_once(' ')?;
        (name == kind).then(|| number.parse::<usize>().ok()).flatten()
    });
    counts.sum()
}

#[test]
fn published_suites_pass() {
    let output = run(&workspace("right", None), &[]);
    assert!(output.status.success());
    assert_eq!((count(&output, "failed"), count(&output, "ignored")), (0, 0));
    // ark-bls12-381 0.6.0 has 143 tests, ark-bn254 0.6.0 has 109.
    assert_eq!(count(&output, "passed"), 252);
}

/// With one bit of a kernel's text flipped. Only tests against known numbers, as those of random
/// points would look for a point for ever.
#[test]
fn published_suites_notice_wrong_kernels() {
    let output = run(&workspace("wrong", Some("sabotage")), &["test_fq2_", "test_fq_"]);
    assert!(!output.status.success());
    assert!(count(&output, "failed") >= 2, "{} tests failed", count(&output, "failed"));
}
