//! `ff` 0.14: Poseidon of Zcash's halo2, against the vectors that it ships.

use ff::{Field, FromUniformBytes, PrimeField};
use fieldc::{pallas, vesta};
use halo2_poseidon::{
    ConstantLength, Hash, Mds, Spec, generate_constants, test_only_permute, test_vectors,
};

/// Poseidon-128 with x^5, as for the published fields, but for ours.
#[derive(Debug)]
struct Ours;

impl<F: FromUniformBytes<64> + Ord> Spec<F, 3, 2> for Ours {
    fn full_rounds() -> usize {
        8
    }

    fn partial_rounds() -> usize {
        56
    }

    fn sbox(x: F) -> F {
        x.pow_vartime([5])
    }

    fn secure_mds() -> usize {
        0
    }

    fn constants() -> (Vec<[F; 3]>, Mds<F, 3>, Mds<F, 3>) {
        generate_constants::<F, Self, 3, 2>()
    }
}

fn read<F: PrimeField<Repr: From<[u8; 32]>>>(bytes: [u8; 32]) -> F {
    F::from_repr(bytes.into()).expect("a number below p")
}

fn permutations<F: FromUniformBytes<64> + Ord + PrimeField<Repr: From<[u8; 32]>>>(
    vectors: Vec<test_vectors::PermuteTestVector>,
) {
    let (rounds, mds, inverse) = <Ours as Spec<F, 3, 2>>::constants();
    assert_eq!(product(&mds, &inverse), [[1, 0, 0], [0, 1, 0], [0, 0, 1]].map(|r| r.map(F::from)));
    for vector in vectors {
        let mut state = vector.initial_state.map(read::<F>);
        test_only_permute::<F, Ours, 3, 2>(&mut state, &mds, &rounds);
        assert_eq!(state, vector.final_state.map(read::<F>));
    }
}

fn product<F: Field>(a: &Mds<F, 3>, b: &Mds<F, 3>) -> Mds<F, 3> {
    a.map(|row| [0, 1, 2].map(|j| (0..3).map(|i| row[i] * b[i][j]).sum()))
}

fn hashes<F: FromUniformBytes<64> + Ord + PrimeField<Repr: From<[u8; 32]>>>(
    vectors: Vec<test_vectors::HashTestVector>,
) {
    for vector in vectors {
        let found = Hash::<F, Ours, ConstantLength<2>, 3, 2>::init().hash(vector.input.map(read));
        assert_eq!(found, read(vector.output));
    }
}

#[test]
fn permutations_of_pallas() {
    permutations::<pallas::Fp>(test_vectors::fp::permute());
}

#[test]
fn permutations_of_vesta() {
    permutations::<vesta::Fp>(test_vectors::fq::permute());
}

#[test]
fn hashes_of_pallas() {
    hashes::<pallas::Fp>(test_vectors::fp::hash());
}

#[test]
fn hashes_of_vesta() {
    hashes::<vesta::Fp>(test_vectors::fq::hash());
}
