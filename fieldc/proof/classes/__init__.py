"""Proofs for every modulus of a class at once: the modulus and its constants are symbols."""
