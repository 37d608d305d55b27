/* 2 * (1/2) = 1 modulo @label@, and what a decoder must refuse. */
#include <stdio.h>
#include <string.h>

#include "@name@.h"

int main(void)
{
    static const char *const paths[] = {
        "", "adx", "mulx", "base", "portable", "aarch64", "AVX-512 F", "AVX-512 IFMA",
        "adx, AVX-512 IFMA", "AVX2", "adx, AVX2"};
    uint8_t bytes[@upper@_BYTES];
    @name@ two, half, one, product;
    int i, status;

    @name@_one(&one);
    @name@_add(&two, &one, &one);
    status = @name@_invert(&half, &two);
    @name@_mul(&product, &two, &half);
    @name@_encode(bytes, sizeof bytes, &half);

    printf("1/2 = 0x");
    for (i = 0; i < @upper@_BYTES; i++)
        printf("%02x", bytes[i]);
    printf("\n2 * 1/2 = 1: %s, by %s\n", @name@_equal(&product, &one) ? "yes" : "no",
           paths[@name@_path()]);

    memset(bytes, 0xff, sizeof bytes);
    printf("0xff..ff: %s\n", @name@_status(@name@_decode(&two, bytes, sizeof bytes)));
    return status == FIELDC_OK && @name@_equal(&product, &one) ? 0 : 1;
}
