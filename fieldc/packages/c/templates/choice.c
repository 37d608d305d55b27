/* ---- Choices ---- */

void @name@_cmov(@name@ *z, const @name@ *x, int flag)
{
    const uint64_t mask = mask64((uint64_t)(flag != 0));
    int i;
    for (i = 0; i < @limbs@; i++)
        z->limbs[i] = select64(mask, x->limbs[i], z->limbs[i]);
}

void @name@_cswap(@name@ *x, @name@ *y, int flag)
{
    const uint64_t mask = mask64((uint64_t)(flag != 0));
    int i;
    for (i = 0; i < @limbs@; i++) {
        const uint64_t both = mask & (x->limbs[i] ^ y->limbs[i]);
        x->limbs[i] ^= both;
        y->limbs[i] ^= both;
    }
}

/* z = x where the flag is 0, else 0. */
static void @name@_unless(@name@ *z, const @name@ *x, int flag)
{
    const uint64_t mask = ~mask64((uint64_t)(flag != 0));
    int i;
    for (i = 0; i < @limbs@; i++)
        z->limbs[i] = x->limbs[i] & mask;
}

/* ---- Powers and roots ---- */

#define @upper@_ADICITY @adicity@ /* p - 1 = q * 2^@adicity@, q odd */
#define @upper@_CHAIN @chain_length@

/* An addition chain for (q - 1)/2, @chain_squares@ squares and @chain_products@ products: to, of, squarings, by. */
static const int16_t @name@_addition_chain[@upper@_CHAIN][4] = {
    @chain_rows@};

void @name@_pow(@name@ *z, const @name@ *x, const uint64_t *exponent, size_t words)
{
    @name@ powers[16], result = @name@_unit;
    size_t i;
    int j;
    powers[0] = @name@_unit;
    for (j = 1; j < 16; j++)
        @name@_mul(&powers[j], &powers[j - 1], x);
    for (i = 16 * words; i-- > 0;) {
        const uint64_t digit = exponent[i / 16] >> 4 * (i % 16) & 15;
        @name@ power = powers[0];
        for (j = 0; j < 4; j++)
            @name@_square(&result, &result);
        for (j = 1; j < 16; j++) /* reads all of them, so no address depends on the exponent */
            @name@_cmov(&power, &powers[j], (int)@name@_none(digit ^ (uint64_t)j));
        @name@_mul(&result, &result, &power);
    }
    *z = result;
}

/* x^((q - 1)/2) by the chain: kept[to] = kept[of]^(2^squarings) * kept[by]. */
static void @name@_root_power(@name@ *z, const @name@ *x)
{
    @name@ kept[@chain_kept@], power = *x;
    int i, j;
    kept[0] = *x;
    for (i = 0; i < @upper@_CHAIN; i++) {
        const int16_t *step = @name@_addition_chain[i];
        power = kept[step[1]];
        for (j = 0; j < step[2]; j++)
            @name@_square(&power, &power);
        if (step[3] >= 0)
            @name@_mul(&power, &power, &kept[step[3]]);
        kept[step[0]] = power;
    }
    *z = power;
}

/* By Euler: x^((p - 1)/2) = (x^q)^(2^(s - 1)) for s = @adicity@. */
int @name@_is_square(const @name@ *x)
{
    @name@ power, root;
    int i;
    @name@_root_power(&root, x);
    @name@_square(&power, &root);
    @name@_mul(&power, &power, x);
    for (i = 1; i < @upper@_ADICITY; i++)
        @name@_square(&power, &power);
    return @name@_equal(&power, &@name@_unit) | @name@_is_zero(x);
}

/* Tonelli and Shanks in the same time for all values: RFC 9380, appendix I.4. */
int @name@_sqrt(@name@ *z, const @name@ *x)
{
    @name@ root, t, b, c = {{@root_words@}}, product;
    int i, j, wrong;
    if (z == NULL)
        return FIELDC_NULL_POINTER;
    if (x == NULL) {
        @name@_zero(z);
        return FIELDC_NULL_POINTER;
    }
    @name@_root_power(&root, x);
    @name@_square(&t, &root);
    @name@_mul(&t, &t, x);
    @name@_mul(&root, &root, x);
    /* root^2 = x*t; if x is a square, t is 1 after the last turn. */
    for (i = @upper@_ADICITY; i >= 2; i--) {
        int done;
        b = t;
        for (j = 0; j < i - 2; j++)
            @name@_square(&b, &b);
        done = @name@_equal(&b, &@name@_unit);
        @name@_mul(&product, &root, &c);
        @name@_cmov(&root, &product, !done);
        @name@_square(&c, &c);
        @name@_mul(&product, &t, &c);
        @name@_cmov(&t, &product, !done);
    }
    @name@_square(&b, &root);
    wrong = !@name@_equal(&b, x);
    @name@_unless(z, &root, wrong);
    return wrong * FIELDC_NO_ROOT;
}

