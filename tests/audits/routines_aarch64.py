"""The routines for AArch64 that are audited: the same libraries, and the same claims."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from audits.routines import (
    BLS12_381_P,
    BLS12_381_R,
    N256,
    P256,
    Routine,
    s2n,
    stated,
    supranational,
)

BLST = "blst/build/assembly.S"


def routines_aarch64() -> Iterator[Routine]:
    """Every routine, by library."""
    for routine in (*supranational(), *_more_of_blst(), *_ring(), *_s2n()):
        yield replace(routine, architecture="aarch64")


def _more_of_blst() -> Iterator[Routine]:
    """Shifts by counts and negations by flags, of which the contract gives one value."""
    for name, p, limbs in (("384", BLS12_381_P, 6), ("256", BLS12_381_R, 4)):
        field = f"BLS12-381 {'p' if limbs == 6 else 'r'}"
        for symbol, claim, number, value in (
            ("lshift_mod", "z = 2*x", "count", "1"),
            ("lshift_mod", "z = 2*v", "count", "2"),
            ("rshift_mod", "2*z = x", "count", "1"),
            ("rshift_mod", "2*z = v", "count", "2"),
            ("cneg_mod", "z = x", "flag", "0"),
            ("cneg_mod", "z = -x", "flag", "1"),
        ):
            between = {"z = 2*v": "v = 2*x", "2*z = v": "2*v = x"}.get(claim, "")
            arguments, numbers = f"z x {number} p", {number: value}
            contract = stated(claim, arguments, limbs, numbers=numbers, between=between)
            note = f"{number} = {value}"
            yield Routine("blst", BLST, f"{symbol}_{name}", field, p, contract, note)


def _ring() -> Iterator[Routine]:
    file = "pregenerated/p256-armv8-asm-linux64.S"
    for symbol, claim, arguments, p, name in (
        ("neg", "z = -x", "z x", P256, "P-256"),
        ("mul_mont", "R*z = x*y", "z x y", P256, "P-256"),
        ("sqr_mont", "R*z = x*x", "z x", P256, "P-256"),
        ("ord_mul_mont", "R*z = x*y", "z x y", N256, "order of P-256"),
    ):
        contract = stated(claim, arguments, 4)
        yield Routine("ring", file, f"ecp_nistz256_{symbol}", name, p, contract)
    once = stated("R*z = x*x", "z x count", 4, numbers={"count": "1"})
    name = "ecp_nistz256_ord_sqr_mont"
    yield Routine("ring", file, name, "order of P-256", N256, once, "count = 1")


def _s2n() -> Iterator[Routine]:
    """AWS-LC's, less those that only x86-64 has in a second form."""
    for routine in s2n():
        is_linear = not any(part in routine.symbol for part in ("mul", "sqr"))
        if not (is_linear and routine.symbol.endswith("_alt")):
            yield replace(routine, file=routine.file.replace("x86_att", "arm"))
