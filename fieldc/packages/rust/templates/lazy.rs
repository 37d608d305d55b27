
#[test]
fn values_below_2p_reduce_to_the_same() {
    use @crate@::Lazy;

    on_every_kernel(|| {
        for [x, y, sum, difference, product, square, _] in vectors() {
            let (a, b) = (Lazy::from(x), Lazy::from(y));
            assert_eq!([(a + b).reduce(), (a - b).reduce()], [sum, difference]);
            assert_eq!([(a * b).reduce(), a.square().reduce()], [product, square]);
            assert_eq!(((a + b) * (a - b)).reduce(), sum * difference);
            assert_eq!((a + b).square().reduce(), sum.square());
            let limbs = (a + b).to_montgomery_limbs();
            assert_eq!(Lazy::from_montgomery_limbs(limbs), Some(a + b));
            let limbs = sum.to_montgomery_limbs();
            assert_eq!(Lazy::from(sum).to_montgomery_limbs(), limbs);
        }
    });
}
