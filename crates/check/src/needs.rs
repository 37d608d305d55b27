//! Which extensions of x86-64 a kernel's code uses, and whether its row names them.
//!
//! Followed are all jumps and calls, both ways of a branch. What Armv8.0 lacks, the reader of
//! AArch64 code does not know.

use crate::divsteps::DIVSTEP_MATRIX;
use crate::object_code;
use crate::{Outcome, fail};
use iced_x86::{CpuidFeature, Decoder, DecoderOptions, FlowControl};
use object::Architecture;
use std::collections::BTreeSet;

/// What a name promises: of variants, and of targets of kernels on arrays.
const PROMISED: [(&str, &[&str]); 7] = [
    (DIVSTEP_MATRIX, &[]),
    ("adx", &["adx", "bmi2"]),
    ("mulx", &["bmi2"]),
    ("base", &[]),
    ("avx2", &["avx2", "fma"]),
    ("avx512f", &["avx512f", "avx512dq"]),
    ("avx512ifma", &["avx512f", "avx512dq", "avx512ifma", "avx512vbmi2"]),
];

/// Refuses a row that does not name what its function uses, or names what its own name does not
/// promise.
pub(crate) fn are_named(needs: &[String], name: &str, object: &[u8], symbol: &str) -> Outcome<()> {
    let code = object_code::function(object, symbol)?;
    if code.convention.architecture == Architecture::X86_64 {
        for feature in used(code.bytes) {
            if !is_covered(feature, needs) {
                return fail(format!("its code uses {feature:?}, which its row does not name"));
            }
        }
    }
    match PROMISED.iter().find(|(known, _)| *known == name) {
        Some((_, promised)) if needs != *promised => {
            fail(format!("its row needs {needs:?}, and {name} needs {promised:?}"))
        }
        _ => Ok(()),
    }
}

/// The extensions of all instructions that the code may reach.
fn used(code: &[u8]) -> BTreeSet<CpuidFeature> {
    let (mut todo, mut seen, mut found) = (vec![0], BTreeSet::new(), BTreeSet::new());
    while let Some(first) = todo.pop() {
        let Some(rest) = code.get(first..) else {
            continue;
        };
        for i in Decoder::with_ip(64, rest, first as u64, DecoderOptions::NONE) {
            if i.is_invalid() || !seen.insert(i.ip()) {
                break;
            }
            found.extend(i.cpuid_features());
            let flow = i.flow_control();
            if !matches!(flow, FlowControl::Next | FlowControl::Return) {
                todo.extend(usize::try_from(i.near_branch_target()));
            }
            if matches!(flow, FlowControl::Return | FlowControl::UnconditionalBranch) {
                break;
            }
        }
    }
    found
}

/// Whether every processor has an extension, or one that has what is named.
fn is_covered(feature: CpuidFeature, needs: &[String]) -> bool {
    use CpuidFeature as Is;
    let names: &[_] = match feature {
        Is::INTEL8086 | Is::INTEL186 | Is::INTEL286 | Is::INTEL386 | Is::INTEL486 => return true,
        Is::X64 | Is::CMOV | Is::SSE | Is::SSE2 | Is::MULTIBYTENOP | Is::CET_IBT => return true,
        Is::AVX => &["avx2", "fma", "avx512f"],
        Is::AVX2 => &["avx2", "avx512f"],
        Is::FMA => &["fma", "avx512f"],
        Is::AVX512F => &["avx512f"],
        Is::AVX512DQ => &["avx512dq"],
        Is::AVX512_IFMA => &["avx512ifma"],
        Is::AVX512_VBMI2 => &["avx512vbmi2"],
        Is::BMI2 => &["bmi2"],
        Is::ADX => &["adx"],
        _ => &[],
    };
    names.iter().any(|name| needs.iter().any(|need| need == name))
}

#[cfg(test)]
mod tests {
    use super::{is_covered, used};

    fn are_covered(code: &[u8], needs: &[&str]) -> bool {
        let needs: Vec<_> = needs.iter().map(ToString::to_string).collect();
        used(code).into_iter().all(|feature| is_covered(feature, &needs))
    }

    /// mulx, adox, vpaddq of VEX and EVEX, and vpaddq of 256 bits by EVEX, which no row names.
    #[test]
    fn each_extension_is_named() {
        let cases: [(&[u8], &str); 4] = [
            (&[0xc4, 0xe2, 0xfb, 0xf6, 0xc1, 0xc3], "bmi2"),
            (&[0xf3, 0x48, 0x0f, 0x38, 0xf6, 0xc1, 0xc3], "adx"),
            (&[0xc5, 0xf5, 0xd4, 0xc2, 0xc3], "avx2"),
            (&[0x62, 0xf1, 0xf5, 0x48, 0xd4, 0xc2, 0xc3], "avx512f"),
        ];
        for (code, name) in cases {
            assert!(!are_covered(code, &["other"]) && are_covered(code, &[name]), "{name}");
        }
        assert!(!are_covered(&[0x62, 0xf1, 0xf5, 0x28, 0xd4, 0xc2, 0xc3], &["avx512f"]));
    }

    /// Behind a branch code is read; between a return and where nothing leads it is not.
    #[test]
    fn what_is_reached_is_read() {
        let mulx = [0xc4, 0xe2, 0xfb, 0xf6, 0xc1, 0xc3];
        let after = |start: &[u8]| [start, &mulx].concat();
        assert!(!are_covered(&after(&[0x72, 0x01, 0xc3]), &[]));
        assert!(!are_covered(&after(&[0xe8, 0x01, 0, 0, 0, 0xc3]), &[]));
        assert!(are_covered(&after(&[0xc3]), &[]));
    }
}
