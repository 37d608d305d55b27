//! Elements of slices as numbers, in limbs and in bytes.

use crate::assembly::HasProducts;
use crate::limbs::{exactly, from_bytes_be, from_bytes_le, minus, to_bytes_be, to_bytes_le};
use crate::modulus::Montgomery;
use crate::portable::{from_montgomery, number, runtime_mask, to_montgomery};
use crate::{DecodeError, Field};

use super::{check_lengths, is_for_vectors, scale};

/// Elements that are converted together, and stay in the first cache.
const PART: usize = 64;

/// How numbers stand for elements.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// x as x.
    Plain,
    /// x as x*2^(64N) mod p.
    Montgomery,
}

/// Bytes in their order.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// The least significant byte first.
    Little,
    /// The most significant byte first.
    Big,
}

/// Elements of limbs in a form. Unless all are below p nothing is written.
pub fn read_limbs<const N: usize, M: HasProducts<N> + Field>(
    limbs: &[[u64; N]],
    z: &mut [M],
    form: Form,
) -> Result<(), DecodeError> {
    check_lengths(z, limbs);
    check::<N, M>(limbs.iter().copied())?;
    read(limbs.iter().copied(), z, form);
    Ok(())
}

/// The limbs of elements in a form.
pub fn write_limbs<const N: usize, M: HasProducts<N> + Field>(
    x: &[M],
    limbs: &mut [[u64; N]],
    form: Form,
) {
    check_lengths(limbs, x);
    write(x, form, limbs.iter_mut(), |limbs, number| *limbs = *number);
}

/// Elements of bytes. Unless all of these are encodings nothing is written.
pub fn read_bytes<const N: usize, const B: usize, M: HasProducts<N> + Field>(
    bytes: &[u8],
    z: &mut [M],
    order: Order,
) -> Result<(), DecodeError> {
    let (expected, found) = (z.len() * B, bytes.len());
    if found != expected {
        return Err(DecodeError::Length { expected, found });
    }
    let numbers = bytes
        .chunks_exact(B)
        .map(|bytes| match exactly::<B>(bytes) {
            Ok(bytes) if order == Order::Big => from_bytes_be(bytes),
            Ok(bytes) => from_bytes_le(bytes),
            Err(_) => unreachable!("each part has as many bytes"),
        });
    check::<N, M>(numbers.clone())?;
    read(numbers, z, Form::Plain);
    Ok(())
}

/// The bytes of elements.
pub fn write_bytes<const N: usize, const B: usize, M: HasProducts<N> + Field>(
    x: &[M],
    bytes: &mut [u8],
    order: Order,
) {
    assert_eq!(
        bytes.len(),
        x.len() * B,
        "the slices have different lengths"
    );
    let places = bytes.chunks_exact_mut(B);
    write::<N, M, _>(x, Form::Plain, places, |bytes, number| {
        bytes.copy_from_slice(&match order {
            Order::Little => to_bytes_le::<N, B>(number),
            Order::Big => to_bytes_be(number),
        });
    });
}

/// Refuses numbers that are not all below p, in the same time for all that are.
fn check<const N: usize, M: HasProducts<N>>(
    mut numbers: impl Iterator<Item = [u64; N]> + Clone,
) -> Result<(), DecodeError> {
    let is_above = |number| runtime_mask(!minus(&number, &M::P).1);
    if numbers.clone().fold(0, |any, x| any | is_above(x)) == 0 {
        return Ok(());
    }
    let found = numbers.position(|x| is_above(x) != 0);
    found.map_or(Ok(()), |position| Err(DecodeError::Element { position }))
}

/// Elements of numbers below p.
fn read<const N: usize, M: HasProducts<N> + Field>(
    mut numbers: impl Iterator<Item = [u64; N]>,
    z: &mut [M],
    form: Form,
) {
    for z in z.chunks_mut(PART) {
        for (residue, number) in residues_mut(z).iter_mut().zip(&mut numbers) {
            *residue = match form {
                Form::Montgomery if M::PLAIN => from_montgomery::<N, Montgomery<M>>(&number),
                _ => number,
            };
        }
        if form == Form::Plain && !M::PLAIN {
            scale(z, &element(M::R2));
        }
    }
}

/// Calls a function with each place and the number that belongs there.
fn write<const N: usize, M: HasProducts<N> + Field, P>(
    x: &[M],
    form: Form,
    mut places: impl Iterator<Item = P>,
    set: impl Fn(P, &[u64; N]),
) {
    if form == Form::Plain && !M::PLAIN && is_for_vectors::<M>(x.len()) {
        let mut one = [0; N];
        one[0] = 1;
        let (one, mut room) = (element(one), [M::ZERO; PART]);
        for x in x.chunks(PART) {
            let z = &mut room[..x.len()];
            z.copy_from_slice(x);
            scale(z, &one);
            let numbers = residues(z);
            numbers
                .iter()
                .zip(&mut places)
                .for_each(|(number, place)| set(place, number));
        }
        return;
    }
    for (x, place) in residues(x).iter().zip(places) {
        match form {
            Form::Plain => set(place, &number::<N, M>(x)),
            Form::Montgomery if M::PLAIN => set(place, &to_montgomery::<N, Montgomery<M>>(x)),
            Form::Montgomery => set(place, x),
        }
    }
}

/// The element with this residue, which is below p.
fn element<const N: usize, M: HasProducts<N> + Field>(residue: [u64; N]) -> M {
    let mut x = [M::ZERO];
    residues_mut(&mut x)[0] = residue;
    x[0]
}

/// The residue of each element.
fn residues<const N: usize, M: HasProducts<N>>(x: &[M]) -> &[[u64; N]] {
    // SAFETY: an element is nothing but its N limbs, as `HasProducts` promises.
    unsafe { core::slice::from_raw_parts(x.as_ptr().cast(), x.len()) }
}

/// The same, to write them: below p.
fn residues_mut<const N: usize, M: HasProducts<N>>(x: &mut [M]) -> &mut [[u64; N]] {
    let (count, start) = (x.len(), x.as_mut_ptr().cast());
    // SAFETY: as above.
    unsafe { core::slice::from_raw_parts_mut(start, count) }
}
