//! The table.

use serde_json::{Value, json};

/// An operation in both programs.
pub(crate) struct Row {
    operation: String,
    /// Medians, in nanoseconds.
    stock: f64,
    ours: f64,
    /// Stock over ours, pair by pair: the quartiles.
    ratio: [f64; 3],
}

impl Row {
    pub(crate) fn new(operation: String, pairs: &[(f64, f64)]) -> Self {
        let [_, stock, _] = quartiles(pairs.iter().map(|pair| pair.0));
        let [_, ours, _] = quartiles(pairs.iter().map(|pair| pair.1));
        let ratio = quartiles(pairs.iter().map(|pair| pair.0 / pair.1));
        Self { operation, stock, ours, ratio }
    }

    pub(crate) fn print(&self) {
        let Self { operation, stock, ours, ratio: [low, ratio, high] } = self;
        let (stock, ours) = (duration(*stock), duration(*ours));
        println!("{operation:48} {stock:>10} {ours:>10} {ratio:6.2}x  {low:.2} to {high:.2}");
    }

    pub(crate) fn json(&self) -> Value {
        json!({
            "operation": self.operation,
            "stock_ns": self.stock,
            "ours_ns": self.ours,
            "ratio": self.ratio[1],
            "ratio_quartiles": [self.ratio[0], self.ratio[2]],
        })
    }
}

pub(crate) fn print_head() {
    let (operation, stock, ours) = ("operation", "stock", "ours");
    println!("{operation:48} {stock:>10} {ours:>10} {:>7}  half of the ratios", "ratio");
}

fn quartiles(values: impl Iterator<Item = f64>) -> [f64; 3] {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    [1, 2, 3].map(|quarter| values[(values.len() - 1) * quarter / 4])
}

fn duration(ns: f64) -> String {
    match ns {
        ns if ns < 1e3 => format!("{ns:.1} ns"),
        ns if ns < 1e6 => format!("{:.1} us", ns / 1e3),
        _ => format!("{:.2} ms", ns / 1e6),
    }
}
