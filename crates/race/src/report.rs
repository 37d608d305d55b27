//! Tables for people and rows for programs.

use std::fmt;

use serde_json::{Value, json};

use crate::array_operations;
use crate::chain::{FIXED, MODES, Mode, Operands, RING};
use crate::entry::{Call, Entry, OURS, Peer, Range, is_ours};
use crate::results::{Figure, Race};

/// One measured row.
struct Row {
    field: &'static str,
    op: &'static str,
    limbs: usize,
    peer: Peer,
    call: Call,
    range: Range,
    latency: Figure,
    throughput: Figure,
    /// How many times as fast as ours: latency, throughput.
    ratios: Option<[f64; 2]>,
}

/// A whole run: rows, who was left out and why, and the state of the machine.
pub struct Report {
    rows: Vec<Row>,
    race: Race,
    skipped: Vec<String>,
}

impl Report {
    /// The report of a race of these entries.
    pub fn new(entries: &[Entry], race: Race, skipped: Vec<String>) -> Self {
        let row = |(number, entry): (usize, &Entry)| {
            let ratios = ours(entries, entry)
                .map(|ours| MODES.map(|mode| race.times_as_fast(number, ours, mode)));
            Row {
                field: entry.field.name,
                op: entry.op,
                limbs: entry.field.limbs(),
                peer: entry.peer,
                call: entry.call,
                range: entry.range,
                latency: race.figure(number, Mode::Latency),
                throughput: race.figure(number, Mode::Throughput),
                ratios,
            }
        };
        let mut rows: Vec<Row> = entries.iter().enumerate().map(row).collect();
        // Entries are listed by peer; rows are read by field and operation.
        let place = |row: &Row| {
            let of =
                |name, value| entries.iter().position(|e| (e.field.name, e.op) == (name, value));
            of(row.field, row.op)
        };
        rows.sort_by_key(place);
        Self { rows, race, skipped }
    }

    /// The rows with the keys of `fieldc bench --json`, and more.
    pub fn json(&self) -> String {
        let calibration = self.calibration();
        let row = |row: &Row| {
            let mut ratios = json!({});
            if let Some([latency, throughput]) = row.ratios {
                ratios[OURS] = json!({ "throughput": throughput, "latency": latency });
            }
            json!({
                "field": row.field,
                "op": row.op,
                "algorithm": row.peer.algorithm,
                "peer": row.peer.name,
                "version": row.peer.version,
                "kind": [row.call.name(), row.range.name()],
                "limbs": row.limbs,
                "operands": self.race.operands.name(),
                "latency_cycles": row.latency.cycles.median,
                "throughput_cycles": row.throughput.cycles.median,
                "latency_ns": row.latency.ns.median,
                "throughput_ns": row.throughput.ns.median,
                "latency_spread": row.latency.cycles,
                "throughput_spread": row.throughput.cycles,
                "times_as_fast_as": ratios,
                "calibration": calibration,
            })
        };
        let rows: Vec<Value> = self.rows.iter().map(row).collect();
        serde_json::to_string_pretty(&rows).expect("plain data")
    }

    fn calibration(&self) -> Value {
        let race = &self.race;
        let (dropped, [canary, clock, halves]) = race.dropped();
        json!({
            "processor": processor(),
            "target_features": features(),
            "ticks_per_cycle": race.scale(),
            "tsc_ghz": race.tsc_ghz,
            "core_ghz": race.tsc_ghz / race.scale(),
            "canary": race.canary,
            "disturbed": race.is_disturbed(),
            "slices": race.slices.len(),
            "dropped": dropped,
            "dropped_for": { "canaries": canary, "calibrations": clock, "halves": halves },
            "rounds": race.rounds,
            "seed": race.seed,
            "operands": race.operands.name(),
        })
    }

    fn cells(row: &Row) -> [String; 7] {
        let cycles =
            |f: &Figure| format!("{} ±{}", figure(f.cycles.median), figure(f.cycles.half()));
        let ratio = |[latency, throughput]: [f64; 2]| format!("{latency:.2} | {throughput:.2}");
        [
            format!("{} {}", row.peer.name, row.peer.version),
            row.peer.algorithm.into(),
            format!("{} {}", row.call.name(), row.range.name()),
            cycles(&row.latency),
            cycles(&row.throughput),
            format!("{} | {}", figure(row.latency.ns.median), figure(row.throughput.ns.median)),
            row.ratios.map_or("-".into(), ratio),
        ]
    }
}

/// Our entry for the same operation: of the same kind where there is one.
fn ours(entries: &[Entry], entry: &Entry) -> Option<usize> {
    let matches = |other: &&Entry| {
        is_ours(other.peer.name) && other.field == entry.field && other.op == entry.op
    };
    let of_kind = |other: &&Entry| other.call == entry.call;
    let found = entries.iter().filter(matches).find(of_kind);
    let found = found.or_else(|| entries.iter().find(matches))?;
    entries.iter().position(|other| std::ptr::eq(other, found))
}

const HEAD: [&str; 7] = ["peer", "code", "kind", "latency", "throughput", "ns", "x fieldc"];

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for rows in self.rows.chunk_by(|a, b| (a.field, a.op) == (b.field, b.op)) {
            writeln!(f, "{}, {}", rows[0].op, rows[0].field)?;
            table(f, &rows.iter().map(Self::cells).collect::<Vec<_>>())?;
            writeln!(f)?;
        }
        let race = &self.race;
        let (core, counter) = (race.tsc_ghz / race.scale(), race.tsc_ghz);
        let verdict =
            if race.is_disturbed() { "DISTURBED: no verdict, run again" } else { "undisturbed" };
        writeln!(f, "processor    {}", processor())?;
        writeln!(f, "clock        core {core:.2} GHz, counter {counter:.2} GHz")?;
        writeln!(f, "calibration  {:.4} ticks a cycle, canary {:.2}", race.scale(), race.canary)?;
        writeln!(f, "target       {}", features())?;
        writeln!(
            f,
            "rounds       {} interleaved, seed {}; ± is half of p10 to p90",
            race.rounds, race.seed
        )?;
        let places = match race.operands {
            Operands::Moving => RING,
            Operands::Fixed => FIXED,
        };
        writeln!(
            f,
            "latency      core cycles a step of one chain; throughput: {places} chains in turns, {} \
             operands",
            race.operands.name()
        )?;
        if self.rows.iter().any(|row| array_operations::OPERATIONS.contains(&row.op)) {
            writeln!(f, "arrays       core cycles an element; both columns time the same loop")?;
        }
        writeln!(f, "pairs        latency | throughput")?;
        writeln!(
            f,
            "x fieldc     how many times as fast as ours of that kind, else of our only one"
        )?;
        let (dropped, [canary, clock, halves]) = race.dropped();
        writeln!(
            f,
            "dropped      {dropped} of {} slices: canaries {canary}, calibrations {clock}, halves \
             {halves}",
            race.slices.len()
        )?;
        writeln!(f, "verdict      {verdict}")?;
        self.skipped.iter().try_for_each(|reason| writeln!(f, "SKIPPED      {reason}"))
    }
}

fn table(f: &mut fmt::Formatter<'_>, rows: &[[String; 7]]) -> fmt::Result {
    let head = HEAD.map(String::from);
    let lines = || std::iter::once(&head).chain(rows);
    let width = |i: usize| lines().map(|cells| cells[i].chars().count()).max().unwrap_or(0);
    let widths: [usize; 7] = std::array::from_fn(width);
    for cells in lines() {
        let line: Vec<String> =
            cells.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}")).collect();
        writeln!(f, "{}", line.join("  ").trim_end())?;
    }
    Ok(())
}

/// A number in three or four places.
fn figure(value: f64) -> String {
    match value {
        1e7.. => format!("{:.0}M", value / 1e6),
        1e6.. => format!("{:.2}M", value / 1e6),
        10_000.0.. => format!("{:.0}k", value / 1000.0),
        1000.0.. => format!("{:.1}k", value / 1000.0),
        _ => format!("{value:.1}"),
    }
}

/// The features of the target that the multiplications of peers depend on.
fn features() -> String {
    let known = [
        ("adx", cfg!(target_feature = "adx")),
        ("bmi2", cfg!(target_feature = "bmi2")),
        ("avx512f", cfg!(target_feature = "avx512f")),
    ];
    let names: Vec<&str> = known.iter().filter(|(_, has)| *has).map(|(name, _)| *name).collect();
    if names.is_empty() { "baseline".into() } else { names.join(" ") }
}

/// The processor's name, where the system tells it.
fn processor() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("model name"));
    line.map_or("unknown".into(), |line| line.trim_start_matches(['\t', ' ', ':']).into())
}
