//! Arithmetic modulo @label@.
use @crate@::{@type@, inner_product};

fn main() {
    let x = @type@::from_u64(2);
    assert_eq!(x.square() + @type@::ONE, @type@::from_u64(5));
    assert_eq!(x * x.invert().expect("2 is not 0"), @type@::ONE);
    assert_eq!(inner_product(&[x, x], &[x, @type@::ONE]), @type@::from_u64(6));

    // Decoding takes canonical encodings only.
    assert_eq!(@type@::from_bytes_be(&x.to_bytes_be()), Ok(x));
    assert!(@type@::from_bytes_be(&[0xff; @type@::BYTES]).is_err());
}
