"""What a kernel, a formula or a foreign routine must do, said for the prover."""
