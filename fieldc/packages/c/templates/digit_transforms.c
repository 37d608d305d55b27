
/* ---- Transforms of arrays in digits ---- */

/* The numbers that values are in digits, side by side in the array's own memory: values times one
 * factor. Transforms are linear, so the factor stays. */
static @name@ *@name@_digits_numbers(const @name@_digits *x)
{
    @name@ *const z = (@name@ *)(void *)x->words;
    @name@ block[@upper@_BLOCK];
    size_t i, j;
    for (i = 0; i < x->count; i += @upper@_BLOCK) {
        const size_t here = @name@_digits_least_of(@upper@_BLOCK, x->count - i);
        const @name@ *values = block;
        if (x->run != NULL && x->run->join != NULL)
            x->run->join(@upper@_BLOCK, @name@_words(block), @name@_digits_place(x, i));
        else
            values = @name@_digits_as_limbs(x, i, block);
        for (j = 0; j < here; j++)
            z[i + j] = values[j];
    }
    return z;
}

/* The array of these numbers, from the last block to the first. */
static void @name@_digits_of_numbers(const @name@_digits *z, const @name@ *x)
{
    size_t i = @name@_digits_blocks(z->count) * @upper@_BLOCK, j;
    while (i != 0) {
        @name@ block[@upper@_BLOCK];
        @name@_digits part;
        i -= @upper@_BLOCK;
        part = @name@_digits_some(z, i, @name@_digits_least_of(@upper@_BLOCK, z->count - i));
        for (j = 0; j < part.count; j++)
            block[j] = x[i + j];
        if (z->run != NULL && z->run->cut != NULL)
            z->run->cut(part.count, part.words, @name@_read(block));
        else
            @name@_digits_enter(&part, block);
    }
}

typedef int @name@_transform(@name@ *x, const @name@ *roots, size_t count);

static int @name@_digits_transform(@name@_transform *transform, @name@_digits *x, const @name@ *roots)
{
    @name@ *numbers;
    if (x == NULL || roots == NULL)
        return FIELDC_NULL_POINTER;
    if (@name@_levels(x->count) < 0)
        return FIELDC_NO_TRANSFORM;
    numbers = @name@_digits_numbers(x);
    (void)transform(numbers, roots, x->count);
    @name@_digits_of_numbers(x, numbers);
    return FIELDC_OK;
}

int @name@_digits_ntt(@name@_digits *x, const @name@ *roots)
{
    return @name@_digits_transform(@name@_ntt, x, roots);
}

int @name@_digits_intt(@name@_digits *x, const @name@ *roots)
{
    return @name@_digits_transform(@name@_intt, x, roots);
}
