//! BLS signatures on BLS12-381 with keys in G1 and signatures in G2, as Ethereum has them.

use ark_bls12_381::{Bls12_381, Fr, G1Affine, G1Projective, G2Affine, G2Projective, g2};
use ark_ec::hashing::curve_maps::wb::WBMap;
use ark_ec::hashing::map_to_curve_hasher::MapToCurveBasedHasher;
use ark_ec::hashing::{HashToCurve, HashToCurveError};
use ark_ec::pairing::Pairing;
use ark_ec::{AffineRepr, CurveGroup, PrimeGroup};
use ark_ff::Zero;
use ark_ff::field_hashers::DefaultFieldHasher;
use ark_serialize::CanonicalDeserialize;
use sha2::Sha256;

/// The ciphersuite, which keeps hashes for different uses apart.
const DOMAIN: &[u8] = b"BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_";

type Hasher = MapToCurveBasedHasher<G2Projective, DefaultFieldHasher<Sha256>, WBMap<g2::Config>>;

fn hash(message: &[u8]) -> Result<G2Affine, HashToCurveError> {
    Hasher::new(DOMAIN)?.hash(message)
}

/// The public key of a secret key.
pub(crate) fn public_key(secret: Fr) -> G1Affine {
    (G1Projective::generator() * secret).into_affine()
}

/// The signature of a message.
pub(crate) fn sign(secret: Fr, message: &[u8]) -> Result<G2Affine, HashToCurveError> {
    Ok((hash(message)? * secret).into_affine())
}

/// Whether bytes are a signature of the message: e(key, H(message)) = e(generator, signature).
///
/// What encodes no point of the group is no signature. The key must be of its group, as its owner
/// proved when he published it.
pub(crate) fn verify(key: G1Affine, message: &[u8], signature: &[u8; 96]) -> bool {
    let (Ok(signature), Ok(hash)) =
        (G2Affine::deserialize_compressed(&signature[..]), hash(message))
    else {
        return false;
    };
    !key.is_zero()
        && Bls12_381::multi_pairing([key, -G1Affine::generator()], [hash, signature]).is_zero()
}
