/* ---- Inversion by divsteps ---- */

/* D. J. Bernstein and B.-Y. Yang, "Fast constant-time gcd computation and modular inversion", 2019
 * (eprint 2019/266), sections 8 to 11; it starts at delta = 1/2 as in P. Wuille, "Bounds on divsteps
 * iterations in safegcd", 2021. A divstep maps (delta, f, g), f odd, to (1 - delta, g, (g - f)/2) if
 * delta > 0 and g is odd, else to (1 + delta, f, (g + (g mod 2)*f)/2). From (1/2, p, x) it reaches
 * g = 0 and f = 1 or -1, or f = p for x = 0. A batch of divsteps is a matrix that depends on the low
 * bits of f and g only. Every loop is as long as the prime says. */

#if defined(__SIZEOF_INT128__) && !defined(FIELDC_NO_INT128)
__extension__ typedef __int128 @name@_wide;
#define @upper@_DIGIT 62
#define @upper@_DIGITS @digits_62@
#define @upper@_BATCHES @batches_62@
#define @upper@_BATCH @batch_62@
#define @upper@_P_INVERSE @p_inverse_62@ /* 1/p modulo 2^62 */
#define @upper@_P_DIGITS @p_digits_62@
#define @upper@_SCALE_DIGITS @scale_digits_62@
#else
typedef int64_t @name@_wide;
#define @upper@_DIGIT 30
#define @upper@_DIGITS @digits_30@
#define @upper@_BATCHES @batches_30@
#define @upper@_BATCH @batch_30@
#define @upper@_P_INVERSE @p_inverse_30@ /* 1/p modulo 2^30 */
#define @upper@_P_DIGITS @p_digits_30@
#define @upper@_SCALE_DIGITS @scale_digits_30@
#endif
#define @upper@_MASK (((int64_t)1 << @upper@_DIGIT) - 1)

/* gcc unrolls a loop over few digits at -O3 only. */
#if @upper@_DIGIT == 62 && defined(__GNUC__) && __GNUC__ >= 8 && !defined(__clang__)
#define @upper@_UNROLLED _Pragma("GCC unroll 16")
#else
#define @upper@_UNROLLED
#endif

/* A signed number, least significant digit first. Each digit is in 0..2^DIGIT except the top one,
 * which has the sign. They hold what is between -2p and 2p. */
typedef struct {
    int64_t of[@upper@_DIGITS];
} @name@_signed;

static const @name@_signed @name@_p_digits = {{@upper@_P_DIGITS}};
/* @scale@. */
static const @name@_signed @name@_scale = {{@upper@_SCALE_DIGITS}};

/* Divsteps as a linear map of (f, g), times 2^DIGIT: |u| + |v| and |q| + |r| are at most that. */
typedef struct {
    int64_t u, v, q, r;
} @name@_matrix;

/* All ones for a negative number, else 0. */
static int64_t @name@_sign(int64_t x)
{
    return (int64_t)mask64((uint64_t)x >> 63);
}

@inverters_c@#if (@upper@_ASSEMBLY || @upper@_AARCH64) && @upper@_DIGIT == 62 && @has_divstep_kernel@
/* A batch of divsteps on the low bits of f and g, by a kernel; zeta is -(delta + 1/2). */
static @name@_matrix @name@_divsteps(int64_t *zeta, int64_t f, int64_t g)
{
    const uint64_t low_f = (uint64_t)f, low_g = (uint64_t)g;
    const int64_t unit = (int64_t)1 << (@upper@_DIGIT - @upper@_BATCH);
    @name@_matrix all;
    int64_t z[5];
#if @upper@_ASSEMBLY
    @name@_inverter_here()->batch(z, zeta, &low_f, &low_g);
#else
    @name@_divstep_matrix(z, zeta, &low_f, &low_g);
#endif
    *zeta = z[0];
    all.u = z[1] * unit;
    all.v = z[2] * unit;
    all.q = z[3] * unit;
    all.r = z[4] * unit;
    return all;
}
#else
/* The low bits of x with a sign. */
static int64_t @name@_low(int64_t x, int bits)
{
    return (int64_t)((uint64_t)x << (64 - bits)) >> (64 - bits);
}

/* A divstep; zeta is -(delta + 1/2). */
#if @upper@_ASSEMBLY && defined(__GNUC__)
/* By conditional moves: each step waits for the one before it, and masks take twice as long. Cores
 * execute two moves or shifts a cycle, so f and zeta have one move each: both change where g is odd
 * and zeta is below 0, which one flag says. The shift that finds the sign of zeta leaves a flag too;
 * on Golden Cove such flags reach a move about a cycle sooner than those of `test`. */
static inline void @name@_divstep(int64_t *f, int64_t *g, int64_t *zeta)
{
    int64_t x = *f, y = *g, sum = -x, below = *zeta, swapped = -2 - *zeta, last = *zeta - 1;
    __asm__("shr {$63, %[below]|%[below], 63}\n\t"
            "cmovz {%[x], %[sum]|%[sum], %[x]}\n\t"
            "add {%[y], %[sum]|%[sum], %[y]}\n\t"
            "test {%k[y], %k[below]|%k[below], %k[y]}\n\t"
            "cmovnz {%[swapped], %[last]|%[last], %[swapped]}\n\t"
            "cmovnz {%[y], %[x]|%[x], %[y]}\n\t"
            "test {$1, %k[y]|%k[y], 1}\n\t"
            "cmovnz {%[sum], %[y]|%[y], %[sum]}"
            : [x] "+&r"(x), [y] "+&r"(y), [sum] "+&r"(sum), [below] "+&r"(below),
              [last] "+&r"(last)
            : [swapped] "r"(swapped)
            : "cc");
    *f = x;
    *g = y >> 1;
    *zeta = last;
}
#else
static void @name@_divstep(int64_t *f, int64_t *g, int64_t *zeta)
{
    const int64_t odd = (int64_t)mask64((uint64_t)*g & 1), swap = @name@_sign(*zeta) & odd;
    const int64_t added = ((*f & odd) ^ swap) - swap;
    *f ^= (*f ^ *g) & swap;
    *g = (*g + added) >> 1;
    *zeta = (*zeta ^ swap) - 1;
}
#endif

/* The matrix of at most 20 divsteps, times 2^steps.
 *
 * One word has f in its low bits and u and v above, another one g, q and r: f + 2^20*u + 2^42*v,
 * with -2^19 <= f < 2^19 and |u| + |v| <= 2^20. They start as (2^steps, 0) and (0, 2^steps), so
 * halving the second one is exact. The determinant is never 0, so |v| + |r| < 2^21 and no sum
 * overflows. */
static @name@_matrix @name@_block(int64_t *zeta, int64_t f, int64_t g, int steps)
{
    @name@_matrix matrix;
    int64_t t = *zeta;
    int i;
    f = @name@_low(f, 20) + ((int64_t)1 << (20 + steps));
    g = @name@_low(g, 20) + ((int64_t)1 << (42 + steps));
    for (i = 0; i < steps; i++)
        @name@_divstep(&f, &g, &t);
    *zeta = t;
    /* Each is rounded by itself, so that none waits for another. */
    matrix.u = @name@_low((f + ((int64_t)1 << 19)) >> 20, 22);
    matrix.v = (f + ((int64_t)1 << 41)) >> 42;
    matrix.q = @name@_low((g + ((int64_t)1 << 19)) >> 20, 22);
    matrix.r = (g + ((int64_t)1 << 41)) >> 42;
    return matrix;
}

/* (a*f + b*g) / 2^steps, of which the low bits count. */
static int64_t @name@_next(int64_t a, int64_t f, int64_t b, int64_t g, int steps)
{
    return (int64_t)((uint64_t)a * (uint64_t)f + (uint64_t)b * (uint64_t)g) >> steps;
}

/* A batch of divsteps on the low bits of f and g, in three blocks. */
static @name@_matrix @name@_divsteps(int64_t *zeta, int64_t f, int64_t g)
{
    static const int parts[3] = {@upper@_BATCH / 3, (@upper@_BATCH + 1) / 3,
                                 (@upper@_BATCH + 2) / 3};
    const int64_t unit = (int64_t)1 << (@upper@_DIGIT - @upper@_BATCH);
    @name@_matrix all = {1, 0, 0, 1};
    int i;
    all.u = all.r = unit;
    for (i = 0; i < 3; i++) {
        const @name@_matrix one = @name@_block(zeta, f, g, parts[i]), before = all;
        const int64_t low = f;
        f = @name@_next(one.u, low, one.v, g, parts[i]);
        g = @name@_next(one.q, low, one.r, g, parts[i]);
        all.u = one.u * before.u + one.v * before.q;
        all.v = one.u * before.v + one.v * before.r;
        all.q = one.q * before.u + one.r * before.q;
        all.r = one.q * before.v + one.r * before.r;
    }
    return all;
}
#endif

/* (f, g) = matrix * (f, g) / 2^DIGIT, which is exact. */
static void @name@_apply(const @name@_matrix *m, @name@_signed *f, @name@_signed *g)
{
    @name@_wide first = 0, second = 0;
    int i;
    @upper@_UNROLLED
    for (i = 0; i < @upper@_DIGITS; i++) {
        first += (@name@_wide)m->u * f->of[i] + (@name@_wide)m->v * g->of[i];
        second += (@name@_wide)m->q * f->of[i] + (@name@_wide)m->r * g->of[i];
        if (i > 0) {
            f->of[i - 1] = (int64_t)first & @upper@_MASK;
            g->of[i - 1] = (int64_t)second & @upper@_MASK;
        }
        first >>= @upper@_DIGIT;
        second >>= @upper@_DIGIT;
    }
    f->of[@upper@_DIGITS - 1] = (int64_t)first;
    g->of[@upper@_DIGITS - 1] = (int64_t)second;
}

/* How often p must be subtracted so that low + multiple*p ends in DIGIT zero bits. */
static int64_t @name@_quotient(@name@_wide low, int64_t multiple)
{
    const uint64_t quotient = @upper@_P_INVERSE * (uint64_t)low + (uint64_t)multiple;
    return (int64_t)quotient & @upper@_MASK;
}

/* (d, e) = matrix * (d, e) / 2^DIGIT modulo p; both stay above -2p and below p.
 *
 * A negative number first gets p, so both are at least -p and below p. Their combination is then at
 * least -2^DIGIT*p and below 2^DIGIT*p. A multiple of p from 0 to (2^DIGIT - 1)*p is subtracted. */
static void @name@_apply_modulo_p(const @name@_matrix *m, @name@_signed *d, @name@_signed *e)
{
    const int64_t d_sign = @name@_sign(d->of[@upper@_DIGITS - 1]);
    const int64_t e_sign = @name@_sign(e->of[@upper@_DIGITS - 1]);
    int64_t first_p = (m->u & d_sign) + (m->v & e_sign);
    int64_t second_p = (m->q & d_sign) + (m->r & e_sign);
    @name@_wide first = 0, second = 0;
    int i;
    @upper@_UNROLLED
    for (i = 0; i < @upper@_DIGITS; i++) {
        const int64_t p = @name@_p_digits.of[i];
        first += (@name@_wide)m->u * d->of[i] + (@name@_wide)m->v * e->of[i];
        second += (@name@_wide)m->q * d->of[i] + (@name@_wide)m->r * e->of[i];
        if (i == 0) {
            first_p -= @name@_quotient(first, first_p);
            second_p -= @name@_quotient(second, second_p);
        }
        first += (@name@_wide)first_p * p;
        second += (@name@_wide)second_p * p;
        if (i > 0) {
            d->of[i - 1] = (int64_t)first & @upper@_MASK;
            e->of[i - 1] = (int64_t)second & @upper@_MASK;
        }
        first >>= @upper@_DIGIT;
        second >>= @upper@_DIGIT;
    }
    d->of[@upper@_DIGITS - 1] = (int64_t)first;
    e->of[@upper@_DIGITS - 1] = (int64_t)second;
}

/* d + p where d is negative, then -d where the mask is ones; every digit but the top one again in
 * its range. */
static void @name@_adjust(@name@_signed *d, int64_t negated)
{
    const int64_t negative = @name@_sign(d->of[@upper@_DIGITS - 1]);
    int i;
    for (i = 0; i < @upper@_DIGITS; i++)
        d->of[i] = ((d->of[i] + (@name@_p_digits.of[i] & negative)) ^ negated) - negated;
    for (i = 0; i < @upper@_DIGITS - 1; i++) {
        d->of[i + 1] += d->of[i] >> @upper@_DIGIT;
        d->of[i] &= @upper@_MASK;
    }
}

static void @name@_to_digits(@name@_signed *z, const uint64_t x[@limbs@])
{
    int i;
    for (i = 0; i < @upper@_DIGITS; i++) {
        const int limb = i * @upper@_DIGIT / 64, shift = i * @upper@_DIGIT % 64;
        uint64_t digit = limb < @limbs@ ? x[limb] >> shift : 0;
        if (shift > 64 - @upper@_DIGIT && limb + 1 < @limbs@)
            digit |= x[limb + 1] << (64 - shift);
        z->of[i] = (int64_t)digit & @upper@_MASK;
    }
}

static void @name@_from_digits(uint64_t z[@limbs@], const @name@_signed *x)
{
    int i;
    for (i = 0; i < @limbs@; i++)
        z[i] = 0;
    for (i = 0; i < @upper@_DIGITS; i++) {
        const int limb = i * @upper@_DIGIT / 64, shift = i * @upper@_DIGIT % 64;
        if (limb < @limbs@)
            z[limb] |= (uint64_t)x->of[i] << shift;
        if (shift > 64 - @upper@_DIGIT && limb + 1 < @limbs@)
            z[limb + 1] |= (uint64_t)x->of[i] >> (64 - shift);
    }
}

/* z = 1/x, or 0 for x = 0. */
static void @name@_invert_by_digits(uint64_t z[@limbs@], const uint64_t x[@limbs@])
{
    @name@_signed f = @name@_p_digits, g, d = {{0}}, e = @name@_scale;
    int64_t zeta = -1;
    int i;
    @name@_to_digits(&g, x);
    /* d*x = f and e*x = g modulo p, times @scale@. */
    for (i = 0; i < @upper@_BATCHES; i++) {
        const @name@_matrix matrix = @name@_divsteps(&zeta, f.of[0], g.of[0]);
        @name@_apply_modulo_p(&matrix, &d, &e);
        @name@_apply(&matrix, &f, &g);
    }
    @name@_adjust(&d, @name@_sign(f.of[@upper@_DIGITS - 1]));
    @name@_adjust(&d, 0);
    @name@_from_digits(z, &d);
}

@updates_c@int @name@_invert(@name@ *z, const @name@ *x)
{
    int nothing;
    if (z == NULL)
        return FIELDC_NULL_POINTER;
    if (x == NULL) {
        @name@_zero(z);
        return FIELDC_NULL_POINTER;
    }
    nothing = @name@_is_zero(x);
#if @upper@_UPDATES
    if (@name@_inverter_here()->updates) {
        @name@_invert_by_updates(z->limbs, x->limbs, @name@_inverter_here()->batch);
        return nothing * FIELDC_NO_INVERSE;
    }
#endif
    @name@_invert_by_digits(z->limbs, x->limbs);
    return nothing * FIELDC_NO_INVERSE;
}

