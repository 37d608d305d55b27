"""Write ark-ff as published, with calls of fieldc where it computes in Fp2 and Fp12.

    python3 patched.py [--release 0.5|0.6] FOLDER

The published text comes from cargo's registry. What is put into it is `on_fieldc.rs` beside this
file, and the lines below. A text that is not the expected one is refused.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

VERSIONS = {"0.5": "0.5.0", "0.6": "0.6.0"}
"""What of each release is known. The places are the same in both."""
OURS = Path("src/on_fieldc.rs")
"""The file that marks a patched crate."""
HERE = Path(__file__).resolve().parent
CRATE = HERE.parents[1] / "crates" / "fieldc"


class PatchError(Exception):
    """Why there is no patched crate, in one line."""


@dataclass(frozen=True)
class Insertion:
    """Lines that go before or after a text that a file has once."""

    file: str
    at: str
    lines: str
    before: bool = False

    def into(self, text: str) -> str:
        """The text with the lines. Raises PatchError if the place is not there once."""
        if text.count(self.at) != 1:
            raise PatchError(f"ark-ff's {self.file} has no single place `{self.at.strip()}`")
        both = (self.lines, self.at) if self.before else (self.at, self.lines)
        return text.replace(self.at, "\n".join(both))


def _returns(call: str, result: str = "") -> str:
    """Lines that return where fieldc did the work."""
    return f"        if crate::on_fieldc::{call} {{\n            return{result};\n        }}"


FP = "src/fields/models/fp/mod.rs"
QUADRATIC = "src/fields/models/quadratic_extension.rs"
CYCLOTOMIC = "src/fields/cyclotomic.rs"
FP12 = "src/fields/models/fp12_2over3over2.rs"
KNOWN = "    #[doc(hidden)]\n    const TOWER: Option<crate::on_fieldc::Tower> ="
MONTGOMERY = "    #[doc(hidden)]\n    const IS_MONTGOMERY: bool ="
INSERTIONS = (
    Insertion("src/lib.rs", "#![deny(unsafe_code)]", "#![allow(warnings)]"),
    Insertion("src/lib.rs", "pub(crate) mod bits;", "#[doc(hidden)]\npub mod on_fieldc;", True),
    Insertion(
        FP,
        "pub trait FpConfig<const N: usize>: Send + Sync + 'static + Sized {",
        f"{MONTGOMERY} false;",
    ),
    Insertion(
        FP,
        "impl<P: FpConfig<N>, const N: usize> PrimeField for Fp<P, N> {",
        f"{MONTGOMERY} P::IS_MONTGOMERY;",
    ),
    Insertion(
        "src/fields/models/fp/montgomery_backend.rs",
        "impl<T: MontConfig<N>, const N: usize> FpConfig<N> for MontBackend<T, N> {",
        f"{MONTGOMERY} true;",
    ),
    Insertion(
        "src/fields/prime.rs",
        "    /// A `BigInteger` type that can represent elements of this field.",
        f"{MONTGOMERY} false;",
        before=True,
    ),
    Insertion(
        QUADRATIC, "pub trait QuadExtConfig: 'static + Send + Sync + Sized {", f"{KNOWN} None;"
    ),
    Insertion(
        QUADRATIC,
        "    fn mul_assign(&mut self, other: &Self) {",
        _returns("mul(self, other)"),
    ),
    Insertion(
        QUADRATIC,
        "    fn square_in_place(&mut self) -> &mut Self {",
        _returns("square(self)", " self"),
    ),
    Insertion(
        "src/fields/models/fp2.rs",
        "impl<P: Fp2Config> QuadExtConfig for Fp2ConfigWrapper<P> {",
        f"{KNOWN} crate::on_fieldc::of_fp2::<P>();",
    ),
    Insertion(
        FP12,
        "impl<P: Fp12Config> QuadExtConfig for Fp12ConfigWrapper<P> {",
        f"{KNOWN} crate::on_fieldc::of_fp12::<P>();",
    ),
    Insertion(
        FP12,
        "        let a0 = self.c0.c0 * c0;",
        _returns("mul_by_034(self, [c0, c3, c4])"),
        before=True,
    ),
    Insertion(
        FP12,
        "        let mut aa = self.c0;",
        _returns("mul_by_014(self, [c0, c1, c4])"),
        before=True,
    ),
    Insertion(
        CYCLOTOMIC,
        "    /// Set `self` to be the result of exponentiating `self` by `e`,",
        "    #[doc(hidden)]\n    fn power_on_fieldc(&mut self, _: &[u64]) -> bool {\n"
        "        false\n    }\n",
        before=True,
    ),
    Insertion(
        CYCLOTOMIC,
        "    fn cyclotomic_exp_in_place(&mut self, e: impl AsRef<[u64]>) {",
        "        if self.power_on_fieldc(e.as_ref()) {\n            return;\n        }",
    ),
    Insertion(
        FP12,
        "impl<P: Fp12Config> CyclotomicMultSubgroup for Fp12<P> {",
        "    fn power_on_fieldc(&mut self, e: &[u64]) -> bool {\n"
        "        crate::on_fieldc::cyclotomic_pow(self, e)\n    }\n",
    ),
    Insertion(
        FP12,
        "        if characteristic_square_mod_6_is_one(Self::characteristic()) {",
        _returns("cyclotomic_square(self)", " self"),
        before=True,
    ),
)
DEPENDENCY = """[dependencies.fieldc]
path = {path}
default-features = false
"""


def published(version: str) -> Path:
    """The folder of a published version, which cargo fetches if it has to. Raises PatchError."""
    with tempfile.TemporaryDirectory() as folder:
        manifest = Path(folder) / "Cargo.toml"
        manifest.write_text(
            '[package]\nname = "asks"\nversion = "0.0.0"\nedition = "2021"\n[lib]\npath = "l.rs"\n'
            f'[dependencies]\nark-ff = {{ version = "={version}", default-features = false }}\n'
        )
        (Path(folder) / "l.rs").touch()
        command = ["cargo", "metadata", "--format-version", "1", "--manifest-path", str(manifest)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        except FileNotFoundError:
            raise PatchError("there is no cargo, which fetches ark-ff") from None
        if done.returncode:
            why = "".join(done.stderr.strip().splitlines()[-1:]).strip()
            raise PatchError(f"cargo has no ark-ff {version}: {why}")
    packages = json.loads(done.stdout)["packages"]
    (found,) = (package for package in packages if package["name"] == "ark-ff")
    return Path(found["manifest_path"]).parent


def write(source: Path, version: str, folder: Path) -> None:
    """Write the crate in `source`, of this version, with our lines into `folder`.

    A folder that has it already is left alone, so that cargo compiles nothing again. Raises
    PatchError.
    """
    manifest = (source / "Cargo.toml").read_text()
    if f'name = "ark-ff"\nversion = "{version}"' not in manifest:
        raise PatchError(f"{source} is not ark-ff {version}")
    path = json.dumps(os.path.relpath(CRATE, folder))
    insertions = (
        *INSERTIONS,
        Insertion("Cargo.toml", "[dependencies.ark-ff-asm]", DEPENDENCY.format(path=path), True),
    )
    texts = {name: (source / name).read_text() for name in {i.file for i in insertions}}
    for insertion in insertions:
        texts[insertion.file] = insertion.into(texts[insertion.file])
    if folder.exists() and any(folder.iterdir()) and not (folder / OURS).is_file():
        raise PatchError(f"{folder} holds something else; name another folder")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as beside:
        made = Path(beside) / "made"
        shutil.copytree(source, made, ignore=shutil.ignore_patterns(".cargo*", "*.orig"))
        for name, text in texts.items():
            (made / name).write_text(text)
        shutil.copy(HERE / "on_fieldc.rs", made / OURS)
        if not folder.exists() or contents(made) != contents(folder):
            shutil.rmtree(folder, ignore_errors=True)
            made.rename(folder)


def contents(folder: Path) -> dict[Path, bytes]:
    """Every file of a folder."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder): path.read_bytes() for path in files}


def main(words: list[str]) -> int:
    """Write the crate into the folder that is named. Return 0, or 2 if it cannot be done.

    Exits with 2 for words that make no sense.
    """
    parser = argparse.ArgumentParser(prog="patched.py", description=__doc__.partition("\n")[0])
    parser.add_argument("--release", choices=VERSIONS, default="0.6", help="default 0.6")
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    asked = parser.parse_args(words)
    version = VERSIONS[asked.release]
    try:
        write(published(version), version, asked.folder.resolve())
    except PatchError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
