//! Agreement with ours, limb for limb, before anything is timed.
//!
//! A peer's result must have the limbs that ours has for the same operands: the Montgomery form
//! where the peer shows it, the number itself elsewhere. Limbs that are not below the modulus
//! disagree. Ours is an entry like the others, so `num-bigint` and everyone else checks it.
//! Inverses and roots are checked by what they satisfy in our field, since a root has a sign.

use crate::entry::Entry;
use crate::fields::Random;
use crate::operand::Operand;

/// Checks an entry on all pairs of edge values, and on `random` pairs of random values.
///
/// The message names the operation, the peer and the operands of the first difference.
pub fn check(entry: &mut Entry, random: usize, seed: u64) -> Result<(), String> {
    let field = entry.field;
    let edges = field.edges();
    for x in &edges {
        for y in &edges {
            same(entry, x, y)?;
        }
    }
    let mut source = Random::new(seed);
    for number in 0..random {
        let edge = &edges[number % edges.len()];
        let (x, y) = (field.random(&mut source), field.random(&mut source));
        match number % 4 {
            0 => same(entry, edge, &y)?,
            1 => same(entry, &x, edge)?,
            _ => same(entry, &x, &y)?,
        }
    }
    Ok(())
}

fn same(entry: &mut Entry, x: &Operand, y: &Operand) -> Result<(), String> {
    let found = entry.runner.apply(x, y);
    if (entry.field.holds)(entry.op, x, y, &found, entry.runner.form()) {
        return Ok(());
    }
    Err(format!(
        "{}: {} of {} disagrees with fieldc: x = {:x?}, y = {:x?} in Montgomery form, found \
         {found:x?}",
        entry.field.name, entry.op, entry.peer.name, x.montgomery, y.montgomery,
    ))
}
