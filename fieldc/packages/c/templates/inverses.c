/* ---- Inverses of arrays ---- */

/* z_i = 1/x_i for 1 to PART values that are not 0; z and x are apart. Montgomery's trick: z_i holds
 * the product of those before x_i. */
static void @name@_invert_part(@name@ *z, const @name@ *x, size_t count)
{
    @name@ product = @name@_unit;
    size_t i;
    for (i = 0; i < count; i++) {
        z[i] = product;
        @name@_mul(&product, &product, &x[i]);
    }
    (void)@name@_invert(&product, &product);
    for (i = count; i-- > 0;) {
        @name@_mul(&z[i], &z[i], &product);
        @name@_mul(&product, &product, &x[i]);
    }
}

/* 1 if x is 0, else 0. */
static uint64_t @name@_nothing(const @name@ *x)
{
    return @name@_none(@any_limb@);
}

#define @upper@_FEW 8 /* values whose inverses are found one by one */

/* x_i = 1/x_i for PART values that are not 0. `products` has at h + i, for h = PART/2, PART/4, ...,
 * the product of those at 2h + i and 3h + i, so inverses go down as products went up. */
static void @name@_invert_ends(@name@ *x)
{
    @name@ products[2 * @upper@_PART], inverse[@upper@_PART / 2];
    size_t h, i;
    for (i = 0; i < @upper@_PART; i++)
        products[@upper@_PART + i] = x[i];
    for (h = @upper@_PART / 2; h >= @upper@_FEW; h /= 2)
        @name@_array_mul(&products[h], &products[2 * h], &products[3 * h], h);
    @name@_invert_part(x, &products[@upper@_FEW], @upper@_FEW);
    for (h = @upper@_FEW; h < @upper@_PART; h *= 2) {
        for (i = 0; i < h; i++)
            inverse[i] = x[i];
        @name@_array_mul(x, inverse, &products[3 * h], h);
        @name@_array_mul(&x[h], inverse, &products[2 * h], h);
    }
}

/* z_i = 1/x_i for 1 to PART values that are not 0; z and x are apart. */
static void @name@_invert_few(@name@ *z, const @name@ *x, size_t count)
{
    size_t i;
    if (count < @upper@_PART) {
        @name@_invert_part(z, x, count);
        return;
    }
    for (i = 0; i < @upper@_PART; i++)
        z[i] = x[i];
    @name@_invert_ends(z);
}

/* z_i = x_i, or a value that is not 0 where x_i is 0; of up to PART values. */
static const @name@ *@name@_without_zeros(@name@ *z, const @name@ *x, size_t count)
{
    size_t i;
    for (i = 0; i < count; i++) {
        z[i] = x[i];
        z[i].limbs[0] |= @name@_nothing(&x[i]);
    }
    return z;
}

/* z_i = y_i * a_i, or 0 where x_i is 0. */
static void @name@_mul_unless(@name@ *z, const @name@ *y, const @name@ *a, const @name@ *x,
                              size_t count)
{
    size_t i;
    @name@_array_mul(z, y, a, count);
    for (i = 0; i < count; i++)
        @name@_unless(&z[i], &z[i], @name@_is_zero(&x[i]));
}

/* z_i = 1/x_i, or 0 where x_i is 0, for any count but 0; z and x are apart. PART products side by
 * side: z_i first holds the product of x_i, x_{i - PART} and so on. `inverse` goes back from the last
 * of these, PART values at a time. */
static void @name@_invert_in_limbs(@name@ *z, const @name@ *x, size_t count)
{
    @name@ inverse[@upper@_PART], part[@upper@_PART];
    const size_t width = @name@_part(count);
    size_t i, j, over;
    (void)@name@_without_zeros(z, x, width);
    for (i = width; i < count; i += width) {
        const size_t here = @name@_part(count - i);
        @name@_array_mul(&z[i], &z[i - width], @name@_without_zeros(part, &x[i], here), here);
    }
    i = count - width;
    @name@_invert_few(inverse, &z[i], width);
    for (; i >= width; i -= width) {
        @name@_mul_unless(&z[i], inverse, &z[i - width], &x[i], width);
        @name@_array_mul(inverse, inverse, @name@_without_zeros(part, &x[i], width), width);
    }
    over = width - i; /* the first i values have followers that no turn reached */
    @name@_mul_unless(&z[width], &inverse[over], z, &x[width], i);
    @name@_array_mul(&inverse[over], &inverse[over], @name@_without_zeros(part, &x[width], i), i);
    for (j = 0; j < width; j++)
        @name@_unless(&z[j], &inverse[j < i ? over + j : j - i], @name@_is_zero(&x[j]));
}

@chains_c@/* z_i = 1/x_i, or 0 where x_i is 0, for any count but 0; z and x are apart. */
static void @name@_invert_apart(@name@ *z, const @name@ *x, size_t count)
{
@chains_run@    @name@_invert_in_limbs(z, x, count);
}

#define @upper@_COPIED @copied@ /* elements of at most 16 kB */

/* The same on x itself: each part is copied, and has an inversion of its own. */
static void @name@_invert_in_place(@name@ *x, size_t count)
{
    @name@ copy[@upper@_COPIED];
    size_t i, j;
    for (i = 0; i < count; i += @upper@_COPIED) {
        const size_t here = count - i < @upper@_COPIED ? count - i : @upper@_COPIED;
        for (j = 0; j < here; j++)
            copy[j] = x[i + j];
        @name@_invert_apart(&x[i], copy, here);
    }
}

int @name@_array_invert(@name@ *z, const @name@ *x, size_t count, size_t *zero)
{
    uint64_t before = 1; /* whether no value so far is 0 */
    size_t i, first = 0;
    if (count != 0 && (z == NULL || x == NULL))
        return FIELDC_NULL_POINTER;
    for (i = 0; i < count; i++) {
        before &= 1 ^ @name@_nothing(&x[i]);
        first += (size_t)before;
    }
    if (zero != NULL)
        *zero = first;
    if (z == x)
        @name@_invert_in_place(z, count);
    else if (count != 0)
        @name@_invert_apart(z, x, count);
    return (int)(FIELDC_NO_INVERSE * (1 ^ before));
}

int @name@_batch_invert(@name@ *z, const @name@ *x, size_t count)
{
    return @name@_array_invert(z, x, count, NULL);
}

