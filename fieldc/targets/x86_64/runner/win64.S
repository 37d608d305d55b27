/* Guarded calls on x86-64 Windows. */
    .intel_syntax noprefix
    .globl guarded_call, saved_registers
    .text

/* Numbers 0 to 7 are rbx, rbp, rdi, rsi and r12 to r15, 8 to 27 the halves of xmm6 to xmm15. */
.macro keep base, from
    mov [\base + \from], rbx
    mov [\base + \from + 8], rbp
    mov [\base + \from + 16], rdi
    mov [\base + \from + 24], rsi
    mov [\base + \from + 32], r12
    mov [\base + \from + 40], r13
    mov [\base + \from + 48], r14
    mov [\base + \from + 56], r15
    .irp n, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    movups [\base + \from + 64 + 16 * (\n - 6)], xmm\n
    .endr
.endm

.macro restore base, from
    mov rbx, [\base + \from]
    mov rbp, [\base + \from + 8]
    mov rdi, [\base + \from + 16]
    mov rsi, [\base + \from + 24]
    mov r12, [\base + \from + 32]
    mov r13, [\base + \from + 40]
    mov r14, [\base + \from + 48]
    mov r15, [\base + \from + 56]
    .irp n, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    movups xmm\n, [\base + \from + 64 + 16 * (\n - 6)]
    .endr
.endm

/* The first 32 bytes above the stack pointer belong to what is called; the last four arguments are
   above them. */
guarded_call:
    sub rsp, 312
    mov [rsp + 296], rcx
    keep rsp, 64
    mov rax, rcx
    .irp n, 0, 1, 2, 3
    mov rcx, [rax + 40 + 8 * \n]
    mov [rsp + 32 + 8 * \n], rcx
    .endr
    restore rax, 72
    mov rcx, [rax + 8]
    mov rdx, [rax + 16]
    mov r8, [rax + 24]
    mov r9, [rax + 32]
    call [rax]
    mov rax, [rsp + 296]
    keep rax, 328
    restore rsp, 64
    add rsp, 312
    ret

    .section .rdata, "dr"
    .p2align 2
saved_registers:
    .long 28
