/* ---- Arrays ---- */

#define @upper@_BLOCK 8  /* elements that vectors take at a time */
#define @upper@_PART 32  /* elements of an array of our own */

/* Where the first line of the cache begins in space for 7 words more. */
#define @upper@_ALIGNED(space) ((space) + (-((uintptr_t)(space) >> 3) & 7))

/* How many elements vectors take: whole blocks, and the rest if it is worth a block. */
static size_t @name@_in_vectors(size_t least, size_t count)
{
    const size_t rest = count % @upper@_BLOCK;
    if (least == 0)
        return 0;
    return rest < least ? count - rest : count;
}

static size_t @name@_part(size_t count)
{
    return count < @upper@_PART ? count : @upper@_PART;
}

static uint64_t *@name@_words(@name@ *x)
{
    return (uint64_t *)(void *)x;
}

static const uint64_t *@name@_read(const @name@ *x)
{
    return (const uint64_t *)(const void *)x;
}

static void @name@_each_unary(const @name@_unary_array *vectors, @name@_unary *one, @name@ *z,
                              const @name@ *x, size_t count)
{
    size_t i = @name@_in_vectors(vectors->least, count);
    if (i != 0)
        vectors->run(i, @name@_words(z), @name@_read(x));
    for (; i < count; i++)
        one(z[i].limbs, x[i].limbs);
}

static void @name@_each_binary(const @name@_binary_array *vectors, @name@_binary *one, @name@ *z,
                               const @name@ *x, const @name@ *y, size_t count)
{
    size_t i = @name@_in_vectors(vectors->least, count);
    if (i != 0)
        vectors->run(i, @name@_words(z), @name@_read(x), @name@_read(y));
    for (; i < count; i++)
        one(z[i].limbs, x[i].limbs, y[i].limbs);
}

void @name@_array_add(@name@ *z, const @name@ *x, const @name@ *y, size_t count)
{
    const @name@_kernels *const k = @name@_run();
    @name@_each_binary(&k->arrays->add, k->add, z, x, y, count);
}

void @name@_array_sub(@name@ *z, const @name@ *x, const @name@ *y, size_t count)
{
    const @name@_kernels *const k = @name@_run();
    @name@_each_binary(&k->arrays->sub, k->sub, z, x, y, count);
}

void @name@_array_mul(@name@ *z, const @name@ *x, const @name@ *y, size_t count)
{
    const @name@_kernels *const k = @name@_run();
    @name@_each_binary(&k->arrays->mul, k->mul, z, x, y, count);
}

void @name@_array_neg(@name@ *z, const @name@ *x, size_t count)
{
    const @name@_kernels *const k = @name@_run();
    @name@_each_unary(&k->arrays->neg, k->neg, z, x, count);
}

void @name@_array_double(@name@ *z, const @name@ *x, size_t count)
{
    const @name@_kernels *const k = @name@_run();
    @name@_each_unary(&k->arrays->twice, k->twice, z, x, count);
}

void @name@_array_square(@name@ *z, const @name@ *x, size_t count)
{
    const @name@_kernels *const k = @name@_run();
    @name@_each_unary(&k->arrays->square, k->square, z, x, count);
}

void @name@_array_mul_add(@name@ *z, const @name@ *x, const @name@ *y, const @name@ *a,
                          size_t count)
{
    const @name@_kernels *const k = @name@_run();
    size_t i = @name@_in_vectors(k->arrays->mul_add.least, count);
    if (i != 0)
        k->arrays->mul_add.run(i, @name@_words(z), @name@_read(x), @name@_read(y),
                               @name@_read(a));
    for (; i < count; i++)
        @name@_mul_add_by(k, &z[i], &x[i], &y[i], &a[i]);
}

void @name@_array_scale(@name@ *z, const @name@ *x, const @name@ *y, size_t count)
{
    @name@ factors[@upper@_PART];
    size_t i;
    for (i = 0; i < @name@_part(count); i++)
        factors[i] = *y;
    for (i = 0; i < count; i += @upper@_PART)
        @name@_array_mul(&z[i], &x[i], factors, @name@_part(count - i));
}

/* Numbers in words to values in place; one that is not below p is 0. */
static int @name@_enter_all(@name@ *z, size_t count)
{
    uint64_t all_below = mask64(1);
    size_t i;
    for (i = 0; i < count; i++) {
        const uint64_t below = @name@_below_p(z[i].limbs);
        int j;
        for (j = 0; j < @limbs@; j++)
            z[i].limbs[j] &= below;
        all_below &= below;
    }
@enter_array@    return (int)(~all_below & FIELDC_NOT_CANONICAL);
}

/* Values to numbers in words. z may be x. */
static void @name@_leave_all(@name@ *z, const @name@ *x, size_t count)
{
@leave_array@}

int @name@_array_to_montgomery(@name@ *z, const uint64_t *x, size_t count)
{
    size_t i;
    if (count != 0 && (z == NULL || x == NULL))
        return FIELDC_NULL_POINTER;
    for (i = 0; i < @limbs@ * count; i++)
        @name@_words(z)[i] = x[i];
    return @name@_enter_all(z, count);
}

void @name@_array_from_montgomery(uint64_t *z, const @name@ *x, size_t count)
{
    @name@_leave_all((@name@ *)(void *)z, x, count);
}

void @name@_array_butterfly(@name@ *x, @name@ *y, const @name@ *w, size_t count)
{
    const @name@_kernels *const k = @name@_run();
    size_t i = @name@_in_vectors(k->arrays->butterfly.least, count);
    if (i != 0)
        k->arrays->butterfly.run(i, @name@_words(x), @name@_words(y), @name@_read(x),
                                 @name@_read(y), @name@_read(w));
    for (; i < count; i++) {
        @name@ product;
        k->mul(product.limbs, y[i].limbs, w[i].limbs);
        k->sub(y[i].limbs, x[i].limbs, product.limbs);
        k->add(x[i].limbs, x[i].limbs, product.limbs);
    }
}

/* z = x^e for up to PART values; e has a one at bit `top` and none above. */
static void @name@_pow_part(@name@ *z, const @name@ *x, const uint64_t *e, size_t top, size_t count)
{
    @name@ base[@upper@_PART];
    size_t i, bit;
    for (i = 0; i < count; i++) {
        base[i] = x[i];
        z[i] = x[i];
    }
    for (bit = top; bit-- > 0;) {
        @name@_array_square(z, z, count);
        if ((e[bit / 64] >> bit % 64 & 1) != 0)
            @name@_array_mul(z, z, base, count);
    }
}

void @name@_array_pow(@name@ *z, const @name@ *x, const uint64_t *exponent, size_t words,
                      size_t count)
{
    size_t i, bits = 64 * words;
    while (bits != 0 && (exponent[(bits - 1) / 64] >> (bits - 1) % 64 & 1) == 0)
        bits--;
    if (bits == 0) {
        for (i = 0; i < count; i++)
            z[i] = @name@_unit;
        return;
    }
    for (i = 0; i < count; i += @upper@_PART)
        @name@_pow_part(&z[i], &x[i], exponent, bits - 1, @name@_part(count - i));
}

/* z = the sum of 1 to PART values, which are overwritten. */
static void @name@_fold(@name@ *z, @name@ *x, size_t count)
{
    while (count > 1) {
        const size_t half = count / 2;
        @name@_array_add(x, x, &x[count - half], half);
        count -= half;
    }
    *z = x[0];
}

void @name@_array_sum(@name@ *z, const @name@ *x, size_t count)
{
    @name@ sums[@upper@_PART];
    size_t i;
    if (count == 0) {
        @name@_zero(z);
        return;
    }
    for (i = 0; i < @name@_part(count); i++)
        sums[i] = x[i];
    for (; i < count; i += @upper@_PART)
        @name@_array_add(sums, sums, &x[i], @name@_part(count - i));
    @name@_fold(z, sums, @name@_part(count));
}

/* PART sums side by side. */
static void @name@_sum_in_vectors(@name@ *z, const @name@ *x, const @name@ *y, size_t count)
{
    @name@ sums[@upper@_PART];
    size_t i;
    @name@_array_mul(sums, x, y, @upper@_PART);
    for (i = @upper@_PART; i < count; i += @upper@_PART)
        @name@_array_mul_add(sums, &x[i], &y[i], sums, @name@_part(count - i));
    @name@_fold(z, sums, @upper@_PART);
}

#define @upper@_COLUMNS @columns@ /* words of a sum that is not reduced */

/* Eight sums side by side; as many terms as columns take share a reduction. */
static void @name@_sum_in_columns(const @name@_sum_array *vectors, @name@ *z, const @name@ *x,
                                  const @name@ *y, size_t count)
{
    @name@ sums[@upper@_BLOCK], more[@upper@_BLOCK];
    uint64_t columns[@upper@_COLUMNS * @upper@_BLOCK];
    size_t i, j;
    for (j = 0; j < @upper@_BLOCK; j++)
        @name@_zero(&sums[j]);
    for (i = 0; i < count; i += vectors->most) {
        const size_t left = count - i;
        const size_t here = left < vectors->most ? left : vectors->most;
        for (j = 0; j < @upper@_COLUMNS * @upper@_BLOCK; j++)
            columns[j] = 0;
        vectors->accumulate(here, columns, @name@_read(&x[i]), @name@_read(&y[i]));
        vectors->collect(@upper@_BLOCK, @name@_words(more), columns);
        @name@_array_add(sums, sums, more, @upper@_BLOCK);
    }
    @name@_fold(z, sums, @upper@_BLOCK);
}

/* One by one, two products share a reduction. */
void @name@_sum_of_products(@name@ *z, const @name@ *x, const @name@ *y, size_t count)
{
    const @name@_sum_array *const in_columns = &@name@_run()->arrays->sum;
    @name@ sum = {{0}}, term;
    size_t i;
    if (in_columns->most != 0 && count >= @upper@_PART) {
        @name@_sum_in_columns(in_columns, z, x, y, count);
        return;
    }
    if (@name@_run()->arrays->mul_add.least != 0 && count >= 2 * @upper@_PART) {
        @name@_sum_in_vectors(z, x, y, count);
        return;
    }
    for (i = 0; i + 1 < count; i += 2) {
        @name@_run()->sum_of_products(term.limbs, @name@_read(&x[i]), @name@_read(&y[i]));
        @name@_add(&sum, &sum, &term);
    }
    if (i < count) {
        @name@_mul(&term, &x[i], &y[i]);
        @name@_add(&sum, &sum, &term);
    }
    *z = sum;
}

