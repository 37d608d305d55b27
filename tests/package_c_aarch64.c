/* A package on AArch64 without a C library: its two paths agree. Exits with the number of a fault.
 * NAME(x) is a symbol of the package; HEADER is its header. */
#include HEADER

typedef NAME() value;

void *memcpy(void *to, const void *from, size_t length)
{
    unsigned char *a = to;
    const unsigned char *b = from;
    while (length--)
        *a++ = *b++;
    return to;
}

void *memset(void *to, int byte, size_t length)
{
    unsigned char *a = to;
    while (length--)
        *a++ = (unsigned char)byte;
    return to;
}

int run(void);
__asm__(".globl _start\n_start:\n    bl run\n    mov x8, #93\n    svc #0\n");

static void all(value z[8], const value *x, const value *y)
{
    value xs[2], ys[2];
    xs[0] = ys[1] = *x;
    xs[1] = ys[0] = *y;
    NAME(_mul)(&z[0], x, y);
    NAME(_add)(&z[1], x, y);
    NAME(_sub)(&z[2], x, y);
    NAME(_square)(&z[3], x);
    NAME(_sum_of_products)(&z[4], xs, ys, 2);
    NAME(_neg)(&z[5], x);
    NAME(_double)(&z[6], x);
    NAME(_mul_add)(&z[7], x, y, &z[5]);
}

int run(void)
{
    value x, y, product, a[8], b[8];
    int i, j;
    if (NAME(_path)() != FIELDC_AARCH64 || NAME(_use)(FIELDC_MULX) != FIELDC_NOT_SUPPORTED)
        return 2;
    if (NAME(_from_u64)(&x, 5) || NAME(_invert)(&y, &x))
        return 3;
    NAME(_mul)(&product, &x, &y);
    NAME(_one)(&a[0]);
    if (!NAME(_equal)(&product, &a[0]))
        return 4;
    for (i = 0; i < 200; i++) {
        if (NAME(_use)(FIELDC_AARCH64))
            return 5;
        all(a, &x, &y);
        if (NAME(_use)(FIELDC_PORTABLE))
            return 6;
        all(b, &x, &y);
        for (j = 0; j < 8; j++)
            if (!NAME(_equal)(&a[j], &b[j]))
                return 10 + j;
        x = a[i % 8];
        NAME(_add)(&y, &a[4], &a[2]);
    }
    return 0;
}
