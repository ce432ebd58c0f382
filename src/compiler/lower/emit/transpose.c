/* Transposes matrices in registers by shuffles of two registers, which instruction sets offer; see
 * transpose.h.
 *
 * The rows, one after another, form a sequence. The index of element (row, column) has the bits of
 * the row followed by those of the column. Interleaving the two halves of the sequence (zip)
 * rotates the bits of all indices left by one. Taking every other element first (unzip) rotates
 * them right. After enough rotations the bits of the column come before those of the row.
 *
 *     rows a, b, c, d of 4    zip a, c and b, d    zip again
 *     a0 a1 a2 a3             a0 c0 a1 c1          a0 b0 c0 d0
 *     b0 b1 b2 b3             a2 c2 a3 c3          a1 b1 c1 d1
 *     c0 c1 c2 c3             b0 d0 b1 d1          a2 b2 c2 d2
 *     d0 d1 d2 d3             b2 d2 b3 d3          a3 b3 c3 d3
 *
 * Instructions without an index table work inside blocks of 16 bytes, or move whole blocks. So the
 * transposition has two steps: the elements of each block, then the blocks themselves. */
#include "compiler/lower/emit/transpose.h"

#include "base/assert.h"
#include "compiler/lower/emit/lanes.h"
#include "compiler/lower/emit/number.h"

#include <string.h>

#define BLOCK_BITS 128u
#define LIMIT      GEO_LOWER_LANES_LIMIT

/* A matrix whose rows have `length` elements in blocks of `block` elements. */
struct matrix {
    struct geo_lower_function *f;
    uint32_t length, block;
};

static uint32_t log2_of(uint32_t power)
{
    return (uint32_t)__builtin_ctz(power);
}

/* Shuffles a and b. `picks` are indices into a followed by b. */
static LLVMValueRef shuffle(const struct matrix *m, LLVMValueRef a, LLVMValueRef b,
                            const uint32_t *picks)
{
    LLVMValueRef numbers[LIMIT];
    GEO_ASSERT(m->length <= LIMIT && LLVMTypeOf(a) == LLVMTypeOf(b));
    for (uint32_t i = 0; i < m->length; i++) {
        numbers[i] = geo_emit_const_i32(m->f, picks[i]);
    }
    return LLVMBuildShuffleVector(m->f->llvm.builder, a, b, LLVMConstVector(numbers, m->length),
                                  "");
}

/* ---- elements inside blocks ---- */

/* Interleaves the low halves, or the high halves, of the corresponding blocks of a and b. */
static LLVMValueRef zip_elements(const struct matrix *m, LLVMValueRef a, LLVMValueRef b,
                                 uint32_t high)
{
    uint32_t picks[LIMIT];
    for (uint32_t i = 0; i < m->length; i++) {
        uint32_t block = i / m->block * m->block, within = i % m->block;
        picks[i] = block + high * m->block / 2 + within / 2 + within % 2 * m->length;
    }
    return shuffle(m, a, b, picks);
}

/* Transposes the elements inside each block of `count` rows: elements of all rows at the same place
 * become neighbours. `count` is at most the number of elements in a block. */
static void turn_elements(const struct matrix *m, LLVMValueRef *rows, uint32_t count)
{
    LLVMValueRef next[LIMIT];
    for (uint32_t turn = 0; turn < log2_of(count); turn++) {
        for (uint32_t i = 0; i < count; i++) {
            next[i] = zip_elements(m, rows[i / 2], rows[i / 2 + count / 2], i % 2);
        }
        memcpy(rows, next, count * sizeof(next[0]));
    }
}

/* ---- blocks ---- */

/* Picks blocks of a and b. With `zip`, interleaves the halves numbered `first`; otherwise takes
 * every other block from block `first` on. */
static LLVMValueRef pick_blocks(const struct matrix *m, LLVMValueRef a, LLVMValueRef b,
                                uint32_t first, bool zip)
{
    uint32_t picks[LIMIT], blocks = m->length / m->block;
    for (uint32_t i = 0; i < m->length; i++) {
        uint32_t at = i / m->block;
        uint32_t from = zip ? first * blocks / 2 + at / 2 + at % 2 * blocks : first + 2 * at;
        picks[i] = from * m->block + i % m->block;
    }
    return shuffle(m, a, b, picks);
}

/* Transposes `count` rows of m->length / m->block blocks each, as if every block were one element.
 * Rounds of zips or of unzips give the same result; uses whichever takes fewer. */
static void turn_blocks(const struct matrix *m, LLVMValueRef *rows, uint32_t count)
{
    LLVMValueRef next[LIMIT];
    uint32_t turns = log2_of(count), blocks = log2_of(m->length / m->block);
    bool zip = turns < blocks;
    if (turns == 0) {
        return;
    }
    for (uint32_t turn = 0; turn < (zip ? turns : blocks); turn++) {
        for (uint32_t i = 0; i < count / 2; i++) {
            LLVMValueRef a = rows[zip ? i : 2 * i], b = rows[zip ? i + count / 2 : 2 * i + 1];
            next[zip ? 2 * i : i] = pick_blocks(m, a, b, 0, zip);
            next[zip ? 2 * i + 1 : i + count / 2] = pick_blocks(m, a, b, 1, zip);
        }
        memcpy(rows, next, count * sizeof(next[0]));
    }
}

/* ---- the whole matrix ---- */

/* Returns elements [start, start + count) of the concatenated rows. */
static LLVMValueRef take(const struct matrix *m, const LLVMValueRef *rows, uint32_t start,
                         uint32_t count)
{
    if (count <= m->length) {
        return geo_lanes_slice(m->f, rows[start / m->length], start % m->length, count);
    }
    return geo_lanes_concat(m->f, take(m, rows, start, count / 2),
                            take(m, rows, start + count / 2, count / 2));
}

/* Transposes a matrix whose rows are one block each. Rows i of all square parts are concatenated to
 * one vector, so only elements inside blocks have to be transposed. */
static void transpose_blocks(struct matrix *m, const LLVMValueRef *rows, uint32_t count,
                             LLVMValueRef *columns)
{
    LLVMValueRef parts[LIMIT];
    for (uint32_t i = 0; i < m->block; i++) {
        for (uint32_t k = 0; k < count / m->block; k++) {
            parts[k] = rows[i + k * m->block];
        }
        for (uint32_t left = count / m->block; left > 1; left /= 2) {
            for (uint32_t k = 0; k < left / 2; k++) {
                parts[k] = geo_lanes_concat(m->f, parts[2 * k], parts[2 * k + 1]);
            }
        }
        columns[i] = parts[0];
    }
    m->length = count;
    turn_elements(m, columns, m->block);
}

void geo_emit_transpose(struct geo_lower_function *f, const LLVMValueRef *rows, uint32_t count,
                        LLVMValueRef *columns)
{
    struct matrix m = {.f = f, .length = geo_type_lanes(rows[0])};
    GEO_ASSERT(count >= 1 && count <= LIMIT && (count & (count - 1)) == 0);
    GEO_ASSERT(m.length <= LIMIT && (m.length & (m.length - 1)) == 0);
    uint32_t fits = BLOCK_BITS / geo_type_bits(rows[0]);
    m.block = m.length < fits ? m.length : fits;
    if (m.length == m.block && count > m.block) {
        transpose_blocks(&m, rows, count, columns);
        return;
    }
    LLVMValueRef turned[LIMIT], group[LIMIT];
    uint32_t each = count < m.block ? count : m.block, groups = count / each;
    memcpy(turned, rows, count * sizeof(rows[0]));
    for (uint32_t i = 0; i < groups; i++) {
        turn_elements(&m, turned + i * each, each);
    }
    /* Each row now holds `each` rows' elements of one or more columns, in every block. */
    for (uint32_t i = 0; i < each; i++) {
        for (uint32_t k = 0; k < groups; k++) {
            group[k] = turned[i + k * each];
        }
        turn_blocks(&m, group, groups);
        uint32_t places = m.block / each;
        for (uint32_t k = 0; k < m.length / each; k++) {
            uint32_t block = k / places, place = i * places + k % places;
            columns[block * m.block + place] =
                take(&m, group, block * groups * m.block + k % places * each, count);
        }
    }
}
