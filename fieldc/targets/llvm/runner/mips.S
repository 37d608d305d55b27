/* Start, system calls and guarded calls on MIPS Linux, of 64 bits (n64) and of 32 (o32). */
#ifdef __mips64
#define SAVE sd
#define LOAD ld
#define MOVE_STACK daddiu
#define WORD 8
#else
#define SAVE sw
#define LOAD lw
#define MOVE_STACK addiu
#define WORD 4
#endif
    .set noreorder
    .set noat
    .globl __start, system_call, guarded_call, saved_registers
    .text
__start:
    MOVE_STACK $29, $29, -32
    jal run
    nop

/* $4: the number; $5 to $7: what it takes. A failure is a negative number. */
system_call:
    move $2, $4
    move $4, $5
    move $5, $6
    move $6, $7
    syscall
    beqz $7, 1f
    nop
    li $2, -1
1:  jr $31
    nop

/* Numbers 0 to 7 are s0 to s7, 8 is fp and 9 is gp, which calls keep with n64. */
.macro each do, base, from
    \do $16, \from (\base)
    \do $17, \from + WORD (\base)
    \do $18, \from + 2 * WORD (\base)
    \do $19, \from + 3 * WORD (\base)
    \do $20, \from + 4 * WORD (\base)
    \do $21, \from + 5 * WORD (\base)
    \do $22, \from + 6 * WORD (\base)
    \do $23, \from + 7 * WORD (\base)
    \do $30, \from + 8 * WORD (\base)
    \do $28, \from + 9 * WORD (\base)
.endm

/* With o32 the first 16 bytes above the stack pointer belong to what is called; the last four
   arguments are above them. */
guarded_call:
    MOVE_STACK $29, $29, -128
    SAVE $31, 112($29)
    SAVE $4, 120($29)
    each SAVE, $29, 32
    move $2, $4
    each LOAD, $2, 9 * WORD
    LOAD $25, 0($2)
    LOAD $4, WORD($2)
    LOAD $5, 2 * WORD($2)
    LOAD $6, 3 * WORD($2)
    LOAD $7, 4 * WORD($2)
#ifdef __mips64
    LOAD $8, 5 * WORD($2)
    LOAD $9, 6 * WORD($2)
    LOAD $10, 7 * WORD($2)
    LOAD $11, 8 * WORD($2)
#else
    .irp n, 0, 1, 2, 3
    LOAD $8, (5 + \n) * WORD($2)
    SAVE $8, (4 + \n) * WORD($29)
    .endr
#endif
    jalr $25
    nop
    LOAD $2, 120($29)
    each SAVE, $2, 41 * WORD
    each LOAD, $29, 32
    LOAD $31, 112($29)
    jr $31
    MOVE_STACK $29, $29, 128

    .section .rodata
    .p2align 2
saved_registers:
#ifdef __mips64
    .4byte 10
#else
    .4byte 9
#endif
    .section .note.GNU-stack, "", %progbits
