/* Loads and stores two-dimensional blocks of memory, whose elements are distributed over the items
 * of a sub-group (SPV_INTEL_2d_block_io). block2d.c calls these functions; constant arguments are
 * folded.
 *
 * The region has `rows` rows of `bytes` bytes, `pitch` bytes apart. The first block starts at
 * element x of row y, and the other blocks follow in the row. The length of a block's rows is
 * rounded up to a power of two. Item `lane` of `lanes` has elements lane * each and following of
 * one row, or one element of as many rows as the items cover. Elements outside the block or the
 * region are read as zero and not written. */
#define INLINE static inline __attribute__((always_inline))

#define REGION                                                                                     \
    uint width, uint height, uint count, global uchar *base, long bytes, long rows, long pitch,    \
        long x, long y
#define REGION_GIVEN width, height, count, base, bytes, rows, pitch, x, y

INLINE uint power_of_two(uint n)
{
    return n <= 1 ? 1 : 1u << (32 - clz(n - 1));
}

/* Runs `body` for each element of an item. n is the number of the element; row and column are its
 * place in block b. A block has `lines` rows of `across` elements. */
#define FOR_EACH(across, lines, body)                                                              \
    uint padded = power_of_two(across), n = 0;                                                     \
    uint each = padded > lanes ? padded / lanes : 1, step = padded < lanes ? lanes / padded : 1;   \
    for (uint b = 0; b < count; b++) {                                                             \
        for (uint first = 0; first < (lines); first += step) {                                     \
            for (uint j = 0; j < each; j++, n++) {                                                 \
                uint place = lane * each + j;                                                      \
                uint row = first + place / padded, column = place % padded;                        \
                body;                                                                              \
            }                                                                                      \
        }                                                                                          \
    }

#define ELEMENT(T, bits)                                                                           \
    INLINE global T *element##bits(REGION, uint b, uint row, uint column)                          \
    {                                                                                              \
        long at = (x + (long)b * width + column) * (long)sizeof(T), line = y + row;                \
        bool inside = column < width && row < height && at >= 0 &&                                 \
                      at + (long)sizeof(T) <= bytes && line >= 0 && line < rows;                   \
        return inside ? (global T *)(base + line * pitch + at) : 0;                                \
    }                                                                                              \
    INLINE T value##bits(REGION, uint b, uint row, uint column)                                    \
    {                                                                                              \
        global const T *from = element##bits(REGION_GIVEN, b, row, column);                        \
        return from ? *from : (T)0;                                                                \
    }                                                                                              \
    void geo_block2d_load##bits(REGION, private T *items, uint lane, uint lanes)                   \
    {                                                                                              \
        FOR_EACH(width, height, items[n] = value##bits(REGION_GIVEN, b, row, column))              \
    }                                                                                              \
    void geo_block2d_transpose##bits(REGION, private T *items, uint lane, uint lanes)              \
    {                                                                                              \
        FOR_EACH(height, width, items[n] = value##bits(REGION_GIVEN, b, column, row))              \
    }                                                                                              \
    void geo_block2d_store##bits(REGION, private const T *items, uint lane, uint lanes)            \
    {                                                                                              \
        FOR_EACH(                                                                                  \
            width, height, global T *to = element##bits(REGION_GIVEN, b, row, column);             \
            if (to) { *to = items[n]; })                                                           \
    }

ELEMENT(uchar, 8)
ELEMENT(ushort, 16)
ELEMENT(uint, 32)
ELEMENT(ulong, 64)

/* Packs elements of consecutive rows into 32-bit words, with upper rows in the lower bits. */
#define TRANSFORM(T, bits)                                                                         \
    INLINE uint packed##bits(REGION, uint b, uint row, uint column)                                \
    {                                                                                              \
        uint word = 0;                                                                             \
        for (uint i = 0; i < 32 / bits; i++) {                                                     \
            word |= (uint)value##bits(REGION_GIVEN, b, row * (32 / bits) + i, column)              \
                    << (i * bits);                                                                 \
        }                                                                                          \
        return word;                                                                               \
    }                                                                                              \
    void geo_block2d_transform##bits(REGION, private uint *items, uint lane, uint lanes)           \
    {                                                                                              \
        uint lines = (height + 32 / bits - 1) / (32 / bits);                                       \
        FOR_EACH(width, lines, items[n] = packed##bits(REGION_GIVEN, b, row, column))              \
    }

TRANSFORM(uchar, 8)
TRANSFORM(ushort, 16)
