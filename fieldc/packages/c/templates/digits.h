
/* Arrays in digits: values that stay as vectors compute with them, from one function to the next.
 * The functions above cut operands into digits and put results together again; here a value is cut
 * once, when an array is made, and put together when it is read. Without vectors, and for fewer than
 * eight values, they are stored as ordinary values. Results are the same.
 *
 * The memory is yours: @name@_digits_words(count) words, aligned as uint64_t is and no more, as
 * long as the array is used. Nothing is allocated or freed. A result is an array that was made, by
 * _digits_from or _digits_zero; it may be any operand. Otherwise arrays have memory of their own.
 *
 * All return a status: FIELDC_NULL_POINTER; FIELDC_WRONG_LENGTH if the numbers of values differ, and
 * nothing is written. Members are for these functions alone. */
struct @name@_digits_kernels;
typedef struct @name@_digits {
    size_t count; /* values */
    uint64_t *words; /* where they are */
    const struct @name@_digits_kernels *run; /* null: values are not in digits */
} @name@_digits;

/* How many words of memory an array of so many values needs; 0 if they are none, or too many. */
size_t @name@_digits_words(size_t count);

/* z = the array of count values, or of zeros, in memory of `length` words, at least as many as
 * _digits_words gives. x and memory are apart. */
int @name@_digits_from(@name@_digits *z, uint64_t *memory, size_t length, const @name@ *x,
                       size_t count);
int @name@_digits_zero(@name@_digits *z, uint64_t *memory, size_t length, size_t count);

/* Writes the values of x to z, which are count. */
int @name@_digits_read(@name@ *z, size_t count, const @name@_digits *x);

int @name@_digits_copy(@name@_digits *z, const @name@_digits *x); /* x_i */
int @name@_digits_add(@name@_digits *z, const @name@_digits *x, const @name@_digits *y); /* x_i + y_i */
int @name@_digits_sub(@name@_digits *z, const @name@_digits *x, const @name@_digits *y); /* x_i - y_i */
int @name@_digits_mul(@name@_digits *z, const @name@_digits *x, const @name@_digits *y); /* x_i * y_i */
int @name@_digits_neg(@name@_digits *z, const @name@_digits *x); /* -x_i */
int @name@_digits_double(@name@_digits *z, const @name@_digits *x); /* 2 * x_i */
int @name@_digits_square(@name@_digits *z, const @name@_digits *x); /* x_i * x_i */

/* z_i = x_i * y_i + a_i */
int @name@_digits_mul_add(@name@_digits *z, const @name@_digits *x, const @name@_digits *y,
                          const @name@_digits *a);

/* z_i = x_i * y for one value y. */
int @name@_digits_scale(@name@_digits *z, const @name@_digits *x, const @name@ *y);

/* x_i + w_i*y_i and x_i - w_i*y_i instead of x_i and y_i; three arrays. */
int @name@_digits_butterfly(@name@_digits *x, @name@_digits *y, const @name@_digits *w);

/* z_i = x_i^e for one public exponent, as _array_pow has it. */
int @name@_digits_pow(@name@_digits *z, const @name@_digits *x, const uint64_t *exponent,
                      size_t words);

/* z_i = 1/x_i, or 0 where x_i is 0; FIELDC_NO_INVERSE if some is, and then *zero is the place of the
 * first, else the count. zero may be null. Apart from x there is one inversion, in place there are more. */
int @name@_digits_invert(@name@_digits *z, const @name@_digits *x, size_t *zero);

/* z = x_0 + x_1 + ..., and x_0*y_0 + x_1*y_1 + ...; 0 for no values. */
int @name@_digits_sum(@name@ *z, const @name@_digits *x);
int @name@_digits_inner_product(@name@ *z, const @name@_digits *x, const @name@_digits *y);

