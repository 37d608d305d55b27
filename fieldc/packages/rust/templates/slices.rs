//! Slices of every length compute what single elements do, on every kernel that this processor has.

use @crate@::{DecodeError, @type@ as F, Kernels, Ntt, inner_product, slices};

const LENGTHS: [usize; 7] = [63, 64, 65, 127, 128, 300, 777];
const EVERY_LENGTH: usize = 41;

/// 0, 1, p - 1 and other elements, always the same.
fn elements(count: usize, seed: u64) -> Vec<F> {
    let minus_one = -F::ONE;
    let mut power = F::from_u64(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut next = |i: usize| {
        power = power.square() + F::from_u64(seed);
        match i as u64 % (5 + seed) {
            1 => F::ZERO,
            2 => F::ONE,
            3 => minus_one,
            _ => power,
        }
    };
    (0..count).map(&mut next).collect()
}

@on_every_kernel@
fn each(x: &[F], y: &[F], one: impl Fn(F, F) -> F) -> Vec<F> {
    x.iter().zip(y).map(|(x, y)| one(*x, *y)).collect()
}

/// Slices of one length; `place` makes room for one.
fn check(x: &[F], y: &[F], place: impl Fn(&[F], &dyn Fn(&mut [F]))) {
    let (zero, three) = (vec![F::ZERO; x.len()], F::from_u64(3));
    let gives = |before: &[F], wanted: &[F], run: &dyn Fn(&mut [F])| {
        place(before, &|z| {
            run(z);
            assert_eq!(*z, *wanted, "{} elements", z.len());
        });
    };
    gives(x, &each(x, y, |x, y| x + y), &|z| slices::add(z, y));
    gives(x, &each(x, y, |x, y| x - y), &|z| slices::sub(z, y));
    gives(x, &each(x, y, |x, y| x * y), &|z| slices::mul(z, y));
    gives(x, &each(x, y, |x, _| x.square()), &|z| slices::square(z));
    gives(x, &each(x, y, |x, _| x * three), &|z| {
        slices::scale(z, &three)
    });
    gives(x, &each(x, y, |x, _| x.invert_ct().0), &|z| {
        assert_eq!(slices::batch_invert(z), x.iter().position(F::is_zero));
    });
    gives(x, &each(x, y, |x, _| -x), &|z| slices::neg(z));
    gives(x, &each(x, y, |x, _| x + x), &|z| slices::double(z));
    gives(x, &each(x, y, |x, _| x.pow(&[0b1_0110])), &|z| {
        slices::pow(z, &[0b1_0110, 0])
    });
    gives(x, &each(x, y, |x, y| x + y * y), &|z| {
        slices::add_products(z, y, y)
    });
    let sums = each(x, y, |x, y| x + y * y);
    let differences = each(x, y, |x, y| x - y * y);
    gives(x, &sums, &|z| {
        let mut other = y.to_vec();
        slices::butterfly(z, &mut other, y);
        assert_eq!(other, differences);
    });
    gives(y, &differences, &|z| {
        slices::butterfly(&mut x.to_vec(), z, y)
    });
    gives(&zero, &each(x, y, |x, y| x + y), &|z| {
        slices::add_into(x, y, z)
    });
    gives(&zero, &each(x, y, |x, y| x - y), &|z| {
        slices::sub_into(x, y, z)
    });
    gives(&zero, &each(x, y, |x, y| x * y), &|z| {
        slices::mul_into(x, y, z)
    });
    place(x, &|z| {
        assert_eq!(slices::sum(z), x.iter().sum::<F>());
        assert_eq!(
            inner_product(z, y),
            each(x, y, |x, y| x * y).iter().sum::<F>()
        );
    });
}

/// Slices of one length as bytes and as limbs.
fn check_encodings(x: &[F]) {
    let little: Vec<u8> = x.iter().flat_map(|x| x.to_bytes_le()).collect();
    let big: Vec<u8> = x.iter().flat_map(|x| x.to_bytes_be()).collect();
    let limbs: Vec<_> = x.iter().map(|x| x.to_limbs()).collect();
    let forms: Vec<_> = x.iter().map(|x| x.to_montgomery_limbs()).collect();
    let (mut z, mut bytes, mut words) = (x.to_vec(), little.clone(), limbs.clone());
    let mut gives = |run: &dyn Fn(&mut [F]) -> Result<(), DecodeError>| {
        z.fill(F::ONE);
        assert_eq!((run(&mut z), &z[..]), (Ok(()), x));
    };
    gives(&|z| slices::from_bytes_le(&little, z));
    gives(&|z| slices::from_bytes_be(&big, z));
    gives(&|z| slices::from_limbs(&limbs, z));
    gives(&|z| slices::from_montgomery_limbs(&forms, z));
    slices::to_bytes_be(x, &mut bytes);
    assert_eq!(bytes, big);
    slices::to_bytes_le(x, &mut bytes);
    assert_eq!(bytes, little);
    slices::to_montgomery_limbs(x, &mut words);
    assert_eq!(words, forms);
    slices::to_limbs(x, &mut words);
    assert_eq!(words, limbs);
    if let Some(last) = words.last_mut() {
        *last = F::MODULUS;
        let refused = Err(DecodeError::Element {
            position: x.len() - 1,
        });
        assert_eq!(slices::from_limbs(&words, &mut z), refused);
        assert_eq!(z, x);
    }
}

#[test]
fn slices_are_their_elements() {
    on_every_kernel(|| {
        for count in (0..EVERY_LENGTH).chain(LENGTHS) {
            let (x, y) = (elements(count, 1), elements(count, 2));
            check(&x, &y, |before, run| run(&mut before.to_vec()));
            check_encodings(&x);
        }
    });
}

#[test]
fn transforms_are_the_same_on_every_kernel() {
    for k in 7..=11 {
        let (mut table, x) = (vec![F::ZERO; 1 << k], elements(1 << k, 3));
        let Some(ntt) = Ntt::new(&mut table) else {
            return;
        };
        let mut wanted = x.clone();
        ntt.forward(&mut wanted);
        on_every_kernel(|| {
            let mut z = x.clone();
            ntt.forward(&mut z);
            assert!(z == wanted, "2^{k} elements");
            ntt.inverse(&mut z);
            assert!(z == x, "2^{k} elements");
        });
    }
}

#[test]
fn other_lengths_panic_and_write_nothing() {
    let (x, y) = (elements(64, 1), elements(65, 2));
    let refused = |run: &dyn Fn(&mut [F])| {
        let mut z = x.clone();
        let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| run(&mut z)));
        assert!(done.is_err() && z == x);
    };
    refused(&|z| slices::mul(z, &y));
    refused(&|z| slices::mul_into(&x, &y, z));
    refused(&|z| slices::mul_into(&y, &x, z));
    refused(&|z| slices::add_products(z, &y, &y));
    refused(&|z| slices::butterfly(z, &mut x.clone(), &y));
    refused(&|z| slices::butterfly(z, &mut y.clone(), &x));
    refused(&|z| slices::butterfly(&mut y.clone(), z, &x));
    refused(&|z| assert_eq!(inner_product(z, &y), F::ZERO));
}

/// Elements that end where memory does.
#[cfg(all(target_os = "linux", target_pointer_width = "64", not(miri)))]
mod guarded {
    use super::{EVERY_LENGTH, F, check, elements, on_every_kernel};
    use core::ffi::{c_int, c_void};

    unsafe extern "C" {
        fn mmap(
            at: *mut c_void,
            size: usize,
            may: c_int,
            how: c_int,
            file: c_int,
            from: i64,
        ) -> *mut c_void;
        fn mprotect(at: *mut c_void, size: usize, may: c_int) -> c_int;
        fn munmap(at: *mut c_void, size: usize) -> c_int;
    }

    const PAGE: usize = 1 << 16;
    const READ_AND_WRITE: c_int = 3;
    const PRIVATE_AND_ANONYMOUS: c_int = 0x22;

    /// Runs code on a copy of elements, with nothing before them or after them that may be touched.
    fn beside_nothing(before: &[F], run: &dyn Fn(&mut [F])) {
        let (size, used) = (3 * PAGE, size_of_val(before));
        assert!(used <= PAGE);
        for from in [PAGE, 2 * PAGE - used] {
            // SAFETY: new pages, of which the middle one may be read and written. It has room for
            // the elements at both ends, each of which is aligned, and they are copied there.
            unsafe {
                let start = mmap(core::ptr::null_mut(), size, 0, PRIVATE_AND_ANONYMOUS, -1, 0);
                assert_eq!(mprotect(start.byte_add(PAGE), PAGE, READ_AND_WRITE), 0);
                let room = start.byte_add(from).cast::<F>();
                room.copy_from_nonoverlapping(before.as_ptr(), before.len());
                run(core::slice::from_raw_parts_mut(room, before.len()));
                assert_eq!(munmap(start, size), 0);
            }
        }
    }

    #[test]
    fn nothing_beside_a_slice_is_touched() {
        on_every_kernel(|| {
            for count in (0..EVERY_LENGTH).chain([64, 65, 129]) {
                let (x, y) = (elements(count, 3), elements(count, 4));
                check(&x, &y, beside_nothing);
            }
        });
    }
}
