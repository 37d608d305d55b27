"""docs/audits.md and a page for each library, from the results in docs/audits.json."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from audits.routines import Routine

DOCS = Path(__file__).parents[2] / "docs"
RESULTS = DOCS / "audits.json"
ARCHITECTURES = {"x86_64": "x86-64", "aarch64": "AArch64"}
"""As tables name them."""
Key = tuple[str, str, str, str]
"""What tells a routine from all others."""
HEAD = """# Audits: routines of other libraries, proved from their bytes

Made by `make audits`, on x86-64. Each routine is read from the library's own file: from Debian's
package, or as a compiler makes it from the sources of a crate or a module of Go. Its contract is
what the library says of it, stated once more here ([routines.py](../tests/audits/routines.py),
[routines_built.py](../tests/audits/routines_built.py),
[routines_aarch64.py](../tests/audits/routines_aarch64.py)).

- **PROVED** means for all operands within the bounds: the claim modulo the prime, the bound of the
  result, no branch and no address that depends on data, no access outside operands, result and own
  stack, and z may be an operand. It is the prover's word: there is no certificate for these.
- Each PROVED routine was also run, its own bytes, on edge and random operands against Python's
  integers. The column `runs` counts the runs, all of them right. Those for AArch64 ran in an
  emulator, which has no keys to sign return addresses with.
- A routine that is not proved may still be right. The table says where the prover stopped.
- Nothing replaces the function or the read-only sections that it reads: this is assumed of a file.
  gnark-crypto keeps its moduli where a program may write. That they are there is assumed too, and
  that Go's stack has room.
- `mcl_fp_sub4L` and `mcl_fp_sub6L` branch on the borrow of x - y: their time may depend on data.
- halo2curves has no functions of its own in a binary: those of that name here call its methods.

| library | version | instructions | proved | tried |
|---|---|---|---|---|
"""


@dataclass(frozen=True)
class Result:
    """What came out for one routine."""

    architecture: str
    library: str
    symbol: str
    note: str
    version: str
    failure: str
    seconds: float
    runs: int
    digest: str

    @property
    def key(self) -> Key:
        return self.architecture, self.library, self.symbol, self.note


def load() -> list[Result]:
    """The results of the last audit of each architecture."""
    return [Result(**row) for row in json.loads(RESULTS.read_text())]


def write(results: Sequence[Result], routines: Mapping[Key, Routine]) -> None:
    """The results, and the pages that show them."""
    rows = ",\n".join(json.dumps(asdict(result)) for result in results)
    RESULTS.write_text(f"[\n{rows}\n]\n")
    for path, text in pages(results, routines).items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)


def pages(results: Sequence[Result], routines: Mapping[Key, Routine]) -> dict[Path, str]:
    """Each page's text: counts, and tables of a library."""
    found = {DOCS / "audits.md": HEAD + _counts(results)}
    for library in dict.fromkeys(result.library for result in results):
        text = (
            f"# Audit of {library}\n\n[What the columns mean, and what is assumed](../audits.md).\n"
        )
        for architecture, name in ARCHITECTURES.items():
            of = [r for r in results if (r.library, r.architecture) == (library, architecture)]
            if of:
                text += f"\n## {name}\n\n" + _table(of, routines)
        found[DOCS / "audits" / f"{library}.md"] = text
    return found


def _counts(results: Sequence[Result]) -> str:
    text = ""
    for architecture, name in ARCHITECTURES.items():
        of = [result for result in results if result.architecture == architecture]
        for library in dict.fromkeys(result.library for result in of):
            rows = [result for result in of if result.library == library]
            link = f"[{library}](audits/{library}.md)"
            text += f"| {link} | {rows[0].version} | {name} | {_proved(rows)} | {len(rows)} |\n"
        text += f"| all | | {name} | {_proved(of)} | {len(of)} |\n"
    return text


def _proved(results: Sequence[Result]) -> int:
    return sum(not result.failure for result in results)


def _table(results: Sequence[Result], routines: Mapping[Key, Routine]) -> str:
    text = "| routine | field | claim | bounds | result | seconds | runs | digest |\n"
    text += "|---|---|---|---|---|---|---|---|\n"
    return text + "".join(_line(result, routines[result.key]) for result in results)


def _line(result: Result, routine: Routine) -> str:
    said = routine.contract.statement
    claim = "; ".join(f"`{claim}`" for claim in said.claims)
    claim += f" where {'; '.join(f'`{v}`' for v in said.between)}" if said.between else ""
    bounds = ", ".join(f"{n} < {said.below.get(n, 'p')}" for n in (*said.operands, "z"))
    name = f"`{routine.symbol}`" + (f" ({routine.note})" if routine.note else "")
    stopped = f"not proved: {result.failure.replace('|', ' ')[:160]}"
    verdict, runs = (stopped, "") if result.failure else ("PROVED", result.runs)
    seconds = f"{result.seconds:.2f}"
    cells = (name, routine.field, claim, bounds, verdict, seconds, runs, result.digest)
    return f"| {' | '.join(map(str, cells))} |\n"
