/* ---- Which kernels run ---- */

typedef void @name@_unary(uint64_t z[@limbs@], const uint64_t x[@limbs@]);
typedef void @name@_binary(uint64_t z[@limbs@], const uint64_t x[@limbs@],
                           const uint64_t y[@limbs@]);

@formulas_first@typedef struct {
    int path;
    @name@_binary *add, *sub, *mul, *sum_of_products@lazy_binary@;
    @name@_unary *neg, *twice, *square@conversion_members@@lazy_unary@;
@formula_members@} @name@_kernels;

#define @upper@_KERNELS(path, variant) \
    {path, \
     @name@_add_##variant, @name@_sub_##variant, @name@_@mul@_##variant, \
     @name@_@sum_of_products@_##variant@lazy_binary_kernels@, \
     @name@_neg_##variant, @name@_double_##variant, \
     @name@_@square@_##variant@conversion_kernels@@lazy_unary_kernels@@formula_kernels@}

static const @name@_kernels @name@_in_c = @upper@_KERNELS(FIELDC_PORTABLE, c);

#if @upper@_ASSEMBLY || @upper@_AARCH64
#define @upper@_DECLARE(variant) \
    extern @name@_binary @name@_add_##variant, @name@_sub_##variant, \
        @name@_@mul@_##variant, @name@_@sum_of_products@_##variant@lazy_binary_kernels@; \
    extern @name@_unary @name@_neg_##variant, @name@_double_##variant, \
        @name@_@square@_##variant@conversion_kernels@@lazy_unary_kernels@;
#endif

#if @upper@_ASSEMBLY

#ifdef __cplusplus
extern "C" {
#endif
@upper@_DECLARE(adx)
@upper@_DECLARE(mulx)
@upper@_DECLARE(base)
@formulas_externs@#ifdef __cplusplus
}
#endif

static const @name@_kernels @name@_in_adx = @upper@_KERNELS(FIELDC_ADX, adx);
static const @name@_kernels @name@_in_mulx = @upper@_KERNELS(FIELDC_MULX, mulx);
static const @name@_kernels @name@_in_base = @upper@_KERNELS(FIELDC_BASE, base);

#define @upper@_BMI2 (1u << 8)
#define @upper@_ADX (1u << 19)

/* The second register of cpuid's leaf 7; 0 where there is no such leaf. */
static unsigned @name@_features(void)
{
#if defined(_MSC_VER)
    int registers[4];
    __cpuid(registers, 0);
    if (registers[0] < 7)
        return 0;
    __cpuidex(registers, 7, 0);
    return (unsigned)registers[1];
#else
    unsigned a, b, c, d;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) ? b : 0;
#endif
}

/* The kernels of a path, or null. One carry chain was measured to be faster than two. */
static const @name@_kernels *@name@_find(int path)
{
    const unsigned features = @name@_features();
    const int mulx = (features & @upper@_BMI2) != 0;
    const int adx = mulx && (features & @upper@_ADX) != 0;
    switch (path) {
    case FIELDC_AUTOMATIC: return mulx ? &@name@_in_mulx : &@name@_in_base;
    case FIELDC_ADX: return adx ? &@name@_in_adx : NULL;
    case FIELDC_MULX: return mulx ? &@name@_in_mulx : NULL;
    case FIELDC_BASE: return &@name@_in_base;
    case FIELDC_PORTABLE: return &@name@_in_c;
    default: return NULL;
    }
}

#elif @upper@_AARCH64

#ifdef __cplusplus
extern "C" {
#endif
@upper@_DECLARE(aarch64)
#ifdef __cplusplus
}
#endif

static const @name@_kernels @name@_in_aarch64 = @upper@_KERNELS(FIELDC_AARCH64, aarch64);

static const @name@_kernels *@name@_find(int path)
{
    switch (path) {
    case FIELDC_AUTOMATIC:
    case FIELDC_AARCH64: return &@name@_in_aarch64;
    case FIELDC_PORTABLE: return &@name@_in_c;
    default: return NULL;
    }
}

#else

static const @name@_kernels *@name@_find(int path)
{
    return path == FIELDC_AUTOMATIC || path == FIELDC_PORTABLE ? &@name@_in_c : NULL;
}

#endif

/* Null until the first call. Whoever comes first writes it; all of them write the same. */
static const @name@_kernels *volatile @name@_chosen;

#if defined(__GNUC__)
#define @upper@_GET() __atomic_load_n(&@name@_chosen, __ATOMIC_RELAXED)
#define @upper@_SET(kernels) __atomic_store_n(&@name@_chosen, kernels, __ATOMIC_RELAXED)
#else
#define @upper@_GET() (@name@_chosen)
#define @upper@_SET(kernels) (void)(@name@_chosen = (kernels))
#endif

static const @name@_kernels *@name@_run(void)
{
    const @name@_kernels *kernels = @upper@_GET();
    if (kernels == NULL) {
        kernels = @name@_find(FIELDC_AUTOMATIC);
        @upper@_SET(kernels);
    }
    return kernels;
}

int @name@_use(int path)
{
    const @name@_kernels *kernels = @name@_find(path);
    if (kernels == NULL)
        return FIELDC_NOT_SUPPORTED;
    @upper@_SET(kernels);
    return FIELDC_OK;
}

int @name@_path(void)
{
    return @name@_run()->path;
}

/* ---- Values ---- */

static const uint64_t @name@_p[@limbs@] = {@p_words@};
static const @name@ @name@_unit = {{@one_words@}};

/* 1 if all bits of x are 0, else 0. */
static uint64_t @name@_none(uint64_t x)
{
    return (~x & (x - 1)) >> 63;
}

/* All ones if x < p, else 0. */
static uint64_t @name@_below_p(const uint64_t x[@limbs@])
{
    uint64_t borrow = 0;
    int i;
    for (i = 0; i < @limbs@; i++)
        (void)sbb64(&borrow, x[i], @name@_p[i], borrow);
    return mask64(borrow);
}

void @name@_zero(@name@ *z)
{
    int i;
    for (i = 0; i < @limbs@; i++)
        z->limbs[i] = 0;
}

void @name@_one(@name@ *z)
{
    *z = @name@_unit;
}

int @name@_to_montgomery(@name@ *z, const uint64_t x[@limbs@])
{
    uint64_t words[@limbs@], below;
    int i;
    if (z == NULL)
        return FIELDC_NULL_POINTER;
    if (x == NULL) {
        @name@_zero(z);
        return FIELDC_NULL_POINTER;
    }
    below = @name@_below_p(x);
    for (i = 0; i < @limbs@; i++)
        words[i] = x[i] & below;
@enter@    return (int)(~below & FIELDC_NOT_CANONICAL);
}

void @name@_from_montgomery(uint64_t z[@limbs@], const @name@ *x)
{
@leave@}

int @name@_from_u64(@name@ *z, uint64_t x)
{
    uint64_t words[@limbs@] = {0};
    words[0] = x;
    return @name@_to_montgomery(z, words);
}

int @name@_equal(const @name@ *x, const @name@ *y)
{
    uint64_t different = 0;
    int i;
    for (i = 0; i < @limbs@; i++)
        different |= x->limbs[i] ^ y->limbs[i];
    return (int)@name@_none(different);
}

int @name@_is_zero(const @name@ *x)
{
    uint64_t any = 0;
    int i;
    for (i = 0; i < @limbs@; i++)
        any |= x->limbs[i];
    return (int)@name@_none(any);
}

/* ---- Arithmetic ---- */

void @name@_add(@name@ *z, const @name@ *x, const @name@ *y)
{
    @name@_run()->add(z->limbs, x->limbs, y->limbs);
}

void @name@_sub(@name@ *z, const @name@ *x, const @name@ *y)
{
    @name@_run()->sub(z->limbs, x->limbs, y->limbs);
}

void @name@_mul(@name@ *z, const @name@ *x, const @name@ *y)
{
    @name@_run()->mul(z->limbs, x->limbs, y->limbs);
}

void @name@_neg(@name@ *z, const @name@ *x)
{
    @name@_run()->neg(z->limbs, x->limbs);
}

void @name@_double(@name@ *z, const @name@ *x)
{
    @name@_run()->twice(z->limbs, x->limbs);
}

void @name@_square(@name@ *z, const @name@ *x)
{
    @name@_run()->square(z->limbs, x->limbs);
}

@inversion_c@@choice_c@@bytes_c@@lazy_c@@formulas_c@const char *@name@_status(int status)
{
    switch (status) {
    case FIELDC_OK: return "no error";
    case FIELDC_NULL_POINTER: return "a pointer is null";
    case FIELDC_WRONG_LENGTH: return "the length is not that of an encoded value";
    case FIELDC_NOT_CANONICAL: return "the number is not below the prime";
    case FIELDC_NO_INVERSE: return "0 has no inverse";
    case FIELDC_NO_ROOT: return "the value is no square";
    case FIELDC_NO_RANDOMNESS: return "the source of random bytes failed";
    case FIELDC_NOT_SUPPORTED: return "no such path in this build or on this processor";
    default: return "unknown status";
    }
}
