"""Prove and run every routine, and write docs/audits.md: `make audits`."""

from __future__ import annotations

import hashlib
import json
import signal
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from audits.builds import gnark, halo2curves, secp256k1
from audits.libraries import DEBIAN, Missing, Source, crate, debian, image_of
from audits.routines import Routine, nettle, openssl, ring, s2n, supranational
from audits.routines_aarch64 import routines_aarch64
from audits.routines_built import routines_built
from audits.running import WrongResult, confirm
from fieldc.artifacts.foreign import prove_foreign
from fieldc.binary.image import Image, ObjectError

PAGE = Path(__file__).parents[2] / "docs" / "audits.md"
RESULTS = PAGE.with_suffix(".json")
S2N = "aws-lc/third_party/s2n-bignum/s2n-bignum-imported"
INCLUDES = {"aws-lc-sys": (f"{S2N}/include",), "ring": ("include",)}
ARCHITECTURES = ("x86_64", "aarch64")
BUILT = {"halo2curves": halo2curves, "secp256k1-sys": secp256k1}
LONGEST = 40
"""Seconds of the processor for one proof."""
HEAD = """# Audits: routines of other libraries, proved from their bytes

Made by `make audits`, on {machine}. Each routine is read from the library's own file, as Debian's
package has it, or as a compiler makes it of the sources of a crate or a module of Go: first those
for x86-64, then those for [AArch64](#aarch64). Its contract is what the library says of it, stated
once more here ([tests/audits/routines.py](../tests/audits/routines.py),
[routines_built.py](../tests/audits/routines_built.py),
[routines_aarch64.py](../tests/audits/routines_aarch64.py)).

- **PROVED** means for all operands within the bounds: the claim modulo the prime, the bound of the
  result, no branch and no address that depends on data, no access outside operands, result and own
  stack, and z may be an operand. It is the prover's word: there is no certificate for these.
- Each PROVED routine was also run, its own bytes, on edge and random operands against Python's
  integers: the last column counts the runs, all of them right. Those for AArch64 ran in an
  emulator, which has no keys to sign return addresses with.
- A routine that is not proved may still be right. The table says where the prover stopped.
- What is assumed of a file: nothing replaces the function or the read-only sections that it reads.
  gnark-crypto keeps its moduli where a program may write: that they are there is assumed too, and
  that Go's stack has room.
- `mcl_fp_sub4L` and `mcl_fp_sub6L` branch on the borrow of x - y: their time may depend on data.
- halo2curves has no functions of its own in a binary: those of that name here call its methods.

"""
AARCH64 = "# AArch64"
"""The heading of the second half."""


@dataclass(frozen=True)
class Row:
    """What came out for one routine."""

    routine: Routine
    version: str
    digest: str
    failure: str
    seconds: float
    runs: int


class TooLong(Exception):
    """A proof that was given up."""


def _stop(number: int, frame: FrameType | None) -> None:
    raise TooLong


def audited(routine: Routine, source: Source) -> Row:
    """Prove one routine, and run it if it is proved. Raises WrongResult."""
    image = image_of(source, routine.symbol)
    signal.signal(signal.SIGVTALRM, _stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, LONGEST)
    try:
        verdict = prove_foreign(image, routine.symbol, routine.contract, routine.p)
        failure, seconds = verdict.failure, verdict.seconds
    except TooLong:
        failure, seconds = f"given up after {LONGEST} s", LONGEST
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    runs = 0 if failure else confirm(image, routine.symbol, routine.contract, routine.p)
    digest = _digest(image, routine.symbol)
    return Row(routine, source.version, digest, failure, seconds, runs)


def _digest(image: Image, symbol: str) -> str:
    return hashlib.sha256(image.routines()[symbol].code).hexdigest()[:16]


def source_of(routine: Routine, folder: Path) -> Source:
    """The file of a routine. Raises Missing."""
    if routine.library in DEBIAN:
        return debian(routine.library)
    if routine.library == "gnark-crypto":
        return gnark(routine.file, folder)
    if (build := BUILT.get(routine.library)) is not None:
        return build(folder)
    file = f"{S2N}/{routine.file}" if routine.library == "aws-lc-sys" else routine.file
    include = INCLUDES.get(routine.library, ())
    return crate(routine.library, file, folder, routine.architecture, *include)


def routines() -> tuple[Routine, ...]:
    """Every routine, by library, of x86-64 and of AArch64."""
    others = routines_built()
    of_x86_64 = (*openssl(), *nettle(), *supranational(), *ring(), *s2n(), *others)
    return (*of_x86_64, *routines_aarch64())


def all_rows(folder: Path, architecture: str) -> list[Row]:
    """Every routine of every library that is here."""
    rows, missing = [], set()
    for routine in routines():
        if routine.architecture != architecture:
            continue
        try:
            row = audited(routine, source_of(routine, folder))
        except (Missing, ObjectError) as error:
            if str(error) not in missing:
                print(f"SKIPPED: {routine.library}: {error}", flush=True)
            missing.add(str(error))
            continue
        except WrongResult as error:
            print(f"WRONG: {routine.symbol}: {error}", flush=True)
            raise
        print(f"{routine.symbol:36} {row.failure or 'PROVED'} {row.seconds:.2f}", flush=True)
        rows.append(row)
    return rows


def tables(rows: list[Row]) -> str:
    """One half of the page: the counts of an architecture, and a table for each library."""
    libraries = list(dict.fromkeys(row.routine.library for row in rows))
    text = "| library | version | proved | tried |\n|---|---|---|---|\n"
    for library in libraries:
        of = [row for row in rows if row.routine.library == library]
        proved = sum(not row.failure for row in of)
        text += f"| {library} | {of[0].version} | {proved} | {len(of)} |\n"
    total = sum(not row.failure for row in rows)
    text += f"| all | | {total} | {len(rows)} |\n"
    for library in libraries:
        text += f"\n## {library}\n\n"
        text += "| routine | field | claim | bounds | result | seconds | runs | digest |\n"
        text += "|---|---|---|---|---|---|---|---|\n"
        text += "".join(_line(row) for row in rows if row.routine.library == library)
    return text


def _line(row: Row) -> str:
    routine, said = row.routine, row.routine.contract.statement
    claim = "; ".join(f"`{claim}`" for claim in said.claims)
    claim += f" where {'; '.join(f'`{v}`' for v in said.between)}" if said.between else ""
    bounds = ", ".join(f"{n} < {said.below.get(n, 'p')}" for n in (*said.operands, "z"))
    name = f"`{routine.symbol}`" + (f" ({routine.note})" if routine.note else "")
    result = f"not proved: {row.failure.replace('|', ' ')[:160]}" if row.failure else "PROVED"
    runs = row.runs or ""
    cells = (name, routine.field, claim, bounds, result, f"{row.seconds:.2f}", runs, row.digest)
    return f"| {' | '.join(map(str, cells))} |\n"


def main() -> None:
    """Write the page and its figures; those of one architecture where one is named."""
    wanted = sys.argv[1:] or ARCHITECTURES
    halves = dict(zip(ARCHITECTURES, _halves(), strict=True))
    data = json.loads(RESULTS.read_text()) if RESULTS.exists() else []
    for architecture in wanted:
        with tempfile.TemporaryDirectory() as folder:
            rows = all_rows(Path(folder), architecture)
        halves[architecture] = tables(rows)
        data = [one for one in data if one["architecture"] != architecture]
        data += [_figures(row) for row in rows]
        data.sort(key=lambda one: ARCHITECTURES.index(one["architecture"]))
        first, second = halves.values()
        PAGE.write_text(HEAD.format(machine="x86-64") + first + f"\n{AARCH64}\n\n" + second)
        RESULTS.write_text(json.dumps(data, indent=1) + "\n")


def _halves() -> tuple[str, str]:
    """The tables that are there, of each architecture."""
    text = PAGE.read_text() if PAGE.exists() else ""
    first, _, second = text.partition(f"\n{AARCH64}\n\n")
    return first[max(first.find("| library |"), 0) :], second


def _figures(row: Row) -> dict[str, object]:
    return {
        "architecture": row.routine.architecture,
        "library": row.routine.library,
        "symbol": row.routine.symbol,
        "note": row.routine.note,
        "proved": not row.failure,
    }


if __name__ == "__main__":
    main()
