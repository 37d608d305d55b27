//! Every peer agrees with ours, limb for limb, and a short race ends. No figure is asserted.

use race::agree::check;
use race::entry::{Call, is_ours};
use race::options::{Options, PEERS};
use race::report::Report;
use race::{peers, timing};

const DEFAULT: usize = 10_000;

/// A million random operands, beside all edge values, for this many checks of a fast peer.
const MILLION: usize = 1_000_000;

fn options(line: &str) -> Options {
    Options::parse(line.split_whitespace().map(Into::into)).unwrap()
}

/// The number of rows that were checked.
fn agree(line: &str, random: usize) -> usize {
    let mut skipped = Vec::new();
    let mut entries = peers::entries(&options(line), &mut skipped);
    for reason in skipped {
        println!("skipped: {reason}");
    }
    for entry in &mut entries {
        let name = entry.peer.name;
        assert!(is_ours(name) || PEERS.contains(&name), "--peer refuses {name}");
        check(entry, random, 1).unwrap();
    }
    entries.len()
}

#[test]
fn peers_agree_with_ours() {
    assert!(agree("--op mul,square,add,sub", DEFAULT) >= 60);
}

#[test]
fn arrays_agree_with_ours() {
    assert!(agree("--op array_mul,inner_product,horner", 500) >= 60);
}

/// Ours where the processor has AVX-512, Plonky3's by two codes.
#[test]
fn arrays_of_short_primes_agree_with_ours() {
    let rows = agree(
        "--field babybear,koalabear,mersenne31 \
         --op array_mul,inner_product,array_mul_1024,inner_product_1024",
        500,
    );
    assert!([3 * 6, 3 * 10].contains(&rows));
}

#[test]
fn a_wrong_array_disagrees() {
    let mut entries = peers::entries(&options("--op inner_product --peer blst"), &mut vec![]);
    entries[0].op = "array_mul";
    assert!(check(&mut entries[0], 0, 1).unwrap_err().contains("disagrees"));
}

/// What the compilers make of our texts.
const TEXTS: [&str; 5] = ["rust-looped", "rust-flat", "rust-intrinsics", "llvm-wide", "llvm-bmi2"];

#[test]
fn every_text_has_its_rows() {
    let mut skipped = Vec::new();
    let line = format!("--peer {}", TEXTS.join(","));
    let entries = peers::entries(&options(&line), &mut skipped);
    // Of the others there are libraries alone.
    let printed = ["bls12-381-p", "bls12-381-r", "bn254-p", "secp256k1-p"];
    for field in race::fields::FIELDS.iter().filter(|field| printed.contains(&field.name)) {
        for op in ["add", "sub", "mul", "square"] {
            let of = |name: &str| {
                let row =
                    |e: &&race::entry::Entry| (e.peer.name, e.field, e.op) == (name, *field, op);
                entries.iter().filter(row).map(|e| e.call).collect::<Vec<_>>()
            };
            for name in TEXTS {
                let calls = of(name);
                let inlined = name.starts_with("rust") && ["add", "sub"].contains(&op);
                let skipped = skipped.iter().any(|reason| reason.contains(name));
                assert_eq!(calls.contains(&Call::Called), !skipped, "{name}, {op}");
                assert_eq!(calls.contains(&Call::Inlined), inlined && !skipped, "{name}, {op}");
            }
        }
    }
}

#[test]
fn inverses_and_roots_hold_in_our_field() {
    assert!(agree("--op inverse,sqrt", 50) >= 20);
}

/// The rows of all operations of towers and points, without the programs of arkworks/.
fn towers() -> Vec<race::entry::Entry> {
    let pairing = options("--op pairing --peer blst,halo2curves");
    let mut entries = peers::entries(&pairing, &mut vec![]);
    assert_eq!(entries.len(), 4);
    let others = race::towers::OPERATIONS.into_iter().filter(|op| *op != "pairing");
    let line = format!("--op {}", others.collect::<Vec<_>>().join(","));
    entries.extend(peers::entries(&options(&line), &mut vec![]));
    entries
}

#[test]
fn towers_points_and_pairings_of_all_peers_agree() {
    let mut entries = towers();
    // Those of the two pairing curves, then two operations on points of four more, of two crates;
    // and X25519.
    assert_eq!(entries.len(), 4 + 11 * 6 + 4 * 2 * 2 + 2);
    race::curves::agree(&mut entries, 10, 1).unwrap();
}

#[test]
fn another_pairing_disagrees() {
    let mut entries = towers();
    entries.retain(|entry| entry.op == "pairing");
    entries.iter_mut().for_each(|entry| entry.op = "pairing_4");
    let mut others = towers();
    others.retain(|entry| entry.op == "pairing_4");
    entries.extend(others);
    assert!(race::curves::agree(&mut entries, 1, 1).unwrap_err().contains("disagree"));
}

#[test]
#[ignore = "builds the two programs of arkworks/"]
fn arkworks_on_our_kernels_agrees_with_arkworks_as_published() {
    let mut skipped = Vec::new();
    let line = "--peer arkworks --op fp2_mul,pairing,msm_4096,msm_16384,verify,transform_16384,\
                groth16_prove,groth16_verify";
    let mut entries = peers::entries(&options(line), &mut skipped);
    assert_eq!((entries.len(), skipped), (26, vec![]));
    race::curves::agree(&mut entries, 1000, 1).unwrap();
    entries[0].runner = Box::new(race::chain::Chain::new(|_: &mut fieldc::bls12_381::Fp, _| ()));
    assert!(race::curves::agree(&mut entries, 10, 1).unwrap_err().contains("disagree"));
}

#[test]
#[ignore = "a million operands for each operation"]
fn blst_agrees_with_ours_on_a_million_operands() {
    let line = "--op mul,square,add,sub --peer blst --field bls12-381-p,bls12-381-r";
    assert!(agree(line, MILLION) >= 8);
}

#[test]
fn a_result_that_is_not_canonical_disagrees() {
    let field = race::fields::FIELDS[0];
    let x = &field.edges()[0];
    let form = race::operand::Form::Montgomery;
    assert!((field.holds)("add", x, x, &x.montgomery, form));
    assert!(!(field.holds)("add", x, x, field.modulus, form), "p for 0");
}

#[test]
fn a_quick_race_ends() {
    if !race::clock::AVAILABLE {
        println!("skipped: timing needs x86-64");
        return;
    }
    let options = options("--quick --field bls12-381-p --op mul,add");
    let mut entries = peers::entries(&options, &mut Vec::new());
    let race =
        timing::measure(&mut entries, options.rounds, 1, options.operands, |_, _| ()).unwrap();
    let report = Report::new(&entries, race, vec!["nobody: no reason".into()]);
    let rows: Vec<serde_json::Value> = serde_json::from_str(&report.json()).unwrap();
    assert_eq!(rows.len(), entries.len());
    for key in ["field", "op", "algorithm", "peer", "limbs", "kind", "operands", "calibration"] {
        assert!(rows.iter().all(|row| !row[key].is_null()), "{key}");
    }
    for key in ["latency_cycles", "throughput_cycles", "latency_ns", "throughput_ns"] {
        assert!(rows.iter().all(|row| row[key].as_f64().unwrap() > 0.0), "{key}");
    }
    assert!(rows.iter().all(|row| row["times_as_fast_as"]["fieldc"]["latency"].is_f64()));
    let text = report.to_string();
    assert!(text.contains("mul, bls12-381-p") && text.contains("SKIPPED      nobody"));
}
