/* Every function on bytes that nobody wrote: valgrind tells of a branch or an address made of them.
 * With one argument the program branches on a result, which valgrind must tell of too.
 */
#include <stdio.h>
#include <stdlib.h>

#include HEADER

#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)
#define F(name) JOIN(FIELD, name)

int main(int count, char **arguments)
{
    uint8_t *bytes = (uint8_t *)malloc(BYTES);
    FIELD *x = (FIELD *)malloc(sizeof *x), y, z;
    uint64_t words[LIMBS];
    FIELD many[3], inverted[3];
    int path, said = 0;
#if LEVELS
    FIELD table[16], values[16];
    size_t i;
#endif
    (void)arguments;
    if (bytes == NULL || x == NULL)
        return 2;
    for (path = FIELDC_ADX; path <= FIELDC_PORTABLE; path++) {
        if (F(use)(path) != FIELDC_OK)
            continue;
        said |= F(decode)(&y, bytes, BYTES);
        F(add)(&z, &y, x);
        F(sub)(&z, &z, x);
        F(mul)(&z, &z, &y);
        F(neg)(&z, &z);
        F(double)(&z, &z);
        F(square)(&z, &z);
        said |= F(invert)(&z, &z) | F(equal)(&y, &z) | F(is_zero)(&z);
        F(from_montgomery)(words, &z);
        said |= F(to_montgomery)(&y, words);
        said |= F(decode_le)(&y, bytes, BYTES) | F(decode_wide)(&y, bytes, BYTES);
        said |= F(encode_le)(bytes, BYTES, &y) | F(sqrt)(&y, &y) | F(is_square)(&z);
        F(pow)(&y, &z, words, LIMBS);
        F(cmov)(&y, &z, (int)(words[0] & 1));
        F(cswap)(&y, &z, (int)(words[0] & 2));
        many[0] = y, many[1] = z, many[2] = *x;
        said |= F(batch_invert)(inverted, many, 3);
        F(sum_of_products)(&z, inverted, many, 3);
#if LEVELS
        for (i = 0; i < 16; i++)
            values[i] = i % 2 != 0 ? y : z;
        said |= F(ntt_roots)(table, 16) | F(ntt)(values, table, 16) | F(intt)(values, table, 16);
        z = values[3];
#endif
        said |= F(from_u64)(&y, words[0]) | F(encode)(bytes, BYTES, &z);
        printf("path %d\n", path);
    }
    if (count > 1 && said)
        puts("something was said");
    return 0;
}
