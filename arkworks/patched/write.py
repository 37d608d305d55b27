"""Write ark-ff and ark-ec as published, with calls of fieldc.

    python3 write.py [--release 0.5|0.6] FOLDER

FOLDER/ark-ff computes in Fp2 and Fp12 by fieldc. FOLDER/ark-ec adds the points of long sums in
affine coordinates. The published texts come from cargo's registry. What is put into them is
`ark_ff.rs` and `ark_ec.rs` beside this file, and the lines below. Another version is refused, and a
text that lacks one of the places or has it twice.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

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
            raise PatchError(f"{self.file} has no single place `{self.at.strip()}`")
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
ARK_FF = (
    Insertion("src/lib.rs", "#![deny(unsafe_code)]", "#![allow(warnings)]"),
    Insertion("src/lib.rs", "pub(crate) mod bits;", "#[doc(hidden)]\npub mod on_fieldc;", True),
    Insertion(
        FP,
        "pub trait FpConfig<const N: usize>: Send + Sync + 'static + Sized {",
        f"{MONTGOMERY} false;",
    ),
    Insertion(
        "src/fields/mod.rs",
        "    type BasePrimeField: PrimeField;",
        """
    #[doc(hidden)]
    fn multiply_all(x: &mut [Self], y: &[Self]) {
        x.iter_mut().zip(y).for_each(|(x, y)| *x *= y);
    }

    #[doc(hidden)]
    fn invert_all(x: &mut [Self]) {
        serial_batch_inversion_and_mul(x, &Self::ONE);
    }
""",
    ),
    Insertion(
        FP,
        "    type BasePrimeField = Self;",
        """
    fn multiply_all(x: &mut [Self], y: &[Self]) {
        crate::on_fieldc::multiply_all(x, y);
    }

    fn invert_all(x: &mut [Self]) {
        if !crate::on_fieldc::invert_all(x) {
            crate::fields::serial_batch_inversion_and_mul(x, &Self::ONE);
        }
    }
""",
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
SUMS = "src/scalar_mul/variable_base/mod.rs"
POINTS = "src/models/short_weierstrass"
BATCHED = (
    Insertion("src/lib.rs", "#![forbid(unsafe_code)]", "#![allow(unused)]"),
    Insertion(SUMS, "pub mod stream_pippenger;", "pub(crate) mod batched;", before=True),
)
ASKED = """
    #[doc(hidden)]
    fn sum_of_multiples(
        _: &[Self::MulBase],
        _: &[<Self::ScalarField as PrimeField>::BigInt],
    ) -> Option<Self> {
        None
    }
"""
ANSWERED = """
    fn sum_of_multiples(
        bases: &[Self::MulBase],
        scalars: &[<Self::ScalarField as PrimeField>::BigInt],
    ) -> Option<Self> {
        crate::scalar_mul::variable_base::batched::sum_of_multiples(bases, scalars)
    }
"""


def _signed(bases: str, scalars: str) -> Insertion:
    """The question in the sum by signed digits, whose operands have these names."""
    operands = ", ".join(name.removeprefix("mut ") for name in (bases, scalars))
    return Insertion(
        SUMS,
        f"""fn msm_bigint_wnaf<V: VariableBaseMSM>(
    {bases}: &[V::MulBase],
    {scalars}: &[<V::ScalarField as PrimeField>::BigInt],
) -> V {{""",
        f"""    if let Some(sum) = V::sum_of_multiples({operands}) {{
        return sum;
    }}
""",
    )


ARK_EC = (
    *BATCHED,
    Insertion(SUMS, "    const ZERO_BUCKET: Self::Bucket;", ASKED),
    _signed("mut bases", "mut scalars"),
    Insertion(
        f"{POINTS}/group.rs", "    const ZERO_BUCKET: Self::Bucket = Bucket::ZERO;", ANSWERED
    ),
)
ARK_EC_0_5 = (
    *BATCHED,
    Insertion(SUMS, "pub trait VariableBaseMSM: ScalarMul {", ASKED),
    _signed("bases", "bigints"),
    Insertion(
        f"{POINTS}/group.rs",
        "impl<P: SWCurveConfig> VariableBaseMSM for Projective<P> {",
        ANSWERED,
    ),
    # It has no points of their own for buckets.
    Insertion(
        f"{POINTS}/mod.rs", "pub use group::*;", "pub(crate) use self::group::Projective as Bucket;"
    ),
)
DEPENDENCY = """[dependencies.fieldc]
path = {path}
default-features = false
features = ["vectors"]
"""


@dataclass(frozen=True)
class Published:
    """A crate that is copied: where our lines go, and which file of the copy is ours."""

    name: str
    versions: Mapping[str, str]
    """What of each release is known. The places are the same in these."""
    insertions: tuple[Insertion, ...]
    ours: str
    uses_fieldc: bool = False

    @property
    def text(self) -> Path:
        """Our file."""
        return HERE / f"{self.name.replace('-', '_')}.rs"


CRATES = (
    Published("ark-ff", {"0.5": "0.5.0", "0.6": "0.6.0"}, ARK_FF, "src/on_fieldc.rs", True),
    Published("ark-ec", {"0.6": "0.6.0"}, ARK_EC, "src/scalar_mul/variable_base/batched.rs"),
    Published("ark-ec", {"0.5": "0.5.0"}, ARK_EC_0_5, "src/scalar_mul/variable_base/batched.rs"),
)


def published(name: str, version: str) -> Path:
    """The folder of a published crate, which cargo fetches if it has to. Raises PatchError."""
    with tempfile.TemporaryDirectory() as folder:
        manifest = Path(folder) / "Cargo.toml"
        manifest.write_text(
            '[package]\nname = "asks"\nversion = "0.0.0"\nedition = "2021"\n[lib]\npath = "l.rs"\n'
            f'[dependencies]\n{name} = {{ version = "={version}", default-features = false }}\n'
        )
        (Path(folder) / "l.rs").touch()
        command = ["cargo", "metadata", "--format-version", "1", "--manifest-path", str(manifest)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        except FileNotFoundError:
            raise PatchError(f"there is no cargo, which fetches {name}") from None
        if done.returncode:
            why = "".join(done.stderr.strip().splitlines()[-1:]).strip()
            raise PatchError(f"cargo has no {name} {version}: {why}")
    packages = json.loads(done.stdout)["packages"]
    (found,) = (package for package in packages if package["name"] == name)
    return Path(found["manifest_path"]).parent


def write(crate: Published, source: Path, version: str, folder: Path) -> None:
    """Write the crate in `source`, of this version, with our lines into `folder`.

    A folder that has it already is left alone, so that cargo compiles nothing again. Raises
    PatchError.
    """
    manifest = (source / "Cargo.toml").read_text()
    if f'name = "{crate.name}"\nversion = "{version}"' not in manifest:
        raise PatchError(f"{source} is not {crate.name} {version}")
    insertions = crate.insertions
    if crate.uses_fieldc:
        lines = DEPENDENCY.format(path=json.dumps(os.path.relpath(CRATE, folder)))
        insertions += (Insertion("Cargo.toml", "[dependencies.ark-ff-asm]", lines, True),)
    texts = {name: (source / name).read_text() for name in {i.file for i in insertions}}
    for insertion in insertions:
        texts[insertion.file] = insertion.into(texts[insertion.file])
    if folder.exists() and any(folder.iterdir()) and not (folder / crate.ours).is_file():
        raise PatchError(f"{folder} holds something else; name another folder")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as beside:
        made = Path(beside) / "made"
        shutil.copytree(source, made, ignore=shutil.ignore_patterns(".cargo*", "*.orig"))
        for name, text in texts.items():
            (made / name).write_text(text)
        shutil.copy(crate.text, made / crate.ours)
        if not folder.exists() or contents(made) != contents(folder):
            shutil.rmtree(folder, ignore_errors=True)
            made.rename(folder)


def contents(folder: Path) -> dict[Path, bytes]:
    """Every file of a folder."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder): path.read_bytes() for path in files}


def main(words: list[str]) -> int:
    """Write the crates into the folder that is named. Return 0, or 2 if it cannot be done.

    Exits with 2 for words that make no sense.
    """
    parser = argparse.ArgumentParser(prog="write.py", description=__doc__.partition("\n")[0])
    parser.add_argument("--release", choices=("0.5", "0.6"), default="0.6", help="default 0.6")
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    asked = parser.parse_args(words)
    try:
        for crate in CRATES:
            if version := crate.versions.get(asked.release):
                source = published(crate.name, version)
                write(crate, source, version, asked.folder.resolve() / crate.name)
    except PatchError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
