"""What the kernels must reach, and which kernel a processor should run."""
