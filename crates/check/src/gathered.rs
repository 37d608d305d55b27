//! The files of a folder, without what others made of the package that it is.

use crate::{Outcome, fail};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// What `npm pack` writes: named by package.json.
const PACKED: &str = "NAME-VERSION.tgz";
/// What cargo, `CMake`, cc and npm make in a package, by its kind: a name, and the file in it that
/// shows a folder to be theirs.
const LEFT: [(&str, &str, &str); 7] = [
    ("Rust package", "Cargo.lock", ""),
    ("Rust package", "target", "CACHEDIR.TAG"),
    ("C package", "a.out", ""),
    ("C package", "build", "CMakeCache.txt"),
    ("JavaScript package", "package-lock.json", ""),
    ("JavaScript package", "node_modules", ".package-lock.json"),
    ("JavaScript package", PACKED, ""),
];

/// Files by their paths, and the names of what is not read.
type Gathered = (BTreeMap<String, Vec<u8>>, Vec<String>);

#[derive(Deserialize)]
struct Kind {
    #[serde(default)]
    kind: String,
}

#[derive(Deserialize)]
struct NpmPackage {
    name: String,
    version: String,
}

/// All files below a folder by their paths, and what is there of others, which is not read.
pub(crate) fn gathered(root: &Path, manifest: &str) -> Outcome<Gathered> {
    let text = regular(&root.join(manifest)).unwrap_or_default();
    let kind = serde_json::from_slice::<Kind>(&text).map(|said| said.kind).unwrap_or_default();
    let packed = packed(root);
    let named = |name: &'static str| if name == PACKED { &packed } else { name };
    let is_left = |(of, name, shows): &(&str, &'static str, &str)| {
        let path = root.join(named(name));
        let shown = if shows.is_empty() { path.clone() } else { path.join(shows) };
        let is_link =
            |path: &Path| path.symlink_metadata().map_or(true, |found| found.is_symlink());
        *of == kind && !is_link(&path) && !is_link(&shown) && shown.is_file()
    };
    let left: Vec<_> = LEFT
        .iter()
        .filter(|one| is_left(one))
        .map(|(_, name, _)| named(name).to_string())
        .collect();
    let mut files = BTreeMap::new();
    gather(root, "", &left, &mut files)?;
    Ok((files, left))
}

/// Reads a file. A pipe may have no writer, and a device no end: neither is opened.
pub(crate) fn regular(path: &Path) -> Outcome<Vec<u8>> {
    match std::fs::metadata(path) {
        Ok(found) if !found.is_file() => fail("it is no regular file"),
        Ok(_) => std::fs::read(path).map_err(|why| why.to_string()),
        Err(why) => fail(why.to_string()),
    }
}

/// The name of what `npm pack` writes there; `PACKED` where package.json has no name.
fn packed(root: &Path) -> String {
    let text = regular(&root.join("package.json")).unwrap_or_default();
    serde_json::from_slice::<NpmPackage>(&text)
        .map(|NpmPackage { name, version }| format!("{name}-{version}.tgz"))
        .ok()
        .filter(|name| !name.contains(['/', '\\', '\0']))
        .unwrap_or_else(|| PACKED.into())
}

/// Reads all files below a folder. A link is refused: it may lead to another file tomorrow.
fn gather(
    root: &Path,
    inside: &str,
    left: &[String],
    files: &mut BTreeMap<String, Vec<u8>>,
) -> Outcome<()> {
    let said = |why: std::io::Error| format!("{}: {why}", root.display());
    for entry in std::fs::read_dir(root).map_err(said)? {
        let entry = entry.map_err(said)?;
        let name = entry.file_name().into_string().map_err(|_| "a file's name is no text")?;
        let path = format!("{inside}{name}");
        if left.contains(&path) {
            continue;
        }
        let kind = entry.file_type().map_err(said)?;
        if kind.is_dir() {
            gather(&entry.path(), &format!("{path}/"), left, files)?;
        } else if kind.is_file() {
            files.insert(path, std::fs::read(entry.path()).map_err(said)?);
        } else {
            return fail(format!("{path} is no regular file: it is a link, a pipe or a device"));
        }
    }
    Ok(())
}
