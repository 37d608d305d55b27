"""Kernels' instructions on Python integers: what each one writes in a run, for the certificates."""

from __future__ import annotations

from typing import Any

import capstone

MASK = (1 << 64) - 1
CODE = 1 << 40
"""Where the code lies, constants included."""


class Run:
    """A run of the code on integers; what each instruction wrote, by its place."""

    def __init__(self, code: bytes, operands: list[list[int]]) -> None:
        self.code, self.wrote = code, {}  # type: bytes, dict[str, tuple[int, int]]
        self.chains: dict[str, list[tuple[int, int]]] = {}
        """The words and borrows of 0 less each word of an `or`, by the place of its `neg`."""
        self.united: dict[str, list[int]] = {}
        """The words in the `or` that a register holds."""
        self.r = {
            name: 0 for name in ("rax", "rbx", "rcx", "rbp", *(f"r{i}" for i in range(8, 16)))
        }
        self.r.update(rdi=0x10000, rsi=0x20000, rdx=0x30000, rsp=0x90000)
        self.memory = {
            0x20000 + 0x10000 * k + 8 * i: limb
            for k, limbs in enumerate(operands)
            for i, limb in enumerate(limbs)
        }
        self.cf = self.of = 0
        engine = capstone.Cs(capstone.CS_ARCH_X86, capstone.CS_MODE_64)
        engine.detail = True
        for i in engine.disasm(code, 0):
            if i.mnemonic == "ret":
                break
            self.step(i, f"+{i.address:#x} {i.mnemonic} {i.op_str}")

    def address(self, i: Any, o: Any) -> int:
        if i.reg_name(o.mem.base) == "rip":
            return int(CODE + i.address + i.size + o.mem.disp)
        return int(self.r[i.reg_name(o.mem.base)] + o.mem.disp)

    def get(self, i: Any, k: int) -> int:
        o = i.operands[k]
        if o.type == capstone.x86.X86_OP_IMM:
            return int(o.imm) & MASK
        if o.type == capstone.x86.X86_OP_REG:
            return self.r[i.reg_name(o.reg)]
        at = self.address(i, o)
        if at >= CODE:
            return int.from_bytes(self.code[at - CODE : at - CODE + 8], "little")
        return self.memory[at]

    def put(self, i: Any, k: int, value: int) -> None:
        o = i.operands[k]
        if o.type == capstone.x86.X86_OP_REG:
            name = i.reg_name(o.reg)
            name = f"r{name[1:]}" if name.startswith("e") else name.removesuffix("d")
            self.r[name] = value & MASK
            self.united.pop(name, None)
        else:
            self.memory[self.address(i, o)] = value & MASK

    def step(self, i: Any, where: str) -> None:
        name = i.mnemonic
        if name in ("mov", "movabs"):
            self.put(i, 0, self.get(i, 1))
        elif name == "push":
            value = self.get(i, 0)
            self.r["rsp"] -= 8
            self.memory[self.r["rsp"]] = value
        elif name == "pop":
            value = self.memory[self.r["rsp"]]
            self.r["rsp"] += 8
            self.put(i, 0, value)
        elif name in ("xor", "test"):
            if name == "xor":
                self.put(i, 0, 0)
            self.cf = self.of = 0
        elif name == "lea":
            m = i.operands[1].mem
            index = self.r[i.reg_name(m.index)] if m.index else 0
            total = self.address(i, i.operands[1]) + index * m.scale
            self.put(i, 0, total)
            self.wrote[where] = (self.get(i, 0), total >> 64 if index else 0)
        elif name == "or":
            words = [word for k in (0, 1) for word in self.words(i, k)]
            self.put(i, 0, self.get(i, 0) | self.get(i, 1))
            self.united[i.reg_name(i.operands[0].reg)] = words
            self.cf = self.of = 0
        elif name == "neg":
            borrow, chain = 0, []
            for word in self.words(i, 0):
                less, borrow = -word - borrow, int(word + borrow > 0)
                chain.append((less & MASK, borrow))
            self.chains[where], self.cf = chain, borrow
            self.put(i, 0, -self.get(i, 0))
        else:
            self.compute(i, where)

    def words(self, i: Any, k: int) -> list[int]:
        """An operand, or the words in the `or` that it is."""
        o = i.operands[k]
        name = i.reg_name(o.reg) if o.type == capstone.x86.X86_OP_REG else ""
        return self.united.get(name) or [self.get(i, k)]

    def bits(self, i: Any, a: int, b: int) -> int:
        if i.mnemonic == "and":
            return a & b
        if i.mnemonic == "shr":
            return a >> b
        if i.mnemonic == "shl":
            return int(a << b)
        if i.mnemonic == "shld":
            return int(a << i.operands[2].imm | b >> 64 - i.operands[2].imm)
        raise ValueError(i.mnemonic)

    def compute(self, i: Any, where: str) -> None:
        name = i.mnemonic
        if name in ("mul", "mulx", "imul"):
            last = len(i.operands) - 1
            other = {"mul": "rax", "mulx": "rdx"}.get(name)
            factor = self.r[other] if other else self.get(i, last - 1)
            high, low = divmod(self.get(i, last) * factor, 1 << 64)
            if name == "mul":
                self.r["rax"], self.r["rdx"] = low, high
            else:
                self.put(i, 1 if name == "mulx" else 0, low)
                if name == "mulx":
                    self.put(i, 0, high)
            self.wrote[where] = (low, high)
            return
        a, b = self.get(i, 0), self.get(i, 1)
        carry = {"adc": self.cf, "sbb": self.cf, "adcx": self.cf, "adox": self.of}.get(name, 0)
        if name in ("add", "adc", "adcx", "adox"):
            out, value = divmod(a + b + carry, 1 << 64)
        elif name in ("sub", "sbb"):
            out, value = divmod(a - b - carry, 1 << 64)
        elif name in ("cmovb", "cmovae"):
            out, value = -self.cf, b if self.cf == (name == "cmovb") else a
        else:
            out, value = 0, self.bits(i, a, b)
        if name == "adox":
            self.of = out
        else:
            self.cf = abs(out)
        self.put(i, 0, value)
        self.wrote[where] = (value & MASK, abs(out))
