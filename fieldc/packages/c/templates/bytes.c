/* ---- Bytes ---- */

/* Byte i of a number in either order; i = 0 is the least significant one. */
static size_t @name@_place(size_t i, size_t length, int little)
{
    return little ? i : length - 1 - i;
}

/* Eight bytes in either order. Compilers make one load and one store of them. */
static uint64_t @name@_load_word(const uint8_t *b, int little)
{
    if (little)
        return (uint64_t)b[0] | (uint64_t)b[1] << 8 | (uint64_t)b[2] << 16 |
               (uint64_t)b[3] << 24 | (uint64_t)b[4] << 32 | (uint64_t)b[5] << 40 |
               (uint64_t)b[6] << 48 | (uint64_t)b[7] << 56;
    return (uint64_t)b[7] | (uint64_t)b[6] << 8 | (uint64_t)b[5] << 16 | (uint64_t)b[4] << 24 |
           (uint64_t)b[3] << 32 | (uint64_t)b[2] << 40 | (uint64_t)b[1] << 48 |
           (uint64_t)b[0] << 56;
}

static void @name@_store_word(uint8_t *b, uint64_t x, int little)
{
    if (little) {
        b[0] = (uint8_t)x, b[1] = (uint8_t)(x >> 8), b[2] = (uint8_t)(x >> 16);
        b[3] = (uint8_t)(x >> 24), b[4] = (uint8_t)(x >> 32), b[5] = (uint8_t)(x >> 40);
        b[6] = (uint8_t)(x >> 48), b[7] = (uint8_t)(x >> 56);
    } else {
        b[7] = (uint8_t)x, b[6] = (uint8_t)(x >> 8), b[5] = (uint8_t)(x >> 16);
        b[4] = (uint8_t)(x >> 24), b[3] = (uint8_t)(x >> 32), b[2] = (uint8_t)(x >> 40);
        b[1] = (uint8_t)(x >> 48), b[0] = (uint8_t)(x >> 56);
    }
}

/* The words of a number in bytes. */
static void @name@_words_of(uint64_t words[@limbs@], const uint8_t *bytes, int little)
{
    size_t i;
    for (i = 0; i < @limbs@; i++)
        words[i] = 0;
    for (i = 0; 8 * i + 8 <= @bytes@; i++)
        words[i] = @name@_load_word(&bytes[little ? 8 * i : @bytes@ - 8 * (i + 1)], little);
    for (i = @bytes@ - @bytes@ % 8; i < @bytes@; i++)
        words[i / 8] |= (uint64_t)bytes[@name@_place(i, @bytes@, little)] << 8 * (i % 8);
}

static void @name@_bytes_of(uint8_t *bytes, const uint64_t words[@limbs@], int little)
{
    size_t i;
    for (i = 0; 8 * i + 8 <= @bytes@; i++)
        @name@_store_word(&bytes[little ? 8 * i : @bytes@ - 8 * (i + 1)], words[i], little);
    for (i = @bytes@ - @bytes@ % 8; i < @bytes@; i++)
        bytes[@name@_place(i, @bytes@, little)] = (uint8_t)(words[i / 8] >> 8 * (i % 8));
}

static int @name@_decode_in(@name@ *z, const uint8_t *bytes, size_t length, int little)
{
    uint64_t words[@limbs@];
    if (z == NULL)
        return FIELDC_NULL_POINTER;
    if (bytes == NULL || length != @bytes@) {
        @name@_zero(z);
        return bytes == NULL ? FIELDC_NULL_POINTER : FIELDC_WRONG_LENGTH;
    }
    @name@_words_of(words, bytes, little);
    return @name@_to_montgomery(z, words);
}

static int @name@_encode_in(uint8_t *bytes, size_t length, const @name@ *x, int little)
{
    uint64_t words[@limbs@];
    if (bytes == NULL || x == NULL)
        return FIELDC_NULL_POINTER;
    if (length != @bytes@)
        return FIELDC_WRONG_LENGTH;
    @name@_from_montgomery(words, x);
    @name@_bytes_of(bytes, words, little);
    return FIELDC_OK;
}

int @name@_decode(@name@ *z, const uint8_t *bytes, size_t length)
{
    return @name@_decode_in(z, bytes, length, 0);
}

int @name@_decode_le(@name@ *z, const uint8_t *bytes, size_t length)
{
    return @name@_decode_in(z, bytes, length, 1);
}

int @name@_encode(uint8_t *bytes, size_t length, const @name@ *x)
{
    return @name@_encode_in(bytes, length, x, 0);
}

int @name@_encode_le(uint8_t *bytes, size_t length, const @name@ *x)
{
    return @name@_encode_in(bytes, length, x, 1);
}

/* Why arrays are refused, before anything is written. */
static int @name@_wrong_bytes(const void *x, const void *bytes, size_t length, size_t count)
{
    if (count != 0 && (x == NULL || bytes == NULL))
        return FIELDC_NULL_POINTER;
    if (length % @bytes@ != 0 || length / @bytes@ != count)
        return FIELDC_WRONG_LENGTH;
    return FIELDC_OK;
}

static int @name@_array_decode_in(@name@ *z, const uint8_t *bytes, size_t length, size_t count,
                                  int little)
{
    size_t i;
    const int status = @name@_wrong_bytes(z, bytes, length, count);
    if (status != FIELDC_OK)
        return status;
    for (i = 0; i < count; i++)
        @name@_words_of(z[i].limbs, &bytes[@bytes@ * i], little);
    return @name@_enter_all(z, count);
}

static int @name@_array_encode_in(uint8_t *bytes, size_t length, const @name@ *x, size_t count,
                                  int little)
{
    @name@ part[@upper@_PART];
    size_t i, j;
    const int status = @name@_wrong_bytes(x, bytes, length, count);
    if (status != FIELDC_OK)
        return status;
    for (i = 0; i < count; i += @upper@_PART) {
        const size_t here = @name@_part(count - i);
        @name@_leave_all(part, &x[i], here);
        for (j = 0; j < here; j++)
            @name@_bytes_of(&bytes[@bytes@ * (i + j)], part[j].limbs, little);
    }
    return FIELDC_OK;
}

int @name@_array_decode(@name@ *z, const uint8_t *bytes, size_t length, size_t count)
{
    return @name@_array_decode_in(z, bytes, length, count, 0);
}

int @name@_array_decode_le(@name@ *z, const uint8_t *bytes, size_t length, size_t count)
{
    return @name@_array_decode_in(z, bytes, length, count, 1);
}

int @name@_array_encode(uint8_t *bytes, size_t length, const @name@ *x, size_t count)
{
    return @name@_array_encode_in(bytes, length, x, count, 0);
}

int @name@_array_encode_le(uint8_t *bytes, size_t length, const @name@ *x, size_t count)
{
    return @name@_array_encode_in(bytes, length, x, count, 1);
}

#define @upper@_CHUNK @chunk@ /* bits of a number that are read at a time: below p */
#define @upper@_UNIT @unit@ /* bits of a byte that are taken at a time */

/* A number of any length modulo p, chunk by chunk from the top: z = z * 2^CHUNK + chunk. */
static int @name@_decode_wide_in(@name@ *z, const uint8_t *bytes, size_t length, int little)
{
    static const @name@ shift = {{@chunk_words@}}; /* 2^CHUNK */
    @name@ sum = {{0}}, part;
    const size_t chunks = (8 * length + @upper@_CHUNK - 1) / @upper@_CHUNK;
    size_t i, bit;
    if (z == NULL)
        return FIELDC_NULL_POINTER;
    if (bytes == NULL && length != 0) {
        @name@_zero(z);
        return FIELDC_NULL_POINTER;
    }
    for (i = chunks; i-- > 0;) {
        uint64_t words[@limbs@] = {0};
        for (bit = 0; bit < @upper@_CHUNK; bit += @upper@_UNIT) {
            const size_t at = i * @upper@_CHUNK + bit;
            uint64_t part_of_byte;
            if (at / 8 >= length)
                break;
            part_of_byte = bytes[@name@_place(at / 8, length, little)];
            part_of_byte = part_of_byte >> at % 8 & ((1u << @upper@_UNIT) - 1);
            words[bit / 64] |= part_of_byte << bit % 64;
        }
        @name@_mul(&sum, &sum, &shift);
        (void)@name@_to_montgomery(&part, words);
        @name@_add(&sum, &sum, &part);
    }
    *z = sum;
    return FIELDC_OK;
}

int @name@_decode_wide(@name@ *z, const uint8_t *bytes, size_t length)
{
    return @name@_decode_wide_in(z, bytes, length, 0);
}

int @name@_decode_wide_le(@name@ *z, const uint8_t *bytes, size_t length)
{
    return @name@_decode_wide_in(z, bytes, length, 1);
}

int @name@_random(@name@ *z, fieldc_fill *fill, void *context)
{
    uint8_t bytes[@random_bytes@];
    size_t i;
    int status;
    if (z == NULL)
        return FIELDC_NULL_POINTER;
    @name@_zero(z);
    if (fill == NULL)
        return FIELDC_NULL_POINTER;
    if (fill(context, bytes, sizeof bytes) != 0)
        return FIELDC_NO_RANDOMNESS;
    status = @name@_decode_wide_le(z, bytes, sizeof bytes);
    for (i = 0; i < sizeof bytes; i++)
        ((volatile uint8_t *)bytes)[i] = 0;
    return status;
}

