"""A JavaScript package of one field: a WebAssembly module, and what computes with it."""
