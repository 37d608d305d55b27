/*
 * Arithmetic modulo @label@:
 * p = @prime@ (@bits@ bits).
 *
 * A value of type @name@ is a residue below p in @size@, least
 * significant first. Residues are @stands@.
 * Values come from the functions below and are their operands; uninitialised ones give meaningless
 * results, but nothing is ever read or written outside of the objects that are named.
 *
 * Every result may be one of its operands. A null pointer is refused where a function returns a
 * status, and must not be given where it returns nothing; one to no values, bytes or words may be.
 * No function branches on a value or uses one as an address; whether an input was refused is told
 * by what is returned. All functions may be called by several threads at once.
 *
 * Made by: @command@
 * @ownership@
 */
#ifndef @upper@_H
#define @upper@_H

#include <stddef.h>
#include <stdint.h>

#define @upper@_LIMBS @limbs@
#define @upper@_BYTES @bytes@ /* of an encoded value */
#define @upper@_BITS @bits@   /* of p */
#define @upper@_NTT_LEVELS @ntt_levels@ /* transforms take up to 2^@ntt_levels@ values; 0 if there are none */

#ifdef __cplusplus
extern "C" {
#endif

#ifndef FIELDC_STATUS
#define FIELDC_STATUS
/* What functions return that can refuse their input. */
enum fieldc_status {
    FIELDC_OK = 0,
    FIELDC_NULL_POINTER = 1,  /* a pointer is null */
    FIELDC_WRONG_LENGTH = 2,  /* a length is not what it must be */
    FIELDC_NOT_CANONICAL = 3, /* the number is not below p */
    FIELDC_NO_INVERSE = 4,    /* 0 has no inverse */
    FIELDC_NOT_SUPPORTED = 5, /* no such path in this build or on this processor */
    FIELDC_NO_ROOT = 6,       /* the value is not a square */
    FIELDC_NO_RANDOMNESS = 7, /* the source of random bytes failed */
    FIELDC_NO_TRANSFORM = 8   /* no transform takes so many values */
};

/* Writes random bytes, and returns 0 unless it fails. */
typedef int fieldc_fill(void *context, uint8_t *bytes, size_t length);

/* The texts that compute, each for processors that have what it needs. */
enum fieldc_path {
    FIELDC_AUTOMATIC = 0,
    FIELDC_ADX = 1,     /* x86-64 with ADX and BMI2, two carry chains */
    FIELDC_MULX = 2,    /* x86-64 with BMI2, one carry chain */
    FIELDC_BASE = 3,    /* any x86-64 */
    FIELDC_PORTABLE = 4, /* C */
    FIELDC_AARCH64 = 5, /* any AArch64 */
    FIELDC_AVX512F = 6, /* x86-64 with AVX-512 F and DQ: arrays in vectors, else as FIELDC_MULX */
    FIELDC_AVX512IFMA = 7, /* the same with IFMA and VBMI2 */
    FIELDC_ADX_AVX512IFMA = 8, /* arrays as FIELDC_AVX512IFMA, else as FIELDC_ADX */
    FIELDC_AVX2 = 9,     /* x86-64 with AVX2 and FMA: arrays in vectors, else as FIELDC_MULX */
    FIELDC_ADX_AVX2 = 10 /* arrays as FIELDC_AVX2, else as FIELDC_ADX; of one limb: below 2^31, 2^61 - 1, Goldilocks */
};
#endif

typedef struct @name@ {
    uint64_t limbs[@limbs@];
} @name@;

/* Bytes, most significant first: z = the number they write.
 * FIELDC_NULL_POINTER; FIELDC_WRONG_LENGTH unless length is @upper@_BYTES;
 * FIELDC_NOT_CANONICAL for p and above. If refused, z is 0 (but for a null pointer). */
int @name@_decode(@name@ *z, const uint8_t *bytes, size_t length);

/* The inverse of decode: writes exactly @upper@_BYTES bytes.
 * FIELDC_NULL_POINTER or FIELDC_WRONG_LENGTH, and nothing is written. */
int @name@_encode(uint8_t *bytes, size_t length, const @name@ *x);

/* The same, least significant byte first. */
int @name@_decode_le(@name@ *z, const uint8_t *bytes, size_t length);
int @name@_encode_le(uint8_t *bytes, size_t length, const @name@ *x);

/* z = the number that bytes of any length write, modulo p; most significant byte first, and with
 * _le least significant first. Hash functions give 48 or 64 bytes: with 16 bytes more than an
 * encoded value has, random bytes give a value that is uniform but for 2^-128.
 * FIELDC_NULL_POINTER, and z is 0. */
int @name@_decode_wide(@name@ *z, const uint8_t *bytes, size_t length);
int @name@_decode_wide_le(@name@ *z, const uint8_t *bytes, size_t length);

/* z = a random value, from @upper@_BYTES + 16 bytes of a source.
 * FIELDC_NULL_POINTER; FIELDC_NO_RANDOMNESS where it fails; z is 0 then. */
int @name@_random(@name@ *z, fieldc_fill *fill, void *context);

/* z = the number x, in @in_limbs@@not_stored@.
 * FIELDC_NULL_POINTER; FIELDC_NOT_CANONICAL for p and above, and z is 0. */
int @name@_to_montgomery(@name@ *z, const uint64_t x[@limbs@]);

/* z = the number that x stands for, below p. */
void @name@_from_montgomery(uint64_t z[@limbs@], const @name@ *x);

/* z = the number x. FIELDC_NULL_POINTER; FIELDC_NOT_CANONICAL for p and above, and z is 0. */
int @name@_from_u64(@name@ *z, uint64_t x);

void @name@_zero(@name@ *z); /* z = 0 */
void @name@_one(@name@ *z);  /* z = 1 */

void @name@_add(@name@ *z, const @name@ *x, const @name@ *y); /* z = x + y */
void @name@_sub(@name@ *z, const @name@ *x, const @name@ *y); /* z = x - y */
void @name@_mul(@name@ *z, const @name@ *x, const @name@ *y); /* z = x * y */
void @name@_mul_add(@name@ *z, const @name@ *x, const @name@ *y,
                    const @name@ *a);                         /* z = x * y + a */
void @name@_neg(@name@ *z, const @name@ *x);                  /* z = -x */
void @name@_double(@name@ *z, const @name@ *x);               /* z = 2 * x */
void @name@_square(@name@ *z, const @name@ *x);               /* z = x * x */

/* z = 1/x, by divsteps. FIELDC_NULL_POINTER; FIELDC_NO_INVERSE for x = 0, and z is 0. */
int @name@_invert(@name@ *z, const @name@ *x);

/* z = x^e for an exponent of so many words, least significant first; x^0 = 1. The time depends on
 * the number of words only. */
void @name@_pow(@name@ *z, const @name@ *x, const uint64_t *exponent, size_t words);

/* z = a square root of x; the other one is -z.
 * FIELDC_NULL_POINTER; FIELDC_NO_ROOT if there is none, and z is 0. */
int @name@_sqrt(@name@ *z, const @name@ *x);

int @name@_is_square(const @name@ *x); /* 1 or 0; 0 is a square */

void @name@_cmov(@name@ *z, const @name@ *x, int flag); /* z = x unless the flag is 0 */
void @name@_cswap(@name@ *x, @name@ *y, int flag);      /* swaps x and y unless the flag is 0 */

int @name@_equal(const @name@ *x, const @name@ *y); /* 1 or 0 */
int @name@_is_zero(const @name@ *x);                /* 1 or 0 */

@arrays_h@@transform_h@@lazy_h@@formulas_h@/* What computes from now on, in all threads: a fieldc_path. Without it, the fastest is found at
 * the first call. FIELDC_NOT_SUPPORTED, and nothing changes. */
int @name@_use(int path);

/* What computes: a fieldc_path, never FIELDC_AUTOMATIC. */
int @name@_path(void);

/* A status as English text. */
const char *@name@_status(int status);

#ifdef __cplusplus
}
#endif

#endif
