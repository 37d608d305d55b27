"""Certificates that are changed, and the checker's answer to them."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from fieldc.operands import residues
from fieldc.operations import Operation
from fieldc.proof.certificate import text


def run(checker: Path, paths: Iterable[Path]) -> tuple[int, str]:
    done = subprocess.run([checker, *paths], capture_output=True, text=True, timeout=600)
    return done.returncode, done.stdout + done.stderr


def replay(
    checker: Path, tmp_path: Path, certificate: dict[str, Any], data: bytes
) -> tuple[int, str]:
    path = tmp_path / "kernel.cert.json"
    path.write_text(text(certificate))
    (tmp_path / "kernel.o").write_bytes(data)
    return run(checker, [path])


def renamed(certificate: dict[str, Any], family: str, **parameters: int) -> None:
    """Make a certificate claim another operation."""
    operation = Operation(family, (), residues(1), parameters=parameters).name
    certificate["contract"].update(operation=operation, family=family, parameters=parameters)


Tamper = Callable[[dict[str, Any]], None]


def _multiplier(c: dict[str, Any]) -> None:
    term = c["cases"][0]["identity"][3][1][0]
    term[0] = hex(int(term[0], 16) + 1)


def _fixed_value(c: dict[str, Any]) -> None:
    fact = next(f for f in c["cases"][0]["facts"] if "bound" in f)
    fact["value"] = 1 - fact["value"]


def _no_reason(c: dict[str, Any]) -> None:
    c["cases"][1]["canonical"] = {"scale": "0x1", "rows": [], "slopes": []}


def _bound_row(c: dict[str, Any]) -> None:
    c["cases"][1]["canonical"]["rows"].pop()


def _no_scale(c: dict[str, Any]) -> None:
    c["cases"][0]["canonical"]["scale"] = "0x0"


def _case_left_out(c: dict[str, Any]) -> None:
    c["cases"].pop()


def _same_case_twice(c: dict[str, Any]) -> None:
    c["cases"][1] = c["cases"][0]


def _prime(c: dict[str, Any]) -> None:
    c["contract"]["p"] = hex(int(c["contract"]["p"], 16) - 2)


def _operation(c: dict[str, Any]) -> None:
    renamed(c, "add")


def _convention(c: dict[str, Any]) -> None:
    c["contract"]["convention"] = "win64"


def _excluded(c: dict[str, Any]) -> None:
    case = c["cases"][0]
    c["cases"][0] = {"flags": case["flags"], "excluded": case["canonical"]}


def _excluded_by_itself(c: dict[str, Any]) -> None:
    flag, value = c["cases"][0]["flags"][0]
    bound = {"scale": "0x1", "rows": [], "slopes": []}
    c["cases"][0] = {"flags": [[flag, 1 - value], [flag, value]], "excluded": bound}


TAMPERS = (
    *(_multiplier, _fixed_value, _no_reason, _bound_row, _no_scale, _case_left_out),
    *(_same_case_twice, _prime, _operation, _convention, _excluded),
    _excluded_by_itself,
)


def _no_variable(c: dict[str, Any]) -> None:
    c["cases"][0]["identity"][0][1][0][1] = [10**6]


def _no_row(c: dict[str, Any]) -> None:
    c["cases"][0]["identity"][0][0] = 10**6


def _no_flag(c: dict[str, Any]) -> None:
    bound = {"scale": "0x1", "rows": [], "slopes": []}
    c["cases"][0] = {"flags": [[10**6, 1]], "excluded": bound}


def _no_operand(c: dict[str, Any]) -> None:
    c["cases"][0]["canonical"]["slopes"].append(["0x1", ["w"], []])


def _symbol(c: dict[str, Any]) -> None:
    c["symbol"] = "kernels"


MISSING = (_no_variable, _no_row, _no_flag, _no_operand, _symbol)
"""What names a thing that is not there."""
