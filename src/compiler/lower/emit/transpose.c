/* Transposing in registers by shuffles of two of them, which is what instruction sets have; see
 * transpose.h.
 *
 * Rows one after the other are one sequence, in which element (row, column) has its place: the bits
 * of the row, then those of the column. Interleaving the sequence's halves (a zip) turns the bits
 * of all places left by one, taking every other element first (an unzip) turns them right; so many
 * turns and the bits of the column stand before those of the row.
 *
 *     rows a, b, c, d of 4     zip a, c and b, d      zip again
 *     a0 a1 a2 a3              a0 c0 a1 c1            a0 b0 c0 d0
 *     b0 b1 b2 b3              a2 c2 a3 c3            a1 b1 c1 d1
 *     c0 c1 c2 c3              b0 d0 b1 d1            a2 b2 c2 d2
 *     d0 d1 d2 d3              b2 d2 b3 d3            a3 b3 c3 d3
 *
 * Instructions that need no table work inside of blocks of 16 bytes, or move such blocks. So this
 * is done twice: with the elements of each block, then with blocks as the elements. */
#include "compiler/lower/emit/transpose.h"

#include "compiler/lower/emit/lanes.h"
#include "compiler/lower/emit/number.h"

#include <string.h>

#define BLOCK_BITS 128u
#define LIMIT      GEO_LOWER_LANES_LIMIT

/* Its rows have `length` elements, in blocks of `block`. */
struct matrix {
    struct geo_lower_function *f;
    uint32_t length, block;
};

static uint32_t log2_of(uint32_t power)
{
    return (uint32_t)__builtin_ctz(power);
}

/* One shuffle of a and b; `picks` are elements of both, one after the other. */
static LLVMValueRef shuffle(const struct matrix *m, LLVMValueRef a, LLVMValueRef b,
                            const uint32_t *picks)
{
    LLVMValueRef numbers[LIMIT];
    for (uint32_t i = 0; i < m->length; i++) {
        numbers[i] = geo_emit_const_i32(m->f, picks[i]);
    }
    return LLVMBuildShuffleVector(m->f->builder, a, b, LLVMConstVector(numbers, m->length), "");
}

/* ---- elements of blocks ---- */

/* The low halves of the blocks of a and b, or the high ones, interleaved. */
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

/* `count` rows, no more than a block has elements: in each block the elements at one place of all
 * of them come to lie side by side. */
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

/* Blocks first, first + step ... of a and b, one after the other; or by turns of each. */
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

/* `count` rows of those, whichever way has fewer turns. */
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

/* ---- all ---- */

/* Elements [start, start + count) of a sequence of vectors. */
static LLVMValueRef take(const struct matrix *m, const LLVMValueRef *rows, uint32_t start,
                         uint32_t count)
{
    if (count <= m->length) {
        return geo_emit_slice(m->f, rows[start / m->length], start % m->length, count);
    }
    return geo_emit_concat(m->f, take(m, rows, start, count / 2),
                           take(m, rows, start + count / 2, count / 2));
}

/* Rows of one block: row i of each block of rows side by side are a vector, whose blocks only have
 * to be turned in themselves. */
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
                parts[k] = geo_emit_concat(m->f, parts[2 * k], parts[2 * k + 1]);
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
    struct matrix m = {.f = f, .length = geo_emit_lanes(rows[0])};
    uint32_t fits = BLOCK_BITS / geo_emit_bits(rows[0]);
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
    /* Now a row has the columns of one place in the blocks, or of several, of `each` rows. */
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
