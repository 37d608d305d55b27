"""AArch64: instructions as text and as bytes, and objects of finished code for every system."""
