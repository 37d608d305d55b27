"""The targets of the LLVM backend: LLVM's names, and the form that LLVM compiles best."""

from __future__ import annotations

from dataclasses import dataclass, replace

from fieldc.targets.llvm.print import Carry, LlvmForm, SelectStyle
from fieldc.targets.object_format import ObjectFormat
from fieldc.words.rows import RowChoice, RowStyle


@dataclass(frozen=True)
class LlvmProcessor:
    """What code may use (`cpu` and `features` as LLVM writes them) and what LLVM makes it best of.

    `word` is the width of limbs that kernels for it should have; `form` and `rows` are how to
    print and lower them, `other_rows` and `other_forms` for kernels in which that would copy flags
    or branch; `algorithm` is tried before the first whose bounds hold.
    """

    cpu: str
    features: str
    word: int
    form: LlvmForm
    rows: RowChoice
    algorithm: str = ""
    other_rows: tuple[RowChoice, ...] = ()
    other_forms: tuple[LlvmForm, ...] = ()

    @property
    def ways(self) -> tuple[tuple[RowChoice, LlvmForm], ...]:
        """Every row style with the form, and every other form with the rows, the best first."""
        rows = self.rows, *self.other_rows
        return *((one, self.form) for one in rows), *((self.rows, one) for one in self.other_forms)


@dataclass(frozen=True)
class LlvmTarget:
    """A processor with a system: LLVM's triple and the format of its object files."""

    name: str
    triple: str
    object_format: ObjectFormat
    processor: LlvmProcessor


# Figures: LLVM 22, multiplication modulo BLS12-381 p by cios, as instructions (of which accesses to
# the stack) or as core cycles throughput | latency on Sapphire Rapids. Optimisation levels 1 to 3
# give the same code. Whole chains as wide integers (pack, add i384, unpack) were worse everywhere,
# 454 (78) on x86-64; LLVM makes branches of them on riscv64, calls on wasm32.

# One adc a limb and conditional moves: 91 | 101 cycles, 399 (82). uadd.with.overflow: 97 | 104,
# 422 (102), a flag goes through a register now and then. A mask instead of the moves: 100 | 106.
# Without tune 0 to 5 % slower. Above 6 limbs TWO_CHAINS is 4 % faster.
_ADDCARRY = LlvmForm(Carry.ADDCARRY, SelectStyle.SELECT, tune="sapphirerapids")
X86_64_BMI2 = LlvmProcessor("x86-64", "+bmi2", 64, _ADDCARRY, RowChoice(RowStyle.ONE_CHAIN))

# mul needs rax and rdx, so values wait in memory: 564 (166), ONE_CHAIN 585 (186) and 4 % slower,
# CARRY_WORD 651 (45) and 15 % slower.
X86_64 = LlvmProcessor("x86-64", "", 64, _ADDCARRY, RowChoice(RowStyle.TWO_CHAINS))

# Words of 32 bits: our own backend (fieldc/targets/aarch64) makes those of 64. adcs throughout;
# without tune LLVM knows no core. Where it copies flags for TWO_CHAINS (mrs, msr), ONE_CHAIN mostly
# spares that: redc modulo BLS12-381 p 915 instead of 938, from_montgomery modulo P-256's p 156
# instead of 212.
_ADCS = LlvmForm(Carry.OVERFLOW, SelectStyle.SELECT, tune="neoverse-n1")
_ROWS = RowChoice(RowStyle.TWO_CHAINS), (RowChoice(RowStyle.ONE_CHAIN),)
AARCH64 = LlvmProcessor("generic", "", 64, _ADCS, _ROWS[0], "cios", _ROWS[1])

# No flags, so a word of carry is least: 653 (32), TWO_CHAINS 864 (38), DOUBLE 665 (27), without
# tune 791 (160), with rocket 660. Selections become branches: with sifive-p550 even where there is
# Zicond, which gives 646 (33) with rocket. In some products in Fp2 sifive-p550 makes a branch of a
# carry too, rocket none.
_RV64GC = "+m,+a,+f,+d,+c"
_SLTU = LlvmForm(Carry.OVERFLOW, SelectStyle.MASK, tune="sifive-p550")
_NO_BRANCH = replace(_SLTU, tune="rocket")
_WORD = RowChoice(RowStyle.CARRY_WORD)
RISCV64 = LlvmProcessor(
    "generic-rv64", _RV64GC, 64, _SLTU, _WORD, "cios", other_forms=(_NO_BRANCH,)
)
_CZERO = LlvmForm(Carry.OVERFLOW, SelectStyle.SELECT, tune="rocket")
RISCV64_ZICOND = replace(RISCV64, features=f"{_RV64GC},+zicond", form=_CZERO, other_forms=())

# Double words and conditional moves: mips64 1025 (86), with a mask 1049 (106), with OVERFLOW 1113;
# armv7 1823 (558) by umaal, 1850 with a mask, 2464 (682) with OVERFLOW. Of mips32 LLVM keeps the
# double words in hi and lo, and that costs more than maddu saves: 3783 (814), DOUBLE 4219; wasm32
# takes half the time of OVERFLOW in V8. With 64-bit limbs it would call __multi3, which it does
# not have, for each product, and still take 20 % more time.
_DOUBLE = LlvmForm(Carry.DOUBLE, SelectStyle.MASK)
_MOVED = LlvmForm(Carry.DOUBLE, SelectStyle.SELECT)
_MOVN = LlvmForm(Carry.OVERFLOW, SelectStyle.SELECT)
MIPS64 = LlvmProcessor("mips64r2", "", 64, _MOVED, RowChoice(RowStyle.CARRY_WORD), "cios")
MIPS32 = LlvmProcessor("mips32r2", "", 32, _MOVN, RowChoice(RowStyle.CARRY_WORD), "cios")
ARMV7 = LlvmProcessor("generic", "", 32, _MOVED, RowChoice(RowStyle.CARRY_WORD), "cios")
WASM32 = LlvmProcessor("generic", "", 32, _DOUBLE, RowChoice(RowStyle.CARRY_WORD))

LLVM_TARGETS: dict[str, LlvmTarget] = {
    name: LlvmTarget(name, triple, object_format, processor)
    for name, triple, object_format, processor in (
        ("x86_64-linux-llvm", "x86_64-unknown-linux-gnu", ObjectFormat.ELF, X86_64),
        ("x86_64-linux-llvm-bmi2", "x86_64-unknown-linux-gnu", ObjectFormat.ELF, X86_64_BMI2),
        ("x86_64-windows-llvm", "x86_64-pc-windows-msvc", ObjectFormat.COFF, X86_64),
        ("x86_64-windows-llvm-bmi2", "x86_64-pc-windows-msvc", ObjectFormat.COFF, X86_64_BMI2),
        ("x86_64-macos-llvm", "x86_64-apple-macosx10.15.0", ObjectFormat.MACH_O, X86_64),
        ("x86_64-macos-llvm-bmi2", "x86_64-apple-macosx10.15.0", ObjectFormat.MACH_O, X86_64_BMI2),
        ("aarch64-linux", "aarch64-unknown-linux-gnu", ObjectFormat.ELF, AARCH64),
        ("aarch64-macos", "arm64-apple-macosx11.0.0", ObjectFormat.MACH_O, AARCH64),
        ("aarch64-windows", "aarch64-pc-windows-msvc", ObjectFormat.COFF_AARCH64, AARCH64),
        ("riscv64-linux", "riscv64-unknown-linux-gnu", ObjectFormat.ELF, RISCV64),
        ("riscv64-linux-zicond", "riscv64-unknown-linux-gnu", ObjectFormat.ELF, RISCV64_ZICOND),
        ("mips64-linux", "mips64-unknown-linux-gnuabi64", ObjectFormat.ELF, MIPS64),
        ("mips64el-linux", "mips64el-unknown-linux-gnuabi64", ObjectFormat.ELF, MIPS64),
        ("mipsel-linux", "mipsel-unknown-linux-gnu", ObjectFormat.ELF, MIPS32),
        ("armv7-linux", "armv7-unknown-linux-gnueabihf", ObjectFormat.ELF, ARMV7),
        ("wasm32-llvm", "wasm32-unknown-unknown", ObjectFormat.WASM, WASM32),
    )
}
