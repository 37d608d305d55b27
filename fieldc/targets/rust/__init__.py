"""Rust: flat, in loops, and with intrinsics."""
