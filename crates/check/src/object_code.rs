//! Finds a function whose bytes no linker changes, in a relocatable object.
//!
//! What is plain is listed, and everything else is refused: a linker merges, drops, replaces,
//! compiles again or makes writable what is not plain.

use crate::convention::{self, Convention};
use crate::{Outcome, fail};
use object::elf::{SHF_ALLOC, SHF_EXECINSTR, SHT_GROUP, SHT_PROGBITS, SHT_SYMTAB, STB_GLOBAL};
use object::elf::{STT_FUNC, STT_NOTYPE};
use object::macho::{S_ATTR_PURE_INSTRUCTIONS, S_ATTR_SOME_INSTRUCTIONS};
use object::pe::IMAGE_SCN_MEM_READ;
use object::pe::{IMAGE_SCN_ALIGN_MASK, IMAGE_SCN_CNT_CODE, IMAGE_SCN_MEM_EXECUTE};
use object::read::elf::{ElfFile64, FileHeader, SectionHeader};
use object::{
    BinaryFormat, File, Object, ObjectComdat, ObjectKind, ObjectSection, ObjectSymbol,
    SectionFlags, SectionIndex, SymbolFlags, SymbolSection,
};

/// Sections that a link may compile again instead of the code beside them.
const LINK_TIME: [&str; 6] =
    [".gnu.lto_", ".llvm.lto", ".llvmbc", "__bitcode", "__wrap_lto", ".llvm_bundle"];
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
    let mach_o = file.format() == BinaryFormat::MachO;
    let prefixed = format!("_{symbol}");
    let named = |s: &object::Symbol<'_, '_>| {
        s.name().is_ok_and(|name| name == symbol || mach_o && name == prefixed)
    };
    let all: Vec<_> = file.symbols().filter(|s| named(s)).collect();
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
    let inside = file.symbols().filter(|s| s.section_index() == Some(index));
    let next = inside.map(|s| s.address()).filter(|other| *other > address).min();
    let end = section.address().checked_add(section.size());
    let end = next.or(end).ok_or("its section ends beyond all addresses")?;
    let size = end.saturating_sub(address);
    let bytes = section.data_range(address, size).map_err(|why| why.to_string())?;
    let bytes = bytes.filter(|bytes| !bytes.is_empty()).ok_or("it is outside its section")?;
    Ok(Code { bytes, convention })
}

/// Refuses a section that is not plain code, and an object that a link may compile again.
fn plain_section(file: &File<'_>, index: SectionIndex) -> Outcome<()> {
    let section = file.section_by_index(index).map_err(|why| why.to_string())?;
    let text = section.name() == Ok("__text") && section.segment_name() == Ok(Some("__TEXT"));
    let is_plain = match section.flags() {
        SectionFlags::Elf { sh_type, sh_flags } => {
            sh_type == SHT_PROGBITS && sh_flags == SHF_ALLOC | SHF_EXECINSTR
        }
        SectionFlags::MachO { flags, .. } => {
            text && flags == S_ATTR_PURE_INSTRUCTIONS | S_ATTR_SOME_INSTRUCTIONS
        }
        SectionFlags::Coff { characteristics } => {
            let code = IMAGE_SCN_CNT_CODE | IMAGE_SCN_MEM_EXECUTE | IMAGE_SCN_MEM_READ;
            characteristics.0 & !IMAGE_SCN_ALIGN_MASK == code.0
        }
        _ => false,
    };
    if !is_plain {
        return fail("the function's section is not plain code");
    }
    if section.relocations().next().is_some() {
        return fail("the linker changes the function's section");
    }
    if file.comdats().any(|group| group.sections().any(|member| member == index)) {
        return fail("the function's section is in a group");
    }
    if let File::Elf64(elf) = file {
        plain_elf_section(elf, index)?;
    }
    for other in file.sections() {
        let name = other.name().map_err(|why| why.to_string())?;
        if LINK_TIME.iter().any(|start| name.starts_with(start)) {
            return fail(format!("the object has code for link-time optimisation ({name})"));
        }
        if name == ".drectve" && other.size() > 0 {
            return fail("the object tells the linker what to do (.drectve)");
        }
    }
    Ok(())
}

/// Refuses a section that another one names: that one changes it, in whatever form.
fn plain_elf_section(elf: &ElfFile64<'_>, index: SectionIndex) -> Outcome<()> {
    let endian = elf.elf_header().endian().map_err(|why| why.to_string())?;
    for (_, header) in elf.elf_section_table().enumerate() {
        let kind = header.sh_type(endian);
        let by_symbol = kind == SHT_SYMTAB || kind == SHT_GROUP;
        if !by_symbol && header.sh_info(endian) as usize == index.0 {
            return fail("another section changes the function's section");
        }
    }
    Ok(())
}
