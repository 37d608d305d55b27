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

static void @name@_mul_add_by(const @name@_kernels *k, @name@ *z, const @name@ *x,
                              const @name@ *y, const @name@ *a)
{
@mul_add@}

void @name@_mul_add(@name@ *z, const @name@ *x, const @name@ *y, const @name@ *a)
{
    @name@_mul_add_by(@name@_run(), z, x, y, a);
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

@inversion_c@@choice_c@@arrays_c@@inverses_c@@digits_c@@digit_sums_c@@digit_inverses_c@@transform_c@@digit_transforms_c@@bytes_c@@lazy_c@@formulas_c@const char *@name@_status(int status)
{
    switch (status) {
    case FIELDC_OK: return "no error";
    case FIELDC_NULL_POINTER: return "a pointer is null";
    case FIELDC_WRONG_LENGTH: return "a length is not what it must be";
    case FIELDC_NOT_CANONICAL: return "the number is not below the prime";
    case FIELDC_NO_INVERSE: return "0 has no inverse";
    case FIELDC_NO_ROOT: return "the value is no square";
    case FIELDC_NO_RANDOMNESS: return "the source of random bytes failed";
    case FIELDC_NO_TRANSFORM: return "no transform takes so many values";
    case FIELDC_NOT_SUPPORTED: return "no such path in this build or on this processor";
    default: return "unknown status";
    }
}
