//! Names of operations, which no formula beside operations may have.

/// Families whose operations have numbers in their names.
const NUMBERED: [&str; 7] = [
    "mul_by",
    "square_times",
    "sum_of_products",
    "sum_of_products_plain",
    "fp2_mul",
    "fp2_square",
    "wide_sum",
];

/// The other families.
const FAMILIES: [&str; 20] = [
    "add",
    "difference_of_products",
    "divstep_de",
    "divstep_fg",
    "divstep_update",
    "double",
    "fp2_mul_wide",
    "from_montgomery",
    "mul",
    "mul_add",
    "mul_plain",
    "mul_u128",
    "mul_u64",
    "neg",
    "redc",
    "reduce",
    "square",
    "square_plain",
    "sub",
    "to_montgomery",
];

/// Families that no package has, so that its formulas may have their names.
const FREE: [&str; 2] = ["fp2_mul", "fp2_square"];

/// Whether a family has an operation of this name, whatever its numbers; in a package, one that
/// packages have.
pub(crate) fn is_operation(name: &str, in_package: bool) -> bool {
    let base = name.strip_suffix("_lazy").unwrap_or(name);
    let stem = without_numbers(base);
    if in_package && FREE.contains(&stem) {
        return false;
    }
    NUMBERED.contains(&stem) || FAMILIES.contains(&base)
}

/// A name without the numbers that it ends with, and `minus` before them.
fn without_numbers(name: &str) -> &str {
    let mut stem = name;
    while let Some((before, number)) = stem.rsplit_once('_') {
        if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
            break;
        }
        stem = before;
    }
    if stem.len() < name.len() { stem.strip_suffix("_minus").unwrap_or(stem) } else { stem }
}

#[test]
fn operations_are_known_by_their_names() {
    let of_numbers = ["mul_by_5", "square_times_4", "sum_of_products_3", "sum_of_products_lazy"];
    let others = ["mul", "add_lazy", "wide_sum_2_1", "sum_of_products_plain", "divstep_fg"];
    for name in of_numbers.into_iter().chain(others) {
        assert!(is_operation(name, false) && is_operation(name, true), "{name}");
    }
    for name in ["fp2_mul", "fp2_mul_minus_5", "fp2_square_2"] {
        assert!(is_operation(name, false) && !is_operation(name, true), "{name}");
    }
    for name in ["mul_2", "edwards_add", "fp6_mul", "double_", "mul_minus", "fp2_mul_minus", ""] {
        assert!(!is_operation(name, false), "{name}");
    }
}
