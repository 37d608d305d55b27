//! The example of docs/arrays.md: an array that stays in digits.

use fieldc::{DigitArray, bls12_381::Fr};

fn main() {
    let x: Vec<Fr> = (1..=100_u64).map(Fr::from).collect();
    let mut y = DigitArray::new(&x); // to digits
    y.square();
    y.add(&DigitArray::new(&x));
    let z = y.to_vec(); // back to elements
    for (x, z) in x.iter().zip(&z) {
        assert_eq!(*z, *x * *x + *x);
    }
}
