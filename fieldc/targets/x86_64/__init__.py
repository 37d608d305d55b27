"""Our own x86-64: selection, flags, order, registers and printing."""
