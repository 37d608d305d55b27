"""WebAssembly: word programs as functions of a module, encoded here; no linker is needed."""
