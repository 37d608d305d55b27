"""The LLVM backend: our words as LLVM IR, for every instruction set that LLVM knows."""
