//! The entry by which Windows calls a kernel on arrays, by its bytes.
//!
//! It lowers rsp by 184 bytes, where it saves rsi, rdi and xmm6 to xmm15, moves the arguments to
//! where System V has them, calls the kernel, and puts all that back. Why that is enough,
//! `fieldc/proof/lanes/entry.py` says.

use crate::object_code::function;
use crate::{Outcome, fail};
use object::{File, Object, ObjectSymbol};
use serde::Deserialize;

/// Moves of the arguments: four in registers, then two on the stack.
const MOVES: [&[u8]; 6] = [
    &[0x48, 0x89, 0xcf],
    &[0x48, 0x89, 0xd6],
    &[0x4c, 0x89, 0xc2],
    &[0x4c, 0x89, 0xc9],
    &[0x4c, 0x8b, 0x84, 0x24, 0xe0, 0, 0, 0],
    &[0x4c, 0x8b, 0x8c, 0x24, 0xe8, 0, 0, 0],
];
const LEAST: usize = 3;
/// push rsi, push rdi, sub rsp; and add rsp, pop rdi, pop rsi, ret.
const FIRST: [u8; 9] = [0x56, 0x57, 0x48, 0x81, 0xec, 0xa8, 0, 0, 0];
const LAST: [u8; 10] = [0x48, 0x81, 0xc4, 0xa8, 0, 0, 0, 0x5f, 0x5e, 0xc3];
const STORE: u8 = 0x29;
const LOAD: u8 = 0x28;

/// What a manifest says of an entry.
#[derive(Debug, Deserialize)]
pub(crate) struct Entry {
    pub(crate) symbol: String,
    pub(crate) object: String,
    pub(crate) arguments: usize,
}

impl Entry {
    /// Verifies that it calls a kernel of its object, which has so many arguments.
    pub(crate) fn calls(&self, kernel: &str, arguments: usize, object: &[u8]) -> Outcome<()> {
        let Self { symbol, .. } = self;
        if *symbol != name_of(kernel) {
            return fail("its entry is another kernel's");
        }
        if self.arguments != arguments || !(LEAST..=MOVES.len()).contains(&arguments) {
            return fail(format!("its entry has {} arguments", self.arguments));
        }
        let found = function(object, symbol)?.bytes;
        let distance = place(object, kernel)?.0.wrapping_sub(place(object, symbol)?.0);
        let is_one = place(object, kernel)?.1 == place(object, symbol)?.1;
        if !is_one || !found.starts_with(&expected(arguments, distance)) {
            return fail(format!("{symbol} is not what calls {kernel}"));
        }
        Ok(())
    }
}

/// The symbol of a kernel's entry.
pub(crate) fn name_of(kernel: &str) -> String {
    format!("{kernel}_windows")
}

/// Where a symbol is: the address, and the section.
fn place(object: &[u8], symbol: &str) -> Outcome<(u64, Option<usize>)> {
    let file = File::parse(object).map_err(|why| why.to_string())?;
    let found = file.symbols().find(|known| known.name() == Ok(symbol));
    let found = found.ok_or(format!("there is no function {symbol}"))?;
    Ok((found.address(), found.section_index().map(|index| index.0)))
}

/// The bytes of an entry whose kernel is so far from its start.
fn expected(arguments: usize, distance: u64) -> Vec<u8> {
    let mut bytes = FIRST.to_vec();
    vectors(&mut bytes, STORE);
    bytes.extend(MOVES[..arguments].concat());
    let after = bytes.len() as u64 + 5;
    bytes.push(0xe8);
    bytes.extend(&distance.wrapping_sub(after).to_le_bytes()[..4]);
    vectors(&mut bytes, LOAD);
    bytes.extend(LAST);
    bytes
}

/// movaps of xmm6 to xmm15, to or from the stack.
fn vectors(bytes: &mut Vec<u8>, code: u8) {
    for (at, number) in (0u8..).zip(6u8..16) {
        bytes.extend((number > 7).then_some(0x44));
        let (offset, register) = (16 * at, (number & 7) << 3);
        match offset {
            0 => bytes.extend([0x0f, code, register | 0x04, 0x24]),
            1..128 => bytes.extend([0x0f, code, register | 0x44, 0x24, offset]),
            _ => bytes.extend([0x0f, code, register | 0x84, 0x24, offset, 0, 0, 0]),
        }
    }
}
