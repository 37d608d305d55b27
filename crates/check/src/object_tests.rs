//! Objects of which a linker takes other bytes than a reader does, each by one difference.

use crate::object_code::function;

const CODE: [u8; 8] = [0x90, 0x90, 0x90, 0xc3, 0xc0, 0x03, 0x5f, 0xd6];
const X86_64: u16 = 62;
const AARCH64: u16 = 183;
const LOCAL: u8 = 0;
const GLOBAL: u8 = 0x12;

/// What the function `f` of an object is refused for; empty where it is taken.
fn said(object: &[u8]) -> String {
    match function(object, "f") {
        Ok(code) => {
            assert_eq!(code.bytes, CODE);
            String::new()
        }
        Err(why) => {
            assert!(!why.contains('\n'));
            why
        }
    }
}

/// A section of ELF.
#[derive(Clone)]
struct Section {
    name: &'static str,
    kind: u64,
    flags: u64,
    address: u64,
    data: Vec<u8>,
    info: u64,
    alignment: u64,
    each: u64,
}

/// An ELF object; each symbol has a name, a binding with a type, a section, and a value.
#[derive(Clone)]
struct Elf {
    is_big: bool,
    class: u8,
    machine: u16,
    sections: Vec<Section>,
    symbols: Vec<(&'static str, u8, u64, u64)>,
}

impl Elf {
    /// Sections: none, the code, symbols, names.
    fn plain(machine: u16) -> Self {
        let section = |name, kind, flags, data: &[u8]| Section {
            name,
            kind,
            flags,
            address: 0,
            data: data.to_vec(),
            info: 0,
            alignment: 8,
            each: 0,
        };
        let mut sections = vec![
            section("", 0, 0, &[]),
            section(".text", 1, 6, &CODE),
            section(".symtab", 2, 0, &[]),
        ];
        sections.push(section(".strtab", 3, 0, &[]));
        (sections[2].info, sections[2].each) = (2, 24);
        let symbols = vec![("", LOCAL, 0, 0), ("g", LOCAL, 1, 0), ("f", GLOBAL, 1, 0)];
        Self { is_big: false, class: 2, machine, sections, symbols }
    }

    fn changed(machine: u16, change: impl Fn(&mut Self)) -> Vec<u8> {
        let mut elf = Self::plain(machine);
        change(&mut elf);
        elf.bytes()
    }

    fn number(&self, value: u64, size: usize) -> Vec<u8> {
        if self.is_big {
            return value.to_be_bytes()[8 - size..].to_vec();
        }
        value.to_le_bytes()[..size].to_vec()
    }

    fn fields(&self, fields: &[(u64, usize)]) -> Vec<u8> {
        fields.iter().flat_map(|(value, size)| self.number(*value, *size)).collect()
    }

    fn bytes(mut self) -> Vec<u8> {
        let mut names = vec![0];
        let mut place = |name: &str| {
            names.extend([name.as_bytes(), &[0]].concat());
            (names.len() - name.len() - 1) as u64
        };
        let mut table = Vec::new();
        for (name, info, section, value) in &self.symbols {
            let fields = [(place(name), 4), ((*info).into(), 1), (0, 1), (*section, 2)];
            table.extend(self.fields(&fields));
            table.extend(self.fields(&[(*value, 8), (0, 8)]));
        }
        let places: Vec<_> = self.sections.iter().map(|s| place(s.name)).collect();
        for section in &mut self.sections {
            match section.kind {
                2 => section.data.clone_from(&table),
                3 => section.data.clone_from(&names),
                _ => {}
            }
        }
        let (mut data, mut headers) = (Vec::new(), Vec::new());
        for (section, name) in self.sections.iter().zip(places) {
            data.resize(data.len().next_multiple_of(8), 0);
            let Section { kind, flags, address, info, alignment, each, .. } = *section;
            let (at, size) = (64 + data.len() as u64, section.data.len() as u64);
            let alignment = if kind == 0 { 0 } else { alignment };
            headers.extend(self.fields(&[(name, 4), (kind, 4), (flags, 8), (address, 8)]));
            headers.extend(self.fields(&[(at, 8), (size, 8), (3, 4), (info, 4)]));
            headers.extend(self.fields(&[(alignment, 8), (each, 8)]));
            data.extend(&section.data);
        }
        data.resize(data.len().next_multiple_of(8), 0);
        let order = if self.is_big { 2 } else { 1 };
        let mut whole = [b"\x7fELF", &[self.class, order, 1, 0][..], &[0; 8]].concat();
        let machine = u64::from(self.machine);
        whole.extend(self.fields(&[(1, 2), (machine, 2), (1, 4), (0, 8), (0, 8)]));
        whole.extend(self.fields(&[(64 + data.len() as u64, 8), (0, 4), (64, 2), (0, 2), (0, 2)]));
        whole.extend(self.fields(&[(64, 2), (self.sections.len() as u64, 2), (3, 2)]));
        [whole, data, headers].concat()
    }
}

/// Fields of numbers in the order of COFF and Mach-O.
fn fields(fields: &[(u64, usize)]) -> Vec<u8> {
    Elf::plain(X86_64).fields(fields)
}

/// A COFF object of one section, with its name in the string table if it is long.
fn coff(machine: u64, name: &str, address: u64, alignment: u64) -> Vec<u8> {
    let field = if name.len() > 8 { "/4" } else { name };
    let mut short = field.as_bytes().to_vec();
    short.resize(8, 0);
    let code_at = 20 + 40;
    let mut found = fields(&[(machine, 2), (1, 2), (0, 4), (code_at + 8, 4), (1, 4), (0, 4)]);
    found.extend(short);
    found.extend(fields(&[(0, 4), (address, 4), (8, 4), (code_at, 4), (0, 8), (0, 4)]));
    found.extend(fields(&[(0x6000_0020 | alignment << 20, 4)]));
    found.extend(CODE);
    found.extend(
        [b"f\0\0\0\0\0\0\0".to_vec(), fields(&[(0, 4), (1, 2), (0, 2), (2, 1), (0, 1)])].concat(),
    );
    let long = if name.len() > 8 { format!("{name}\0") } else { String::new() };
    [found, fields(&[(4 + long.len() as u64, 4)]), long.into_bytes()].concat()
}

const X86_64_COFF: u64 = 0x8664;
const AARCH64_COFF: u64 = 0xaa64;

/// A Mach-O object with a symbol in the one section.
struct MachO {
    processor: u64,
    subtype: u64,
    symbol: &'static str,
    section: &'static str,
    address: u64,
    alignment: u64,
    tables: u64,
}

const MACH_O: MachO = MachO {
    processor: 0x0100_0007,
    subtype: 3,
    symbol: "_f",
    section: "__text",
    address: 0,
    alignment: 4,
    tables: 1,
};

impl MachO {
    fn bytes(self) -> Vec<u8> {
        let Self { processor, subtype, symbol, section, address, alignment, tables } = self;
        let named = |name: &str| {
            let mut name = name.as_bytes().to_vec();
            name.resize(16, 0);
            name
        };
        let commands = 72 + 80 + 24 * tables;
        let (code, symbols) = (32 + commands, 32 + commands + 8);
        let mut found = fields(&[(0xfeed_facf, 4), (processor, 4), (subtype, 4), (1, 4)]);
        found.extend(fields(&[(1 + tables, 4), (commands, 4), (0, 8)]));
        found.extend([fields(&[(0x19, 4), (152, 4)]), named("")].concat());
        found.extend(fields(&[
            (0, 8),
            (address.wrapping_add(8), 8),
            (code, 8),
            (8, 8),
            (7, 4),
            (7, 4),
        ]));
        found.extend([fields(&[(1, 4), (0, 4)]), named(section), named("__TEXT")].concat());
        found.extend(fields(&[(address, 8), (8, 8), (code, 4), (alignment, 4), (0, 8)]));
        found.extend(fields(&[(0x8000_0400, 4), (0, 8), (0, 4)]));
        for _ in 0..tables {
            found.extend(fields(&[
                (2, 4),
                (24, 4),
                (symbols, 4),
                (1, 4),
                (symbols + 16, 4),
                (9, 4),
            ]));
        }
        found.extend(CODE);
        found.extend(fields(&[(1, 4), (0x0f, 1), (1, 1), (0, 2), (address, 8)]));
        let mut names = [&[0], symbol.as_bytes()].concat();
        names.resize(9, 0);
        [found, names].concat()
    }
}

const APPLE: MachO = MachO { processor: 0x0100_000c, subtype: 0, ..MACH_O };

#[test]
fn plain_objects_are_read() {
    for machine in [X86_64, AARCH64] {
        for name in [".text", ".text.f", ".text.unlikely.f"] {
            assert_eq!(said(&Elf::changed(machine, |elf| elf.sections[1].name = name)), "");
        }
    }
    for machine in [X86_64_COFF, AARCH64_COFF] {
        for name in [".text", ".text$f", ".text$unlikely", ".text.unlikely"] {
            assert_eq!(said(&coff(machine, name, 0, 3)), "");
        }
        assert_eq!(said(&coff(machine, ".text", 0, 0)), ""); // 16 where it says nothing
    }
    for object in [MACH_O, APPLE, MachO { address: 64, ..MACH_O }, MachO { address: 64, ..APPLE }] {
        assert_eq!(said(&object.bytes()), "");
    }
    assert_eq!(said(&Elf::changed(X86_64, |elf| elf.sections[1].alignment = 1)), "");
    let file = |elf: &mut Elf| elf.symbols[1] = ("a@b.c", 4, 0xfff1, 0);
    assert_eq!(said(&Elf::changed(X86_64, file)), "");
}

/// A change to a plain ELF object, and what it is refused for.
type Change = (u16, fn(&mut Elf), &'static str);

const CHANGED: &[Change] = &[
    (X86_64, |elf| elf.sections[1].address = 8, "has an address, 0x8"),
    (AARCH64, |elf| elf.is_big = true, "no object of 64 bits, little-endian"),
    (X86_64, |elf| elf.is_big = true, "no object of 64 bits, little-endian"),
    (X86_64, |elf| elf.class = 1, "object"),
    (X86_64, |elf| elf.sections[1].name = ".data", "is called .data"),
    (X86_64, |elf| elf.sections[1].name = ".textual", "is called .textual"),
    (X86_64, |elf| elf.sections[1].name = ".ctors", "is called .ctors"),
    (X86_64, |elf| elf.sections[1].name = ".gnu.linkonce.t.f", "one of several sections"),
    (X86_64, |elf| add(elf, ".gnu.linkonce.r.x", 1), "one of several sections"),
    (X86_64, |elf| add(elf, ".gnu.lto_.decls.0", 1), "link-time"),
    (X86_64, |elf| elf.symbols.push(("f@@V1", GLOBAL, 1, 4)), "f@@V1 is a version"),
    (X86_64, |elf| elf.symbols.push(("f@V1", GLOBAL, 0xfff1, 4)), "f@V1 is a version"),
    (X86_64, |elf| elf.symbols[1].0 = "f@V1", "f@V1 is a version"),
    (X86_64, |elf| add(elf, ".symtab", 2), "2 tables of symbols"),
    (X86_64, |elf| elf.sections[2].info = 3, "sh_info"),
    (X86_64, |elf| elf.sections[2].info = 1, "sh_info"),
    (X86_64, |elf| elf.sections[2].info = 0, "sh_info"),
    (X86_64, |elf| elf.symbols.push(("h", LOCAL, 1, 4)), "sh_info"),
    (X86_64, |elf| elf.sections[2].each = 48, "48 bytes, not 24"),
    (X86_64, |elf| elf.symbols[2].2 = 0xffff, "too many sections"),
    (AARCH64, |elf| elf.sections[1].alignment = 1, "multiple of 4"),
    (AARCH64, |elf| elf.sections[1].alignment = 2, "multiple of 4"),
    (AARCH64, |elf| elf.sections[1].alignment = 0, "multiple of 4"),
    (AARCH64, |elf| elf.symbols[2].3 = 1, "multiple of 4"),
    (AARCH64, |elf| elf.symbols[2].3 = 2, "multiple of 4"),
];

/// Adds a section of one byte, or of the symbols.
fn add(elf: &mut Elf, name: &'static str, kind: u64) {
    let mut section = elf.sections[if kind == 2 { 2 } else { 1 }].clone();
    (section.name, section.flags) = (name, 0);
    elf.sections.push(section);
}

#[test]
fn what_linkers_read_in_two_ways_is_refused() {
    for (at, (machine, change, why)) in CHANGED.iter().enumerate() {
        let said = said(&Elf::changed(*machine, change));
        assert!(said.contains(why), "{at}: not {why}, but {said:?}");
    }
    for (object, why) in [
        (coff(0xa641, ".text", 0, 3), "for ARM64EC, not AArch64"),
        (coff(0xa64e, ".text", 0, 3), "no object"),
        (coff(X86_64_COFF, ".text", 64, 3), "has an address, 0x40"),
        (coff(X86_64_COFF, ".data", 0, 3), "is called .data"),
        (coff(X86_64_COFF, ".textual", 0, 3), "is called .textual"),
        (coff(X86_64_COFF, ".gnu.linkonce.t.f", 0, 3), "one of several sections"),
        (coff(X86_64_COFF, ".drectve", 0, 3), "tells the linker"),
        (coff(AARCH64_COFF, ".text", 0, 1), "multiple of 4"),
        (coff(AARCH64_COFF, ".text", 0, 2), "multiple of 4"),
        (MachO { symbol: "f", ..MACH_O }.bytes(), "no function _f"),
        (MachO { symbol: "__f", ..MACH_O }.bytes(), "no function _f"),
        (MachO { section: "__fieldc", ..MACH_O }.bytes(), "is not __TEXT,__text"),
        (MachO { address: u64::MAX - 7, ..MACH_O }.bytes(), "beyond all addresses"),
        (MachO { tables: 2, ..MACH_O }.bytes(), "2 tables of symbols"),
        (MachO { subtype: 2, ..APPLE }.bytes(), "for Arm64E, not AArch64"),
        (MachO { alignment: 1, ..APPLE }.bytes(), "multiple of 4"),
        (MachO { address: 2, ..APPLE }.bytes(), "multiple of 4"),
    ] {
        let said = said(&object);
        assert!(said.contains(why), "not {why}, but {said:?}");
    }
}
