//! Structs of numbers that come from Python by name: the settings of a stage, without their words.

/// Declares a struct of numbers with `from_pairs`, which wants each name once and no other.
#[macro_export]
macro_rules! numbers {
    ($(#[$doc:meta])* pub struct $struct:ident { $($(#[$field_doc:meta])* $name:ident: $type:ty,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default)]
        pub struct $struct {
            $($(#[$field_doc])* pub $name: $type,)*
        }

        impl $struct {
            /// The names, in the order of the fields.
            pub const NAMES: &'static [&'static str] = &[$(stringify!($name)),*];

            /// Fills the fields from pairs of name and number; each name must come, and no other.
            pub fn from_pairs(pairs: &[(String, f64)]) -> ::std::result::Result<Self, String> {
                let mut numbers = Self::default();
                let mut missing: Vec<&str> = Self::NAMES.to_vec();
                for (name, value) in pairs {
                    match name.as_str() {
                        $(stringify!($name) => numbers.$name = *value as $type,)*
                        _ => return Err(format!("{name} is not known here")),
                    }
                    missing.retain(|other| other != name);
                }
                match missing.first() {
                    Some(name) => Err(format!("{name} is missing")),
                    None => Ok(numbers),
                }
            }
        }
    };
}
