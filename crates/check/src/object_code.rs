//! Finds a function whose bytes no linker changes, in a relocatable object.

use crate::convention::{self, Convention};
use crate::linkable::{plain_object, plain_section};
use crate::{Outcome, fail};
use object::elf::{STB_GLOBAL, STT_FUNC, STT_NOTYPE};
use object::{Architecture, BinaryFormat, File, Object, ObjectKind, ObjectSection, ObjectSymbol};
use object::{SymbolFlags, SymbolSection};

/// How many bytes an instruction of AArch64 has, and what a function begins at a multiple of.
const INSTRUCTION: u64 = 4;
const NO_DEAD_STRIP: u16 = 0x20;

/// The bytes from a function to the next symbol, and the convention of the object's system.
pub(crate) struct Code<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) convention: &'static Convention,
}

/// Finds a function of an object by its symbol, which Mach-O writes with an underscore before it.
pub(crate) fn function<'a>(object: &'a [u8], symbol: &str) -> Outcome<Code<'a>> {
    let file = File::parse(object).map_err(|why| format!("no object that can be read: {why}"))?;
    let convention = convention::of_object(file.architecture(), file.format());
    let Some(convention) = convention.filter(|_| file.kind() == ObjectKind::Relocatable) else {
        return fail("this is no relocatable object for x86-64 or AArch64");
    };
    plain_object(&file)?;
    let underscore = if file.format() == BinaryFormat::MachO { "_" } else { "" };
    let symbol = &format!("{underscore}{symbol}");
    let all: Vec<_> = file.symbols().filter(|s| s.name() == Ok(symbol)).collect();
    let [found] = &all[..] else {
        return fail(format!("the object has no function {symbol} for others, or several"));
    };
    let SymbolSection::Section(index) = found.section() else {
        return fail(format!("the symbol {symbol} is not that of a place in a section"));
    };
    let plain_symbol = match found.flags() {
        SymbolFlags::Elf { st_info, .. } => {
            st_info.st_bind() == STB_GLOBAL && [STT_FUNC, STT_NOTYPE].contains(&st_info.st_type())
        }
        SymbolFlags::MachO { n_type, n_desc } => {
            [0x0f, 0x1f].contains(&n_type.0) && n_desc.0 & !NO_DEAD_STRIP == 0
        }
        _ => file.format() == BinaryFormat::Coff,
    };
    if !plain_symbol || !found.is_global() || found.is_weak() {
        return fail(format!("the symbol {symbol} is local, weak, or no plain function's"));
    }
    plain_section(&file, index)?;
    let section = file.section_by_index(index).map_err(|why| why.to_string())?;
    let address = found.address();
    if convention.architecture == Architecture::Aarch64 {
        is_aligned(&section, address)?;
    }
    let inside = file.symbols().filter(|s| s.section_index() == Some(index));
    let next = inside.map(|s| s.address()).filter(|other| *other > address).min();
    let end = section.address().checked_add(section.size());
    let end = next.or(end).ok_or("its section ends beyond all addresses")?;
    let size = end.saturating_sub(address);
    let bytes = section.data_range(address, size).map_err(|why| why.to_string())?;
    let bytes = bytes.filter(|bytes| !bytes.is_empty()).ok_or("it is outside its section")?;
    Ok(Code { bytes, convention })
}

/// Refuses a function of AArch64 that a linker may put between two places for instructions.
fn is_aligned<'a>(section: &impl ObjectSection<'a>, address: u64) -> Outcome<()> {
    let (at, of_section) = (section.address(), section.align());
    if [at, address, of_section].iter().any(|n| n % INSTRUCTION != 0) || of_section == 0 {
        return fail("the function or its section does not begin at a multiple of 4 bytes");
    }
    Ok(())
}
