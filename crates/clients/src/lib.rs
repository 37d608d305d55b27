//! Nothing but its tests: each file in `tests/` is a client of `fieldc`, a published crate that is
//! generic over a family of traits.
