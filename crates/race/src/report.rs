//! Tables for people and rows for programs.

use std::fmt;
use std::io::IsTerminal;

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
    /// The columns of the terminal that shows it; a file has room for all.
    room: Option<usize>,
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
        Self { rows, race, skipped, room: terminal_columns() }
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
/// The columns that a narrow terminal leaves out: ns, code, kind.
const OPTIONAL: [usize; 3] = [5, 1, 2];

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for rows in self.rows.chunk_by(|a, b| (a.field, a.op) == (b.field, b.op)) {
            writeln!(f, "{}, {}", rows[0].op, rows[0].field)?;
            table(f, &rows.iter().map(Self::cells).collect::<Vec<_>>(), self.room)?;
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

/// Writes the columns that there is room for, and names the others.
fn table(f: &mut impl fmt::Write, rows: &[[String; 7]], room: Option<usize>) -> fmt::Result {
    let head = HEAD.map(String::from);
    let lines = || std::iter::once(&head).chain(rows);
    let width = |i: usize| lines().map(|cells| cells[i].chars().count()).max().unwrap_or(0);
    let widths: [usize; 7] = std::array::from_fn(width);
    let shown = columns(&widths, room);
    for cells in lines() {
        let line: Vec<String> =
            shown.iter().map(|&i| format!("{:width$}", cells[i], width = widths[i])).collect();
        writeln!(f, "{}", line.join("  ").trim_end())?;
    }
    let others: Vec<_> = OPTIONAL.into_iter().filter(|i| !shown.contains(i)).collect();
    if others.is_empty() {
        return Ok(());
    }
    let names = others.into_iter().map(|i| HEAD[i]).collect::<Vec<_>>().join(", ");
    writeln!(f, "not shown: {names} (a wider terminal or --json has them)")
}

/// The columns that are shown: a narrow terminal leaves out optional ones, the first one first.
fn columns(widths: &[usize; 7], room: Option<usize>) -> Vec<usize> {
    let mut shown: Vec<usize> = (0..widths.len()).collect();
    for one in OPTIONAL {
        let wide: usize = shown.iter().map(|&i| widths[i] + 2).sum();
        if room.is_none_or(|room| wide <= room + 2) {
            break;
        }
        shown.retain(|&i| i != one);
    }
    shown
}

/// The columns of the terminal that standard output is: `COLUMNS`, else what it says, else 80.
fn terminal_columns() -> Option<usize> {
    let output = std::io::stdout();
    if !output.is_terminal() {
        return None;
    }
    let said = std::env::var("COLUMNS").ok().and_then(|text| text.parse().ok());
    said.filter(|&columns| columns > 0).or_else(|| asked(&output)).or(Some(80))
}

#[cfg(unix)]
fn asked(output: &std::io::Stdout) -> Option<usize> {
    use std::os::fd::AsRawFd;
    let mut size = libc::winsize { ws_row: 0, ws_col: 0, ws_xpixel: 0, ws_ypixel: 0 };
    // SAFETY: the request writes a winsize, and nothing else.
    let status = unsafe { libc::ioctl(output.as_raw_fd(), libc::TIOCGWINSZ, &raw mut size) };
    (status == 0 && size.ws_col > 0).then_some(size.ws_col.into())
}

#[cfg(not(unix))]
fn asked(_: &std::io::Stdout) -> Option<usize> {
    None
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_narrow_terminal_leaves_columns_out() {
        let row = ["fieldc 0.1.0", "adx", "function p", "92.6 ±0.2", "80.0 ±0.1", "24 | 21", "-"];
        let lines = |room| {
            let mut text = String::new();
            table(&mut text, &[row.map(String::from)], room).unwrap();
            text.lines().map(String::from).collect::<Vec<_>>()
        };
        let whole = lines(None);
        let width = whole[0].chars().count();
        assert_eq!((width, whole.len()), (72, 2));
        assert_eq!(lines(Some(width)), whole);
        let narrow = lines(Some(width - 1));
        assert_eq!(narrow[0], "peer          code  kind        latency    throughput  x fieldc");
        assert_eq!(narrow[2], "not shown: ns (a wider terminal or --json has them)");
        let narrowest = lines(Some(1));
        assert_eq!(narrowest[0], "peer          latency    throughput  x fieldc");
        assert!(narrowest[2].starts_with("not shown: ns, code, kind ("));
    }
}
