#if (@upper@_ASSEMBLY || @upper@_AARCH64) && @has_divstep_kernel@
#ifdef __cplusplus
extern "C" {
#endif
/* 59 divsteps on the low words of f and g: z[0] is zeta then, z[1] to z[4] are their matrix. */
typedef void @name@_batch(int64_t z[5], const int64_t *zeta, const uint64_t *f,
                          const uint64_t *g);
extern @name@_batch @name@_divstep_matrix;
#if @upper@_ASSEMBLY
extern @name@_batch @name@_sign_first_divstep_matrix;
#endif
#ifdef __cplusplus
}
#endif
#endif

/* Whether there are kernels that update f, g, d and e after a batch, without digits. */
#define @upper@_UPDATES (@upper@_ASSEMBLY && @has_updates@)

#if @upper@_ASSEMBLY && @has_divstep_kernel@ && (@upper@_UPDATES || @upper@_DIGIT == 62)
/* What an inverse is made by: a kernel of a batch, and whether kernels update f, g, d and e after it. The
 * orders of a step differ in time alone. */
typedef struct {
    @name@_batch *batch;
    int updates;
} @name@_inverter;

static const @name@_inverter @name@_inverters[4] = {
    {@name@_divstep_matrix, 0},
    {@name@_sign_first_divstep_matrix, 0},
    {@name@_divstep_matrix, 1},
    {@name@_sign_first_divstep_matrix, 1},
};

/* 4*path and the inverter's place, 0 until the first inverse. Whoever comes first writes it. */
static volatile int @name@_inverter_in_use;

/* The inverter beside a path's kernels. FIELDC_PATH is for tests: ADX is taken with its path alone. */
static int @name@_choose_inverter(int path)
{
    const @name@_features found = @name@_found();
    const int two_chains = @name@_has_two_chains(path);
#ifdef FIELDC_PATH
    const int adx = two_chains;
#else
    const int adx = path != FIELDC_BASE && path != FIELDC_PORTABLE &&
                    (found.b & @upper@_TWO_CHAINS) == @upper@_TWO_CHAINS;
#endif
    return 4 * path + 2 * (@upper@_UPDATES & adx) + (two_chains | found.is_zen);
}

static const @name@_inverter *@name@_inverter_here(void)
{
    const int path = @name@_path();
    int inverter = @upper@_LOAD(@name@_inverter_in_use);
    if (inverter / 4 != path) {
        inverter = @name@_choose_inverter(path);
        @upper@_STORE(@name@_inverter_in_use, inverter);
    }
    return &@name@_inverters[inverter % 4];
}
#endif

