//! `Field` and `PrimeField` of a type that `field!` makes: calls of the type's own methods.

/// The crate's own traits for a type that `field!` makes.
#[doc(hidden)]
#[macro_export]
macro_rules! __generic {
    ($Fp:ident) => {
        impl $crate::Field for $Fp {
            const ZERO: Self = Self::ZERO;
            const ONE: Self = Self::ONE;

            $crate::__forward! {
                fn is_zero(&self) -> bool;
                fn double(&self) -> Self;
                fn square(&self) -> Self;
                fn mul_add(&self, y: &Self, z: &Self) -> Self;
                fn invert(&self) -> ::core::option::Option<Self>;
                fn invert_ct(&self) -> (Self, bool);
                fn is_square(&self) -> bool;
                fn sqrt(&self) -> ::core::option::Option<Self>;
                fn sqrt_ct(&self) -> (Self, bool);
                fn pow(&self, exponent: &[u64]) -> Self;
            }

            #[inline(always)]
            fn select(flag: bool, a: &Self, b: &Self) -> Self {
                Self::select(flag, a, b)
            }

            #[inline(always)]
            fn sum_of_products<const K: usize>(x: &[Self; K], y: &[Self; K]) -> Self {
                Self::sum_of_products(x, y)
            }

            #[inline]
            fn inner_product(x: &[Self], y: &[Self]) -> Self {
                Self::inner_product(x, y)
            }

            #[inline]
            fn least(operation: $crate::__private::Operation) -> usize {
                $crate::__private::least::<{ $Fp::LIMBS }, Self>(operation)
            }

            #[inline]
            fn in_vectors(
                operation: $crate::__private::Operation,
                z: &mut [Self],
                operands: &[::core::option::Option<&[Self]>],
            ) -> usize {
                $crate::__private::in_vectors::<{ $Fp::LIMBS }, Self>(operation, z, operands)
            }

            #[inline]
            fn butterfly_in_vectors(x: &mut [Self], y: &mut [Self], w: &[Self]) -> usize {
                $crate::__private::butterfly_in_vectors::<{ $Fp::LIMBS }, Self>(x, y, w)
            }

            #[inline]
            fn digits() -> ::core::option::Option<$crate::__private::Digits<Self>> {
                $crate::__private::digits::<{ $Fp::LIMBS }, Self>()
            }

            #[inline]
            fn transform_in_vectors(x: &mut [Self], roots: &[Self]) -> bool {
                $crate::__private::transform_in_vectors::<{ $Fp::LIMBS }, Self>(x, roots)
            }
        }

        impl $crate::PrimeField for $Fp {
            type Limbs = [u64; $Fp::LIMBS];
            type Bytes = [u8; $Fp::BYTES];

            const MODULUS: Self::Limbs = Self::MODULUS;
            const BITS: u32 = Self::BITS;
            const LIMBS: usize = Self::LIMBS;
            const BYTES: usize = Self::BYTES;
            const TWO_ADICITY: u32 = Self::TWO_ADICITY;
            const ROOT_OF_UNITY: Self = Self::root_of_unity();

            $crate::__forward! {
                fn to_limbs(&self) -> Self::Limbs;
                fn to_bytes_le(&self) -> Self::Bytes;
                fn to_bytes_be(&self) -> Self::Bytes;
                fn mul_small(&self, k: u32) -> Self;
                fn mul_u64(&self, k: u64) -> Self;
                fn mul_i64(&self, k: i64) -> Self;
            }

            #[inline]
            fn from_limbs(limbs: Self::Limbs) -> ::core::option::Option<Self> {
                Self::from_limbs(limbs)
            }

            #[inline]
            fn from_bytes_le(bytes: &[u8]) -> ::core::result::Result<Self, $crate::DecodeError> {
                Self::from_bytes_le(bytes)
            }

            #[inline]
            fn from_bytes_be(bytes: &[u8]) -> ::core::result::Result<Self, $crate::DecodeError> {
                Self::from_bytes_be(bytes)
            }

            #[inline]
            fn from_bytes_wide_le(bytes: &[u8]) -> Self {
                Self::from_bytes_wide_le(bytes)
            }

            #[inline]
            fn from_bytes_wide_be(bytes: &[u8]) -> Self {
                Self::from_bytes_wide_be(bytes)
            }

            #[inline]
            fn random_from(fill: impl ::core::ops::FnMut(&mut [u8])) -> Self {
                Self::random_from(fill)
            }

            #[inline]
            fn primitive_root_of_unity(k: u32) -> ::core::option::Option<Self> {
                Self::primitive_root_of_unity(k)
            }

            #[inline]
            fn read_bytes(
                bytes: &[u8],
                x: &mut [Self],
                order: $crate::__private::Order,
            ) -> ::core::result::Result<(), $crate::DecodeError> {
                $crate::__private::read_bytes::<{ $Fp::LIMBS }, { $Fp::BYTES }, Self>(
                    bytes, x, order,
                )
            }

            #[inline]
            fn write_bytes(x: &[Self], bytes: &mut [u8], order: $crate::__private::Order) {
                $crate::__private::write_bytes::<{ $Fp::LIMBS }, { $Fp::BYTES }, Self>(
                    x, bytes, order,
                );
            }

            #[inline]
            fn read_limbs(
                limbs: &[Self::Limbs],
                x: &mut [Self],
                form: $crate::__private::Form,
            ) -> ::core::result::Result<(), $crate::DecodeError> {
                $crate::__private::read_limbs::<{ $Fp::LIMBS }, Self>(limbs, x, form)
            }

            #[inline]
            fn write_limbs(x: &[Self], limbs: &mut [Self::Limbs], form: $crate::__private::Form) {
                $crate::__private::write_limbs::<{ $Fp::LIMBS }, Self>(x, limbs, form);
            }

            #[inline(always)]
            fn fp2_mul(x: &[Self; 2], y: &[Self; 2]) -> [Self; 2] {
                let [c0, c1] = $crate::__private::fp2_mul::<{ $Fp::LIMBS }, Self>(x, y);
                [Self(c0), Self(c1)]
            }

            #[inline(always)]
            fn fp2_square(x: &[Self; 2]) -> [Self; 2] {
                let [c0, c1] = $crate::__private::fp2_square::<{ $Fp::LIMBS }, Self>(x);
                [Self(c0), Self(c1)]
            }
        }
    };
}

/// Methods that call the type's own of the same name.
#[doc(hidden)]
#[macro_export]
macro_rules! __forward {
    ($(fn $name:ident(&self $(, $operand:ident: $Operand:ty)*) -> $Result:ty;)+) => {
        $(
            #[inline(always)]
            fn $name(&self $(, $operand: $Operand)*) -> $Result {
                Self::$name(self $(, $operand)*)
            }
        )+
    };
}
