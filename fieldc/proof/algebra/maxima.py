"""Upper bounds of polynomials in limbs: limb by limb, or as multiples of whole operands."""

from __future__ import annotations

from dataclasses import dataclass

from fieldc.proof.algebra.combinations import Slopes
from fieldc.proof.algebra.equations import Monomial, Polynomial, Rational, System, ratio
from fieldc.proof.algebra.facts import Input
from fieldc.proof.algebra.strategies import Followed


@dataclass(frozen=True)
class Maxima:
    """What polynomials in the limbs of some operands are at most."""

    system: System
    inputs: tuple[Input, ...]

    def most(self, target: Polynomial, slopes: Slopes, followed: Followed) -> Rational:
        """An upper bound of a polynomial; the multiples of products that it takes go to slopes."""
        linear: dict[str, dict[int, Rational]] = {}
        paired: dict[tuple[str, int], dict[int, Rational]] = {}
        quadratic: dict[tuple[str, str], dict[tuple[int, int], Rational]] = {}
        total: Rational = 0
        place = {v: (i.name, k) for i in self.inputs for k, v in enumerate(i.limbs)}
        for monomial, coefficient in target.items():
            places = [place[v] for v in monomial if v in place]
            if len(places) == 1 and len(monomial) == 2 and followed.does("pairs_choices"):
                (name, limb), (word,) = places[0], (v for v in monomial if v not in place)
                paired.setdefault((name, word), {})[limb] = coefficient
            elif len(places) < len(monomial) or len(monomial) > 2 or not monomial:
                total += self._monomial_maximum(monomial, coefficient)
            elif len(places) == 1:
                linear.setdefault(places[0][0], {})[places[0][1]] = coefficient
            else:
                (a, i), (b, j) = sorted(places)
                quadratic.setdefault((a, b), {})[i, j] = coefficient
        inputs = {i.name: i for i in self.inputs}
        for name, form in linear.items():
            value, slopes[name,] = self._linear_maximum(inputs[name], form)
            total += value
        for (name, word), form in paired.items():
            value, slopes[name, word] = self._linear_maximum(inputs[name], form)
            total += value * self.system.ranges[word][1]
        for (a, b), square in quadratic.items():
            value, chosen = self._quadratic_maximum(inputs[a], inputs[b], square)
            slopes.update(chosen)
            total += value
        return total

    def _monomial_maximum(self, monomial: Monomial, coefficient: Rational) -> Rational:
        if not monomial or coefficient > 0:
            for number in monomial:
                coefficient *= self.system.ranges[number][1]
            return coefficient
        return 0

    def _limb_high(self, operand: Input, index: int) -> int:
        return min(self.system.radix - 1, operand.high >> self.system.word_bits * index)

    def _linear_maximum(
        self, operand: Input, form: dict[int, Rational]
    ) -> tuple[Rational, Rational]:
        """Bound sum k_j x_j as K*x plus what is left of each limb, for several K; the best K."""
        w = self.system.word_bits
        best: list[tuple[Rational, Rational]] = []
        slopes: set[Rational] = {0, *(ratio(k, 1 << w * j) for j, k in form.items())}
        highs = [self._limb_high(operand, j) for j in range(len(operand.limbs))]
        for slope in slopes:
            value = max(slope * operand.high, 0)
            for j, high in enumerate(highs):
                left = form.get(j, 0) - slope * (1 << w * j)
                if left > 0:
                    value += left * high
            best.append((value, slope))
        return min(best)

    def _quadratic_maximum(
        self, x: Input, y: Input, form: dict[tuple[int, int], Rational]
    ) -> tuple[Rational, Slopes]:
        """Bound sum k_ij x_i y_j as K*x*y plus leftovers, or limb by limb of either operand."""
        turned = {(j, i): k for (i, j), k in form.items()}
        bounds = (
            self._by_limbs(x, y, form),
            self._by_limbs(y, x, turned),
            self._whole(x, y, form),
        )
        return min(bounds, key=lambda bound: bound[0])

    def _by_limbs(
        self, x: Input, y: Input, form: dict[tuple[int, int], Rational]
    ) -> tuple[Rational, Slopes]:
        """Each limb of y times its column's bound as a multiple of x."""
        total: Rational = 0
        slopes: Slopes = {}
        for j in {j for _, j in form}:
            column = {i: k for (i, jj), k in form.items() if jj == j}
            value, slopes[x.name, y.limbs[j]] = self._linear_maximum(x, column)
            total += value * self._limb_high(y, j)
        return total, slopes

    def _whole(
        self, x: Input, y: Input, form: dict[tuple[int, int], Rational]
    ) -> tuple[Rational, Slopes]:
        """K*x*y, and what is left of each pair of limbs."""
        w = self.system.word_bits
        top = (len(x.limbs) - 1, len(y.limbs) - 1)
        slope = ratio(form.get(top, 0), 1 << w * sum(top))
        total = max(slope, 0) * x.high * y.high
        for i in range(len(x.limbs)):
            for j in range(i if x == y else 0, len(y.limbs)):
                both = 2 if x == y and i != j else 1
                left = form.get((i, j), 0) - slope * both * (1 << w * (i + j))
                total += max(left, 0) * self._limb_high(x, i) * self._limb_high(y, j)
        return total, {(x.name, y.name): slope}
