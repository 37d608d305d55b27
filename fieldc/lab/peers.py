"""The rows of crates/race: the Rust crate against the libraries of others, in a run of its own."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fieldc.catalogue import find_field
from fieldc.errors import Refusal
from fieldc.field import Field
from fieldc.machine.results import Spread
from fieldc.processes import run_group

if TYPE_CHECKING:
    from fieldc.lab.race import RaceRow

FOLDER = Path(__file__).resolve().parents[2] / "crates" / "race"
FIELDS = (
    *("bls12-381-p", "bls12-381-r", "bn254-p", "secp256k1-p", "p256", "p521"),
    *("curve25519", "pallas", "vesta", "goldilocks"),
    *("babybear", "koalabear", "mersenne31"),
    "2^252+27742317777372353535851937790883648493",
)
OPERATIONS = (
    *("mul", "square", "add", "sub", "inverse", "sqrt"),
    *("fp12_mul", "fp12_square", "cyclotomic_square", "fp12_mul_line"),
    *("miller_loop", "final_exponentiation", "pairing_4"),
    *("g1_add", "g1_double", "g2_add", "g2_double", "x25519"),
    *("fp2_mul", "pairing", "msm_4096", "msm_16384", "verify"),
    *("transform_16384", "groth16_prove", "groth16_verify"),
)
"""What crates/race has, last the field of Ed25519's scalars. The last eight operations are curves',
through arkworks too."""
SEEDS = range(1, 100_000_001)
RaceData = Mapping[str, Any]


@dataclass(frozen=True)
class Peers:
    """Rows as crates/race prints them, or the reason why there are none."""

    data: Sequence[RaceData] = ()
    skipped: str = ""

    def rows(self) -> list[RaceRow]:
        """The rows for a table; what stands in the name is other than called and canonical."""
        return [_row(data) for data in self.data]


def race_peers(
    field: Field, operations: Sequence[str], rounds: int, seed: int, mode: str = "moving"
) -> Peers:
    """Run cargo's bench for one field. It shows its progress on stderr.

    `mode` says which operands throughput is measured with.

    Raises Refusal where it fails: a peer disagrees, or something does not compile.
    """
    names = [name for name in FIELDS if find_field(name).p == field.p]
    operations = [name for name in operations if name in OPERATIONS]
    if reason := _missing(field, names, operations):
        return Peers(skipped=reason)
    options = ("--field", names[0], "--op", ",".join(operations), "--operands", mode)
    run = ("--rounds", f"{rounds}", "--seed", f"{seed}", "--json")
    command = ("cargo", "bench", "--bench", "race", "--", *options, *run)
    ran = run_group(command, FOLDER, is_heard=True)
    if ran.returncode:
        raise Refusal(f"the race of the peers failed: exit status {ran.returncode}, reason above")
    return Peers(json.loads(ran.stdout))


def full_name(data: RaceData) -> str:
    """A peer and its version; what has none is ours, and named like our own backends."""
    return f"{data['peer']} {data['version'] or '(crates/race)'}"


def _missing(field: Field, names: Sequence[str], operations: Sequence[str]) -> str:
    if not FOLDER.is_dir():
        return "there is no folder crates/race beside the package"
    if shutil.which("cargo") is None:
        return "there is no cargo command; rustup.rs installs one"
    if not names or field.word != 64:
        return f"crates/race has limbs of 64 bits, and the fields {', '.join(FIELDS)}"
    return "" if operations else f"crates/race has the operations {', '.join(OPERATIONS)}"


def _row(data: RaceData) -> RaceRow:
    from fieldc.lab.race import RaceRow, Ratio

    kind = [word for word in data["kind"] if word not in ("called", "canonical")]
    spreads = {mode: Spread(**data[f"{mode}_spread"]) for mode in ("throughput", "latency")}
    nanoseconds = {
        mode: _scaled(spread, data[f"{mode}_ns"] / spread.median)
        for mode, spread in spreads.items()
    }
    name = ", ".join((full_name(data), *kind))
    return RaceRow(
        field=data["field"],
        op=data["op"],
        algorithm=data["algorithm"],
        backend=name,
        limbs=data["limbs"],
        label=name,
        throughput=spreads["throughput"],
        latency=spreads["latency"],
        throughput_ns=nanoseconds["throughput"],
        latency_ns=nanoseconds["latency"],
        ratios={against: Ratio(**ratio) for against, ratio in data["times_as_fast_as"].items()},
        operands=data["operands"],
    )


def _scaled(spread: Spread, factor: float) -> Spread:
    return Spread(spread.median * factor, spread.low * factor, spread.high * factor)
