/* Start, system calls and guarded calls on ARMv7 Linux. */
    .syntax unified
    .arm
    .fpu vfpv3-d16
    .globl _start, system_call, guarded_call, saved_registers
    .text
_start:
    bl run

/* r0: the number; r1 to r3: what it takes. */
system_call:
    push {r7, lr}
    mov r7, r0
    mov r0, r1
    mov r1, r2
    mov r2, r3
    svc #0
    pop {r7, pc}

/* Numbers 0 to 7 are r4 to r11, 8 to 23 the halves of d8 to d15. */
guarded_call:
    push {r4-r11, lr}
    vpush {d8-d15}
    sub sp, sp, #4
    push {r0, r1}
    add r1, r0, #20
    ldm r1, {r2-r5}
    push {r2-r5} /* the last four arguments */
    add r1, r0, #68
    vldm r1, {d8-d15}
    add r1, r0, #36
    ldm r1, {r4-r11}
    ldr r12, [r0]
    add r3, r0, #4
    ldm r3, {r0-r3}
    blx r12
    add sp, sp, #16
    ldr r1, [sp]
    add r1, r1, #164
    stm r1!, {r4-r11}
    vstm r1, {d8-d15}
    add sp, sp, #12
    vpop {d8-d15}
    pop {r4-r11, pc}

    .section .rodata
    .p2align 2
saved_registers:
    .word 24
    .section .note.GNU-stack, "", %progbits
