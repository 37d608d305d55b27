"""python -m campaign --seed 7 --count 5: five cases that nobody chose, every check of each."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
import traceback
from pathlib import Path

from campaign.case import Case, Finding, drawn
from campaign.checks import CHECKS, why_not


def main() -> int:
    """Status 1 if anything was found."""
    parser = argparse.ArgumentParser(prog="campaign", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="of the first case (default 1)")
    parser.add_argument("--count", type=int, default=1, help="cases (default 1)")
    parser.add_argument("--check", choices=CHECKS, action="append", help="only this (all)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="what came out, as rows")
    given = parser.parse_args()
    if given.seed < 0 or given.count < 1:
        parser.error("--seed is a whole number from 0 on, --count one from 1 on")
    rows = []
    for seed in range(given.seed, given.seed + given.count):
        case = drawn(seed)
        print(f"{seed}: {case.p.bit_length()} bits, {case.written}", flush=True)
        for name in given.check or CHECKS:
            rows.append(
                row := {"seed": seed, "prime": case.written, "check": name, **of(case, name)}
            )
            print(f"  {name:<10} {row['seconds']:>6} s  {row['found']}", flush=True)
    found = [row for row in rows if row["is_finding"]]
    print(f"{given.count} cases, {len(rows)} checks, {len(found)} findings")
    if given.json:
        given.json.write_text(json.dumps(rows, indent=2) + "\n")
    return int(bool(found))


def of(case: Case, name: str) -> dict[str, object]:
    """What one check of a case says, and how long it took."""
    if why := why_not(name):
        return {"seconds": 0, "found": f"SKIPPED: {why}", "is_finding": False}
    begin, found = time.monotonic(), ""
    with tempfile.TemporaryDirectory(prefix="campaign-") as folder:
        try:
            CHECKS[name](case, Path(folder))
        except Finding as error:
            found = f"FOUND: {error}"
        except AssertionError as error:
            place = traceback.extract_tb(error.__traceback__)[-1]
            found = f"FOUND: {place.name}: {place.line}: {error}"
    seconds = round(time.monotonic() - begin, 1)
    return {"seconds": seconds, "found": found or "as it should be", "is_finding": bool(found)}


if __name__ == "__main__":
    sys.exit(main())
