/* ---- Transforms in digits ---- */

#define @upper@_TILE_DIGITS @digits@ /* words of an element in digits */
#define @upper@_TILE @tile@ /* elements that are in digits together, in the first cache */
#define @upper@_TILE_LEVELS 4 /* the most levels that they take */
#define @upper@_TILE_LEAST 128 /* the shortest transform: rows of its tiles are whole blocks */

/* Where the first line of the cache begins in space for 7 words more. */
static uint64_t *@name@_aligned(uint64_t *space)
{
    return space + (-((uintptr_t)space >> 3) & 7);
}

/* i, of so many bits, read from the other end. */
static size_t @name@_reversed(size_t i, int bits)
{
    size_t z = 0;
    for (; bits > 0; bits--, i >>= 1)
        z = z << 1 | (i & 1);
    return z;
}

/* How many of some levels the next tiles take, so that all take about as many. */
static int @name@_together(int levels)
{
    const int turns = (levels + @upper@_TILE_LEVELS - 1) / @upper@_TILE_LEVELS;
    return (levels + turns - 1) / turns;
}

/* The roots of some far levels of a block, in digits: the 2^l roots of level l from place 2^l on,
 * eight times each. */
static void @name@_block_roots(const @name@_transform_array *run, uint64_t *z, const @name@ *roots,
                               size_t blocks, size_t power, int levels)
{
    @name@ copies[@upper@_BLOCK];
    size_t i, j;
    int level;
    for (level = 0; level < levels; level++) {
        const size_t here = (size_t)1 << level;
        for (i = 0; i < here; i++) {
            const size_t place = @name@_reversed(i, level) * blocks + power;
            for (j = 0; j < @upper@_BLOCK; j++)
                copies[j] = roots[blocks * here + place];
            run->root(@upper@_BLOCK, &z[(here + i) * @upper@_BLOCK * @upper@_TILE_DIGITS],
                      @name@_read(copies));
        }
    }
}

/* Rows of `width` values, `stride` apart, to digits. */
static void @name@_enter_tile(const @name@_transform_array *run, uint64_t *tile, const @name@ *x,
                              size_t rows, size_t width, size_t stride)
{
    size_t i;
    for (i = 0; i < rows; i++)
        run->enter(width, &tile[i * width * @upper@_TILE_DIGITS], @name@_read(&x[i * stride]));
}

static void @name@_leave_tile(const @name@_transform_array *run, @name@ *x, const uint64_t *tile,
                              size_t rows, size_t width, size_t stride)
{
    size_t i;
    for (i = 0; i < rows; i++)
        run->leave(width, @name@_words(&x[i * stride]), &tile[i * width * @upper@_TILE_DIGITS]);
}

/* Far levels: each joins the halves of its blocks of rows by one root for all of their values. */
static void @name@_far_tile(const @name@_transform_array *run, uint64_t *tile,
                            const uint64_t *roots, size_t width, int levels)
{
    int level;
    size_t i;
    for (level = 0; level < levels; level++) {
        const size_t here = (size_t)1 << level, half = (width << levels) >> (level + 1);
        for (i = 0; i < here; i++) {
            uint64_t *const low = &tile[2 * i * half * @upper@_TILE_DIGITS];
            uint64_t *const high = &low[half * @upper@_TILE_DIGITS];
            run->step_by(half, low, high, low, high,
                         &roots[(here + i) * @upper@_BLOCK * @upper@_TILE_DIGITS]);
        }
    }
}

/* Near levels: a root for each place. Those of the first level start at `roots`, `half` of them. */
static void @name@_near_tile(const @name@_transform_array *run, uint64_t *tile, const @name@ *roots,
                             size_t half, size_t width, int levels)
{
    const size_t rows = (size_t)1 << levels;
    size_t here, i;
    for (here = 1; here < rows; here *= 2)
        for (i = 0; i < rows; i++)
            if ((i & here) == 0) {
                uint64_t *const low = &tile[i * width * @upper@_TILE_DIGITS];
                uint64_t *const high = &low[here * width * @upper@_TILE_DIGITS];
                /* those of a level begin at half * here in the table of roots */
                run->step(width, low, high, low, high,
                          @name@_read(&roots[(here - 1 + (i & (here - 1))) * half]));
            }
}

static void @name@_far_levels_in_tiles(const @name@_transform_array *run, @name@ *x,
                                       const @name@ *roots, size_t blocks, size_t half, int levels)
{
    uint64_t space[@upper@_TILE * @upper@_TILE_DIGITS + 7];
    uint64_t more[(@upper@_BLOCK << @upper@_TILE_LEVELS) * @upper@_TILE_DIGITS + 7];
    uint64_t *const tile = @name@_aligned(space), *const in_digits = @name@_aligned(more);
    const size_t rows = (size_t)1 << levels, stride = 2 * half >> levels;
    const size_t width = @upper@_TILE / rows < stride ? @upper@_TILE / rows : stride;
    size_t block, i, power = 0;
    for (block = 0; block < blocks; block++) {
        @name@ *const first = &x[2 * half * block];
        @name@_block_roots(run, in_digits, roots, blocks, power, levels);
        for (i = 0; i < stride; i += width) {
            @name@_enter_tile(run, tile, &first[i], rows, width, stride);
            @name@_far_tile(run, tile, in_digits, width, levels);
            @name@_leave_tile(run, &first[i], tile, rows, width, stride);
        }
        power = @name@_next_reversed(power, blocks);
    }
}

static void @name@_near_levels_in_tiles(const @name@_transform_array *run, @name@ *x,
                                        const @name@ *roots, size_t half, size_t count, int levels)
{
    uint64_t space[@upper@_TILE * @upper@_TILE_DIGITS + 7];
    uint64_t *const tile = @name@_aligned(space);
    const size_t rows = (size_t)1 << levels;
    const size_t width = @upper@_TILE / rows < half ? @upper@_TILE / rows : half;
    size_t i, j;
    for (i = 0; i < count; i += half << levels)
        for (j = 0; j < half; j += width) {
            @name@ *const first = &x[i + j];
            @name@_enter_tile(run, tile, first, rows, width, half);
            @name@_near_tile(run, tile, &roots[half + j], half, width, levels);
            @name@_leave_tile(run, first, tile, rows, width, half);
        }
}

/* The same levels as below, but values stay in digits, and are not reduced, for several of them. */
static void @name@_ntt_in_tiles(const @name@_transform_array *run, @name@ *x, const @name@ *roots,
                                size_t count, int levels)
{
    size_t blocks = 1;
    int left, here;
    for (left = (levels + 1) / 2; left > 0; left -= here) {
        here = @name@_together(left);
        @name@_far_levels_in_tiles(run, x, roots, blocks, count / 2 / blocks, here);
        blocks <<= here;
    }
    @name@_put_in_order(x, count);
    for (left = levels / 2; left > 0; left -= here) {
        here = @name@_together(left);
        @name@_near_levels_in_tiles(run, x, roots, blocks, count, here);
        blocks <<= here;
    }
}

