//! Traits of `subtle`, `zeroize` and `serde` for Fp6 and Fp12, each behind its feature.

macro_rules! traits {
    ($Type:ident: $($part:ident),+) => {
        #[cfg(feature = "subtle")]
        impl<F: subtle::ConstantTimeEq> subtle::ConstantTimeEq for super::$Type<F> {
            #[inline]
            fn ct_eq(&self, other: &Self) -> subtle::Choice {
                subtle::Choice::from(1) $(& self.$part.ct_eq(&other.$part))+
            }
        }

        #[cfg(feature = "subtle")]
        impl<F: subtle::ConditionallySelectable> subtle::ConditionallySelectable for super::$Type<F> {
            #[inline]
            fn conditional_select(a: &Self, b: &Self, choice: subtle::Choice) -> Self {
                Self {
                    $($part: subtle::ConditionallySelectable::conditional_select(
                        &a.$part, &b.$part, choice,
                    )),+
                }
            }
        }

        #[cfg(feature = "zeroize")]
        impl<F: zeroize::Zeroize> zeroize::Zeroize for super::$Type<F> {
            #[inline]
            fn zeroize(&mut self) {
                $(self.$part.zeroize();)+
            }
        }

        /// The coefficients in their order, as a tuple.
        #[cfg(feature = "serde")]
        impl<F: serde::Serialize> serde::Serialize for super::$Type<F> {
            #[inline]
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                ($(&self.$part),+).serialize(serializer)
            }
        }

        /// The coefficients in their order, as a tuple.
        #[cfg(feature = "serde")]
        impl<'de, F: serde::Deserialize<'de>> serde::Deserialize<'de> for super::$Type<F> {
            #[inline]
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let ($($part),+) = serde::Deserialize::deserialize(deserializer)?;
                Ok(Self { $($part),+ })
            }
        }
    };
}

traits! { Fp6: c0, c1, c2 }
traits! { Fp12: c0, c1 }
