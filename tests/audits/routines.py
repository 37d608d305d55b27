"""The routines that are audited, and what each one claims to compute."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fieldc.artifacts.foreign import ForeignContract
from fieldc.proof.claims.statements import Statement

P192 = 2**192 - 2**64 - 1
P224 = 2**224 - 2**96 + 1
P256 = 2**256 - 2**224 + 2**192 + 2**96 - 1
N256 = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
P384 = 2**384 - 2**128 - 2**96 + 2**32 - 1
P521 = 2**521 - 1
P256K1 = 2**256 - 2**32 - 977
SM2 = 2**256 - 2**224 - 2**96 + 2**64 - 1
P25519 = 2**255 - 19
P448 = 2**448 - 2**224 - 1
PALLAS = 0x40000000000000000000000000000000224698FC094CF91B992D30ED00000001
BLS12_381_P = int(
    "1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab",
    16,
)
BLS12_381_R = 0x73EDA753299D7D483339D80809A1D80553BDA402FFFE5BFEFFFFFFFF00000001


@dataclass(frozen=True)
class Routine:
    """One function of a library's file, and its contract."""

    library: str
    file: str
    symbol: str
    field: str
    p: int
    contract: ForeignContract
    note: str = ""
    architecture: str = "x86_64"

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What tells it from all others."""
        return self.architecture, self.library, self.symbol, self.note


@dataclass(frozen=True)
class Fields:
    """A field's name, prime and limbs."""

    name: str
    p: int
    limbs: int


def stated(
    claim: str,
    arguments: str,
    limbs: int,
    below: dict[str, str] | None = None,
    sizes: dict[str, int] | None = None,
    memory: dict[str, tuple[int, bytes]] | None = None,
    values: dict[str, int] | None = None,
    overlap: bool = True,
    numbers: dict[str, str] | None = None,
    between: str = "",
) -> ForeignContract:
    statement = Statement(
        tuple(arguments.split()),
        tuple(claim.split("; ")),
        limbs,
        below or {},
        sizes or {},
        values or {},
        numbers or {},
        {},
        overlap,
        tuple(between.split("; ")) if between else (),
    )
    return ForeignContract(statement, memory or {})


ANY = {"x": "R", "y": "R"}
S2N_FIELDS = {
    "p256": Fields("P-256", P256, 4),
    "p384": Fields("P-384", P384, 6),
    "p521": Fields("P-521", P521, 9),
    "p256k1": Fields("secp256k1", P256K1, 4),
    "sm2": Fields("SM2", SM2, 4),
    "p25519": Fields("2^255 - 19", P25519, 4),
}
S2N_FOLDERS = {"p256k1": "secp256k1", "p25519": "curve25519"}
S2N_CLAIMS: dict[str, tuple[str, str, dict[str, str]]] = {
    "add": ("z = x + y", "z x y", {}),
    "sub": ("z = x - y", "z x y", {}),
    "double": ("z = 2*x", "z x", {}),
    "neg": ("z = -x", "z x", {}),
    "half": ("2*z = x", "z x", {}),
    "triple": ("z = 3*x", "z x", {}),
    "montmul": ("R*z = x*y", "z x y", {}),
    "montsqr": ("R*z = x*x", "z x", {}),
    "mul": ("z = x*y", "z x y", {}),
    "sqr": ("z = x*x", "z x", {}),
    "demont": ("R*z = x", "z x", {}),
    "deamont": ("R*z = x", "z x", {"x": "R"}),
    "tomont": ("z = R*x", "z x", {"x": "R"}),
}
S2N = (
    *(f"{op}_{f}" for op in ("add", "sub", "double", "neg") for f in S2N_FIELDS),
    *(f"half_{f}" for f in ("p256", "p384", "p521", "sm2", "p256k1")),
    *(f"triple_{f}{v}" for f in ("p256", "p384", "p521", "p256k1", "sm2") for v in ("", "_alt")),
    *(
        f"{op}_{f}{v}"
        for op in ("montmul", "montsqr")
        for f in ("p256", "p384", "p521", "p256k1", "sm2")
        for v in ("", "_alt")
    ),
    *(
        f"{op}_{f}{v}"
        for op in ("mul", "sqr")
        for f in ("p521", "p256k1", "p25519")
        for v in ("", "_alt")
    ),
    *(f"{op}_{f}" for op in ("demont", "deamont") for f in ("p256", "p384", "p521", "sm2")),
    *(f"{op}_{f}_alt" for op in ("demont", "deamont") for f in ("p256", "p384")),
    *(f"tomont_{f}{v}" for f in ("p256", "p384", "p256k1") for v in ("", "_alt")),
    *(f"tomont_{f}" for f in ("p521", "sm2")),
    *(f"{op}_p256k1" for op in ("demont", "deamont")),
)


def s2n() -> Iterator[Routine]:
    """AWS-LC's assembly from s2n-bignum."""
    for name in S2N:
        operation, of, *_ = name.split("_")
        f = S2N_FIELDS[of]
        claim, arguments, below = S2N_CLAIMS[operation]
        contract = stated(claim, arguments, f.limbs, below)
        file = f"x86_att/{S2N_FOLDERS.get(of, of)}/bignum_{name}.S"
        yield Routine("aws-lc-sys", file, f"bignum_{name}", f.name, f.p, contract)


FEATURES = "OPENSSL_ia32cap_P"
WITH_ADX, WITHOUT = b"\x00\x01\x08\x00", bytes(4)
"""What the library looks for before it takes its code with mulx and adcx, and nothing of it."""


def openssl() -> Iterator[Routine]:
    """OpenSSL's assembly for P-256 and for 2^255 - 19."""
    file = "libcrypto.a"
    for symbol, claim, arguments in (
        ("add", "z = x + y", "z x y"),
        ("sub", "z = x - y", "z x y"),
        ("neg", "z = -x", "z x"),
        ("mul_by_2", "z = 2*x", "z x"),
        ("mul_by_3", "z = 3*x", "z x"),
        ("div_by_2", "2*z = x", "z x"),
        ("from_mont", "R*z = x", "z x"),
    ):
        contract = stated(claim, arguments, 4)
        yield Routine("libssl-dev", file, f"ecp_nistz256_{symbol}", "P-256", P256, contract)
    for symbol, claim, arguments, p, name in (
        ("mul_mont", "R*z = x*y", "z x y", P256, "P-256"),
        ("sqr_mont", "R*z = x*x", "z x", P256, "P-256"),
        ("to_mont", "z = R*x", "z x", P256, "P-256"),
        ("ord_mul_mont", "R*z = x*y", "z x y", N256, "order of P-256"),
    ):
        for features, note in ((WITH_ADX, "with mulx and adcx"), (WITHOUT, "without")):
            contract = stated(claim, arguments, 4, memory={FEATURES: (8, features)})
            yield Routine("libssl-dev", file, f"ecp_nistz256_{symbol}", name, p, contract, note)
    below = {**ANY, "z": "R"}
    for symbol, claim, arguments in (
        ("add", "z = x + y", "z x y"),
        ("sub", "z = x - y", "z x y"),
        ("mul", "z = x*y", "z x y"),
        ("sqr", "z = x*x", "z x"),
        ("mul121666", "z = 121666*x", "z x"),
        ("tobytes", "z = x", "z x"),
    ):
        named = "x" if symbol == "tobytes" else arguments
        bounds = {name: bound for name, bound in below.items() if name in named.split()}
        contract = stated(claim, arguments, 4, bounds)
        yield Routine("libssl-dev", file, f"x25519_fe64_{symbol}", "2^255 - 19", P25519, contract)


def nettle() -> Iterator[Routine]:
    """Nettle's reductions of products, to any number of as many limbs."""
    for symbol, name, p, limbs, claim in (
        ("secp192r1_modp", "P-192", P192, 3, "z = x"),
        ("secp224r1_modp", "P-224", P224, 4, "z = x"),
        ("secp256r1_redc", "P-256", P256, 4, "R*z = x"),
        ("secp384r1_modp", "P-384", P384, 6, "z = x"),
        ("secp521r1_modp", "P-521", P521, 9, "z = x"),
        ("curve25519_modp", "2^255 - 19", P25519, 4, "z = x"),
        ("curve448_modp", "2^448 - 2^224 - 1", P448, 7, "z = x"),
    ):
        below, sizes = {"x": "R*R", "z": "R"}, {"x": 2 * limbs}
        contract = stated(claim, "- z x", limbs, below, sizes)
        yield Routine("nettle-dev", "libhogweed.a", f"_nettle_ecc_{symbol}", name, p, contract)


def supranational() -> Iterator[Routine]:
    """blst's and semolina's assembly, whose modulus is an argument."""
    p, r = ("BLS12-381 p", BLS12_381_P, 6), ("BLS12-381 r", BLS12_381_R, 4)
    pallas = ("Pallas p", PALLAS, 4)
    product, square, reduction = "z x y p n0", "z x p n0", "z x p n0"
    double = {"x": "p*R"}
    for library, symbol, (name, prime, limbs), claim, arguments, below in (
        ("blst", "mul_mont_384", p, "R*z = x*y", product, {}),
        ("blst", "sqr_mont_384", p, "R*z = x*x", square, {}),
        ("blst", "from_mont_384", p, "R*z = x", reduction, {}),
        ("blst", "redc_mont_384", p, "R*z = x", reduction, double),
        ("blst", "add_mod_384", p, "z = x + y", "z x y p", {}),
        ("blst", "sub_mod_384", p, "z = x - y", "z x y p", {}),
        ("blst", "mul_by_3_mod_384", p, "z = 3*x", "z x p", {}),
        ("blst", "div_by_2_mod_384", p, "2*z = x", "z x p", {}),
        ("blst", "mul_mont_sparse_256", r, "R*z = x*y", product, {}),
        ("blst", "sqr_mont_sparse_256", r, "R*z = x*x", square, {}),
        ("blst", "from_mont_256", r, "R*z = x", reduction, {}),
        ("blst", "redc_mont_256", r, "R*z = x", reduction, double),
        ("blst", "add_mod_256", r, "z = x + y", "z x y p", {}),
        ("blst", "sub_mod_256", r, "z = x - y", "z x y p", {}),
        ("blst", "mul_by_3_mod_256", r, "z = 3*x", "z x p", {}),
        ("semolina", "pasta_mul", pallas, "R*z = x*y", product, {}),
        ("semolina", "pasta_sqr", pallas, "R*z = x*x", square, {}),
        ("semolina", "pasta_from", pallas, "R*z = x", reduction, {}),
        ("semolina", "pasta_redc", pallas, "R*z = x", reduction, double),
        ("semolina", "pasta_add", pallas, "z = x + y", "z x y p", {}),
        ("semolina", "pasta_sub", pallas, "z = x - y", "z x y p", {}),
    ):
        sizes = {"x": 2 * limbs} if below else {}
        contract = stated(claim, arguments, limbs, below, sizes)
        file = "blst/build/assembly.S" if library == "blst" else "src/assembly.S"
        yield Routine(library, file, symbol, name, prime, contract)
    yield from _of_values()


def _of_values() -> Iterator[Routine]:
    """blst's routines with values on the way, and those in Fp2."""
    p, file = ("BLS12-381 p", BLS12_381_P), "blst/build/assembly.S"
    by_8 = stated("z = 2*v2", "z x p", 6, between="v1 = 2*x; v2 = 2*v1")
    yield Routine("blst", file, "mul_by_8_mod_384", p[0], p[1], by_8)
    for symbol, claims, arguments in (
        ("add_mod_384x", "z0 = x0 + y0; z1 = x1 + y1", "z x y p"),
        ("sub_mod_384x", "z0 = x0 - y0; z1 = x1 - y1", "z x y p"),
        ("mul_by_1_plus_i_mod_384x", "z0 = x0 - x1; z1 = x0 + x1", "z x p"),
        ("mul_by_3_mod_384x", "z0 = 3*x0; z1 = 3*x1", "z x p"),
    ):
        values = {name: 2 for name in ("x", "y") if name in arguments.split()}
        contract = stated(claims, arguments, 6, values=values)
        yield Routine("blst", file, symbol, p[0], p[1], contract, "Fp2")
    contract = stated(
        "R*z0 = v1*v2; R*z1 = 2*R*v3",
        "z x p n0",
        6,
        values={"x": 2},
        between="v1 = x0 + x1; v2 = x0 - x1; R*v3 = x0*x1",
    )
    yield Routine("blst", file, "sqr_mont_384x", p[0], p[1], contract, "Fp2")
    contract = stated(
        "R*z0 = x0*y0 - x1*y1; R*z1 = v1*v2 - x0*y0 - x1*y1",
        "z x y p n0",
        6,
        values={"x": 2, "y": 2},
        between="v1 = x0 + x1; v2 = y0 + y1",
    )
    yield Routine("blst", file, "mul_mont_384x", p[0], p[1], contract, "Fp2")


def ring() -> Iterator[Routine]:
    """ring's assembly for P-256."""
    file = "pregenerated/p256-x86_64-asm-elf.S"
    for symbol, claim, arguments, p, name in (
        ("ecp_nistz256_neg", "z = -x", "z x", P256, "P-256"),
        ("ecp_nistz256_mul_mont_nohw", "R*z = x*y", "z x y", P256, "P-256"),
        ("ecp_nistz256_mul_mont_adx", "R*z = x*y", "z x y", P256, "P-256"),
        ("ecp_nistz256_sqr_mont_nohw", "R*z = x*x", "z x", P256, "P-256"),
        ("ecp_nistz256_sqr_mont_adx", "R*z = x*x", "z x", P256, "P-256"),
        ("ecp_nistz256_ord_mul_mont_nohw", "R*z = x*y", "z x y", N256, "order of P-256"),
        ("ecp_nistz256_ord_mul_mont_adx", "R*z = x*y", "z x y", N256, "order of P-256"),
    ):
        yield Routine("ring", file, symbol, name, p, stated(claim, arguments, 4))
