/* ---- Transforms ---- */

/* k where count = 2^k has a transform, else -1. */
static int @name@_levels(size_t count)
{
    int k = 0;
    if (count == 0 || (count & (count - 1)) != 0)
        return -1;
    for (; count > 1; count >>= 1)
        k++;
    return k <= @upper@_NTT_LEVELS ? k : -1;
}

/* The number after i among those below count = 2^k, with bits read from the other end. */
static size_t @name@_next_reversed(size_t i, size_t count)
{
    size_t bit = count >> 1;
    while ((i & bit) != 0) {
        i ^= bit;
        bit >>= 1;
    }
    return i ^ bit;
}

/* x + w*y and x - w*y instead of x and y, with one value w. */
static void @name@_butterflies_by(@name@ *x, @name@ *y, const @name@ *w, size_t count)
{
    @name@ factors[@upper@_PART];
    size_t i;
    for (i = 0; i < @name@_part(count); i++)
        factors[i] = *w;
    for (i = 0; i < count; i += @upper@_PART)
        @name@_array_butterfly(&x[i], &y[i], factors, @name@_part(count - i));
}

/* The same with w = 1. */
static void @name@_sums_and_differences(@name@ *x, @name@ *y, size_t count)
{
    @name@ differences[@upper@_PART];
    size_t i, j;
    for (i = 0; i < count; i += @upper@_PART) {
        const size_t here = @name@_part(count - i);
        @name@_array_sub(differences, &x[i], &y[i], here);
        @name@_array_add(&x[i], &x[i], &y[i], here);
        for (j = 0; j < here; j++)
            y[i + j] = differences[j];
    }
}

/* Joins the halves of each block by one root for all of its values. */
static void @name@_far_level(@name@ *x, const @name@ *roots, size_t blocks, size_t half)
{
    size_t block, power = 0;
    @name@_sums_and_differences(x, &x[half], half);
    for (block = 1; block < blocks; block++) {
        @name@ *const low = &x[2 * half * block];
        power = @name@_next_reversed(power, blocks);
        @name@_butterflies_by(low, &low[half], &roots[blocks + power], half);
    }
}

/* Joins the halves of each block by a root for each place. */
static void @name@_near_level(@name@ *x, const @name@ *roots, size_t half, size_t count)
{
    size_t i;
    for (i = 0; i < count; i += 2 * half)
        @name@_array_butterfly(&x[i], &x[i + half], &roots[half], half);
}

/* Each value changes places with that whose number has its bits in the other order. */
static void @name@_put_few_in_order(@name@ *x, size_t count)
{
    size_t i, j = 0;
    for (i = 1; i < count; i++) {
        j = @name@_next_reversed(j, count);
        if (i < j) {
            const @name@ kept = x[i];
            x[i] = x[j];
            x[j] = kept;
        }
    }
}

/* z = the values of x whose places have eight upper and eight lower numbers, both the other way
 * round; x and z have so many values between two upper numbers. */
static void @name@_turn(@name@ *z, size_t z_row, const @name@ *x, size_t x_row)
{
    static const unsigned char reversed[8] = {0, 4, 2, 6, 1, 5, 3, 7};
    size_t i, j;
    for (i = 0; i < 8; i++)
        for (j = 0; j < 8; j++)
            z[reversed[j] * z_row + reversed[i]] = x[i * x_row + j];
}

/* The same as above, but values that lie side by side are moved together: the first three bits of a
 * number change places with the last three, and what is between is read from the other end. */
static void @name@_put_in_order(@name@ *x, size_t count)
{
    @name@ kept[64];
    const size_t row = count / 8, between = row / 8;
    size_t i, j = 0, k;
    if (count < 64) {
        @name@_put_few_in_order(x, count);
        return;
    }
    for (i = 0; i < between; i++) {
        if (i <= j) {
            @name@_turn(kept, 8, &x[8 * i], row);
            if (i != j)
                @name@_turn(&x[8 * i], row, &x[8 * j], row);
            for (k = 0; k < 64; k++)
                x[k / 8 * row + 8 * j + k % 8] = kept[k];
        }
        j = @name@_next_reversed(j, between);
    }
}

@tiles_c@/* The table has at place h the powers 0 to h - 1 of the root of order 2h, for h = 1, 2, 4, ... */
int @name@_ntt_roots(@name@ *roots, size_t count)
{
    @name@ root = {{@ntt_root_words@}};
    const size_t half = count / 2;
    const int levels = @name@_levels(count);
    size_t i;
    int k;
    if (roots == NULL && count != 0)
        return FIELDC_NULL_POINTER;
    if (levels < 0)
        return FIELDC_NO_TRANSFORM;
    for (k = levels; k < @upper@_NTT_LEVELS; k++)
        @name@_square(&root, &root);
    roots[0] = roots[half] = @name@_unit;
    for (i = 1; i < half; i *= 2) { /* here root^i stands in root */
        @name@_array_scale(&roots[half + i], &roots[half], &root, i);
        @name@_square(&root, &root);
    }
    for (i = half; i-- > 1;)
        roots[i] = roots[2 * i];
    return FIELDC_OK;
}

/* Decimation in time (Cooley and Tukey, 1965). The first levels join values that lie far apart, and
 * are computed before the values are put in order, the last ones after it. So blocks are never
 * shorter than about the square root of count, and vectors take all levels. */
int @name@_ntt(@name@ *x, const @name@ *roots, size_t count)
{
    const int levels = @name@_levels(count);
@tiles_found@    size_t blocks = 1, half;
    if (count != 0 && (x == NULL || roots == NULL))
        return FIELDC_NULL_POINTER;
    if (levels < 0)
        return FIELDC_NO_TRANSFORM;
@tiles_run@    for (half = count / 2; blocks <= half; half /= 2) {
        @name@_far_level(x, roots, blocks, half);
        blocks *= 2;
    }
    @name@_put_in_order(x, count);
    for (; blocks < count; blocks *= 2)
        @name@_near_level(x, roots, blocks, count);
    return FIELDC_OK;
}

/* The powers of 1/r are those of r from the last one down to the first. */
int @name@_intt(@name@ *x, const @name@ *roots, size_t count)
{
    static const @name@ one_half = {{@ntt_half_words@}};
    @name@ factor = @name@_unit;
    const int status = @name@_ntt(x, roots, count);
    size_t i;
    int k;
    if (status != FIELDC_OK)
        return status;
    for (i = 1; i < count - i; i++) {
        const @name@ kept = x[i];
        x[i] = x[count - i];
        x[count - i] = kept;
    }
    for (k = @name@_levels(count); k > 0; k--)
        @name@_mul(&factor, &factor, &one_half);
    @name@_array_scale(x, x, &factor, count);
    return FIELDC_OK;
}

