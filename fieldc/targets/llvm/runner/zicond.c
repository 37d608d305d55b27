/* The two instructions of Zicond, for an emulator that does not have them: it makes a signal of
 * each, and this does what the instruction would have done. Linux on RISC-V.
 */
#include <stddef.h>
#include <stdint.h>

enum { ILLEGAL = 4, WITH_CONTEXT = 4, EXIT = 93, REGISTERS = 176 };

struct action {
    void (*handler)(int, void *, void *);
    uintptr_t flags, mask;
};

intptr_t system_call(intptr_t number, intptr_t a, intptr_t b, intptr_t c);
intptr_t on_signal(intptr_t signal, const struct action *action);
void prepare(void);

/* czero.eqz: rd = rs2 == 0 ? 0 : rs1; czero.nez: rd = rs2 != 0 ? 0 : rs1. */
static void emulate(int signal, void *information, void *context) {
    uintptr_t *x = (uintptr_t *)((char *)context + REGISTERS); /* the place, then x1 to x31 */
    const uint16_t *halves = (const uint16_t *)x[0];
    uint32_t word = halves[0] | (uint32_t)halves[1] << 16;
    uint32_t kind = word >> 12 & 7, rd = word >> 7 & 31;
    uint32_t rs1 = word >> 15 & 31, rs2 = word >> 20 & 31;
    (void)information;
    if ((word & 0xfe00007f) != 0x0e000033 || (kind != 5 && kind != 7)) {
        system_call(EXIT, 128 + signal, 0, 0);
        return;
    }
    uintptr_t value = rs1 ? x[rs1] : 0, zero = (rs2 ? x[rs2] : 0) == 0;
    if (rd)
        x[rd] = zero == (kind == 5) ? 0 : value;
    x[0] += 4;
}

void prepare(void) {
    static const struct action action = {emulate, WITH_CONTEXT, 0};
    on_signal(ILLEGAL, &action);
}
