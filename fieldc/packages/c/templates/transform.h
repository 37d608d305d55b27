/* Number-theoretic transforms of count = 2^k values, k from 0 to @upper@_NTT_LEVELS. Values lie side
 * by side and are transformed in place. Coefficients become the values of their polynomial at
 * 1, r, r^2, ... in this order, with r = @ntt_base@^((p - 1)/count). intt undoes ntt.
 * ntt_roots fills a table of count values for both. A table for more values serves as well. It must
 * not overlap with x.
 * FIELDC_NULL_POINTER; FIELDC_NO_TRANSFORM for any other count, and nothing is written. */
int @name@_ntt_roots(@name@ *roots, size_t count);
int @name@_ntt(@name@ *x, const @name@ *roots, size_t count);
int @name@_intt(@name@ *x, const @name@ *roots, size_t count);

/* The same of an array in digits, in place. */
int @name@_digits_ntt(@name@_digits *x, const @name@ *roots);
int @name@_digits_intt(@name@_digits *x, const @name@ *roots);

