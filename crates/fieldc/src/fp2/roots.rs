//! Squares and roots in Fp2.

use super::{Fp2, HasFp2};

impl<F: HasFp2> Fp2<F> {
    /// Whether this is the square of an element; 0 is. It takes the same time for all values.
    ///
    /// An element is a square where its norm is one: the norm's power (p - 1)/2 is the element's
    /// power (p^2 - 1)/2.
    ///
    /// ```
    /// use fieldc::{Fp2, bn254::Fp};
    ///
    /// assert!(Fp2::<Fp>::U.square().is_square());
    /// ```
    #[inline]
    pub fn is_square(&self) -> bool {
        self.norm().is_square()
    }

    /// A square root; `None` if there is none. What it computes takes the same time for all values.
    ///
    /// Of the two roots it is the one whose first part that is not 0, `c0` or else `c1`, is even
    /// as a number below p: the one with sgn0 = 0 of RFC 9380, 4.1.
    ///
    /// ```
    /// use fieldc::{Fp2, bn254::Fp};
    ///
    /// let x = Fp2::new(Fp::from_u64(2), Fp::from_u64(3));
    /// assert_eq!(x.square().sqrt(), Some(x));
    /// ```
    #[inline]
    pub fn sqrt(&self) -> Option<Self> {
        let (root, exists) = self.sqrt_ct();
        exists.then_some(root)
    }

    /// The root of [`sqrt`](Self::sqrt) and true; 0 and false if there is none. No branch depends
    /// on the value.
    ///
    /// From s = sqrt(norm) the root has c0 = sqrt((c0 + s)/2) or sqrt((c0 - s)/2), one of which is
    /// a square: their product is -(c1/2)^2, and -1 is none. Where c1 is 0 that holds too, unless
    /// the square is 0: then the root is a multiple of u.
    ///
    /// Source: the complex method; G. Adj, F. Rodríguez-Henríquez, "Square root computation over
    /// even extension fields", 2014, algorithm 8.
    ///
    /// ```
    /// use fieldc::{Fp2, bn254::Fp};
    ///
    /// let x = Fp2::new(Fp::from_u64(2), Fp::from_u64(3));
    /// assert_eq!(x.square().sqrt_ct(), (x, true));
    /// ```
    pub fn sqrt_ct(&self) -> (Self, bool) {
        let half = F::ONE.double().invert_ct().0;
        let (s, is_square) = self.norm().sqrt_ct();
        let (plus, minus) = ((self.c0 + s) * half, (self.c0 - s) * half);
        // The one that is a square and not 0; both are 0 only for 0.
        let is_plus = plus.is_square() & !plus.is_zero();
        let (first, exists) = F::select(is_plus, &plus, &minus).sqrt_ct();
        let second = self.c1 * half * first.invert_ct().0;
        // Nothing was a square but 0: (c0, 0) with a c0 that is none, whose negative is.
        let imaginary = (-self.c0).sqrt_ct().0;
        let is_imaginary = first.is_zero() | !exists;
        let root = Self::select(
            is_imaginary,
            &Self::new(F::ZERO, imaginary),
            &Self::new(first, second),
        );
        let is_odd = F::select(root.c0.is_zero(), &root.c1, &root.c0)
            .to_limbs()
            .as_ref()[0]
            & 1;
        let root = Self::select(is_odd == 1, &-root, &root);
        let exists = is_square & (root.square() == *self);
        (Self::select(exists, &root, &Self::ZERO), exists)
    }
}
