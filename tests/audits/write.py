"""Prove and run every routine, and write docs/audits.md and its pages: `make audits`."""

from __future__ import annotations

import hashlib
import signal
import sys
import tempfile
from pathlib import Path
from types import FrameType

from audits.builds import gnark, halo2curves, secp256k1
from audits.libraries import DEBIAN, Missing, Source, crate, debian, image_of
from audits.pages import ARCHITECTURES, Result, load, write
from audits.routines import Routine, nettle, openssl, ring, s2n, supranational
from audits.routines_aarch64 import routines_aarch64
from audits.routines_built import routines_built
from audits.running import WrongResult, confirm
from fieldc.artifacts.foreign import prove_foreign
from fieldc.binary.image import Image, ObjectError

S2N = "aws-lc/third_party/s2n-bignum/s2n-bignum-imported"
INCLUDES = {"aws-lc-sys": (f"{S2N}/include",), "ring": ("include",)}
BUILT = {"halo2curves": halo2curves, "secp256k1-sys": secp256k1}
LONGEST = 40
"""Seconds of the processor for one proof."""


class TooLong(Exception):
    """A proof that was given up."""


def _stop(number: int, frame: FrameType | None) -> None:
    raise TooLong


def audited(routine: Routine, source: Source) -> Result:
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
    return Result(*routine.key, source.version, failure, round(seconds, 2), runs, digest)


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


def all_results(folder: Path, architecture: str) -> list[Result]:
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


def main() -> None:
    """Write the pages and the results; those of one architecture where one is named."""
    wanted, known = sys.argv[1:] or ARCHITECTURES, {routine.key: routine for routine in routines()}
    results = [one for one in load() if one.key in known]
    for architecture in wanted:
        with tempfile.TemporaryDirectory() as folder:
            found = all_results(Path(folder), architecture)
        results = [one for one in results if one.architecture != architecture] + found
        results.sort(key=lambda one: [*ARCHITECTURES].index(one.architecture))
        write(results, known)


if __name__ == "__main__":
    main()
