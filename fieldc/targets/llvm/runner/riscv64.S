/* Start, system calls and guarded calls on RISC-V Linux. */
    .globl _start, system_call, on_signal, guarded_call, saved_registers
    .text
_start:
    andi sp, sp, -16
    call run

/* a0: the number; a1 to a3: what it takes. */
system_call:
    mv a7, a0
    mv a0, a1
    mv a1, a2
    mv a2, a3
    ecall
    ret

/* a0: the signal; a1: what is to be done. */
on_signal:
    li a2, 0
    li a3, 8
    li a7, 134
    ecall
    ret

/* Numbers 0 to 11 are s0 to s11, 12 to 23 are fs0 to fs11. */
.macro each whole, real, base, from
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
    \whole s\n, 8 * \n + \from (\base)
    \real fs\n, 8 * \n + 96 + \from (\base)
    .endr
.endm

guarded_call:
    addi sp, sp, -208
    sd ra, 192(sp)
    sd a0, 200(sp)
    each sd, fsd, sp, 0
    mv t0, a0
    each ld, fld, t0, 72
    ld t1, 0(t0)
    ld a0, 8(t0)
    ld a1, 16(t0)
    ld a2, 24(t0)
    ld a3, 32(t0)
    ld a4, 40(t0)
    ld a5, 48(t0)
    ld a6, 56(t0)
    ld a7, 64(t0)
    jalr t1
    ld t0, 200(sp)
    each sd, fsd, t0, 328
    each ld, fld, sp, 0
    ld ra, 192(sp)
    addi sp, sp, 208
    ret

    .section .rodata
    .p2align 2
saved_registers:
    .word 24
    .section .note.GNU-stack, "", %progbits
