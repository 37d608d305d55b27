/* Start, system calls and guarded calls on AArch64 Linux. */
    .globl _start, system_call, guarded_call, saved_registers
    .text
_start:
    bl run

/* x0: the number; x1 to x3: what it takes. */
system_call:
    mov x8, x0
    mov x0, x1
    mov x1, x2
    mov x2, x3
    svc #0
    ret

/* Numbers 0 to 10 are x19 to x29, 11 to 18 are d8 to d15. */
.macro each do
    .irp n, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29
    \do x\n, [x9], #8
    .endr
    .irp n, 8, 9, 10, 11, 12, 13, 14, 15
    \do d\n, [x9], #8
    .endr
.endm

guarded_call:
    sub sp, sp, #176
    stp x30, x0, [sp, #160]
    mov x9, sp
    each str
    add x9, x0, #72
    each ldr
    ldp x8, x10, [x0]
    ldp x1, x2, [x0, #16]
    ldp x3, x4, [x0, #32]
    ldp x5, x6, [x0, #48]
    ldr x7, [x0, #64]
    mov x0, x10
    blr x8
    ldr x9, [sp, #168]
    add x9, x9, #328
    each str
    mov x9, sp
    each ldr
    ldr x30, [sp, #160]
    add sp, sp, #176
    ret

    .section .rodata
    .p2align 2
saved_registers:
    .word 19
    .section .note.GNU-stack, "", %progbits
