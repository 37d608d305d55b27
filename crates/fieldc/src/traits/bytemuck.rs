//! `bytemuck`: elements as bytes of the limbs they are kept in, and back where they are below p.

/// The traits of `bytemuck`.
#[cfg(feature = "bytemuck")]
#[doc(hidden)]
#[macro_export]
macro_rules! __bytemuck {
    ($Fp:ident) => {
        // SAFETY: an element is nothing but its limbs, and limbs of zeros are 0.
        unsafe impl $crate::__private::bytemuck::Zeroable for $Fp {}

        // SAFETY: an element is nothing but its limbs, which have no padding.
        unsafe impl $crate::__private::bytemuck::NoUninit for $Fp {}

        /// The limbs of an element as it is kept, in the byte order of the machine; valid are those
        /// below p.
        // SAFETY: an element is nothing but its limbs, and what is valid is what is below p.
        unsafe impl $crate::__private::bytemuck::CheckedBitPattern for $Fp {
            type Bits = [u64; $Fp::LIMBS];

            #[inline]
            fn is_valid_bit_pattern(bits: &Self::Bits) -> bool {
                $crate::__private::is_less(bits, &Self::MODULUS)
            }
        }
    };
}

/// Nothing: the feature is off.
#[cfg(not(feature = "bytemuck"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __bytemuck {
    ($Fp:ident) => {};
}
