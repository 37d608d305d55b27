//! What a race measured: slices, spreads and ratios. Plain data, no clock in here.

use serde::Serialize;

use crate::chain::{Mode, Operands};

/// A slice is dropped where its canary exceeds the run's best by more than this factor.
const CANARY_LIMIT: f64 = 1.10;
/// Fewest good slices that a figure of an undisturbed race rests on.
pub const FEWEST: usize = 3;

/// One measured slice: ticks per step, and the state of the machine round it.
#[derive(Clone, Copy, Debug)]
pub struct Slice {
    /// The index of the entry.
    pub entry: usize,
    /// Which loop.
    pub mode: Mode,
    /// The round.
    pub round: usize,
    /// Ticks per step.
    pub ticks: f64,
    /// Ticks per core cycle.
    pub scale: f64,
    /// Whether the calibrations before and after agree.
    pub same_clock: bool,
    /// Whether the halves of the slice agree.
    pub same_halves: bool,
    /// The worse of two canaries, in cycles per turn.
    pub canary: f64,
}

impl Slice {
    /// Core cycles per step.
    pub fn cycles(&self) -> f64 {
        self.ticks / self.scale
    }

    /// Whether the slice is accepted in a run whose best canary is `best`.
    pub fn is_good(&self, best: f64) -> bool {
        self.is_steady() && self.is_alone(best)
    }

    fn is_steady(&self) -> bool {
        self.same_clock && self.same_halves
    }

    /// Whether nothing else ran on this core, as far as the canaries tell.
    fn is_alone(&self, best: f64) -> bool {
        self.canary <= CANARY_LIMIT * best
    }
}

/// Median, 10th and 90th percentile. The 10th is the cross-check of the median.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Spread {
    /// The median.
    pub median: f64,
    /// The 10th percentile.
    pub low: f64,
    /// The 90th percentile.
    pub high: f64,
}

impl Spread {
    /// The spread of some values, at least one.
    pub fn of(values: impl Iterator<Item = f64>) -> Self {
        let mut ordered: Vec<f64> = values.collect();
        ordered.sort_by(f64::total_cmp);
        let at = |share: f64| ordered[((ordered.len() - 1) as f64 * share).round() as usize];
        Self { median: median(&ordered), low: at(0.1), high: at(0.9) }
    }

    /// Half of the distance from the 10th to the 90th percentile.
    pub fn half(&self) -> f64 {
        (self.high - self.low) / 2.0
    }
}

/// One mode of one entry.
#[derive(Clone, Copy, Debug)]
pub struct Figure {
    /// Core cycles per step.
    pub cycles: Spread,
    /// Nanoseconds per step.
    pub ns: Spread,
}

/// The result of one run.
#[derive(Clone, Debug)]
pub struct Race {
    /// All slices.
    pub slices: Vec<Slice>,
    /// Ticks of the counter in a nanosecond.
    pub tsc_ghz: f64,
    /// The best canary in cycles per turn.
    pub canary: f64,
    /// How many entries ran.
    pub entries: usize,
    /// Rounds.
    pub rounds: usize,
    /// The seed of operands and order.
    pub seed: u64,
    /// What throughput means.
    pub operands: Operands,
}

impl Race {
    /// Median of ticks per core cycle.
    pub fn scale(&self) -> f64 {
        let good: Vec<f64> = self.good().map(|slice| slice.scale).collect();
        let all = self.slices.iter().map(|slice| slice.scale);
        if good.is_empty() { Spread::of(all).median } else { Spread::of(good.into_iter()).median }
    }

    /// Whether most slices were bad, or some figure rests on too few: then there is no verdict.
    pub fn is_disturbed(&self) -> bool {
        let mut counts = vec![[0; 2]; self.entries];
        let mut good = 0;
        for slice in self.good() {
            counts[slice.entry][slice.mode as usize] += 1;
            good += 1;
        }
        let fewest = FEWEST.min(self.rounds);
        2 * good < self.slices.len() || counts.as_flattened().iter().any(|n| *n < fewest)
    }

    /// The figure of an entry, from its good slices, or from all where none is good.
    pub fn figure(&self, entry: usize, mode: Mode) -> Figure {
        let mine = |slice: &&Slice| slice.entry == entry && slice.mode == mode;
        let mut chosen: Vec<&Slice> = self.good().filter(mine).collect();
        if chosen.is_empty() {
            chosen = self.slices.iter().filter(mine).collect();
        }
        Figure {
            cycles: Spread::of(chosen.iter().map(|slice| slice.cycles())),
            ns: Spread::of(chosen.iter().map(|slice| slice.ticks / self.tsc_ghz)),
        }
    }

    /// How many times as fast as the reference an entry is: the median over rounds of the
    /// reference's cycles by its own. Rounds where both were good count; where those are too few,
    /// all do.
    pub fn times_as_fast(&self, entry: usize, reference: usize, mode: Mode) -> f64 {
        let of = |wanted: usize| -> Vec<&Slice> {
            self.slices.iter().filter(|s| s.entry == wanted && s.mode == mode).collect()
        };
        // Slices are in the order of rounds, one of each entry and mode in a round.
        let pairs: Vec<(&Slice, &Slice)> = of(reference).into_iter().zip(of(entry)).collect();
        let good = |(a, b): &&(&Slice, &Slice)| a.is_good(self.canary) && b.is_good(self.canary);
        let ratio = |(a, b): &(&Slice, &Slice)| a.cycles() / b.cycles();
        let mut chosen: Vec<f64> = pairs.iter().filter(good).map(ratio).collect();
        if chosen.len() < FEWEST {
            chosen = pairs.iter().map(ratio).collect();
        }
        chosen.sort_by(f64::total_cmp);
        median(&chosen)
    }

    /// How many slices were dropped, and for how many of them each reason holds: the canaries, the
    /// calibrations, the halves.
    pub fn dropped(&self) -> (usize, [usize; 3]) {
        let count = |is: &dyn Fn(&Slice) -> bool| self.slices.iter().filter(|s| is(s)).count();
        let reasons = [
            count(&|slice| !slice.is_alone(self.canary)),
            count(&|slice| !slice.same_clock),
            count(&|slice| !slice.same_halves),
        ];
        (self.slices.len() - self.good().count(), reasons)
    }

    fn good(&self) -> impl Iterator<Item = &Slice> {
        self.slices.iter().filter(|slice| slice.is_good(self.canary))
    }
}

/// The best canary of some slices: 2 % of steady ones are lower.
pub fn best_canary(slices: &[Slice]) -> f64 {
    let steady = slices.iter().filter(|slice| slice.is_steady());
    let mut canaries: Vec<f64> = steady.map(|slice| slice.canary).collect();
    canaries.sort_by(f64::total_cmp);
    canaries.get(canaries.len() / 50).copied().unwrap_or(f64::INFINITY)
}

fn median(ordered: &[f64]) -> f64 {
    let middle = ordered.len() / 2;
    if ordered.len() % 2 == 1 {
        ordered[middle]
    } else {
        ordered[middle - 1].midpoint(ordered[middle])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slice(entry: usize, round: usize, ticks: f64, canary: f64) -> Slice {
        let (mode, same_clock, same_halves) = (Mode::Latency, true, true);
        Slice { entry, mode, round, ticks, scale: 0.5, same_clock, same_halves, canary }
    }

    #[test]
    fn a_spread_is_the_median_and_two_percentiles() {
        let spread = Spread::of((0..=10).rev().map(f64::from));
        assert_eq!((spread.low, spread.median, spread.high), (1.0, 5.0, 9.0));
        assert_eq!(spread.half(), 4.0);
        assert_eq!(Spread::of([1.0, 4.0].into_iter()).median, 2.5);
    }

    #[test]
    fn bad_slices_do_not_count() {
        let mut slices = Vec::new();
        for round in 0..4 {
            // The third round is disturbed, and slow.
            let (factor, canary) = if round == 2 { (3.0, 30.0) } else { (1.0, 16.0) };
            slices.push(slice(0, round, 50.0 * factor, canary));
            slices.push(slice(1, round, 100.0, canary));
        }
        let canary = best_canary(&slices);
        let operands = Operands::Moving;
        let race = Race { slices, tsc_ghz: 2.0, canary, entries: 2, rounds: 4, seed: 1, operands };
        assert_eq!(race.figure(0, Mode::Latency).cycles.high, 100.0);
        assert_eq!(race.figure(0, Mode::Latency).ns.median, 25.0);
        assert_eq!(race.times_as_fast(1, 0, Mode::Latency), 0.5);
        assert_eq!(race.scale(), 0.5);
        assert!(race.is_disturbed(), "no slice of throughput");
        assert_eq!(race.dropped(), (2, [2, 0, 0]));
    }
}
