//! What an object and a section must be, that no linker changes the bytes of a function.
//!
//! What is plain is listed, and everything else is refused: a linker merges, drops, replaces,
//! compiles again or makes writable what is not plain. Where linkers read an object in different
//! ways, it is refused too.

use crate::{Outcome, fail};
use object::elf::{SHF_ALLOC, SHF_EXECINSTR, SHT_GROUP, SHT_PROGBITS, SHT_SYMTAB};
use object::elf::{SHN_UNDEF, SHN_XINDEX, STB_LOCAL, STT_FILE};
use object::macho::{LC_SEGMENT_64, LC_SYMTAB, S_ATTR_PURE_INSTRUCTIONS, S_ATTR_SOME_INSTRUCTIONS};
use object::pe::IMAGE_SCN_MEM_READ;
use object::pe::{IMAGE_SCN_ALIGN_MASK, IMAGE_SCN_CNT_CODE, IMAGE_SCN_MEM_EXECUTE};
use object::read::elf::{ElfFile64, FileHeader, SectionHeader, Sym};
use object::read::macho::MachOFile64;
use object::{BinaryFormat, File, Object, ObjectComdat, ObjectSection};
use object::{SectionFlags, SectionIndex, SubArchitecture, SymbolIndex};

/// Sections that a link may compile again instead of the code beside them.
const LINK_TIME: [&str; 6] =
    [".gnu.lto_", ".llvm.lto", ".llvmbc", "__bitcode", "__wrap_lto", ".llvm_bundle"];
/// Of sections with such a name and the same end, a linker takes the first.
const LINK_ONCE: &str = ".gnu.linkonce.";
const SYMBOL_SIZE: u64 = 24;

/// Refuses an object that linkers read in different ways, compile again, or drop parts of.
pub(crate) fn plain_object(file: &File<'_>) -> Outcome<()> {
    let is_coff = file.format() == BinaryFormat::Coff; // has no class, only a machine
    if !file.is_little_endian() || !(file.is_64() || is_coff) {
        return fail("this is no object of 64 bits, little-endian");
    }
    match file.sub_architecture() {
        Some(SubArchitecture::Arm64EC) => return fail("this object is for ARM64EC, not AArch64"),
        Some(other) => return fail(format!("this object is for {other:?}, not AArch64")),
        None => {}
    }
    for section in file.sections() {
        let name = section.name().map_err(|why| why.to_string())?;
        if LINK_TIME.iter().any(|start| name.starts_with(start)) {
            return fail(format!("the object has code for link-time optimisation ({name})"));
        }
        if name.starts_with(LINK_ONCE) {
            return fail(format!("a linker takes one of several sections called {name}"));
        }
        if name == ".drectve" && section.size() > 0 {
            return fail("the object tells the linker what to do (.drectve)");
        }
    }
    match file {
        File::Elf64(elf) => plain_elf_symbols(elf),
        File::MachO64(mach_o) => plain_load_commands(mach_o),
        _ => Ok(()),
    }
}

/// Refuses a second table of symbols, one in another order, and names with a version.
fn plain_elf_symbols(elf: &ElfFile64<'_>) -> Outcome<()> {
    let endian = elf.endian();
    let headers = elf.elf_section_table().iter();
    let tables: Vec<_> = headers.filter(|h| h.sh_type(endian) == SHT_SYMTAB).collect();
    let [table] = &tables[..] else {
        return fail(format!("the object has {} tables of symbols, not one", tables.len()));
    };
    let size = table.sh_entsize(endian);
    if size != SYMBOL_SIZE {
        return fail(format!("each symbol is said to have {size} bytes, not {SYMBOL_SIZE}"));
    }
    let (first, symbols) = (table.sh_info(endian) as usize, elf.elf_symbol_table());
    for (SymbolIndex(index), symbol) in symbols.enumerate() {
        let is_local = symbol.st_bind() == STB_LOCAL;
        if is_local != (index < first) {
            return fail("sh_info of the table of symbols is not the first that is not local");
        }
        let name = symbols.symbol_name(endian, symbol).map_err(|why| why.to_string())?;
        if symbol.st_shndx(endian) == SHN_XINDEX {
            return fail("the object has too many sections");
        }
        let is_defined = symbol.st_shndx(endian) != SHN_UNDEF && symbol.st_type() != STT_FILE;
        if is_defined && name.contains(&b'@') {
            let name = String::from_utf8_lossy(name);
            return fail(format!("the symbol {name} is a version of another one"));
        }
    }
    if first > symbols.len() {
        return fail("sh_info of the table of symbols is not the first that is not local");
    }
    Ok(())
}

/// Refuses a second table of symbols, or a second list of sections.
fn plain_load_commands(mach_o: &MachOFile64<'_>) -> Outcome<()> {
    let mut commands = mach_o.macho_load_commands().map_err(|why| why.to_string())?;
    let (mut tables, mut segments) = (0, 0);
    while let Some(command) = commands.next().map_err(|why| why.to_string())? {
        tables += usize::from(command.cmd() == LC_SYMTAB);
        segments += usize::from(command.cmd() == LC_SEGMENT_64);
    }
    if (tables, segments) == (1, 1) {
        return Ok(());
    }
    fail(format!("the object has {tables} tables of symbols and {segments} segments, not one each"))
}

/// Refuses a section that is not plain code.
pub(crate) fn plain_section(file: &File<'_>, index: SectionIndex) -> Outcome<()> {
    let section = file.section_by_index(index).map_err(|why| why.to_string())?;
    let is_plain = match section.flags() {
        SectionFlags::Elf { sh_type, sh_flags } => {
            sh_type == SHT_PROGBITS && sh_flags == SHF_ALLOC | SHF_EXECINSTR
        }
        SectionFlags::MachO { flags, .. } => {
            flags == S_ATTR_PURE_INSTRUCTIONS | S_ATTR_SOME_INSTRUCTIONS
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
    has_name_of_code(file.format(), &section)?;
    if file.format() != BinaryFormat::MachO && section.address() != 0 {
        return fail(format!("the function's section has an address, {:#x}", section.address()));
    }
    if section.relocations().next().is_some() {
        return fail("the linker changes the function's section");
    }
    if file.comdats().any(|group| group.sections().any(|member| member == index)) {
        return fail("the function's section is in a group");
    }
    match file {
        File::Elf64(elf) => plain_elf_section(elf, index),
        _ => Ok(()),
    }
}

/// Refuses a section of another name than those of code; those with a dot in COFF are MinGW's.
fn has_name_of_code<'a>(format: BinaryFormat, section: &impl ObjectSection<'a>) -> Outcome<()> {
    let name = section.name().map_err(|why| why.to_string())?;
    let longer: &[_] = match format {
        BinaryFormat::Elf => &[".text."],
        BinaryFormat::Coff => &[".text$", ".text."],
        _ if name == "__text" && section.segment_name() == Ok(Some("__TEXT")) => return Ok(()),
        _ => return fail("the function's section is not __TEXT,__text"),
    };
    if name == ".text" || longer.iter().any(|start| name.starts_with(start)) {
        return Ok(());
    }
    fail(format!("the function's section is called {name}: code is in .text"))
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
