"""Inverses of arrays in digits: three products for each element, in chains of arrays.

A number is cut to digits as it stands, with no product, and joined to limbs again (as
fieldc/packages/c/templates/chains.c does). So an element a in limbs is a*2^(64n), and what is
computed of its inverse is multiplied by (2^(64n)/S)^2 once, where S = 2^52 to the number of digits.
"""

from __future__ import annotations

import ctypes
import threading
from functools import lru_cache

from fieldc.algorithms.lanes import LIMB_BITS, MOST_BITS, in_lanes
from fieldc.artifacts.arrays import loaded, made_array, made_moves
from fieldc.field import Field
from fieldc.machine.arrays import BLOCK, WORD_BYTES, packed, size, unpacked
from fieldc.machine.columns import ArrayCall
from fieldc.targets.array_targets import fastest_here
from fieldc.targets.vectors.offers import DIGITS

PART = 1 << 15
"""Elements that are inverted together: the room that they need is kept, 6 MB for 6 limbs."""
LEAST = 1024
"""Elements from which on it is faster than halves in limbs."""
STEPS = 8
"""Products of arrays in a chain; the last ones of all chains are inverted in the same way."""

LINE = 64
"""Bytes of a cache line, on which arrays of our own begin."""

_rooms = threading.local()


class Chains:
    """The kernels of inverses modulo a prime, `f` in limbs and `digits` in digits."""

    def __init__(self, f: Field) -> None:
        target = fastest_here(f)
        if target is None:
            raise LookupError(f"no kernels on arrays modulo {f.short}")
        self.f, self.digits = f, in_lanes(f)
        self.block = size(self.digits, BLOCK)
        self._mul = loaded(made_array(target, f, "mul", DIGITS).kernel).at
        moves = [loaded(made.kernel).at for made in made_moves(target, f)]
        self._moves: tuple[ArrayCall, ArrayCall] | None = (moves[0], moves[1]) if moves else None
        self._moved = f.R * f.R * self.digits.R_inverse**2 % f.p

    @property
    def takes_limbs(self) -> bool:
        """Whether arrays in limbs are inverted too: where 2p fits the limbs."""
        return self._moves is not None

    def invert(self, count: int, z: int, x: int) -> bool:
        """Write the inverses of up to PART elements in limbs to z, unless one is 0; whether it did.

        Raises LookupError without kernels that move them.
        """
        if self._moves is None:
            raise LookupError(f"no kernels that move elements modulo {self.f.short}")
        cut, join = self._moves
        room = self._room(count)
        cut(count, room, x)
        self._fill(room, count, 1)
        blocks = -(-count // BLOCK)
        if not self._invert_blocks(room, blocks, room + blocks * self.block, self._moved):
            return False
        join(count, z, room)
        return True

    def invert_digits(self, count: int, x: int) -> bool:
        """Replace up to PART elements in digits by their inverses, unless one is 0; whether it did.

        Otherwise they are no longer what they were.
        """
        self._fill(x, count, 1)
        done = self._invert_blocks(x, -(-count // BLOCK), self._room(count), 1)
        self._fill(x, count, 0)
        return done

    def _room(self, count: int) -> int:
        """The address of this thread's room for so many elements and what their inverses need."""
        rooms: dict[int, ctypes.Array[ctypes.c_char]] = _rooms.__dict__.setdefault("of", {})
        needed = 3 * size(self.digits, count) + 8 * self.block
        if self.block not in rooms or len(rooms[self.block]) < needed:
            rooms[self.block] = ctypes.create_string_buffer(needed)
        address = ctypes.addressof(rooms[self.block])
        return address + -address % LINE

    def _fill(self, x: int, count: int, value: int) -> None:
        """Write a value below 2^52 after the last element of the last block."""
        missing = -count % BLOCK
        if not missing:
            return
        last, n = x + count // BLOCK * self.block, self.digits.n
        for digit in range(n):
            place = last + WORD_BYTES * (BLOCK * digit + BLOCK - missing)
            word = (0 if digit else value).to_bytes(WORD_BYTES, "little")
            ctypes.memmove(place, word * missing, WORD_BYTES * missing)

    def _invert_blocks(self, x: int, blocks: int, room: int, factor: int) -> bool:
        """Replace numbers in whole blocks by a factor over them, unless one is 0; whether it did.

        Step i of a chain is x_i. With P_1 = x_0 and P_(i+1) = P_i*x_i, 1/x_i is P_i/P_(i+1).
        """
        if blocks == 1:
            return self._invert_block(x, factor)
        width = -(-blocks // STEPS)
        steps, step, count = -(-blocks // width), width * self.block, width * BLOCK
        short = blocks - (steps - 1) * width
        given = [x + i * step for i in range(steps)]
        products = [x, x, *(room + i * step for i in range(steps - 2))]
        now, then = (room + (steps - 2 + i) * step for i in range(2))
        for i in range(1, steps - 1):
            self._mul(count, products[i + 1], products[i], given[i])
        ctypes.memmove(now, products[-1], step)
        self._mul(short * BLOCK, now, now, given[-1])
        if not self._invert_blocks(now, width, then + step, factor):
            return False
        ctypes.memmove(then, now, step)  # what has no last step
        for i in range(steps - 1, 0, -1):
            here = count if i < steps - 1 else short * BLOCK
            self._mul(here, then, now, given[i])
            self._mul(here, given[i], now, products[i])
            now, then = then, now
        ctypes.memmove(x, now, step)
        return True

    def _invert_block(self, x: int, factor: int) -> bool:
        """The same of one block: by one inverse of an integer."""
        f, product, before = self.digits, 1, []
        values = unpacked(f, ctypes.string_at(x, self.block), BLOCK)
        for value in values:
            before.append(product)
            product = product * value % f.p
        if not product:
            return False
        inverse, found = pow(product, -1, f.p) * factor * f.R * f.R % f.p, []
        for value, others in zip(reversed(values), reversed(before), strict=True):
            found.append(inverse * others % f.p)
            inverse = inverse * value % f.p
        ctypes.memmove(x, packed(f, found[::-1]), self.block)
        return True


@lru_cache(maxsize=64)
def chains_of(f: Field) -> Chains | None:
    """The kernels of inverses of this process; None where there are none."""
    if f.word != LIMB_BITS or f.bits > MOST_BITS or f.n < 2 or fastest_here(f) is None:
        return None
    return Chains(f)
