"""Routines of OpenSSL for any modulus, and of libraries that are compiled here."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from audits.builds import GNARK
from audits.routines import (
    BLS12_381_P,
    FEATURES,
    P256,
    P384,
    P448,
    WITHOUT,
    Routine,
    stated,
)
from fieldc.artifacts.foreign import ForeignContract

BN254_P = 0x30644E72E131A029B85045B68181585D97816A916871CA8D3C208C16D87CFD47
BN254_R = 0x30644E72E131A029B85045B68181585D2833E84879B9709143E1F593F0000001
N256K1 = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
FIELDS = {4: ("BN254 p", BN254_P), 6: ("BLS12-381 p", BLS12_381_P)}


def _with(
    contract: ForeignContract,
    tables: dict[str, str] | None = None,
    before: dict[str, int] | None = None,
    in_place: str = "",
    convention: str = "",
) -> ForeignContract:
    """A contract with what few of them have."""
    said = replace(contract.statement, tables=tables or {}, before=before or {}, in_place=in_place)
    return replace(contract, statement=said, convention=convention)


def any_modulus() -> Iterator[Routine]:
    """OpenSSL's product for a modulus and a number of limbs that are arguments."""
    for name, p, limbs in (
        ("P-256", P256, 4),
        ("BN254 p", BN254_P, 4),
        ("2^320 - 197", 2**320 - 197, 5),
        ("P-384", P384, 6),
        ("BLS12-381 p", BLS12_381_P, 6),
        ("2^448 - 2^224 - 1", P448, 7),
        ("2^512 - 569", 2**512 - 569, 8),
    ):
        memory = {FEATURES: (8, WITHOUT)}
        numbers = {"count": str(limbs)}
        said = stated("R*z = x*y", "z x y p low count", limbs, memory=memory, numbers=numbers)
        contract = _with(said, tables={"low": "n0"})
        note = f"{limbs} limbs, {name}"
        yield Routine("libssl-dev", "libcrypto.a", "bn_mul_mont", name, p, contract, note)


def halo2curves() -> Iterator[Routine]:
    """The assembly in halo2curves, as rustc compiles it into functions that call it."""
    for prefix, name, p in (("fq", "BN254 p", BN254_P), ("fr", "BN254 r", BN254_R)):
        for symbol, claim, arguments in (
            ("add", "z = x + y", "z x y"),
            ("sub", "z = x - y", "z x y"),
            ("neg", "z = -x", "z x"),
            ("double", "z = 2*x", "z x"),
            ("mul", "R*z = x*y", "z x y"),
            ("square", "R*z = x*x", "z x"),
        ):
            contract = stated(claim, arguments, 4)
            yield Routine("halo2curves", "", f"{prefix}_{symbol}", name, p, contract)


def secp256k1() -> Iterator[Routine]:
    """libsecp256k1's scalars, as a C compiler makes them of the crate's sources."""
    wide = stated(
        "z = x*y", "z x y", 8, {"x": "2**256", "y": "2**256"}, {"x": 4, "y": 4}, overlap=False
    )
    plain = ("integers", 2**512 - 1)
    order = ("order of secp256k1", N256K1)
    for symbol, (name, p), contract in (
        ("mul_512", plain, wide),
        ("reduce_512", order, stated("z = x", "z x", 4, {"x": "R*R"}, {"x": 8})),
    ):
        whole = f"rustsecp256k1_v0_14_scalar_{symbol}"
        yield Routine("secp256k1-sys", "", whole, name, p, contract)


def mcl() -> Iterator[Routine]:
    """mcl's code by LLVM, whose modulus has n0 before it, and its plain products."""
    file = "mcl/src/asm/x86-64.S"
    for limbs, (name, p) in FIELDS.items():
        for symbol, claim in (
            ("add", "z = x + y"),
            ("addNF", "z = x + y"),
            ("sub", "z = x - y"),
            ("subNF", "z = x - y"),
        ):
            contract = stated(claim, "z x y p", limbs)
            yield Routine("mcl_rust", file, f"mcl_fp_{symbol}{limbs}L", name, p, contract)
        for symbol, claim, arguments in (
            ("mont", "R*z = x*y", "z x y q"),
            ("montNF", "R*z = x*y", "z x y q"),
            ("montRed", "R*z = x", "z x q"),
            ("montRedNF", "R*z = x", "z x q"),
        ):
            wide = "Red" in symbol
            sizes = {"q": limbs + 1, **({"x": 2 * limbs} if wide else {})}
            said = stated(claim, arguments, limbs, {"x": "p*R"} if wide else {}, sizes)
            contract = _with(said, tables={"q": "n0 + 2**64*p"}, before={"q": 1})
            yield Routine("mcl_rust", file, f"mcl_fp_{symbol}{limbs}L", name, p, contract)
        below = dict.fromkeys("xyz", f"p*2**{64 * limbs}")
        for symbol, claim in (("add", "z = x + y"), ("sub", "z = x - y")):
            contract = stated(claim, "z x y p", 2 * limbs, below, {"p": limbs})
            yield Routine("mcl_rust", file, f"mcl_fpDbl_{symbol}{limbs}L", name, p, contract)
        most = {name: f"2**{64 * limbs}" for name in "xy"}
        for symbol, claim, names in (("mul", "z = x*y", "xy"), ("sqr", "z = x*x", "x")):
            said = stated(
                claim,
                " ".join("z" + names),
                2 * limbs,
                {x: most[x] for x in names},
                dict.fromkeys(names, limbs),
                overlap=False,
            )
            other, m = "mcl/src/asm/bint-x64-amd64.S", 2 ** (128 * limbs) - 1
            yield Routine("mcl_rust", other, f"mclb_{symbol}_fast{limbs}", "integers", m, said)


def gnark() -> Iterator[Routine]:
    """gnark-crypto's assembly in a program of Go; z is the operand of all but the product."""
    for package, name, p, limbs in (
        ("ecc/bn254/fp", "BN254 p", BN254_P, 4),
        ("ecc/bn254/fr", "BN254 r", BN254_R, 4),
        ("ecc/bls12-381/fp", "BLS12-381 p", BLS12_381_P, 6),
    ):
        prefix = f"{GNARK}/{package}."
        memory = {
            f"{prefix}supportAdx": (0, b"\x01"),
            f"{prefix}qElement": (0, p.to_bytes(8 * limbs, "little")),
        }
        product = stated("R*z = x*y", "z x y", limbs, memory=memory)
        contract = _with(product, convention="go-abi0")
        yield Routine("gnark-crypto", package, f"{prefix}mul.abi0", name, p, contract)
        for symbol, claim, below, between in (
            ("MulBy3", "z = 3*x", {}, ""),
            ("MulBy5", "z = v2 + x", {}, "v1 = 2*x; v2 = 2*v1"),
            ("MulBy13", "z = v4 + x", {}, "v1 = 2*x; v2 = 2*v1; v3 = 2*v2; v4 = v3 + v2"),
            ("reduce", "z = x", {"x": "2*p"}, ""),
            ("fromMont", "R*z = x", {}, ""),
        ):
            said = stated(claim, "z", limbs, below, memory=memory, between=between)
            contract = _with(said, in_place="x", convention="go-abi0")
            yield Routine("gnark-crypto", package, f"{prefix}{symbol}.abi0", name, p, contract)


def routines_built() -> Iterator[Routine]:
    """Every routine of this file."""
    for routines in (any_modulus, halo2curves, secp256k1, mcl, gnark):
        yield from routines()
