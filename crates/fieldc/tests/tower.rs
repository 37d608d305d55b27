//! Fp6 and Fp12 against their definition, on every path.

mod common;

use common::{Random, on_every_path};
use fieldc::{Fp2, Fp6, Fp12, HasTower, bls12_381, bn254};

/// Coefficients of powers of w from 0 to 5.
type Coefficients<F> = [Fp2<F>; 6];

fn coefficients<F: HasTower>(x: &Fp12<F>) -> Coefficients<F> {
    let (a, b) = (x.c0, x.c1);
    [a.c0, b.c0, a.c1, b.c1, a.c2, b.c2]
}

fn element<F: HasTower>([a, b, c, d, e, f]: Coefficients<F>) -> Fp12<F> {
    Fp12::new(Fp6::new(a, c, e), Fp6::new(b, d, f))
}

/// The product of polynomials in w, w^6 = ξ.
fn times<F: HasTower>(x: &Fp12<F>, y: &Fp12<F>, xi: Fp2<F>) -> Fp12<F> {
    let (x, y, mut sums) = (coefficients(x), coefficients(y), [Fp2::ZERO; 11]);
    for i in 0..6 {
        for j in 0..6 {
            sums[i + j] += x[i] * y[j];
        }
    }
    element(core::array::from_fn(|i| {
        sums[i] + xi * sums.get(i + 6).copied().unwrap_or(Fp2::ZERO)
    }))
}

/// The element that is kept as p - 1, the largest residue: -1/R.
fn largest<F: HasTower>() -> F {
    let r = (0..8 * size_of::<F>()).fold(F::ONE, |power, _| power.double());
    -r.invert().expect("a power of 2")
}

/// 0, 1, powers of w, -1 in all parts or half of them, and random elements.
fn values<F: HasTower>(random: usize) -> Vec<Fp12<F>> {
    let mut source = Random::new(12);
    let mut part = || F::random_from(|bytes| source.fill(bytes));
    let mut found = vec![Fp12::ZERO, Fp12::ONE, Fp12::W];
    found.push(element([Fp2::new(-F::ONE, -F::ONE); 6]));
    found.push(element([Fp2::new(F::ZERO, -F::ONE); 6]));
    found.push(element([Fp2::new(-F::ONE, F::ZERO); 6]));
    found.push(Fp12::new(Fp6::ZERO, -Fp6::V.square()));
    found.extend((0..random).map(|_| {
        let mut parts = || Fp2::new(part(), part());
        let all = [parts(), parts(), parts(), parts(), parts(), parts()];
        element(all)
    }));
    found
}

/// An element of the cyclotomic subgroup.
fn cyclotomic<F: HasTower>(x: &Fp12<F>, modulus: &[u64]) -> Fp12<F> {
    let power = |x: &Fp12<F>, times: usize| (0..times).fold(*x, |x, _| x.pow(modulus));
    let x = power(x, 6) * x.invert().unwrap();
    power(&x, 2) * x
}

/// Granger and Scott's square, coefficient by coefficient.
fn cyclotomic_square<F: HasTower>(x: &Fp12<F>, xi: Fp2<F>) -> Fp12<F> {
    let x = coefficients(x);
    let three = |y: Fp2<F>| y.double() + y;
    let mut z = [Fp2::ZERO; 6];
    for j in 0..3 {
        let (a, b) = (x[j], x[j + 3]);
        z[2 * j] = three(a * a + xi * (b * b)) - x[2 * j].double();
        let (place, product) = if j < 2 {
            (2 * j + 3, a * b)
        } else {
            (1, xi * (a * b))
        };
        z[place] = three(product.double()) + x[place].double();
    }
    element(z)
}

macro_rules! tests {
    ($($name:ident: $Fp:ty, $xi:literal;)+) => {$(
        mod $name {
            use super::*;
            type Fp = $Fp;

            fn xi() -> Fp2<Fp> {
                Fp2::new(Fp::from_u64($xi), Fp::ONE)
            }

            #[test]
            fn products_are_those_of_polynomials() {
                on_every_path(|kernels| {
                    for x in values::<Fp>(4) {
                        for y in values::<Fp>(4) {
                            assert_eq!(x * y, times(&x, &y, xi()), "{kernels:?}");
                            let product = times(&x.c0.into(), &y.c1.into(), xi());
                            assert_eq!(Fp12::from(x.c0 * y.c1), product, "{kernels:?}");
                        }
                        assert_eq!(x.square(), times(&x, &x, xi()), "{kernels:?}");
                        let square = times(&x.c0.into(), &x.c0.into(), xi());
                        assert_eq!(Fp12::from(x.c0.square()), square, "{kernels:?}");
                        assert_eq!(Fp::mul_by_xi(&x.c1.c2), x.c1.c2 * xi(), "{kernels:?}");
                    }
                });
            }

            /// Zeros and largest residues take sums of products to the ends of their bounds.
            #[test]
            fn products_of_largest_residues_are_those_of_polynomials() {
                let (end, mut source) = (largest::<Fp>(), Random::new(3));
                let mut drawn = || {
                    let mut bits = [0; 3];
                    source.fill(&mut bits);
                    let part = |i: usize| if bits[i / 8] >> (i % 8) & 1 == 1 { end } else { Fp::ZERO };
                    element(core::array::from_fn(|i| Fp2::new(part(2 * i), part(2 * i + 1))))
                };
                let pairs: Vec<_> = (0..300).map(|_| (drawn(), drawn())).collect();
                on_every_path(|kernels| {
                    for (x, y) in &pairs {
                        assert_eq!(x * y, times(x, y, xi()), "{kernels:?}");
                        assert_eq!(x.square(), times(x, x, xi()), "{kernels:?}");
                        let [a, b, c, ..] = coefficients(y);
                        let line = element([a, Fp2::ZERO, b, c, Fp2::ZERO, Fp2::ZERO]);
                        assert_eq!(x.mul_by_014(&a, &b, &c), times(x, &line, xi()), "{kernels:?}");
                    }
                });
            }

            #[test]
            fn sparse_products_are_products() {
                let (all, zero) = (values::<Fp>(4), Fp2::ZERO);
                on_every_path(|kernels| {
                    for (x, y) in all.iter().flat_map(|x| all.iter().map(move |y| (x, y))) {
                        let [a, b, c, ..] = coefficients(y);
                        let line = element([a, zero, b, c, zero, zero]);
                        let product = times(x, &line, xi());
                        assert_eq!(x.mul_by_014(&a, &b, &c), product, "{kernels:?}");
                    }
                });
                for (x, y) in all.iter().zip(all.iter().rev()) {
                    let [a, b, c, ..] = coefficients(y);
                    let line = element([a, b, zero, c, zero, zero]);
                    assert_eq!(x.mul_by_034(&a, &b, &c), x * line);
                    assert_eq!(x.c0.mul_by_01(&a, &b), x.c0 * Fp6::new(a, b, zero));
                    assert_eq!(x.c0.mul_by_1(&b), x.c0 * Fp6::new(zero, b, zero));
                }
            }

            #[test]
            fn sums_differences_and_negatives_agree() {
                let all = values::<Fp>(4);
                for (x, y) in all.iter().zip(all.iter().rev()) {
                    assert_eq!(x + y - y, *x);
                    assert_eq!(x - y, -(y - x));
                    assert_eq!(x.double(), x + x);
                    assert_eq!(x.is_zero(), *x == Fp12::ZERO);
                    assert_eq!([*x, *y].iter().sum::<Fp12<Fp>>(), x + y);
                    assert_eq!([*x, *y].iter().product::<Fp12<Fp>>(), x * y);
                    assert_eq!(Fp12::select(true, x, y), *x);
                    assert_eq!(Fp12::select(false, x, y), *y);
                }
            }

            #[test]
            fn inverses_are_inverses() {
                on_every_path(|kernels| {
                    for x in values::<Fp>(4) {
                        let expected = (!x.is_zero()).then_some(Fp12::ONE);
                        assert_eq!(x.invert().map(|y| x * y), expected, "{kernels:?}");
                        let expected = (!x.c0.is_zero()).then_some(Fp6::ONE);
                        assert_eq!(x.c0.invert().map(|y| x.c0 * y), expected, "{kernels:?}");
                    }
                });
                let x = values::<Fp>(1)[7];
                assert_eq!(x / x, Fp12::ONE);
                assert_eq!(x.c1 / x.c1, Fp6::ONE);
            }

            #[test]
            #[should_panic(expected = "the divisor is 0")]
            fn nothing_is_divided_by_zero() {
                let _ = Fp12::<Fp>::ONE / Fp12::ZERO;
            }

            #[test]
            fn frobenius_is_a_power() {
                for x in values::<Fp>(1) {
                    let mut power = x;
                    for k in 0..14 {
                        assert_eq!(x.frobenius(k), power, "{k}");
                        assert_eq!(x.c0.frobenius(k), power.c0, "{k}");
                        power = power.pow(&Fp::MODULUS);
                    }
                    assert_eq!(x.frobenius(6), x.conjugate());
                }
            }

            #[test]
            fn short_powers_in_the_cyclotomic_subgroup_are_products() {
                let x = cyclotomic(&values::<Fp>(3)[7], &Fp::MODULUS);
                let mut power = Fp12::ONE;
                for exponent in 0..300 {
                    assert_eq!(x.cyclotomic_pow(&[exponent]), power, "{exponent}");
                    power *= x;
                }
                assert_eq!(x.cyclotomic_pow(&[]), Fp12::ONE);
                for k in 28..70 {
                    let mut exponent = [0x1234_5678_9abc_def1, 0x0fed_cba9_8765_4321];
                    exponent[1] &= (1 << (k - 27)) - 1;
                    exponent[0] &= !0 >> (70 - k);
                    assert_eq!(x.cyclotomic_pow(&exponent), x.pow(&exponent), "{exponent:?}");
                }
            }

            #[test]
            fn squares_of_the_cyclotomic_subgroup_are_squares() {
                let mut all: Vec<_> =
                    values::<Fp>(2)[7..].iter().map(|x| cyclotomic(x, &Fp::MODULUS)).collect();
                all.push(Fp12::ONE);
                on_every_path(|kernels| {
                    for x in &all {
                        assert_eq!(x.cyclotomic_square(), x.square(), "{kernels:?}");
                        // With few ones, with many, and short.
                        let sparse = [0xd201_0000_0001_0000, 5];
                        for exponent in [sparse, [1, 1 << 63], [!0, 3], [1, 0], [0, 0]] {
                            let power = x.cyclotomic_pow(&exponent);
                            assert_eq!(power, x.pow(&exponent), "{kernels:?}, {exponent:?}");
                        }
                        assert_eq!(x.conjugate() * x, Fp12::ONE, "{kernels:?}");
                    }
                });
            }

            /// Squares of the subgroup compute the same of other elements, on every path.
            #[test]
            fn squares_of_the_cyclotomic_subgroup_take_largest_residues() {
                let parts = [Fp::ZERO, largest::<Fp>()];
                let drawn = |bits: usize| {
                    let part = |i| parts[bits >> i & 1];
                    element(core::array::from_fn(|i| Fp2::new(part(2 * i), part(2 * i + 1))))
                };
                let mut first = None;
                on_every_path(|kernels| {
                    let mut powers = Vec::new();
                    for x in (0..4096).step_by(13).chain([4095]).map(drawn) {
                        let square = cyclotomic_square(&x, xi());
                        assert_eq!(x.cyclotomic_square(), square, "{kernels:?}");
                        powers.push(x.cyclotomic_pow(&[1 << 20]));
                    }
                    assert_eq!(first.get_or_insert(powers.clone()), &powers, "{kernels:?}");
                });
            }

            #[test]
            fn elements_are_printed() {
                assert!(format!("{:?}", Fp12::<Fp>::W).starts_with("Fp12(((0x0"));
                assert!(format!("{}", Fp6::<Fp>::ONE).ends_with("*u)*v^2)"));
            }
        }
    )+};
}

tests! {
    bls12_381_p: bls12_381::Fp, 1;
    bn254_p: bn254::Fp, 9;
}

#[cfg(feature = "serde")]
#[test]
fn elements_are_tuples_of_coefficients() {
    let x = Fp12::<bn254::Fp>::W + Fp12::ONE;
    let text = serde_json::to_string(&x).unwrap();
    assert!(
        text.starts_with("[[[\"0x0") && text.matches('[').count() == 9,
        "{text}"
    );
    assert_eq!(serde_json::from_str::<Fp12<bn254::Fp>>(&text).unwrap(), x);
}

#[cfg(feature = "subtle")]
#[test]
fn elements_are_compared_and_selected() {
    use subtle::{Choice, ConditionallySelectable, ConstantTimeEq};

    let (a, b) = (Fp12::<bn254::Fp>::W, Fp12::ONE);
    let chosen = Fp12::conditional_select(&a, &b, Choice::from(1));
    assert!(bool::from(chosen.ct_eq(&b) & !chosen.ct_eq(&a)));
}

#[cfg(feature = "zeroize")]
#[test]
fn elements_are_erased() {
    use zeroize::Zeroize;

    let mut x = Fp12::<bn254::Fp>::W + Fp12::ONE;
    x.zeroize();
    assert!(x.is_zero());
}
