
/* ---- Arrays in digits ---- */

/* Words of a block of values, in digits and in limbs. */
#define @upper@_BLOCK_WORDS (@upper@_BLOCK * @digit_words@)
#define @upper@_ROOM (1920 / @upper@_BLOCK_WORDS) /* blocks of an array of our own, of 15 kB */

typedef struct {
    uint64_t words[@upper@_ROOM * @upper@_BLOCK_WORDS];
} @name@_digits_room;

typedef void @name@_digits_each(@name@ *z, const @name@ *x, const @name@ *y, size_t count);

static size_t @name@_digits_blocks(size_t count)
{
    return count / @upper@_BLOCK + (count % @upper@_BLOCK != 0);
}

static size_t @name@_digits_least_of(size_t x, size_t y)
{
    return x < y ? x : y;
}

size_t @name@_digits_words(size_t count)
{
    const size_t blocks = @name@_digits_blocks(count);
    return blocks > (size_t)-1 / 8 / @upper@_BLOCK_WORDS ? 0 : blocks * @upper@_BLOCK_WORDS;
}

/* Where value i is, the first one of a block. */
static uint64_t *@name@_digits_place(const @name@_digits *x, size_t i)
{
    return &x->words[i / @upper@_BLOCK * @upper@_BLOCK_WORDS];
}

/* How many values in limbs lie side by side: a block, or all where digits take no more room. */
static size_t @name@_digits_side_by_side(size_t count)
{
    return @digit_words@ == @limbs@ ? count : @upper@_BLOCK;
}

/* The values from i on, as many as lie side by side; those in digits are copied to `room`. */
static const @name@ *@name@_digits_as_limbs(const @name@_digits *x, size_t i, @name@ *room)
{
    if (x->run == NULL)
        return (const @name@ *)(const void *)@name@_digits_place(x, i);
    x->run->leave(@upper@_BLOCK, @name@_words(room), @name@_digits_place(x, i));
    return room;
}

static @name@ *@name@_digits_in_limbs(const @name@_digits *z, size_t i)
{
    return (@name@ *)(void *)@name@_digits_place(z, i);
}

/* Values to digits; what the last block has more is 0. */
static void @name@_digits_enter(const @name@_digits *z, const @name@ *x)
{
    const size_t step = @name@_digits_side_by_side(z->count);
    size_t i, j;
    if (z->run != NULL) {
        z->run->enter(z->count, z->words, @name@_read(x));
        return;
    }
    for (i = 0; i < z->count; i += step)
        for (j = 0; j < @name@_digits_least_of(step, z->count - i); j++)
            @name@_digits_in_limbs(z, i)[j] = x[i + j];
}

/* Copies of a value in all of an array's places. */
static void @name@_digits_fill(const @name@_digits *z, const @name@ *x)
{
    @name@ copies[@upper@_BLOCK];
    size_t i;
    for (i = 0; i < @upper@_BLOCK; i++)
        copies[i] = *x;
    for (i = 0; i < z->count; i += @upper@_BLOCK) {
        @name@_digits block;
        block.count = @name@_digits_least_of(@upper@_BLOCK, z->count - i);
        block.words = @name@_digits_place(z, i);
        block.run = z->run;
        @name@_digits_enter(&block, copies);
    }
}

/* An array of our own. */
static @name@_digits @name@_digits_in_room(@name@_digits_room *room, const @name@_digits *like, size_t count)
{
    @name@_digits z;
    z.count = @name@_digits_least_of(@upper@_ROOM * @upper@_BLOCK, count);
    z.words = room->words;
    z.run = like->run;
    return z;
}

int @name@_digits_zero(@name@_digits *z, uint64_t *memory, size_t length, size_t count)
{
    const size_t words = @name@_digits_words(count);
    size_t i;
    if (z == NULL || (memory == NULL && count != 0))
        return FIELDC_NULL_POINTER;
    if (length < words || (words == 0 && count != 0))
        return FIELDC_WRONG_LENGTH;
    z->count = count;
    z->words = memory;
    z->run = count < @upper@_BLOCK ? NULL : @name@_run()->arrays->digits;
    for (i = 0; i < words; i++)
        memory[i] = 0;
    return FIELDC_OK;
}

int @name@_digits_from(@name@_digits *z, uint64_t *memory, size_t length, const @name@ *x,
                       size_t count)
{
    int status;
    if (x == NULL && count != 0)
        return FIELDC_NULL_POINTER;
    status = @name@_digits_zero(z, memory, length, count);
    if (status == FIELDC_OK && count != 0)
        @name@_digits_enter(z, x);
    return status;
}

int @name@_digits_read(@name@ *z, size_t count, const @name@_digits *x)
{
    size_t i, j, step;
    if (x == NULL || (z == NULL && count != 0))
        return FIELDC_NULL_POINTER;
    if (x->count != count)
        return FIELDC_WRONG_LENGTH;
    step = @name@_digits_side_by_side(count);
    if (x->run != NULL)
        x->run->leave(count, @name@_words(z), x->words);
    else
        for (i = 0; i < count; i += step)
            for (j = 0; j < @name@_digits_least_of(step, count - i); j++)
                z[i + j] = @name@_digits_in_limbs(x, i)[j];
    return FIELDC_OK;
}

/* Whether arrays are there and of one length. */
static int @name@_digits_alike(const @name@_digits *z, const @name@_digits *x, const @name@_digits *y)
{
    if (z == NULL || x == NULL || y == NULL)
        return FIELDC_NULL_POINTER;
    return z->count == x->count && x->count == y->count ? FIELDC_OK : FIELDC_WRONG_LENGTH;
}

static void @name@_digits_copy_words(uint64_t *z, const uint64_t *x, size_t words)
{
    size_t i;
    for (i = 0; z != x && i < words; i++)
        z[i] = x[i];
}

int @name@_digits_copy(@name@_digits *z, const @name@_digits *x)
{
    const int status = @name@_digits_alike(z, x, x);
    if (status != FIELDC_OK)
        return status;
    z->run = x->run;
    @name@_digits_copy_words(z->words, x->words, @name@_digits_words(x->count));
    return FIELDC_OK;
}

/* z = an operation on x and y: a kernel where both are in digits, else a function on arrays. */
static int @name@_digits_run(@name@_binary_vectors *kernel, @name@_digits_each *each, @name@_digits *z,
                            const @name@_digits *x, const @name@_digits *y)
{
    const int status = @name@_digits_alike(z, x, y);
    if (status != FIELDC_OK)
        return status;
    if (kernel != NULL) {
        z->run = x->run;
        kernel(z->count, z->words, x->words, y->words);
    } else {
        const @name@_digits a = *x, b = *y; /* z may be one of them */
        const size_t step = @name@_digits_side_by_side(a.count);
        @name@ of_x[@upper@_BLOCK], of_y[@upper@_BLOCK];
        size_t i;
        z->run = NULL;
        for (i = 0; i < a.count; i += step)
            each(@name@_digits_in_limbs(z, i), @name@_digits_as_limbs(&a, i, of_x),
                 @name@_digits_as_limbs(&b, i, of_y), @name@_digits_least_of(step, a.count - i));
    }
    return FIELDC_OK;
}

/* What computes with both in digits, or null. */
static const @name@_digits_kernels *@name@_digits_both(const @name@_digits *x,
                                                      const @name@_digits *y)
{
    return x == NULL || y == NULL || y->run == NULL ? NULL : x->run;
}

int @name@_digits_add(@name@_digits *z, const @name@_digits *x, const @name@_digits *y)
{
    const @name@_digits_kernels *const run = @name@_digits_both(x, y);
    return @name@_digits_run(run == NULL ? NULL : run->add, @name@_array_add, z, x, y);
}

int @name@_digits_sub(@name@_digits *z, const @name@_digits *x, const @name@_digits *y)
{
    const @name@_digits_kernels *const run = @name@_digits_both(x, y);
    return @name@_digits_run(run == NULL ? NULL : run->sub, @name@_array_sub, z, x, y);
}

int @name@_digits_mul(@name@_digits *z, const @name@_digits *x, const @name@_digits *y)
{
    const @name@_digits_kernels *const run = @name@_digits_both(x, y);
    return @name@_digits_run(run == NULL ? NULL : run->mul, @name@_array_mul, z, x, y);
}

int @name@_digits_double(@name@_digits *z, const @name@_digits *x)
{
    return @name@_digits_add(z, x, x);
}

static void @name@_digits_square_each(@name@ *z, const @name@ *x, const @name@ *y, size_t count)
{
    (void)y;
    @name@_array_square(z, x, count);
}

int @name@_digits_square(@name@_digits *z, const @name@_digits *x)
{
    if (z == NULL || @name@_digits_both(x, x) == NULL || z->count != x->count)
        return @name@_digits_run(NULL, @name@_digits_square_each, z, x, x);
    z->run = x->run;
    z->run->square(z->count, z->words, x->words);
    return FIELDC_OK;
}

/* Some values of an array, from value i on. */
static @name@_digits @name@_digits_some(const @name@_digits *x, size_t i, size_t count)
{
    @name@_digits part = *x;
    part.count = count;
    part.words = @name@_digits_place(x, i);
    return part;
}

/* Operations of several steps take as many values at a time as fit a room of our own. Steps on such
 * parts cannot fail. */

#define @upper@_AT_ONCE (@upper@_ROOM * @upper@_BLOCK)

static void @name@_digits_neg_each(@name@ *z, const @name@ *x, const @name@ *y, size_t count)
{
    (void)y;
    @name@_array_neg(z, x, count);
}

/* 0 - x, where that is in digits. */
int @name@_digits_neg(@name@_digits *z, const @name@_digits *x)
{
    @name@_digits_room room = {{0}};
    size_t i;
    if (z == NULL || @name@_digits_both(x, x) == NULL || z->count != x->count)
        return @name@_digits_run(NULL, @name@_digits_neg_each, z, x, x);
    z->run = x->run;
    for (i = 0; i < x->count; i += @upper@_AT_ONCE)
        z->run->sub(@name@_digits_least_of(@upper@_AT_ONCE, x->count - i), @name@_digits_place(z, i), room.words,
                    @name@_digits_place(x, i));
    return FIELDC_OK;
}

int @name@_digits_mul_add(@name@_digits *z, const @name@_digits *x, const @name@_digits *y,
                          const @name@_digits *a)
{
    int status = @name@_digits_alike(x, y, a);
    @name@_digits_room room;
    @name@_digits part;
    size_t i;
    if (status == FIELDC_OK)
        status = @name@_digits_alike(z, x, x);
    if (status != FIELDC_OK || z->count == 0)
        return status;
    if (a->run != NULL && @name@_digits_both(x, y) != NULL) {
        z->run = x->run;
        z->run->mul_add(z->count, z->words, x->words, y->words, a->words);
        return FIELDC_OK;
    }
    for (i = 0; i < x->count; i += @upper@_AT_ONCE) {
        @name@_digits product = @name@_digits_in_room(&room, x, x->count - i);
        const @name@_digits of_x = @name@_digits_some(x, i, product.count);
        const @name@_digits of_y = @name@_digits_some(y, i, product.count);
        const @name@_digits of_a = @name@_digits_some(a, i, product.count);
        part = @name@_digits_some(z, i, product.count);
        (void)@name@_digits_mul(&product, &of_x, &of_y);
        (void)@name@_digits_add(&part, &product, &of_a);
    }
    z->run = part.run;
    return FIELDC_OK;
}

int @name@_digits_scale(@name@_digits *z, const @name@_digits *x, const @name@ *y)
{
    const int status = y == NULL ? FIELDC_NULL_POINTER : @name@_digits_alike(z, x, x);
    @name@_digits_room room;
    @name@_digits copies;
    size_t i;
    if (status != FIELDC_OK)
        return status;
    copies = @name@_digits_in_room(&room, x, x->count);
    @name@_digits_fill(&copies, y);
    for (i = 0; i < x->count; i += @upper@_AT_ONCE) {
        const size_t count = @name@_digits_least_of(@upper@_AT_ONCE, x->count - i);
        const @name@_digits of_x = @name@_digits_some(x, i, count), of_y = @name@_digits_some(&copies, 0, count);
        @name@_digits part = @name@_digits_some(z, i, count);
        (void)@name@_digits_mul(&part, &of_x, &of_y);
    }
    z->run = x->run;
    return FIELDC_OK;
}

int @name@_digits_butterfly(@name@_digits *x, @name@_digits *y, const @name@_digits *w)
{
    const int status = @name@_digits_alike(x, y, w);
    @name@_digits_room room;
    @name@_digits sum, difference;
    size_t i;
    if (status != FIELDC_OK || x->count == 0)
        return status;
    for (i = 0; i < w->count; i += @upper@_AT_ONCE) {
        @name@_digits product = @name@_digits_in_room(&room, w, w->count - i);
        const @name@_digits of_w = @name@_digits_some(w, i, product.count);
        sum = @name@_digits_some(x, i, product.count);
        difference = @name@_digits_some(y, i, product.count);
        (void)@name@_digits_mul(&product, &difference, &of_w);
        (void)@name@_digits_sub(&difference, &sum, &product);
        (void)@name@_digits_add(&sum, &sum, &product);
    }
    x->run = sum.run;
    y->run = difference.run;
    return FIELDC_OK;
}

int @name@_digits_pow(@name@_digits *z, const @name@_digits *x, const uint64_t *exponent,
                      size_t words)
{
    const int status =
        exponent == NULL && words != 0 ? FIELDC_NULL_POINTER : @name@_digits_alike(z, x, x);
    @name@_digits_room room;
    size_t i, bit, bits = 64 * words;
    if (status != FIELDC_OK)
        return status;
    while (bits != 0 && (exponent[(bits - 1) / 64] >> (bits - 1) % 64 & 1) == 0)
        bits--;
    (void)@name@_digits_copy(z, x);
    if (bits == 0)
        @name@_digits_fill(z, &@name@_unit);
    for (i = 0; bits > 1 && i < z->count; i += @upper@_AT_ONCE) {
        @name@_digits base = @name@_digits_in_room(&room, z, z->count - i);
        @name@_digits part = @name@_digits_some(z, i, base.count);
        (void)@name@_digits_copy(&base, &part);
        for (bit = bits - 1; bit-- > 0;) {
            (void)@name@_digits_square(&part, &part);
            if ((exponent[bit / 64] >> bit % 64 & 1) != 0)
                (void)@name@_digits_mul(&part, &part, &base);
        }
    }
    return FIELDC_OK;
}
