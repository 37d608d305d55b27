
/* ---- Inverses of arrays in digits ---- */

@digit_chains_c@/* z_i = 1/x_i, or 0 where x_i is 0, by ordinary arrays, for up to 16 kB of these. How many x_i there
 * are before the first 0. */
static size_t @name@_digits_invert_in_limbs(const @name@_digits *z, const @name@_digits *x)
{
    @name@ values[@upper@_COPIED], inverses[@upper@_COPIED];
    size_t first = 0;
    (void)@name@_digits_read(values, x->count, x);
    (void)@name@_array_invert(inverses, values, x->count, &first);
    @name@_digits_enter(z, inverses);
    return first;
}

/* The same of any array, which z may be. */
static size_t @name@_digits_invert_all(const @name@_digits *z, const @name@_digits *x)
{
    size_t i, here, first = 0;
@digit_chains_run@    for (i = 0; i < x->count; i += here) {
        @name@_digits of_z, of_x;
        size_t found;
        here = @name@_digits_least_of(@upper@_COPIED, x->count - i);
        of_z = @name@_digits_some(z, i, here);
        of_x = @name@_digits_some(x, i, here);
        found = @name@_digits_invert_in_limbs(&of_z, &of_x);
        first += first == i ? found : 0;
    }
    return first;
}

int @name@_digits_invert(@name@_digits *z, const @name@_digits *x, size_t *zero)
{
    const int status = @name@_digits_alike(z, x, x);
    size_t first;
    if (status != FIELDC_OK)
        return status;
    z->run = x->run;
    first = @name@_digits_invert_all(z, x);
    if (zero != NULL)
        *zero = first;
    return first == x->count ? FIELDC_OK : FIELDC_NO_INVERSE;
}
