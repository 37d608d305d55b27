/* ---- Which kernels run ---- */

typedef void @name@_unary(uint64_t z[@limbs@], const uint64_t x[@limbs@]);
typedef void @name@_binary(uint64_t z[@limbs@], const uint64_t x[@limbs@],
                           const uint64_t y[@limbs@]);
@ternary@
/* Kernels on arrays have System V's convention everywhere. Windows calls them by entries. */
#if defined(_WIN32) || defined(__CYGWIN__)
#define FIELDC_ARRAY(kernel) kernel##_windows
#else
#define FIELDC_ARRAY(kernel) kernel
#endif

typedef void @name@_unary_vectors(size_t count, uint64_t *z, const uint64_t *x);
typedef void @name@_binary_vectors(size_t count, uint64_t *z, const uint64_t *x, const uint64_t *y);
typedef void @name@_ternary_vectors(size_t count, uint64_t *z, const uint64_t *x,
                                    const uint64_t *y, const uint64_t *a);
typedef void @name@_butterfly_vectors(size_t count, uint64_t *z0, uint64_t *z1, const uint64_t *x,
                                      const uint64_t *y, const uint64_t *w);

/* Kernels on arrays. Each takes a block of eight from `least` elements on: fewer take less time one
 * by one, by a model of the processor. Where `least` is 0 there is no kernel. */
typedef struct {
    @name@_unary_vectors *run;
    size_t least;
} @name@_unary_array;
typedef struct {
    @name@_binary_vectors *run;
    size_t least;
} @name@_binary_array;
typedef struct {
    @name@_ternary_vectors *run;
    size_t least;
} @name@_ternary_array;
typedef struct {
    @name@_butterfly_vectors *run;
    size_t least;
} @name@_butterfly_array;

/* Kernels of inner products. The first one adds products to columns, which take `most` of them in one
 * call, and the second one reduces the columns to eight sums. Where `most` is 0 there are none. */
typedef struct {
    @name@_binary_vectors *accumulate;
    @name@_unary_vectors *collect;
    size_t most;
} @name@_sum_array;

/* Kernels of arrays in digits, of blocks of eight values below 2p. enter and leave bring values there
 * and back. accumulate adds products to columns as above, and collect is that of sums. All are there,
 * or none is. cut and join, if there, bring numbers to digits and back as they stand. */
typedef struct @name@_digits_kernels {
    @name@_unary_vectors *enter, *leave;
    @name@_binary_vectors *add, *sub, *mul;
    @name@_unary_vectors *square;
    @name@_ternary_vectors *mul_add;
    @name@_binary_vectors *accumulate;
    @name@_unary_vectors *collect;
    size_t most;
    @name@_unary_vectors *cut, *join;
} @name@_digits_kernels;
@tiles_type@
typedef struct {
    @name@_binary_array add, sub, mul;
    @name@_unary_array neg, twice, square;
    @name@_ternary_array mul_add;
    @name@_butterfly_array butterfly;
    @name@_sum_array sum;
    const @name@_digits_kernels *digits;
@tiles_member@} @name@_arrays;

static const @name@_arrays @name@_no_vectors = {
    {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0},
    {NULL, NULL, 0}, NULL@tiles_none@};

@formulas_first@typedef struct {
    int path;
    const @name@_arrays *arrays;
    @name@_binary *add, *sub, *mul, *sum_of_products@lazy_binary@;
    @name@_unary *neg, *twice, *square@conversion_members@@lazy_unary@;
@ternary_members@@formula_members@} @name@_kernels;

#define @upper@_KERNELS(path, arrays, variant) \
    {path, arrays, \
     @name@_add_##variant, @name@_sub_##variant, @name@_@mul@_##variant, \
     @name@_@sum_of_products@_##variant@lazy_binary_kernels@, \
     @name@_neg_##variant, @name@_double_##variant, \
     @name@_@square@_##variant@conversion_kernels@@lazy_unary_kernels@@ternary_kernels@@formula_kernels@}

#define @upper@_TABLE(name, path, arrays, variant) \
    static const @name@_kernels name = @upper@_KERNELS(path, &arrays, variant)

@upper@_TABLE(@name@_in_c, FIELDC_PORTABLE, @name@_no_vectors, c);

#if @upper@_ASSEMBLY || @upper@_AARCH64
#define @upper@_DECLARE(variant) \
    extern @name@_binary @name@_add_##variant, @name@_sub_##variant, \
        @name@_@mul@_##variant, @name@_@sum_of_products@_##variant@lazy_binary_kernels@; \
    extern @name@_unary @name@_neg_##variant, @name@_double_##variant, \
        @name@_@square@_##variant@conversion_kernels@@lazy_unary_kernels@;@ternary_externs@
#endif

#if @upper@_ASSEMBLY

#ifdef __cplusplus
extern "C" {
#endif
@upper@_DECLARE(adx)
@upper@_DECLARE(mulx)
@upper@_DECLARE(base)
#if @upper@_VECTORS
@array_externs@#endif
@formulas_externs@#ifdef __cplusplus
}
#endif

@upper@_TABLE(@name@_in_adx, FIELDC_ADX, @name@_no_vectors, adx);
@upper@_TABLE(@name@_in_mulx, FIELDC_MULX, @name@_no_vectors, mulx);
@upper@_TABLE(@name@_in_base, FIELDC_BASE, @name@_no_vectors, base);

#if @upper@_VECTORS
@array_tables@#endif

/* In the order in which they are chosen, if they suit the processor. */
static const @name@_kernels *const @name@_tables[] = {
#if @upper@_VECTORS
    @array_places@
#endif
    &@name@_in_mulx, &@name@_in_base, &@name@_in_adx, &@name@_in_c};

typedef struct {
    unsigned b, c;  /* two registers of cpuid's leaf 7; 0 where there is no such leaf */
    unsigned first; /* register c of its leaf 1 */
    unsigned state; /* what xgetbv says that the system keeps: 2 xmm, 4 ymm, 0xe0 zmm and masks */
    int is_zen;     /* whether it is Zen 3 or 4 */
    int two_chains; /* whether kernels with two carry chains are the fastest */
} @name@_features;

#define @upper@_BMI2 (1u << 8)
#define @upper@_ADX (1u << 19)
#define @upper@_TWO_CHAINS (@upper@_BMI2 | @upper@_ADX)
#define @upper@_OSXSAVE (1u << 27)

#ifndef FIELDC_PATH
#define @upper@_AMD 0x68747541u /* how "AuthenticAMD" begins */

/* Whether cpuid's leaves 0 and 1 are of Zen 3 or 4. */
static int @name@_is_zen(unsigned vendor, unsigned version)
{
    const unsigned family = ((version >> 8) & 15) + ((version >> 20) & 255);
    return vendor == @upper@_AMD && family == 0x19;
}
#endif

/* FIELDC_PATH is for tests: the processor is taken to have all. */
static @name@_features @name@_found(void)
{
    @name@_features found = {0, 0, 0, 0, 0, 0};
#if defined(FIELDC_PATH)
    found.b = found.c = found.first = found.state = ~0u;
#elif defined(_MSC_VER)
    int registers[4];
    unsigned vendor;
    __cpuid(registers, 0);
    vendor = (unsigned)registers[1];
    if (registers[0] >= 7) {
        __cpuidex(registers, 7, 0);
        found.b = (unsigned)registers[1];
        found.c = (unsigned)registers[2];
    }
    __cpuid(registers, 1);
    found.is_zen = @name@_is_zen(vendor, (unsigned)registers[0]);
#if @upper@_VECTORS
    if (((unsigned)registers[2] & @upper@_OSXSAVE) != 0) {
        found.first = (unsigned)registers[2];
#if defined(__clang__)
        __asm__ volatile("xgetbv" : "=a"(found.state) : "c"(0) : "edx");
#else
        found.state = (unsigned)_xgetbv(0);
#endif
    }
#endif
#else
    unsigned a, b, c, d, vendor = 0;
    if (__get_cpuid(0, &a, &b, &c, &d))
        vendor = b;
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d)) {
        found.b = b;
        found.c = c;
    }
    if (__get_cpuid(1, &a, &b, &c, &d))
        found.is_zen = @name@_is_zen(vendor, a);
#if @upper@_VECTORS
    if (__get_cpuid(1, &a, &b, &c, &d) && (c & @upper@_OSXSAVE) != 0) {
        found.first = c;
        __asm__ volatile("xgetbv" : "=a"(found.state), "=d"(d) : "c"(0));
#if defined(__APPLE__)
        if ((found.state & 6) == 6)
            found.state |= 0xe0; /* macOS turns these on when a thread first uses them */
#endif
    }
#endif
#endif
    /* On these cores @zen_fastest@ fastest for this prime. */
    found.two_chains = @zen_two_chains@ && found.is_zen &&
                       (found.b & @upper@_TWO_CHAINS) == @upper@_TWO_CHAINS;
    return found;
}

/* Whether this processor runs a path. */
static int @name@_runs(int path)
{
    const @name@_features found = @name@_found();
    const int mulx = (found.b & @upper@_BMI2) != 0;
    switch (path) {
    case FIELDC_ADX: return mulx && (found.b & @upper@_ADX) != 0;
    case FIELDC_MULX: return mulx;
#if @upper@_VECTORS
@array_cases@#endif
    default: return 1;
    }
}

static int @name@_has_two_chains(int path)
{
    return path == FIELDC_ADX || path == FIELDC_ADX_AVX512IFMA || path == FIELDC_ADX_AVX2;
}

/* Whether a path has as many carry chains as are fastest on this processor. */
static int @name@_suits(int path)
{
    return @name@_has_two_chains(path) == @name@_found().two_chains;
}

#else

#if @upper@_AARCH64

#ifdef __cplusplus
extern "C" {
#endif
@upper@_DECLARE(aarch64)
#ifdef __cplusplus
}
#endif

@upper@_TABLE(@name@_in_aarch64, FIELDC_AARCH64, @name@_no_vectors, aarch64);
static const @name@_kernels *const @name@_tables[] = {&@name@_in_aarch64, &@name@_in_c};

#else

static const @name@_kernels *const @name@_tables[] = {&@name@_in_c};

#endif

static int @name@_runs(int path)
{
    (void)path;
    return 1;
}

static int @name@_suits(int path)
{
    (void)path;
    return 1;
}

#endif

/* The kernels of a path, or null. Where a path need not be named C is always there. */
static const @name@_kernels *@name@_find(int path)
{
    int wanted = path;
    size_t i;
#ifdef FIELDC_PATH
    wanted = path == FIELDC_AUTOMATIC ? FIELDC_PATH : path;
#endif
    for (i = 0; i < sizeof @name@_tables / sizeof *@name@_tables; i++) {
        const int each = @name@_tables[i]->path;
        const int is_meant = wanted == FIELDC_AUTOMATIC ? @name@_suits(each) : wanted == each;
        if (is_meant && @name@_runs(each))
            return @name@_tables[i];
    }
    return path == FIELDC_AUTOMATIC ? &@name@_in_c : NULL;
}

/* Null until the first call. Whoever comes first writes it; all of them write the same. */
static const @name@_kernels *volatile @name@_table_in_use;

#if defined(__GNUC__)
#define @upper@_LOAD(place) __atomic_load_n(&(place), __ATOMIC_RELAXED)
#define @upper@_STORE(place, value) __atomic_store_n(&(place), value, __ATOMIC_RELAXED)
#else
#define @upper@_LOAD(place) (place)
#define @upper@_STORE(place, value) (void)((place) = (value))
#endif

static const @name@_kernels *@name@_run(void)
{
    const @name@_kernels *kernels = @upper@_LOAD(@name@_table_in_use);
    if (kernels == NULL) {
        kernels = @name@_find(FIELDC_AUTOMATIC);
        @upper@_STORE(@name@_table_in_use, kernels);
    }
    return kernels;
}

int @name@_use(int path)
{
    const @name@_kernels *kernels = @name@_find(path);
    if (kernels == NULL)
        return FIELDC_NOT_SUPPORTED;
    @upper@_STORE(@name@_table_in_use, kernels);
    return FIELDC_OK;
}

int @name@_path(void)
{
    return @name@_run()->path;
}
