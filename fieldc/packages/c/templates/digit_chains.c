/* PART chains of products of values in digits, as those of numbers above. Here 1/P_i is an inverse in
 * digits, so nothing cancels. */
typedef struct {
    const @name@_digits_kernels *run;
    uint64_t *products; /* P_i, and going back 1/P_i */
    uint64_t *factors;
    @name@ numbers[2][@upper@_PART]; /* of values, and of those that follow, 1 instead of 0 */
    uint64_t masks[2][@upper@_PART]; /* 0 where a value is 0, else all ones */
} @name@_digits_chains;

/* Reads up to PART values; what the last block has more is 0. */
static void @name@_digits_without_zeros(@name@_digits_chains *chains, size_t turn, const uint64_t *x,
                                      size_t count)
{
    const size_t whole = @name@_digits_blocks(count) * @upper@_BLOCK;
    @name@ *const numbers = chains->numbers[turn];
    size_t i;
    chains->run->join(whole, @name@_words(numbers), x);
    for (i = 0; i < whole; i++) {
        const uint64_t is_zero = @name@_nothing(&numbers[i]);
        numbers[i].limbs[0] |= is_zero;
        chains->masks[turn][i] = ~mask64(is_zero);
    }
}

/* z = the products so far, but 0 where a value is 0. */
static void @name@_digits_products(const @name@_digits_chains *chains, size_t turn, uint64_t *z,
                                 size_t blocks)
{
    size_t block, digit, i;
    for (block = 0; block < blocks; block++)
        for (digit = 0; digit < @digit_words@; digit++)
            for (i = 0; i < @upper@_BLOCK; i++) {
                const size_t place = (block * @digit_words@ + digit) * @upper@_BLOCK + i;
                const uint64_t mask = chains->masks[turn][block * @upper@_BLOCK + i];
                z[place] = chains->products[place] & mask;
            }
}

/* z_i = P_(i-1), or 0 where x_i is 0; how many x_i there are before the first 0. Zeros are found a
 * part ahead: vectors are read late enough after one of their words was written. */
static size_t @name@_digits_multiply(@name@_digits_chains *chains, uint64_t *z, const uint64_t *x,
                                   size_t count)
{
    const @name@_digits_kernels *const run = chains->run;
    uint64_t before = 1;
    size_t i, j, turn = 0, first = 0;
    @name@_digits_without_zeros(chains, 0, x, @name@_part(count));
    for (i = 0; i < count; i += @upper@_PART, turn ^= 1) {
        const size_t here = @name@_part(count - i), blocks = @name@_digits_blocks(here);
        if (count - i > @upper@_PART)
            @name@_digits_without_zeros(chains, turn ^ 1, &x[(i + @upper@_PART) * @digit_words@],
                                      @name@_part(count - i - @upper@_PART));
        @name@_digits_products(chains, turn, &z[i * @digit_words@], blocks);
        run->cut(blocks * @upper@_BLOCK, chains->factors, @name@_read(chains->numbers[turn]));
        run->mul(here, chains->products, chains->products, chains->factors);
        for (j = 0; j < here; j++) {
            before &= chains->masks[turn][j];
            first += (size_t)before;
        }
    }
    return first;
}

/* z_i = z_i/P_i, from the last part to the first. */
static void @name@_digits_divide(@name@_digits_chains *chains, uint64_t *z, const uint64_t *x,
                               size_t count)
{
    const @name@_digits_kernels *const run = chains->run;
    size_t i = (count - 1) / @upper@_PART * @upper@_PART, here = count - i, turn = 0;
    @name@_digits_without_zeros(chains, 0, &x[i * @digit_words@], here);
    for (;; turn ^= 1) {
        uint64_t *const results = &z[i * @digit_words@];
        const size_t whole = @name@_digits_blocks(here) * @upper@_BLOCK;
        if (i != 0)
            @name@_digits_without_zeros(chains, turn ^ 1, &x[(i - @upper@_PART) * @digit_words@],
                                      @upper@_PART);
        run->cut(whole, chains->factors, @name@_read(chains->numbers[turn]));
        run->mul(here, results, results, chains->products);
        run->mul(here, chains->products, chains->products, chains->factors);
        if (i == 0)
            return;
        i -= @upper@_PART;
        here = @upper@_PART;
    }
}

/* z_i = 1/x_i, or 0 where x_i is 0; z and x are apart. How many x_i there are before the first 0. */
static size_t @name@_digits_invert_apart(const @name@_digits_kernels *run, uint64_t *z, const uint64_t *x,
                                       size_t count)
{
    uint64_t space[2 * @upper@_CHAIN_WORDS + 7];
    @name@ ends[@upper@_PART];
    @name@_digits_chains chains;
    size_t i, first;
    chains.run = run;
    chains.products = @upper@_ALIGNED(space);
    chains.factors = &chains.products[@upper@_CHAIN_WORDS];
    for (i = 0; i < @upper@_PART; i++)
        ends[i] = @name@_unit;
    run->enter(@upper@_PART, chains.products, @name@_read(ends));
    first = @name@_digits_multiply(&chains, z, x, count);
    run->leave(@upper@_PART, @name@_words(ends), chains.products);
    @name@_invert_ends(ends);
    run->enter(@upper@_PART, chains.products, @name@_read(ends));
    @name@_digits_divide(&chains, z, x, count);
    return first;
}

