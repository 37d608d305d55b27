"""Proofs of kernels on arrays: one lane stands for all eight, permutations are followed by word."""
