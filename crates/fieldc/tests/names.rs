//! Fields with the names of type parameters and of traits, and fields beside names of the standard
//! library: a macro's own must not be taken for them.

macro_rules! named {
    ($($Name:ident)*) => {
        $(
            #[allow(non_snake_case)]
            mod $Name {
                fieldc::field! {
                    /// A field of one limb.
                    pub struct $Name(modulus = "0xffffffff00000001", generator = 7);
                }
            }
        )*

        #[test]
        fn a_field_may_have_a_name_that_a_macro_uses() {
            $(assert_eq!($Name::$Name::from_u64(2) + $Name::$Name::ONE, 3_u64.into());)*
        }
    };
}

named! { A B D E F H I K M N R S T }

mod traits {
    //! Names of what macros implement or use.

    named! {
        Arbitrary Choice ConditionallySelectable CtOption Encoding Field Output PrimeField Pow Repr
        Serialize Strategy Zero Zeroize
    }
}

/// Names that a program may use for what is its own.
mod scope {
    #![allow(dead_code, reason = "they need only be there")]

    mod core {}
    type Result<T> = std::result::Result<T, std::io::Error>;
    struct Option;
    struct Ordering;
    trait AsRef {}
    trait Default {}
    trait Eq {}
    trait FnMut {}
    trait From {}
    trait Iterator {}
    trait Ord {}
    trait PartialEq {}
    trait PartialOrd {}
    trait TryFrom {}
    fn size_of() {}

    fieldc::field! {
        /// A field of one limb.
        pub struct Named(modulus = "0xffffffff00000001", generator = 7);
    }
}

#[test]
fn a_field_may_stand_beside_other_names_of_the_standard_library() {
    use scope::Named;

    assert_eq!(Named::try_from(Named::ONE.to_bytes_le()), Ok(Named::ONE));
    assert_eq!("0".parse(), Ok(Named::default()));
}
