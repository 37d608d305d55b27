#if @upper@_UPDATES
#ifdef __cplusplus
extern "C" {
#endif
/* f and g after a batch, at z and at z + @limbs_fg@; @limbs@ limbs of each count. A number y stands as
 * y + R/2, and an entry u of the matrix as 2^63 - 16*u. */
extern void @name@_divstep_fg_adx(uint64_t z[2 * @limbs_fg@], const uint64_t f[@limbs@],
                                  const uint64_t g[@limbs@], const uint64_t m[4]);
/* d and e after a batch, below 2p, divided by 2^64 modulo p; an entry u stands as u + 2^59. */
extern void @name@_divstep_de_lazy_adx(uint64_t z[2 * @limbs@], const uint64_t x[2 * @limbs@],
                                       const uint64_t m[4]);
#ifdef __cplusplus
}
#endif

#define @upper@_HALF ((uint64_t)1 << 63)   /* the top limb of R/2 */
#define @upper@_RAISED ((uint64_t)1 << 59) /* what is added to an entry for d and e */

/* An inversion after some batches: f, g, d and e, which the last matrix has not reached. */
typedef struct {
    uint64_t fg[2 * @limbs_fg@], de[2 * @limbs@], for_fg[4], for_de[4];
    int64_t matrix[5]; /* zeta first */
} @name@_state;

/* A batch on the lowest limbs of f and g. */
static void @name@_do_batch(@name@_state *s, @name@_batch *batch, const int64_t *zeta,
                            const uint64_t *f, const uint64_t *g)
{
    int i;
    batch(s->matrix, zeta, f, g);
    for (i = 0; i < 4; i++) {
        const uint64_t entry = (uint64_t)s->matrix[i + 1];
        s->for_fg[i] = @upper@_HALF - (entry << 4);
        s->for_de[i] = @upper@_RAISED + entry;
    }
}

/* Bring the last matrix to all four, and do the next batch, which waits for f and g alone. */
static void @name@_step(@name@_state *next, const @name@_state *s, @name@_batch *batch)
{
    @name@_divstep_fg_adx(next->fg, s->fg, &s->fg[@limbs_fg@], s->for_fg);
    @name@_do_batch(next, batch, s->matrix, next->fg, &next->fg[@limbs_fg@]);
    @name@_divstep_de_lazy_adx(next->de, s->de, s->for_de);
}

/* z = d after the last matrix, or -d where f is -1 then, below p. For x = 0, d is 0 modulo p.
 *
 * f is 1 or -1, so u*f + v*g is 2^59 or -2^59, and its lowest limb has the sign. */
static void @name@_last_step(uint64_t z[@limbs@], @name@_state *s)
{
    uint64_t d[2 * @limbs@], mask, keep, borrow = 0;
    int i;
    mask = (uint64_t)s->matrix[1] * s->fg[0] + (uint64_t)s->matrix[2] * s->fg[@limbs_fg@];
    mask = mask64(mask >> 63);
    for (i = 0; i < 2; i++)
        s->for_de[i] = select64(mask, 2 * @upper@_RAISED - s->for_de[i], s->for_de[i]);
    @name@_divstep_de_lazy_adx(d, s->de, s->for_de);
    keep = @name@_below_p(d);
    for (i = 0; i < @limbs@; i++)
        z[i] = sbb64(&borrow, d[i], @name@_p[i] & ~keep, borrow);
}

/* z = 1/x, or 0 for x = 0. The first e is @scale@, and 2^5 for each batch: 64 bits less 59. */
static void @name@_invert_by_updates(uint64_t z[@limbs@], const uint64_t x[@limbs@],
                                     @name@_batch *batch)
{
    static const uint64_t scale[@limbs@] = {@scale_words@};
    static const int64_t zeta = -1;
    @name@_state states[2];
    int i;
    for (i = 0; i < @limbs@; i++) {
        states[0].fg[i] = @name@_p[i];
        states[0].fg[@limbs_fg@ + i] = x[i];
        states[0].de[i] = 0;
        states[0].de[@limbs@ + i] = scale[i];
    }
    states[0].fg[@limbs@ - 1] ^= @upper@_HALF;
    states[0].fg[@limbs_fg@ + @limbs@ - 1] ^= @upper@_HALF;
    @name@_do_batch(&states[0], batch, &zeta, @name@_p, x);
    for (i = 1; i < @batches_of_kernel@; i++)
        @name@_step(&states[i & 1], &states[~i & 1], batch);
    @name@_last_step(z, &states[~i & 1]);
}
#endif

