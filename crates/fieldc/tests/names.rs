//! Fields with the names of type parameters: a macro's own must not be taken for them.

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
        fn a_field_may_have_the_name_of_a_type_parameter() {
            $(assert_eq!($Name::$Name::from_u64(2) + $Name::$Name::ONE, 3_u64.into());)*
        }
    };
}

named! { A B D E F H I K M N R S T }
