//! Cycles per step that can be trusted on a noisy, shared machine.
//!
//! A round gives every entry one slice of latency and one of throughput, in random order. A slice
//! is about 120 thousand cycles of steps, or two steps that take longer, in two halves, between two
//! calibrations and two canaries. It is dropped where a canary is more than 10 % above the run's
//! best (a busy sibling hyper-thread, outside load), where the calibrations disagree by 3 % (a
//! change of frequency, an interrupt) or the halves by 10 % (preemption). Reported are medians over
//! accepted slices, and medians of ratios within a round.

use std::collections::{HashMap, VecDeque};
use std::time::Instant;

use crate::chain::{MODES, Mode, Operands, Start};
use crate::clock::{self, calibrate, canary, ticks};
use crate::entry::Entry;
use crate::fields::Random;
use crate::results::{Race, Slice, best_canary};

const HALF_CYCLES: f64 = 60_000.0;
const CALIBRATION_LIMIT: f64 = 1.03;
const HALVES_LIMIT: f64 = 1.10;
/// Turns that find out how long a step takes.
const PILOT_TURNS: u64 = 4;

struct Lane {
    entry: usize,
    mode: Mode,
    steps: u64,
}

/// Races the entries; `progress` gets the rounds done and all rounds.
pub fn measure(
    entries: &mut [Entry],
    rounds: usize,
    seed: u64,
    operands: Operands,
    progress: impl Fn(usize, usize),
) -> Result<Race, String> {
    if !clock::AVAILABLE {
        return Err("a race is timed on x86-64 processors only".into());
    }
    let mut processors = clock::allowed().into_iter().collect::<VecDeque<_>>();
    settle(entries, &processors);
    let clock = (ticks(), Instant::now());
    let mut lanes = lanes(entries, seed, operands);
    let mut order = Random::new(seed);
    let mut slices: Vec<Slice> = Vec::new();
    for round in 0..rounds {
        progress(round, rounds);
        for last in (1..lanes.len()).rev() {
            lanes.swap(last, order.below(last + 1));
        }
        let first = slices.len();
        slices.extend(lanes.iter().map(|lane| slice(entries, lane, round)));
        let best = best_canary(&slices);
        let good = slices[first..].iter().filter(|slice| slice.is_good(best)).count();
        if 2 * good < lanes.len() {
            // This processor is busy: on to the next.
            if let Some(busy) = processors.pop_front() {
                processors.push_back(busy);
            }
            settle(entries, &processors);
        }
    }
    progress(rounds, rounds);
    let tsc_ghz = (ticks() - clock.0) as f64 / clock.1.elapsed().as_nanos() as f64;
    let canary = best_canary(&slices);
    Ok(Race { slices, tsc_ghz, canary, entries: entries.len(), rounds, seed, operands })
}

/// Moves this thread and every entry to the first of the processors.
fn settle(entries: &mut [Entry], processors: &VecDeque<usize>) {
    if let Some(&processor) = processors.front() {
        clock::pin(processor);
        entries.iter_mut().for_each(|entry| entry.runner.move_to(processor));
    }
}

/// A lane for each entry and mode, with the steps that fill half a slice.
fn lanes(entries: &mut [Entry], seed: u64, operands: Operands) -> Vec<Lane> {
    let (mut lanes, mut starts) = (Vec::new(), HashMap::new());
    for (number, entry) in entries.iter_mut().enumerate() {
        // Entries of a field get the same operands.
        let start = starts.entry(entry.field.name);
        let start = start.or_insert_with(|| Start::random(entry.field, seed, operands));
        entry.runner.start_from(start);
        let turn = entry.runner.turn();
        for mode in MODES {
            let pilots = (0..3).map(|_| entry.runner.run(mode, PILOT_TURNS * turn)).min();
            let cycles = pilots.unwrap_or(1) as f64 / calibrate() / (PILOT_TURNS * turn) as f64;
            let turns = (HALF_CYCLES / cycles.max(0.1) / turn as f64).round() as u64;
            lanes.push(Lane { entry: number, mode, steps: turns.max(1) * turn });
        }
    }
    lanes
}

fn slice(entries: &mut [Entry], lane: &Lane, round: usize) -> Slice {
    let runner = &mut entries[lane.entry].runner;
    let (before, first) = (calibrate(), canary());
    let halves = [(); 2].map(|()| runner.run(lane.mode, lane.steps) as f64);
    let (after, second) = (calibrate(), canary());
    let scale = before.min(after);
    let [low, high] = [halves[0].min(halves[1]), halves[0].max(halves[1])];
    Slice {
        entry: lane.entry,
        mode: lane.mode,
        round,
        ticks: (low + high) / 2.0 / lane.steps as f64,
        scale,
        same_clock: before.max(after) < CALIBRATION_LIMIT * scale,
        same_halves: high < HALVES_LIMIT * low,
        canary: first.max(second) / scale,
    }
}
