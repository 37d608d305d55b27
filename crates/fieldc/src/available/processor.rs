//! What the processor offers.

use core::arch::x86_64::{__cpuid, __cpuid_count};

/// What matters for the choice of kernels.
pub(crate) struct Processor {
    /// BMI2: mulx.
    pub(crate) bmi2: bool,
    /// BMI2 and ADX: adcx and adox too.
    pub(crate) adx: bool,
    /// Whether the kernels with two carry chains are the ones to run.
    pub(crate) prefers_two_chains: bool,
}

/// Intel's 4-wide cores with ADX, by model: Broadwell, Skylake to Cascade Lake, Kaby to Comet Lake.
/// That two chains are faster there is expected from the cores' ports; the crate was not measured.
const NARROW: [u32; 12] = [
    0x3d, 0x47, 0x4f, 0x56, 0x4e, 0x5e, 0x55, 0x66, 0x8e, 0x9e, 0xa5, 0xa6,
];

/// AMD's family of Zen 3 and Zen 4, which share their integer core. Measured on Zen 4.
const ZEN_3_AND_4: u32 = 0x19;

/// A bit for each model from `first` on: straight-line code to look one up, which a scan follows.
const fn bits(models: &[u32], first: u32) -> u128 {
    let (mut found, mut i) = (0, 0);
    while i < models.len() {
        if models[i] >= first && models[i] < first + 128 {
            found |= 1 << (models[i] - first);
        }
        i += 1;
    }
    found
}

/// Asks the processor.
#[allow(
    unused_unsafe,
    reason = "CPUID is a safe function in newer versions of Rust"
)]
pub(crate) fn processor() -> Processor {
    const BMI2: u32 = 1 << 8;
    const ADX: u32 = 1 << 19;
    // SAFETY: every x86-64 processor has CPUID.
    let first = unsafe { __cpuid(0) };
    let features = if first.eax >= 7 {
        // SAFETY: as above; leaf 7 exists, as it is not above the largest one.
        unsafe { __cpuid_count(7, 0) }.ebx
    } else {
        0
    };
    // SAFETY: as above; every processor has leaf 1.
    let version = unsafe { __cpuid(1) }.eax;
    let is_intel = first.ebx == u32::from_le_bytes(*b"Genu");
    let is_amd = first.ebx == u32::from_le_bytes(*b"Auth");
    // The second number counts where the first one is 15, and is 0 elsewhere.
    let family = (version >> 8 & 15) + (version >> 20 & 255);
    let model = (version >> 4 & 15) | (version >> 16 & 15) << 4;
    let narrow = if model < 128 {
        const { bits(&NARROW, 0) }
    } else {
        const { bits(&NARROW, 128) }
    };
    let is_narrow = is_intel && family == 6 && narrow >> (model % 128) & 1 == 1;
    let adx = features & (BMI2 | ADX) == BMI2 | ADX;
    Processor {
        bmi2: features & BMI2 != 0,
        adx,
        prefers_two_chains: adx && (is_narrow || is_amd && family == ZEN_3_AND_4),
    }
}
