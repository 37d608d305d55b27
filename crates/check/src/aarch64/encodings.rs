//! The words that are instructions on the list.
//!
//! A decoder may read words that processors do not: yaxpeax-arm 0.5 does not look at some fixed bits,
//! and takes masks that are reserved. So a word must be one of these before it is decoded. Written
//! from Arm's manual, C4.1.

/// A mask, and what the masked bits are.
type Encoding = (u32, u32);

const LISTED: [Encoding; 27] = [
    (0x9f00_0000, 0x1000_0000), // adr
    (0x1f80_0000, 0x1100_0000), // add, adds, sub, subs of an immediate
    (0x9f80_0000, 0x9200_0000), // and, orr, eor, ands of an immediate, 64 bits
    (0x9fc0_0000, 0x1200_0000), // of 32 bits
    (0x7f80_0000, 0x1280_0000), // movn
    (0x7f80_0000, 0x5280_0000), // movz
    (0x7f80_0000, 0x7280_0000), // movk
    (0xffc0_0000, 0x9340_0000), // sbfm
    (0xffc0_0000, 0xd340_0000), // ubfm
    (0xffe0_0000, 0x93c0_0000), // extr
    (0x9f00_0000, 0x8a00_0000), // and, bic, orr, orn, eor, eon, ands, bics, 64 bits
    (0x9f00_8000, 0x0a00_0000), // of 32 bits
    (0x9f20_0000, 0x8b00_0000), // add, adds, sub, subs, 64 bits
    (0x9f20_8000, 0x0b00_0000), // of 32 bits
    (0x9fe0_fc00, 0x8b20_4000), // of 64 bits and the low half of a register
    (0x1fe0_fc00, 0x1a00_0000), // adc, adcs, sbc, sbcs
    (0x3fe0_0800, 0x1a80_0000), // csel, csinc, csinv, csneg
    (0xffe0_0000, 0x9b00_0000), // madd, msub
    (0xffe0_8000, 0x9ba0_0000), // umaddl
    (0xffe0_fc00, 0x9bc0_7c00), // umulh
    (0xbb80_0000, 0xb900_0000), // ldr, str: an offset that is not negative
    (0xbba0_0c00, 0xb800_0000), // ldur, stur
    (0xbba0_0400, 0xb800_0400), // ldr, str that move the base
    (0xfe80_0000, 0xa880_0000), // ldp, stp that move the base
    (0xff80_0000, 0xa900_0000), // ldp, stp
    (0xffff_ffff, 0xd65f_03c0), // ret
    (0xffff_ff3f, 0xd503_241f), // bti
];
const NOP: u32 = 0xd503_201f;
const WITH_MASK: Encoding = (0x1f80_0000, 0x1200_0000);

/// Whether a word is an instruction on the list.
pub(crate) fn is_listed(word: u32) -> bool {
    let is = |(mask, bits): &Encoding| word & mask == *bits;
    let has_reserved_mask = is(&WITH_MASK) && !has_mask(word);
    word == NOP || LISTED.iter().any(is) && !has_reserved_mask
}

/// Whether an immediate of bits has ones and zeros: `DecodeBitMasks`.
fn has_mask(word: u32) -> bool {
    let (n, imms) = (word >> 22 & 1, word >> 10 & 63);
    let size = 1 << (n << 6 | !imms & 63).checked_ilog2().unwrap_or_default();
    imms % size + 1 < size
}
