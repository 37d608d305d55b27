/* A decoder and all else on any bytes: libFuzzer's with LIBFUZZER, else a seeded loop in main. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include HEADER

#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)
#define F(name) JOIN(FIELD, name)
#define REQUIRE(claim) \
    do { \
        if (!(claim)) { \
            fprintf(stderr, "line %d: %s\n", __LINE__, #claim); \
            abort(); \
        } \
    } while (0)

static void roots(const FIELD *x)
{
    FIELD many[3], inverses[3], sum, root, square;
    F(square)(&square, x);
    REQUIRE(F(is_square)(&square) && F(sqrt)(&root, &square) == FIELDC_OK);
    REQUIRE(F(sqrt)(&root, x) == (F(is_square)(x) ? FIELDC_OK : FIELDC_NO_ROOT));
    F(square)(&root, &root);
    REQUIRE(F(is_square)(x) ? F(equal)(&root, x) : F(is_zero)(&root));
    many[0] = many[2] = *x;
    F(one)(&many[1]);
    REQUIRE(F(batch_invert)(inverses, many, 3) == (F(is_zero)(x) ? FIELDC_NO_INVERSE : FIELDC_OK));
    F(sum_of_products)(&sum, many, inverses, 3);
    F(one)(&root);
    if (!F(is_zero)(x)) { /* 1 + 1 + 1 */
        F(double)(&square, &root);
        F(add)(&root, &root, &square);
    }
    REQUIRE(F(equal)(&sum, &root));
}

#if LEVELS
/* The values of x + 2*X - x*X^4 at 1 and -1 are 2 and -2, and its coefficients come back. */
static void transforms(const FIELD *x)
{
    FIELD *const roots = (FIELD *)malloc(8 * sizeof *roots);
    FIELD *const values = (FIELD *)malloc(8 * sizeof *values), two, minus_two;
    int i;
    REQUIRE(roots != NULL && values != NULL);
    for (i = 0; i < 8; i++)
        F(zero)(&values[i]);
    F(from_u64)(&two, 1);
    F(double)(&two, &two);
    F(neg)(&minus_two, &two);
    values[0] = *x;
    values[1] = two;
    F(neg)(&values[4], x);
    REQUIRE(F(ntt_roots)(roots, 8) == FIELDC_OK && F(ntt)(values, roots, 8) == FIELDC_OK);
    REQUIRE(F(equal)(&values[0], &two) && F(equal)(&values[4], &minus_two));
    REQUIRE(F(intt)(values, roots, 8) == FIELDC_OK);
    REQUIRE(F(equal)(&values[0], x) && F(equal)(&values[1], &two));
    REQUIRE(F(ntt)(values, roots, 7) == FIELDC_NO_TRANSFORM && F(equal)(&values[0], x));
    free(roots);
    free(values);
}
#endif

static void arithmetic(const FIELD *x)
{
    FIELD one, y, z, inverse;
    uint64_t words[LIMBS];
    const int status = F(invert)(&inverse, x);
    F(one)(&one);
    REQUIRE(status == (F(is_zero)(x) ? FIELDC_NO_INVERSE : FIELDC_OK));
    F(mul)(&z, x, &inverse);
    REQUIRE(F(is_zero)(x) ? F(is_zero)(&z) : F(equal)(&z, &one));
    F(add)(&z, x, &one);
    F(square)(&z, &z); /* (x + 1)^2 = x^2 + 2x + 1 */
    F(square)(&y, x);
    F(sub)(&z, &z, &y);
    F(double)(&y, x);
    F(neg)(&y, &y);
    F(add)(&z, &z, &y);
    REQUIRE(F(equal)(&z, &one));
    F(from_montgomery)(words, x);
    REQUIRE(F(to_montgomery)(&z, words) == FIELDC_OK && F(equal)(&z, x));
    roots(x);
#if LEVELS
    transforms(x);
#endif
}

/* The bytes lie in a block of their own size, so that a sanitizer sees one step outside. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *exact = (uint8_t *)malloc(size ? size : 1), *written = (uint8_t *)malloc(BYTES);
    FIELD x, largest;
    int path, status;
    REQUIRE(exact != NULL && written != NULL);
    if (size)
        memcpy(exact, data, size);
    F(one)(&largest);
    F(neg)(&largest, &largest);
    REQUIRE(F(encode)(written, BYTES, &largest) == FIELDC_OK);
    for (path = FIELDC_ADX; path <= FIELDC_PORTABLE; path++) {
        if (F(use)(path) == FIELDC_NOT_SUPPORTED)
            continue;
        status = F(decode)(&x, exact, size);
        if (size != BYTES)
            REQUIRE(status == FIELDC_WRONG_LENGTH);
        else if (memcmp(exact, written, BYTES) > 0) /* above p - 1 */
            REQUIRE(status == FIELDC_NOT_CANONICAL);
        else {
            uint8_t again[BYTES];
            REQUIRE(status == FIELDC_OK);
            REQUIRE(F(encode)(again, BYTES, &x) == FIELDC_OK);
            REQUIRE(memcmp(again, exact, BYTES) == 0);
        }
        REQUIRE(status == FIELDC_OK || F(is_zero)(&x));
        REQUIRE(size == BYTES || F(encode)(exact, size, &x) == FIELDC_WRONG_LENGTH);
        arithmetic(&x);
        memcpy(x.limbs, exact, size < sizeof x ? size : sizeof x); /* no value: nothing breaks */
        F(mul)(&x, &x, &x);
        (void)F(invert)(&x, &x);
        REQUIRE(F(decode_wide)(&x, exact, size) == FIELDC_OK);
        if (status == FIELDC_OK) {
            uint8_t again[BYTES];
            REQUIRE(F(encode)(again, BYTES, &x) == FIELDC_OK);
            REQUIRE(memcmp(again, exact, BYTES) == 0);
        }
        (void)F(encode)(exact, size == BYTES ? 0 : size, &x);
    }
    free(exact);
    free(written);
    return 0;
}

#ifndef LIBFUZZER
int main(int count, char **arguments)
{
    uint64_t seed = 1;
    int i, j, rounds = count > 1 ? atoi(arguments[1]) : 1000;
    uint8_t data[2 * BYTES];
    for (i = 0; i < rounds; i++) {
        size_t size = BYTES;
        for (j = 0; j < 2 * BYTES; j++) {
            seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            data[j] = (uint8_t)(seed >> 56);
        }
        if (i % 4 == 0)
            size = data[0] % (2 * BYTES + 1);
        if (i % 4 == 1)
            memset(data, i & 8 ? 0xff : 0, (size_t)data[1] % BYTES);
        if (i % 4 == 2)
            data[0] = (uint8_t)(data[0] & TOP);
        LLVMFuzzerTestOneInput(data, size);
    }
    printf("%d inputs\n", rounds);
    return 0;
}
#endif
