/*
 * Kernels modulo @label@ for AArch64.
 * p = @prime@ (@bits@ bits); R = 2^@r_bits@.
 *
 * Every kernel is void SYMBOL(uint64_t z[@limbs@], const uint64_t x[@limbs@]), those with two
 * operands void SYMBOL(uint64_t z[@limbs@], const uint64_t x[@limbs@], const uint64_t y[@limbs@]),
 * in the system's convention. ELF, Mach-O and COFF differ in the macros at the top only.
 * x18 is left alone.
 *
 * Made by: @command@
 * @ownership@
 */
