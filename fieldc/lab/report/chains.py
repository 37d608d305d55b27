"""The two carry chains of a kernel as a timeline: which instruction adds into which chain."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.figure import Figure

from fieldc.lab.report.style import COLOURS, MARKERS, WIDTH, svg

LANES = {
    "mulx": ("mulx", "mul", "imul"),
    "carry flag": ("adcx", "adc", "add", "sbb", "sub"),
    "overflow flag": ("adox",),
}


def timeline(mnemonics: Sequence[str], title: str) -> str:
    """Every instruction of a kernel in program order, a lane for products and for each chain."""
    figure = Figure(figsize=(WIDTH, 1.9), layout="constrained")
    panel = figure.subplots()
    for lane, members in enumerate(LANES.values()):
        places = [i for i, mnemonic in enumerate(mnemonics) if mnemonic in members]
        panel.plot(
            places,
            [lane] * len(places),
            linestyle="",
            color=COLOURS[lane],
            marker=MARKERS[lane],
            markersize=3.5,
        )
        panel.text(len(mnemonics) * 1.01, lane, str(len(places)), va="center", fontsize=8)
    panel.set_yticks(range(len(LANES)), list(LANES))
    panel.set_ylim(-0.6, len(LANES) - 0.4)
    panel.set_xlabel("number of the instruction in the kernel; right: how many")
    figure.suptitle(title)
    return svg(figure)
