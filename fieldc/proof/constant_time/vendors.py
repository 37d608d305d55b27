"""Which instructions the makers of processors promise to take a time that no operand changes.

A name is that of the decoder (capstone). What is not listed is not said to leak: the maker says
nothing about it.

Intel: "Data Operand Independent Timing Instructions", the list that belongs to the guidance 768873,
of 2023; on newer processors it holds in the mode DOITM only. Here are its instructions on general
registers and masks, and those on vectors that kernels on arrays use, after the transcription in
github.com/CharlieQiu2017/doit-enforcer (doit-ins.hpp, less the two at its end that Intel does not
list), read on 2026-11-24. It has no shld, shrd, bzhi, xchg, sarx or rorx, and no instruction that
computes with floating-point numbers. Some there are spelt as the decoder does: vpcmpltuq is
vpcmpuq with a condition.

Arm: "Arm Architecture Registers" (DDI 0595, of Armv8.4 on), register DIT, of which the beginning of
the list was read again on 2026-11-24, up to csinv; the rest was written down without the page at
hand. The list is of data processing, without mrs and msr. It holds where PSTATE.DIT is 1, also for
every load and store.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fieldc.proof.constant_time.effects import names

CONDITIONS = names("a ae b be e g ge l le ne no np ns o p s")
INTEL = (
    names(
        "adc adcx add adox and andn bt btc btr bts cmp dec imul inc lea mov movabs movsx movsxd"
        " movzx mul mulx neg not or pop push sar sbb shl shlx shr shrx sub test xor"
        " kandb kandw kmovb kmovw knotb knotw korb korw kshiftlb kshiftrb kxorb kxorw"
        " vbroadcasti64x4 vmovdqa64 vmovdqu32 vmovdqu64 vmovshdup vpaddd vpaddq vpandq vpandnq"
        " vpblendmq vpbroadcastq vpcmpltuq vpermi2q vpermq vpermt2q vpmadd52huq vpmadd52luq"
        " vpminud vpminuq vpmuludq vporq vpsllq vpsraq vpshrdq"
        " vpsrlq vpsubd vpsubq vpternlogd vpternlogq vpxorq vzeroupper"
    )
    | {f"cmov{condition}" for condition in CONDITIONS}
    | {f"set{condition}" for condition in CONDITIONS}
)
ARM = names(
    "adc adcs add adds and ands asr asrv bfc bfi bfm bfxil bic bics ccmn ccmp cfinv cinc cinv cls"
    " clz cmn cmp cneg csel cset csetm csinc csinv csneg eon eor extr lsl lslv lsr lsrv madd mneg"
    " mov movk movn movz msub mul mvn neg negs ngc ngcs orn orr rbit rev rev16 rev32 rev64 rmif"
    " ror rorv sbc sbcs sbfiz sbfm sbfx setf16 setf8 smaddl smnegl smsubl smulh smull sub subs"
    " sxtb sxth sxtw tst ubfiz ubfm ubfx umaddl umnegl umsubl umulh umull uxtb uxth"
    " ldp ldr ldrb ldrsw ldur stp str strb stur"
)
NO_OPERAND = {
    "x86_64": names("call clc endbr64 jmp nop ret stc") | {"repz ret"},
    "aarch64": names("adr adrp b bl bti nop ret"),
}
"""What reads no data: there is nothing that its time could depend on, where its target is fixed."""
LISTED = {"x86_64": INTEL, "aarch64": ARM}


def unlisted(found: Iterable[str], architecture: str) -> tuple[str, ...]:
    """The instructions of which the processor's maker promises nothing, in order of their names."""
    known = LISTED[architecture] | NO_OPERAND[architecture]
    return tuple(sorted(set(found) - known))


def promises_nothing(found: Sequence[str]) -> str:
    """The note on instructions that are not listed."""
    several = "are" if len(found) > 1 else "is"
    return f"{', '.join(found)} {several} not on the maker's list of data-independent times"
