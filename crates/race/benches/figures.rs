//! Wall times by criterion, to be put beside figures that others publish: every row of `race`, the
//! slow operations only where they are named, as in `-- pairing`. They are taken one after the
//! other, so they say nothing about who is faster: the bench `race` does.

use std::time::{Duration, Instant};

use criterion::{Criterion, criterion_group, criterion_main};
use race::chain::{MODES, Start};
use race::clock::ticks;
use race::options::Options;
use race::peers;

/// What is always measured.
const DEFAULT: [&str; 4] = ["mul", "square", "add", "sub"];

fn rows(criterion: &mut Criterion) {
    let named: Vec<String> = std::env::args().skip(1).collect();
    let mut options = Options::default();
    options.ops.retain(|op| DEFAULT.contains(&&**op) || named.iter().any(|n| n.contains(&**op)));
    let tick = tick();
    for entry in &mut peers::entries(&options, &mut Vec::new()) {
        entry.runner.start_from(&Start::random(entry.field, options.seed, options.operands));
        for mode in MODES {
            let (field, op, code) = (entry.field.name, entry.op, entry.peer.algorithm);
            let (peer, call, mode_name) = (entry.peer.name, entry.call.name(), mode.name());
            let name = format!("{field}/{op}/{peer}, {code}, {call}, {mode_name}");
            criterion.bench_function(&name, |bench| {
                bench.iter_custom(|steps| {
                    // Whole turns, of which the share that was asked for counts.
                    let turns = steps.next_multiple_of(entry.runner.turn());
                    let taken = entry.runner.run(mode, turns) as f64 * steps as f64 / turns as f64;
                    Duration::from_nanos((taken * tick) as u64)
                });
            });
        }
    }
}

/// Nanoseconds of a tick.
fn tick() -> f64 {
    let (clock, start) = (Instant::now(), ticks());
    while clock.elapsed() < Duration::from_millis(50) {}
    clock.elapsed().as_nanos() as f64 / (ticks() - start) as f64
}

criterion_group! {
    name = figures;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(100))
        .measurement_time(Duration::from_millis(500));
    targets = rows
}
criterion_main!(figures);
