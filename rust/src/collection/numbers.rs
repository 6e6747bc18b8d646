//! Structs of numbers and flags that come from Python by name: the settings of a stage, without their texts.

/// A type that a number from Python can become: numbers saturate, a flag is true for all but 0.
pub trait FromNumber {
    fn from_number(number: f64) -> Self;
}

macro_rules! from_number {
    ($($type:ty)*) => {
        $(impl FromNumber for $type {
            fn from_number(number: f64) -> Self {
                number as Self
            }
        })*
    };
}

from_number!(u8 u32 u64 usize f64);

impl FromNumber for bool {
    fn from_number(number: f64) -> Self {
        number != 0.0
    }
}

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
                        $(stringify!($name) => numbers.$name = $crate::collection::numbers::FromNumber::from_number(*value),)*
                        _ => return Err(format!("unknown number: {name}")),
                    }
                    missing.retain(|other| other != name);
                }
                match missing.first() {
                    Some(name) => Err(format!("missing number: {name}")),
                    None => Ok(numbers),
                }
            }
        }
    };
}

#[cfg(test)]
mod tests {
    numbers! {
        pub struct Limits {
            seconds: f64,
            retries: u8,
            is_strict: bool,
        }
    }

    fn read(pairs: &[(&str, f64)]) -> Result<Limits, String> {
        let pairs: Vec<_> = pairs
            .iter()
            .map(|&(name, value)| (name.to_owned(), value))
            .collect();
        Limits::from_pairs(&pairs)
    }

    #[test]
    fn numbers_and_flags_are_read_by_name_and_a_misspelt_one_is_refused() {
        let limits = read(&[("is_strict", 1.0), ("retries", 300.0), ("seconds", 0.5)]).unwrap();
        assert_eq!(
            (limits.seconds, limits.retries, limits.is_strict),
            (0.5, 255, true)
        );
        assert!(
            !read(&[("is_strict", 0.0), ("retries", 3.0), ("seconds", 0.5)])
                .unwrap()
                .is_strict
        );
        assert_eq!(
            read(&[("retries", 3.0), ("seconds", 0.5)]).unwrap_err(),
            "missing number: is_strict"
        );
        assert_eq!(
            read(&[("second", 0.5)]).unwrap_err(),
            "unknown number: second"
        );
    }
}
