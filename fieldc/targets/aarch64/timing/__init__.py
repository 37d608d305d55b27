"""The clock and the loops that time kernels on AArch64."""
