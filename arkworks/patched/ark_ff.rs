//! Towers whose operations are those of fieldc: Fp2 and Fp12 over the base fields of BLS12-381 and
//! BN254.
//!
//! Which tower a type is follows from its constants, when it is compiled. Every other one keeps
//! ark-ff's own text.
#![allow(unsafe_code)]

use core::mem::{offset_of, size_of, transmute_copy};

use ::fieldc::{bls12_381, bn254};

use crate::fields::fp12_2over3over2::{Fp12, Fp12Config, Fp12ConfigWrapper};
use crate::fields::fp6_3over2::{Fp6, Fp6Config};
use crate::fields::{
    Fp, Fp2, Fp2Config, Fp2ConfigWrapper, FpConfig, PrimeField, QuadExtConfig, QuadExtField,
};
use crate::Zero;

/// A tower that fieldc has: u^2 = -1, v^3 = 1 + u or 9 + u, w^2 = v.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tower {
    /// Over the base field of BLS12-381.
    Bls12_381,
    /// Over the base field of BN254.
    Bn254,
}

/// Whether a value is held as these limbs.
const fn is<T, const N: usize, const K: usize>(value: &T, limbs: &[[u64; N]; K]) -> bool {
    if size_of::<T>() != size_of::<[[u64; N]; K]>() {
        return false;
    }
    // SAFETY: as many bytes, all of them limbs: those of a modulus, or of elements in Montgomery
    // form, which have no others.
    let found: [[u64; N]; K] = unsafe { transmute_copy(value) };
    let mut i = 0;
    while i < N * K {
        if found[i / N][i % N] != limbs[i / N][i % N] {
            return false;
        }
        i += 1;
    }
    true
}

/// Whether the parts of an extension lie in memory in the order of their names.
const fn is_in_order<P: QuadExtConfig>() -> bool {
    offset_of!(QuadExtField<P>, c0) == 0
        && offset_of!(QuadExtField<P>, c1) == size_of::<P::BaseField>()
        && size_of::<QuadExtField<P>>() == 2 * size_of::<P::BaseField>()
}

/// The tower of a quadratic extension of a prime field.
pub const fn of_fp2<P: Fp2Config>() -> Option<Tower> {
    macro_rules! fields {
        ($($tower:ident = $Fp:ty;)+) => {
            $(
                let minus_one = [<$Fp>::ONE.const_neg().to_montgomery_limbs()];
                if is(&P::Fp::MODULUS, &[<$Fp>::MODULUS]) && is(&P::NONRESIDUE, &minus_one) {
                    return Some(Tower::$tower);
                }
            )+
        };
    }
    if P::Fp::IS_MONTGOMERY && is_in_order::<Fp2ConfigWrapper<P>>() {
        fields! {
            Bls12_381 = bls12_381::Fp;
            Bn254 = bn254::Fp;
        }
    }
    None
}

/// The tower of a quadratic extension of a cubic one of a quadratic one.
pub const fn of_fp12<P: Fp12Config>() -> Option<Tower> {
    type Base<P> = <<P as Fp12Config>::Fp6Config as Fp6Config>::Fp2Config;
    type Middle<P> = Fp6<<P as Fp12Config>::Fp6Config>;

    macro_rules! has {
        ($Fp:ty, $c0:literal) => {{
            let [zero, one] = [<$Fp>::ZERO, <$Fp>::ONE];
            let [zero, one] = [zero.to_montgomery_limbs(), one.to_montgomery_limbs()];
            let xi = [<$Fp>::from_u64($c0).to_montgomery_limbs(), one];
            is(&<P::Fp6Config as Fp6Config>::NONRESIDUE, &xi)
                && is(&P::NONRESIDUE, &[zero, zero, one, zero, zero, zero])
        }};
    }
    let size = size_of::<Fp2<Base<P>>>();
    let middle_is_in_order = offset_of!(Middle<P>, c0) == 0
        && offset_of!(Middle<P>, c1) == size
        && offset_of!(Middle<P>, c2) == 2 * size;
    if !middle_is_in_order || !is_in_order::<Fp12ConfigWrapper<P>>() {
        return None;
    }
    match of_fp2::<Base<P>>() {
        Some(Tower::Bls12_381) if has!(bls12_381::Fp, 1) => Some(Tower::Bls12_381),
        Some(Tower::Bn254) if has!(bn254::Fp, 9) => Some(Tower::Bn254),
        _ => None,
    }
}

/// The same element as one of fieldc.
///
/// # Safety
///
/// U is fieldc's type of the same field, with its parts in the same order.
#[inline(always)]
unsafe fn seen<T, U>(x: &T) -> &U {
    debug_assert_eq!(size_of::<T>(), size_of::<U>());
    // SAFETY: both hold the same limbs, and any limbs are a value of either.
    unsafe { &*core::ptr::from_ref(x).cast() }
}

/// Puts what fieldc makes of elements in the place of the first.
///
/// # Safety
///
/// As for [`seen`].
#[inline(always)]
unsafe fn update<T, U>(x: &mut T, made: impl FnOnce(&U) -> U) {
    // SAFETY: the caller's.
    let result = made(unsafe { seen(x) });
    debug_assert_eq!(size_of::<T>(), size_of::<U>());
    // SAFETY: as in `seen`; the reference to x is gone.
    unsafe { core::ptr::from_mut(x).cast::<U>().write(result) };
}

/// Runs a line with the type of fieldc that a type of this tower is.
macro_rules! in_tower {
    ($tower:expr, $F:ident => $run:expr) => {
        match $tower {
            Tower::Bls12_381 => {
                type $F = bls12_381::Fp;
                $run
            }
            Tower::Bn254 => {
                type $F = bn254::Fp;
                $run
            }
        }
    };
}

/// x *= y in Fp2 or Fp12; false if it is another field, and nothing was done.
#[inline(always)]
pub fn mul<P: QuadExtConfig>(x: &mut QuadExtField<P>, y: &QuadExtField<P>) -> bool {
    match P::TOWER {
        None => return false,
        // SAFETY: the type is that of its tower.
        Some(tower) if P::DEGREE_OVER_BASE_PRIME_FIELD == 2 => in_tower!(tower, F => unsafe {
            update(x, |x: &::fieldc::Fp2<F>| x * seen::<_, ::fieldc::Fp2<F>>(y));
        }),
        // SAFETY: likewise.
        Some(tower) => in_tower!(tower, F => unsafe {
            update(x, |x: &::fieldc::Fp12<F>| x * seen::<_, ::fieldc::Fp12<F>>(y));
        }),
    }
    true
}

/// x = x^2, likewise.
#[inline(always)]
pub fn square<P: QuadExtConfig>(x: &mut QuadExtField<P>) -> bool {
    match P::TOWER {
        None => return false,
        // SAFETY: the type is that of its tower.
        Some(tower) if P::DEGREE_OVER_BASE_PRIME_FIELD == 2 => in_tower!(tower, F => unsafe {
            update(x, ::fieldc::Fp2::<F>::square);
        }),
        // SAFETY: likewise.
        Some(tower) => in_tower!(tower, F => unsafe { update(x, ::fieldc::Fp12::<F>::square) }),
    }
    true
}

/// What an element of Fp12 is multiplied with: three coefficients of a line.
pub type Line<'a, P> = [&'a Fp2<<<P as Fp12Config>::Fp6Config as Fp6Config>::Fp2Config>; 3];

/// x *= a + b*v + c*v*w; false if it is another field.
#[inline(always)]
pub fn mul_by_014<P: Fp12Config>(x: &mut Fp12<P>, [a, b, c]: Line<'_, P>) -> bool {
    let Some(tower) = Fp12ConfigWrapper::<P>::TOWER else {
        return false;
    };
    // SAFETY: the types are those of the tower.
    in_tower!(tower, F => unsafe {
        update(x, |x: &::fieldc::Fp12<F>| x.mul_by_014(seen(a), seen(b), seen(c)));
    });
    true
}

/// x *= a + b*w + c*v*w; false if it is another field.
#[inline(always)]
pub fn mul_by_034<P: Fp12Config>(x: &mut Fp12<P>, [a, b, c]: Line<'_, P>) -> bool {
    let Some(tower) = Fp12ConfigWrapper::<P>::TOWER else {
        return false;
    };
    // SAFETY: the types are those of the tower.
    in_tower!(tower, F => unsafe {
        update(x, |x: &::fieldc::Fp12<F>| x.mul_by_034(seen(a), seen(b), seen(c)));
    });
    true
}

/// x to a public power, in the cyclotomic subgroup; false if it is another field.
///
/// fieldc takes signed windows, and for few ones it squares in a compressed form.
pub fn cyclotomic_pow<P: Fp12Config>(x: &mut Fp12<P>, exponent: &[u64]) -> bool {
    let Some(tower) = Fp12ConfigWrapper::<P>::TOWER else {
        return false;
    };
    if x.is_zero() {
        return false;
    }
    // SAFETY: the type is that of the tower.
    in_tower!(tower, F => unsafe {
        update(x, |x: &::fieldc::Fp12<F>| x.cyclotomic_pow(exponent));
    });
    true
}

/// x = x^2 in the cyclotomic subgroup; false if it is another field.
#[inline(always)]
pub fn cyclotomic_square<P: Fp12Config>(x: &mut Fp12<P>) -> bool {
    let Some(tower) = Fp12ConfigWrapper::<P>::TOWER else {
        return false;
    };
    // SAFETY: the type is that of the tower.
    in_tower!(tower, F => unsafe { update(x, ::fieldc::Fp12::<F>::cyclotomic_square) });
    true
}

/// The same elements as fieldc's.
///
/// # Safety
///
/// As for [`seen`].
unsafe fn all_seen<T, U>(x: &mut [T]) -> &mut [U] {
    debug_assert_eq!(size_of::<T>(), size_of::<U>());
    // SAFETY: as in `seen`, for each element.
    unsafe { core::slice::from_raw_parts_mut(x.as_mut_ptr().cast(), x.len()) }
}

/// Runs a line with the type of fieldc that a prime field is, if it has kernels on arrays there.
macro_rules! in_field {
    ($P:ty, $F:ident => $run:expr) => {
        in_field! { $P, $F => $run, bls12_381::Fp, bls12_381::Fr, bn254::Fp, bn254::Fr }
    };
    ($P:ty, $F:ident => $run:expr, $($Fp:ty),+) => {
        $(
            if const {
                <$P>::IS_MONTGOMERY
                    && is(&<$P>::MODULUS, &[<$Fp>::MODULUS])
                    && is(&<$P>::ONE, &[<$Fp>::ONE.to_montgomery_limbs()])
            } {
                type $F = $Fp;
                return $run;
            }
        )+
    };
}

/// x[i] *= y[i] for all elements; by vectors where fieldc and the processor have them.
pub fn multiply_all<P: FpConfig<N>, const N: usize>(x: &mut [Fp<P, N>], y: &[Fp<P, N>]) {
    let count = x.len().min(y.len());
    let (x, y) = (&mut x[..count], &y[..count]);
    // SAFETY: the type is that of the field.
    in_field!(P, F => unsafe {
        let y = core::slice::from_raw_parts(y.as_ptr().cast::<F>(), y.len());
        ::fieldc::slices::mul(all_seen::<_, F>(x), y)
    });
    x.iter_mut().zip(y).for_each(|(x, y)| *x *= y);
}

/// x[i] = 1/x[i] for all elements but zeros, by vectors where the processor has them; false if fieldc
/// has no kernels on arrays for the field.
pub fn invert_all<P: FpConfig<N>, const N: usize>(x: &mut [Fp<P, N>]) -> bool {
    // SAFETY: the type is that of the field.
    in_field!(P, F => unsafe {
        ::fieldc::slices::batch_invert(all_seen::<_, F>(x));
        true
    });
    false
}
