/*
 * Kernels modulo @label@ for x86-64: variants adx, mulx and base.
 * p = @prime@ (@bits@ bits).
 * Residues are @stands@.
 *
 * Every kernel is void SYMBOL(uint64_t z[@limbs@], const uint64_t x[@limbs@]), those with two
 * operands void SYMBOL(uint64_t z[@limbs@], const uint64_t x[@limbs@], const uint64_t y[@limbs@]),
 * in the system's convention. ELF, Mach-O and COFF differ in the macros at the top only.
 *
 * Made by: @command@
 * @ownership@
 */
