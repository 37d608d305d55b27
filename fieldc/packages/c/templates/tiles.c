/* ---- Transforms in digits ---- */

#define @upper@_TILE_DIGITS @digits@ /* words of an element in digits */
#define @upper@_TILE_ROOT (@upper@_TILE_DIGITS * @upper@_TILE_DIGITS) /* words of a root in rows */
#define @upper@_TILE @tile@ /* elements that are in digits together, in the first cache */
#define @upper@_TILE_LEVELS @tile_levels@ /* the most levels that they take: rows are whole blocks */
#define @upper@_TILE_CHAINS 4 /* powers of roots that are computed side by side */
#define @upper@_TILE_LINKS 16 /* rows of a chain: fewer do not pay for its first power */
#define @upper@_TILE_LEAST 128 /* the shortest transform: rows of its tiles are whole blocks */
#define @upper@_TILE_ENTERED 2 /* what values multiplied by roots are below, in p */

/* The roots of some levels, in rows: those of level l from place 2^l on, as in a heap. Those at
 * powers of two below `ones` are 1, and their values are small enough for sums. */
typedef struct {
    uint64_t rows[@upper@_TILE_ROOT << @upper@_TILE_LEVELS];
    size_t ones;
} @name@_tile_roots;

/* Where values of a tile come from: rows of `width` values, `stride` apart. Their numbers may have
 * bits in the other order. */
typedef struct {
    size_t width, stride;
    int levels, are_reversed;
} @name@_tile_rows;

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

/* Values of a row of a tile, which is part of so many. */
static size_t @name@_tile_width(int levels, size_t length)
{
    const size_t most = (size_t)@upper@_TILE >> levels;
    return most < length ? most : length;
}

/* The rows of some roots. */
static void @name@_put_in_rows(const @name@_transform_array *run, uint64_t *z, const @name@ *roots,
                               size_t count)
{
    uint64_t space[2 * @upper@_BLOCK * @upper@_TILE_DIGITS + 7];
    uint64_t *last = @upper@_ALIGNED(space), *before = &last[@upper@_BLOCK * @upper@_TILE_DIGITS];
    size_t row = @upper@_TILE_DIGITS, i, j;
    run->root(@upper@_BLOCK, last, @name@_read(roots));
    while (row-- > 0) {
        uint64_t *const done = last;
        for (i = 0; i < count; i++)
            for (j = 0; j < @upper@_TILE_DIGITS; j++)
                z[i * @upper@_TILE_ROOT + row * @upper@_TILE_DIGITS + j] =
                    last[j * @upper@_BLOCK + i];
        if (row > 0)
            run->next_row(@upper@_BLOCK, before, last);
        last = before;
        before = done;
    }
}

/* The roots of some levels of the block whose first one has a power of that of level 0, for values
 * that enter below so many p. Sums of level l are of values 2^l times as large. */
static void @name@_find_roots(const @name@_transform_array *run, @name@_tile_roots *z,
                              const @name@ *roots, size_t blocks, size_t power, int levels,
                              size_t below)
{
    @name@ some[@upper@_BLOCK];
    size_t node = 0, here = 1, i;
    int level = 0;
    for (z->ones = 1; power == 0 && z->ones * below <= @upper@_TILE_DIGITS + 1;)
        z->ones *= 2;
    while (node < (size_t)1 << levels) {
        const size_t first = node;
        for (i = 0; i < @upper@_BLOCK; i++, node++) {
            size_t place = blocks; /* what stands for node 0, which there is not */
            for (; here * 2 <= node; here *= 2)
                level++;
            if (node > 0)
                place = (here + @name@_reversed(node - here, level)) * blocks + power;
            some[i] = roots[node < (size_t)1 << levels ? place : blocks];
        }
        i = (size_t)1 << levels;
        i = i - first < @upper@_BLOCK ? i - first : @upper@_BLOCK;
        @name@_put_in_rows(run, &z->rows[first * @upper@_TILE_ROOT], some, i);
    }
}

/* Which row a row of a tile is. */
static size_t @name@_tile_place(const @name@_tile_rows *rows, size_t i)
{
    return rows->are_reversed ? @name@_reversed(i, rows->levels) : i;
}

/* Values to digits, by one kernel. */
static void @name@_enter_tile(@name@_unary_vectors *enter, uint64_t *tile, const @name@ *x,
                              const @name@_tile_rows *rows)
{
    size_t i;
    for (i = 0; i < (size_t)1 << rows->levels; i++)
        enter(rows->width, &tile[i * rows->width * @upper@_TILE_DIGITS],
                   @name@_read(&x[@name@_tile_place(rows, i) * rows->stride]));
}

static void @name@_leave_tile(const @name@_transform_array *run, @name@ *x, const uint64_t *tile,
                              const @name@_tile_rows *rows)
{
    size_t i;
    for (i = 0; i < (size_t)1 << rows->levels; i++)
        run->leave(rows->width, @name@_words(&x[@name@_tile_place(rows, i) * rows->stride]),
                   &tile[i * rows->width * @upper@_TILE_DIGITS]);
}

/* Powers of the root of order `count` to digits, by one kernel: of a row, for eight columns. */
static void @name@_find_powers(@name@_unary_vectors *enter, uint64_t *z, const @name@ *roots,
                               size_t count, size_t row, size_t column)
{
    @name@ some[@upper@_BLOCK];
    size_t power = row * column, k;
    for (k = 0; k < @upper@_BLOCK; k++, power += row) {
        if (power < count / 2)
            some[k] = roots[count / 2 + power];
        else
            @name@_neg(&some[k], &roots[power]);
    }
    enter(@upper@_BLOCK, z, @name@_read(some));
}

/* For eight columns: the power of a row, and the root in rows that leads to a later row's. */
typedef struct {
    uint64_t *power, *rows;
} @name@_tile_powers;

/* Of `some` blocks of columns, the powers of the first rows, one for each of `turns` chains, and
 * the roots for as many rows later. Rows are `step` apart. Kernels that do not wait for one another
 * come one after the other. */
static void @name@_start_powers(const @name@_transform_array *run, const @name@_tile_powers *z,
                                size_t some, size_t turns, const @name@ *roots, size_t count,
                                size_t row, size_t step, size_t column)
{
    const size_t words = @upper@_BLOCK * @upper@_TILE_DIGITS, last = @upper@_TILE_DIGITS - 1;
    size_t i, digit;
    for (i = 0; i < some * turns; i++)
        @name@_find_powers(run->root, z[i].power, roots, count, row + i / some * step,
                           column + i % some * @upper@_BLOCK);
    for (i = 0; i < some; i++)
        @name@_find_powers(run->root, &z[i].rows[last * words], roots, count, turns * step,
                           column + i * @upper@_BLOCK);
    for (digit = last; digit > 0; digit--)
        for (i = 0; i < some; i++)
            run->next_row(@upper@_BLOCK, &z[i].rows[(digit - 1) * words],
                          &z[i].rows[digit * words]);
}

/* Values to digits, each multiplied by a power from the table: see below. */
static void @name@_enter_tile_by_table(const @name@_transform_array *run, uint64_t *tile,
                                       const @name@ *x, const @name@_tile_rows *rows,
                                       const @name@ *roots, size_t count, size_t row, size_t step,
                                       size_t column)
{
    uint64_t space[@upper@_BLOCK * @upper@_TILE_DIGITS + 7], *const power = @upper@_ALIGNED(space);
    size_t i, j;
    @name@_enter_tile(run->move_up, tile, x, rows);
    for (i = 0; i < (size_t)1 << rows->levels; i++, row += step)
        for (j = 0; j < rows->width; j += @upper@_BLOCK) {
            uint64_t *const z = &tile[(i * rows->width + j) * @upper@_TILE_DIGITS];
            @name@_find_powers(run->enter, power, roots, count, row, column + j);
            run->times(@upper@_BLOCK, z, power, z);
        }
}

/* Values to digits, each multiplied by a power of the root of order `count`: its column times its
 * row. Rows of the tile are `step` apart, from `row` on. A power is the one some rows before times
 * a root in rows. */
static void @name@_enter_tile_by(const @name@_transform_array *run, uint64_t *tile, const @name@ *x,
                                 const @name@_tile_rows *rows, const @name@ *roots, size_t count,
                                 size_t row, size_t step, size_t column)
{
    const size_t words = @upper@_BLOCK * @upper@_TILE_DIGITS;
    const size_t size = words * (@upper@_TILE_DIGITS + 1), blocks = rows->width / @upper@_BLOCK;
    const size_t some = blocks < @upper@_TILE_CHAINS ? blocks : @upper@_TILE_CHAINS;
    uint64_t space[@upper@_BLOCK * @upper@_TILE_DIGITS * (@upper@_TILE_DIGITS + 1) *
                       @upper@_TILE_CHAINS +
                   7];
    @name@_tile_powers chains[@upper@_TILE_CHAINS];
    size_t turns = @upper@_TILE_CHAINS / some, i, j, k;
    while (turns > 1 && turns * @upper@_TILE_LINKS > (size_t)1 << rows->levels)
        turns /= 2;
    for (k = 0; k < @upper@_TILE_CHAINS; k++) {
        chains[k].power = &@upper@_ALIGNED(space)[k * size];
        chains[k].rows = &chains[k].power[words];
    }
    @name@_enter_tile(run->enter, tile, x, rows);
    for (j = 0; j < blocks; j += some) {
        @name@_start_powers(run, chains, some, turns, roots, count, row, step,
                            column + j * @upper@_BLOCK);
        for (i = 0; i < (size_t)1 << rows->levels; i++)
            for (k = 0; k < some; k++) {
                uint64_t *const z = &tile[(i * blocks + j + k) * words];
                uint64_t *const power = chains[i % turns * some + k].power;
                run->times(@upper@_BLOCK, z, z, power);
                run->next_power(@upper@_BLOCK, power, power, chains[k].rows);
            }
    }
}

/* Joins two halves of values by a root. What the next level adds to is the first half of each: its
 * carries wait, unless there is no such level. */
static void @name@_join_halves(const @name@_transform_array *run, uint64_t *low, uint64_t *high,
                               size_t half, const uint64_t *root, int is_last)
{
    const size_t added = is_last ? 0 : half / 2, place = added * @upper@_TILE_DIGITS;
    if (added > 0)
        run->step_loose(added, low, high, low, high, root);
    run->step_by(half - added, &low[place], &high[place], &low[place], &high[place], root);
}

/* Each level joins the halves of its blocks of rows by one root for all of their values. */
static void @name@_compute_tile(const @name@_transform_array *run, uint64_t *tile,
                                const @name@_tile_roots *roots, size_t width, int levels)
{
    int level;
    size_t i;
    for (level = 0; level < levels; level++) {
        const size_t here = (size_t)1 << level, half = (width << levels) >> (level + 1);
        for (i = 0; i < here; i++) {
            uint64_t *const low = &tile[2 * i * half * @upper@_TILE_DIGITS];
            uint64_t *const high = &low[half * @upper@_TILE_DIGITS];
            if (i == 0 && here < roots->ones)
                run->step_one(half, low, high, low, high);
            else
                @name@_join_halves(run, low, high, half,
                                   &roots->rows[(here + i) * @upper@_TILE_ROOT],
                                   level + 1 == levels);
        }
    }
}

/* Some levels of the transforms of columns, which join the halves of blocks of rows. */
static void @name@_far_levels_in_tiles(const @name@_transform_array *run, @name@ *x,
                                       const @name@ *roots, size_t blocks, size_t size, int levels)
{
    uint64_t space[@upper@_TILE * @upper@_TILE_DIGITS + 7];
    uint64_t *const tile = @upper@_ALIGNED(space);
    @name@_tile_roots in_rows;
    @name@_tile_rows rows = {0, 0, 0, 0};
    size_t block, i, power = 0;
    rows.levels = levels;
    rows.stride = size >> levels;
    rows.width = @name@_tile_width(levels, rows.stride);
    for (block = 0; block < blocks; block++) {
        @name@ *const first = &x[size * block];
        @name@_find_roots(run, &in_rows, roots, blocks, power, levels, 1);
        for (i = 0; i < rows.stride; i += rows.width) {
            @name@_enter_tile(run->enter, tile, &first[i], &rows);
            @name@_compute_tile(run, tile, &in_rows, rows.width, levels);
            @name@_leave_tile(run, &first[i], tile, &rows);
        }
        power = @name@_next_reversed(power, blocks);
    }
}

/* The same of the other transforms: 2^height rows, in the order of reversed bits. */
static void @name@_near_levels_in_tiles(const @name@_transform_array *run, @name@ *x,
                                        const @name@ *roots, size_t count, int height,
                                        size_t blocks, int levels)
{
    uint64_t space[@upper@_TILE * @upper@_TILE_DIGITS + 7];
    uint64_t *const tile = @upper@_ALIGNED(space);
    const size_t length = count >> height, all = (size_t)1 << height, below = blocks << levels;
    @name@_tile_roots in_rows;
    @name@_tile_rows rows = {0, 0, 0, 1};
    size_t power, row, i;
    rows.levels = levels;
    rows.stride = blocks * length;
    rows.width = @name@_tile_width(levels, length);
    for (power = 0; power < blocks; power++) {
        @name@_find_roots(run, &in_rows, roots, blocks, power, levels,
                          blocks == 1 ? @upper@_TILE_ENTERED : 1);
        for (row = 0; row < all; row += below)
            for (i = 0; i < length; i += rows.width) {
                @name@ *const first = &x[(row + power) * length + i];
                if (blocks == 1 && run->next_power == NULL)
                    @name@_enter_tile_by_table(run, tile, first, &rows, roots, count,
                                               @name@_reversed(row, height), all >> levels, i);
                else if (blocks == 1)
                    @name@_enter_tile_by(run, tile, first, &rows, roots, count,
                                         @name@_reversed(row, height), all >> levels, i);
                else
                    @name@_enter_tile(run->enter, tile, first, &rows);
                @name@_compute_tile(run, tile, &in_rows, rows.width, levels);
                @name@_leave_tile(run, first, tile, &rows);
            }
    }
}

/* The same transform as below in four steps (Bailey, 1990): those of the columns of a square, a
 * product with a root for each value, rows and columns exchanged, the other ones. So all values of
 * a row have one root in each level. They stay in digits, not reduced, for several levels. */
static void @name@_ntt_in_tiles(const @name@_transform_array *run, @name@ *x, const @name@ *roots,
                                size_t count, int levels)
{
    size_t blocks = 1;
    int left, here;
    for (left = (levels + 1) / 2; left > 0; left -= here) {
        here = @name@_together(left);
        @name@_far_levels_in_tiles(run, x, roots, blocks, count / blocks, here);
        blocks <<= here;
    }
    @name@_put_in_order(x, count);
    blocks = 1;
    for (left = levels / 2; left > 0; left -= here) {
        here = @name@_together(left);
        @name@_near_levels_in_tiles(run, x, roots, count, levels / 2, blocks, here);
        blocks <<= here;
    }
}

