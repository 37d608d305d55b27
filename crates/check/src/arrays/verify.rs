//! Replays a certificate of a kernel on arrays.

use crate::arrays::block::Block;
use crate::arrays::certificate::{ArrayCertificate, LaneBound, Node};
use crate::arrays::lane::Lane;
use crate::arrays::layout::WORD;
use crate::arrays::shape::Shape;
use crate::arrays::task::{LooseResult, Task};
use crate::arrays::value::Value;
use crate::arrays::word::{Done, LaneWord, Stop, stop};
use crate::{Outcome, fail, object_code};
use iced_x86::Instruction;
use num_bigint::BigInt;
use std::rc::Rc;

/// Signs on a path, after which a certificate is refused.
const MOST_SIGNS: usize = 64;

/// Replays a certificate for the function that it names in an object.
pub(crate) fn verify_arrays(certificate: &ArrayCertificate, object: &[u8]) -> Outcome<()> {
    let code = object_code::function(object, &certificate.symbol)?;
    if code.convention.name != certificate.contract.convention {
        return fail(format!("the object's convention is {}", code.convention.name));
    }
    replay(certificate, code.bytes)
}

/// Replays a certificate for the function at the start of the code.
pub(crate) fn replay(certificate: &ArrayCertificate, code: &[u8]) -> Outcome<()> {
    let ArrayCertificate { contract, parts, block, tail, .. } = certificate;
    let task = contract.task()?;
    let shape = Shape::read(code, &task.wanted(parts.places))?;
    if shape.parts != *parts {
        return fail(format!("the loop has other parts: {:?}", shape.parts));
    }
    prove(&shape, &task, false, block).map_err(|why| format!("block: {why}"))?;
    if shape.parts.tail.is_some() {
        let node = tail.as_ref().unwrap_or(block);
        prove(&shape, &task, true, node).map_err(|why| format!("tail: {why}"))?;
    } else if tail.is_some() {
        return fail("a tail of a loop that has none");
    }
    Ok(())
}

/// Proves the code of a block, or of a tail, in all cases.
fn prove(shape: &Shape<'_>, task: &Task, is_tail: bool, node: &Node) -> Outcome<()> {
    let part = Part { shape, task, is_tail };
    if part.follow(node, Lane::new(task), 0)? == 0 {
        return fail("no operands have any of the signs");
    }
    Ok(())
}

struct Part<'a> {
    shape: &'a Shape<'a>,
    task: &'a Task,
    is_tail: bool,
}

impl Part<'_> {
    /// Proves every case below a node; how many of them can be.
    fn follow(&self, node: &Node, mut lane: Lane, signs: usize) -> Outcome<usize> {
        let (Node::Split { steps, .. } | Node::Leaf { steps, .. }) = node;
        for (number, step) in steps.iter().enumerate() {
            lane.learn(step).map_err(|why| format!("after {signs} signs, step {number}: {why}"))?;
        }
        match node {
            Node::Split { split, negative, other, .. } => {
                if signs >= MOST_SIGNS {
                    return fail("too many signs");
                }
                let below = self.follow(negative, lane.with_sign(split, true)?, signs + 1)?;
                Ok(below + self.follow(other, lane.with_sign(split, false)?, signs + 1)?)
            }
            Node::Leaf { canonical, .. } => match self.case(&lane, canonical) {
                Ok(()) => Ok(1),
                Err(Stop::Impossible) => Ok(0),
                Err(Stop::Wrong(why)) => fail(format!("after {signs} signs: {why}")),
            },
        }
    }

    /// Runs the code and checks what it gives.
    fn case(&self, lane: &Lane, canonical: &[LaneBound]) -> Done<()> {
        let Self { shape, task, is_tail } = self;
        let mut block = Block::new(lane, shape, task, *is_tail);
        let code: &[Instruction] = if *is_tail { &shape.tail } else { &shape.block };
        block.enter()?;
        block.run(code)?;
        block.leave()?;
        if let Some(growth) = &task.growth {
            return self.sum(&block, growth, canonical);
        }
        let mut results = Vec::new();
        for number in 0..task.results() {
            let words = block.result(number)?;
            if let Some(growth) = &task.loose {
                results.extend(self.grown(&words, &block, number, growth)?);
            } else if task.result.is_halved {
                for word in words {
                    results.push((self.result(&[word], &block, results.len())?, &task.most));
                }
            } else {
                results.push((self.result(&words, &block, number)?, &task.most));
            }
        }
        if canonical.len() != results.len() {
            return stop("bounds of another number of results");
        }
        for ((result, most), bound) in results.iter().zip(canonical) {
            lane.is_below(result, most, bound)?;
        }
        Ok(())
    }

    /// By how much each word of a result in loose digits is more than that of the first operand, and
    /// the result; and what that is at most.
    fn grown<'b>(
        &self,
        words: &[Rc<LaneWord>],
        block: &Block<'_>,
        number: usize,
        growth: &'b LooseResult,
    ) -> Done<Vec<(Value, &'b BigInt)>> {
        let (result, before) = (self.number(words, block, WORD)?, &self.task.operands[0]);
        self.is_claimed(&result, block, number)?;
        let words = words.iter().zip(&before.words);
        let mut found: Vec<_> =
            words.map(|(word, old)| (word.value.plus(old, -1), &growth.word)).collect();
        found.push((result.plus(&before.value, -1), &growth.number));
        Ok(found)
    }

    /// Checks that columns make the claim, each with what a turn may add at most.
    fn sum(&self, block: &Block<'_>, growth: &BigInt, bounds: &[LaneBound]) -> Done<()> {
        let Task { operands, result, claims, .. } = self.task;
        let (columns, mut total) = (block.result(0)?, Value::default());
        if bounds.len() != columns.len() || operands[0].layout != *result {
            return stop("bounds of another number of columns");
        }
        for (at, (word, bound)) in columns.iter().zip(bounds).enumerate() {
            if !block.lane.fits(word, WORD) {
                return stop(format!("column {at} may not fit a word"));
            }
            let added = word.value.plus(&operands[0].words[at], -1);
            block.lane.is_below(&added, growth, bound)?;
            total = total.plus(&word.value.raised(u64::from(result.bits) * at as u64), 1);
        }
        if claims.len() != 1 || total != claims[0] {
            return stop("function: the columns have another sum");
        }
        Ok(())
    }

    /// The number that a result's words make, where it is the claim modulo p.
    fn result(&self, words: &[Rc<LaneWord>], block: &Block<'_>, number: usize) -> Done<Value> {
        let total = self.number(words, block, self.task.result.bits)?;
        let is_sure = self.is_claimed(&total, block, number)?;
        Ok(if is_sure { total } else { block.lane.in_this_case(&total) })
    }

    /// The number that words make, each of no more than so many bits.
    fn number(&self, words: &[Rc<LaneWord>], block: &Block<'_>, bits: u32) -> Done<Value> {
        let mut total = Value::default();
        for (at, word) in words.iter().enumerate() {
            if !block.lane.fits(word, bits) {
                return stop(format!("canonical: word {at} of z may have more bits"));
            }
            let place = u64::from(self.task.result.bits) * at as u64;
            total = total.plus(&word.value.raised(place), 1);
        }
        Ok(total)
    }

    /// Checks that a number is the claim modulo p; whether it is for all signs.
    fn is_claimed(&self, total: &Value, block: &Block<'_>, number: usize) -> Done<bool> {
        let Task { p, factor, claims, .. } = self.task;
        let wrong = Value::default().plus(total, factor.clone()).plus(&claims[number], -1);
        if wrong.vanishes(p) {
            return Ok(true);
        }
        if !block.lane.in_this_case(&wrong).vanishes(p) {
            return stop("function: the result is another modulo p");
        }
        Ok(false)
    }
}
