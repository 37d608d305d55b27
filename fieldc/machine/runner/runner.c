/* Calls kernels on memory that comes through standard input and goes back through standard output.
 *
 * A request is twelve 32-bit words: the kernel, where the first frame starts in a line of 64 bytes,
 * a frame's size, how many frames follow, and where in a frame each of eight arguments lies: z, the
 * operands, and z again for those that the kernel does not have. The answer is one word, the number
 * of the first register that a call did not restore or -1, and the frames after the calls.
 * fieldc/machine/emulated.py sends requests; guarded_call is in assembly.
 */
#include <stddef.h>
#include <stdint.h>

#define ROOM (1u << 22)
#define REGISTERS 32
#define ARGUMENTS 8

typedef void kernel(void);

struct call {
    kernel *function;
    void *arguments[ARGUMENTS];
    uintptr_t before[REGISTERS], after[REGISTERS];
};

extern kernel *const kernels[];
extern const uint32_t saved_registers;
void guarded_call(struct call *call);
void run(void);
#ifdef __riscv
void prepare(void) __attribute__((weak));
#endif

#ifdef _WIN32
#include <fcntl.h>
#include <io.h>
#include <stdlib.h>

static ptrdiff_t receive(void *data, size_t size) { return _read(0, data, (unsigned)size); }
static ptrdiff_t send(const void *data, size_t size) { return _write(1, data, (unsigned)size); }
static void leave(int status) { exit(status); }

int main(void) {
    _setmode(0, _O_BINARY);
    _setmode(1, _O_BINARY);
    run();
    return 0;
}
#else
#if defined(__mips64)
enum { READ = 5000, WRITE = 5001, EXIT = 5058 };
#elif defined(__mips__)
enum { READ = 4003, WRITE = 4004, EXIT = 4001 };
#elif defined(__arm__)
enum { READ = 3, WRITE = 4, EXIT = 1 };
#else
enum { READ = 63, WRITE = 64, EXIT = 93 };
#endif
intptr_t system_call(intptr_t number, intptr_t a, intptr_t b, intptr_t c);

static ptrdiff_t receive(void *data, size_t size) {
    return system_call(READ, 0, (intptr_t)data, (intptr_t)size);
}
static ptrdiff_t send(const void *data, size_t size) {
    return system_call(WRITE, 1, (intptr_t)data, (intptr_t)size);
}
static void leave(int status) { system_call(EXIT, status, 0, 0); }
#endif

/* At the end of the requests the program ends. */
static void receive_all(void *data, size_t size) {
    for (size_t done = 0; done < size;) {
        ptrdiff_t got = receive((char *)data + done, size - done);
        if (got <= 0)
            leave(got == 0 && done == 0 ? 0 : 3);
        done += (size_t)got;
    }
}

static void send_all(const void *data, size_t size) {
    for (size_t done = 0; done < size;) {
        ptrdiff_t put = send((const char *)data + done, size - done);
        if (put <= 0)
            leave(4);
        done += (size_t)put;
    }
}

static char memory[64 + ROOM] __attribute__((aligned(64)));
static struct call call;

/* The number of the first register that the call changed, or -1. */
static int32_t checked_call(void) {
    for (uint32_t i = 0; i < saved_registers; i++)
        call.before[i] = (uintptr_t)0x5eed0000 + i;
    guarded_call(&call);
    for (uint32_t i = 0; i < saved_registers; i++)
        if (call.after[i] != call.before[i])
            return (int32_t)i;
    return -1;
}

void run(void) {
#ifdef __riscv
    if (prepare)
        prepare();
#endif
    for (;;) {
        uint32_t request[4 + ARGUMENTS];
        receive_all(request, sizeof request);
        uint32_t start = request[1], size = request[2], count = request[3];
        int32_t changed = -1;
        if (start > 64 || (uint64_t)size * count > ROOM)
            leave(5);
        receive_all(memory + start, (size_t)size * count);
        call.function = kernels[request[0]];
        for (uint32_t i = 0; i < count && changed < 0; i++) {
            for (uint32_t k = 0; k < ARGUMENTS; k++)
                call.arguments[k] = memory + start + (size_t)size * i + request[4 + k];
            changed = checked_call();
        }
        send_all(&changed, sizeof changed);
        send_all(memory + start, (size_t)size * count);
    }
}
