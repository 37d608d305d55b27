
/* ---- Sums of arrays in digits ---- */

/* A sum in columns, as long as these take more products. */
typedef struct {
    const @name@_digits_kernels *run;
    uint64_t columns[@upper@_COLUMNS * @upper@_BLOCK];
    size_t taken; /* values whose products are in the columns */
    @name@ totals[@upper@_BLOCK];
} @name@_digits_total;

static void @name@_digits_start(@name@_digits_total *sum, const @name@_digits_kernels *run)
{
    size_t i;
    sum->run = run;
    sum->taken = 0;
    for (i = 0; i < @upper@_COLUMNS * @upper@_BLOCK; i++)
        sum->columns[i] = 0;
    for (i = 0; i < @upper@_BLOCK; i++)
        @name@_zero(&sum->totals[i]);
}

/* Reduces the columns, which are 0 again. */
static void @name@_digits_collect(@name@_digits_total *sum)
{
    @name@ more[@upper@_BLOCK];
    size_t i;
    sum->run->collect(@upper@_BLOCK, @name@_words(more), sum->columns);
    for (i = 0; i < @upper@_COLUMNS * @upper@_BLOCK; i++)
        sum->columns[i] = 0;
    sum->taken = 0;
    @name@_array_add(sum->totals, sum->totals, more, @upper@_BLOCK);
}

/* Adds the products of up to `most` values. */
static void @name@_digits_accumulate(@name@_digits_total *sum, const uint64_t *x, const uint64_t *y,
                              size_t count)
{
    if (sum->taken + count > sum->run->most)
        @name@_digits_collect(sum);
    sum->taken += @name@_digits_blocks(count) * @upper@_BLOCK;
    sum->run->accumulate(count, sum->columns, x, y);
}

/* collect divides by R in limbs; products of values in digits lack another power of two. */
static void @name@_digits_finish(@name@_digits_total *sum, @name@ *z)
{
    static const @name@ factor = {{@digit_factor@}};
    @name@_digits_collect(sum);
    @name@_fold(z, sum->totals, @upper@_BLOCK);
    @name@_mul(z, z, &factor);
}

int @name@_digits_sum(@name@ *z, const @name@_digits *x)
{
    size_t i, step;
    if (z == NULL || x == NULL)
        return FIELDC_NULL_POINTER;
    if (x->run != NULL) {
        @name@_digits_room room;
        @name@_digits_total sum;
        @name@_digits ones = @name@_digits_in_room(&room, x, x->count);
        const size_t most = @name@_digits_least_of(@upper@_AT_ONCE, x->run->most);
        @name@_digits_fill(&ones, &@name@_unit);
        @name@_digits_start(&sum, x->run);
        for (i = 0; i < x->count; i += most)
            @name@_digits_accumulate(&sum, @name@_digits_place(x, i), ones.words,
                              @name@_digits_least_of(most, x->count - i));
        @name@_digits_finish(&sum, z);
        return FIELDC_OK;
    }
    step = @name@_digits_side_by_side(x->count);
    @name@_zero(z);
    for (i = 0; i < x->count; i += step) {
        @name@ part;
        @name@_array_sum(&part, @name@_digits_as_limbs(x, i, NULL), @name@_digits_least_of(step, x->count - i));
        @name@_add(z, z, &part);
    }
    return FIELDC_OK;
}

int @name@_digits_inner_product(@name@ *z, const @name@_digits *x, const @name@_digits *y)
{
    const int status = z == NULL ? FIELDC_NULL_POINTER : @name@_digits_alike(x, y, y);
    @name@ of_x[@upper@_BLOCK], of_y[@upper@_BLOCK];
    size_t i, step;
    if (status != FIELDC_OK)
        return status;
    if (@name@_digits_both(x, y) != NULL) {
        @name@_digits_total sum;
        @name@_digits_start(&sum, x->run);
        for (i = 0; i < x->count; i += x->run->most)
            @name@_digits_accumulate(&sum, @name@_digits_place(x, i), @name@_digits_place(y, i),
                              @name@_digits_least_of(x->run->most, x->count - i));
        @name@_digits_finish(&sum, z);
        return FIELDC_OK;
    }
    step = @name@_digits_side_by_side(x->count);
    @name@_zero(z);
    for (i = 0; i < x->count; i += step) {
        @name@ part;
        @name@_sum_of_products(&part, @name@_digits_as_limbs(x, i, of_x), @name@_digits_as_limbs(y, i, of_y),
                               @name@_digits_least_of(step, x->count - i));
        @name@_add(z, z, &part);
    }
    return FIELDC_OK;
}
