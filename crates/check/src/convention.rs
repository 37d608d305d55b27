//! The calling conventions, and which one an object's system has.

use object::{Architecture, BinaryFormat};

/// What a kernel may use, whatever its registers are called.
#[derive(Debug)]
pub(crate) struct Convention {
    pub(crate) name: &'static str,
    pub(crate) architecture: Architecture,
    /// As a target's name begins.
    processor: &'static str,
    /// Systems, as a target's name goes on, and the formats of their objects.
    systems: &'static [(&'static str, BinaryFormat)],
    /// Pointers that registers hold on entry.
    pub(crate) arguments: usize,
    /// Bytes below the stack pointer that a leaf may use.
    pub(crate) red_zone: i64,
    /// Bytes above the return address that the caller keeps free.
    pub(crate) home: i64,
}

const CONVENTIONS: [Convention; 5] = [
    Convention {
        name: "sysv",
        architecture: Architecture::X86_64,
        processor: "x86_64",
        systems: &[("linux", BinaryFormat::Elf), ("macos", BinaryFormat::MachO)],
        arguments: 6,
        red_zone: 128,
        home: 0,
    },
    Convention {
        name: "win64",
        architecture: Architecture::X86_64,
        processor: "x86_64",
        systems: &[("windows", BinaryFormat::Coff)],
        arguments: 4,
        red_zone: 0,
        home: 32,
    },
    Convention {
        name: "aapcs64",
        architecture: Architecture::Aarch64,
        processor: "aarch64",
        systems: &[("linux", BinaryFormat::Elf)],
        arguments: 8,
        red_zone: 0,
        home: 0,
    },
    Convention {
        name: "apple",
        architecture: Architecture::Aarch64,
        processor: "aarch64",
        systems: &[("macos", BinaryFormat::MachO)],
        arguments: 8,
        red_zone: 128,
        home: 0,
    },
    Convention {
        name: "windows",
        architecture: Architecture::Aarch64,
        processor: "aarch64",
        systems: &[("windows", BinaryFormat::Coff)],
        arguments: 8,
        red_zone: 0,
        home: 0,
    },
];

/// The convention of a name.
pub(crate) fn named(name: &str) -> Option<&'static Convention> {
    CONVENTIONS.iter().find(|known| known.name == name)
}

/// The convention of an object's system.
pub(crate) fn of_object(
    architecture: Architecture,
    format: BinaryFormat,
) -> Option<&'static Convention> {
    CONVENTIONS.iter().find(|known| {
        known.architecture == architecture && known.systems.iter().any(|(_, own)| *own == format)
    })
}

/// The convention of a target's name, such as `aarch64-linux`, and the format of its objects.
pub(crate) fn of_target(target: &str) -> Option<(&'static Convention, BinaryFormat)> {
    let mut parts = target.split('-');
    let (processor, system) = (parts.next()?, parts.next()?);
    CONVENTIONS.iter().filter(|known| known.processor == processor).find_map(|known| {
        let (_, format) = known.systems.iter().find(|(name, _)| *name == system)?;
        Some((known, *format))
    })
}
