/* Words of PART values in digits. */
#define @upper@_CHAIN_WORDS (@upper@_PART * @digit_words@)
#define @upper@_CHAINS_LEAST (4 * @upper@_PART) /* the shortest array that is inverted in digits */

/* PART chains of products in digits. A value is cut to digits as it stands, so R stays that of limbs,
 * while a product is divided by S = 2^(52*@digit_words@). With P_i = x_i*P_(i-1)/S and J_i = R^2/P_i,
 * J_i*P_(i-1)/S is R^2/x_i: the inverse. */
typedef struct {
    const @name@_digits_kernels *run;
    uint64_t *products; /* P_i, and going back J_i */
    uint64_t *results;
    uint64_t *factors, *next; /* x_i, and what follows */
} @name@_chains;

/* Puts 1 instead of 0 in a block of numbers in digits; each mask is 0 there, else all ones. */
static void @name@_replace_zeros(uint64_t *block, uint64_t *masks)
{
    size_t i;
    for (i = 0; i < @upper@_BLOCK; i++, block++) {
        const uint64_t any = @any_digit@;
        const uint64_t is_zero = @name@_none(any);
        block[0] |= is_zero;
        masks[i] = ~mask64(is_zero);
    }
}

/* Up to PART values in digits, 1 instead of 0; what the last block has more is not 0. */
static void @name@_cut_factors(const @name@_digits_kernels *run, uint64_t *z, uint64_t *masks,
                               const @name@ *x, size_t count)
{
    const size_t whole = (count + @upper@_BLOCK - 1) / @upper@_BLOCK * @upper@_BLOCK;
    @name@ filled[@upper@_PART];
    size_t i;
    if (whole != count) {
        for (i = 0; i < @upper@_PART; i++)
            filled[i] = i < count ? x[i] : @name@_unit;
        x = filled;
    }
    run->cut(whole, z, @name@_read(x));
    for (i = 0; i < whole; i += @upper@_BLOCK)
        @name@_replace_zeros(&z[i * @digit_words@], &masks[i]);
}

static void @name@_step_on(@name@_chains *chains)
{
    uint64_t *const done = chains->factors;
    chains->factors = chains->next;
    chains->next = done;
}

/* z_i = P_(i-1), or 0 where x_i is 0. Zeros are found a part ahead: vectors are read late enough after
 * one of their words was written. */
static void @name@_multiply_chains(@name@_chains *chains, @name@ *z, const @name@ *x, size_t count)
{
    const @name@_digits_kernels *const run = chains->run;
    uint64_t masks[2][@upper@_PART];
    size_t i, j, turn = 0;
    @name@_cut_factors(run, chains->factors, masks[0], x, @name@_part(count));
    for (i = 0; i < count; i += @upper@_PART, turn ^= 1) {
        const size_t here = @name@_part(count - i);
        if (count - i > @upper@_PART)
            @name@_cut_factors(run, chains->next, masks[turn ^ 1], &x[i + @upper@_PART],
                               @name@_part(count - i - @upper@_PART));
        run->join(here, @name@_words(&z[i]), chains->products);
        run->mul(here, chains->products, chains->products, chains->factors);
        for (j = 0; j < here; j++) {
            const uint64_t mask = masks[turn][j];
            uint64_t *const limbs = z[i + j].limbs;
@clear_limbs@        }
        @name@_step_on(chains);
    }
}

/* z_i = J_i*z_i/S, from the last part to the first. */
static void @name@_divide_chains(@name@_chains *chains, @name@ *z, const @name@ *x, size_t count)
{
    const @name@_digits_kernels *const run = chains->run;
    uint64_t masks[@upper@_PART]; /* what is 0 was found before */
    size_t i = (count - 1) / @upper@_PART * @upper@_PART, here = count - i;
    @name@_cut_factors(run, chains->factors, masks, &x[i], here);
    for (;;) {
        if (i != 0)
            @name@_cut_factors(run, chains->next, masks, &x[i - @upper@_PART], @upper@_PART);
        run->cut(here, chains->results, @name@_read(&z[i]));
        run->mul(here, chains->results, chains->results, chains->products);
        run->mul(here, chains->products, chains->products, chains->factors);
        run->join(here, @name@_words(&z[i]), chains->results);
        if (i == 0)
            return;
        @name@_step_on(chains);
        i -= @upper@_PART;
        here = @upper@_PART;
    }
}

/* z_i = 1/x_i, or 0 where x_i is 0; z and x are apart. */
static void @name@_invert_in_digits(const @name@_digits_kernels *run, @name@ *z, const @name@ *x,
                                    size_t count)
{
    uint64_t space[4 * @upper@_CHAIN_WORDS + 7];
    @name@ ends[@upper@_PART];
    @name@_chains chains;
    size_t i;
    chains.run = run;
    chains.products = @upper@_ALIGNED(space);
    chains.results = &chains.products[@upper@_CHAIN_WORDS];
    chains.factors = &chains.products[2 * @upper@_CHAIN_WORDS];
    chains.next = &chains.products[3 * @upper@_CHAIN_WORDS];
    for (i = 0; i < @upper@_PART; i++)
        ends[i] = @name@_unit;
    run->cut(@upper@_PART, chains.products, @name@_read(ends));
    @name@_multiply_chains(&chains, z, x, count);
    run->join(@upper@_PART, @name@_words(ends), chains.products);
    @name@_invert_ends(ends);
    run->cut(@upper@_PART, chains.products, @name@_read(ends));
    @name@_divide_chains(&chains, z, x, count);
}

