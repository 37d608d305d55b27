/* Arrays of count values each, side by side. z may be any of the operands; arrays that overlap in
 * part are not allowed. On processors with AVX-512 or AVX2, blocks of eight values are computed in
 * vectors (README.md). */
void @name@_array_add(@name@ *z, const @name@ *x, const @name@ *y, size_t count); /* x_i + y_i */
void @name@_array_sub(@name@ *z, const @name@ *x, const @name@ *y, size_t count); /* x_i - y_i */
void @name@_array_mul(@name@ *z, const @name@ *x, const @name@ *y, size_t count); /* x_i * y_i */
void @name@_array_neg(@name@ *z, const @name@ *x, size_t count);                  /* -x_i */
void @name@_array_double(@name@ *z, const @name@ *x, size_t count);               /* 2 * x_i */
void @name@_array_square(@name@ *z, const @name@ *x, size_t count);               /* x_i * x_i */

/* z_i = x_i * y_i + a_i */
void @name@_array_mul_add(@name@ *z, const @name@ *x, const @name@ *y, const @name@ *a,
                          size_t count);

/* z_i = x_i * y for one value y, which may be an element of x or z. */
void @name@_array_scale(@name@ *z, const @name@ *x, const @name@ *y, size_t count);

/* x_i + w_i*y_i and x_i - w_i*y_i instead of x_i and y_i. All three arrays are apart. */
void @name@_array_butterfly(@name@ *x, @name@ *y, const @name@ *w, size_t count);

/* z_i = x_i^e for one exponent of so many words, least significant first; x^0 = 1. The time depends
 * on the exponent, which must be public. */
void @name@_array_pow(@name@ *z, const @name@ *x, const uint64_t *exponent, size_t words,
                      size_t count);

/* z = x_0 + x_1 + ...; 0 for count = 0. */
void @name@_array_sum(@name@ *z, const @name@ *x, size_t count);

/* z = x_0*y_0 + x_1*y_1 + ..., the inner product; 0 for count = 0. */
void @name@_sum_of_products(@name@ *z, const @name@ *x, const @name@ *y, size_t count);

/* z_i = 1/x_i, with one inversion; where z is x, with one for each @copied@ values. *zero = the first i
 * with x_i = 0, or count if there is none; zero may be null.
 * FIELDC_NULL_POINTER; FIELDC_NO_INVERSE if some x_i is 0: its z_i is 0, the others are right. */
int @name@_array_invert(@name@ *z, const @name@ *x, size_t count, size_t *zero);

/* The same without the position. */
int @name@_batch_invert(@name@ *z, const @name@ *x, size_t count);

/* Numbers in @in_limbs@ each, side by side, to values and back, as to_montgomery and from_montgomery
 * convert one. The memory of x may be that of z.
 * FIELDC_NULL_POINTER, and nothing is written; FIELDC_NOT_CANONICAL if some number is p or above: its
 * z_i is 0, the others are right. */
int @name@_array_to_montgomery(@name@ *z, const uint64_t *x, size_t count);
void @name@_array_from_montgomery(uint64_t *z, const @name@ *x, size_t count);

/* Bytes of count values side by side, as decode reads one and encode writes it.
 * FIELDC_NULL_POINTER or FIELDC_WRONG_LENGTH unless length is count * @upper@_BYTES, and nothing is
 * written. */
int @name@_array_encode(uint8_t *bytes, size_t length, const @name@ *x, size_t count);
int @name@_array_encode_le(uint8_t *bytes, size_t length, const @name@ *x, size_t count);
/* Decoding returns FIELDC_NULL_POINTER and FIELDC_WRONG_LENGTH in the same way, and
 * FIELDC_NOT_CANONICAL if some number is p or above: its z_i is 0, the others are right. */
int @name@_array_decode(@name@ *z, const uint8_t *bytes, size_t length, size_t count);
int @name@_array_decode_le(@name@ *z, const uint8_t *bytes, size_t length, size_t count);
