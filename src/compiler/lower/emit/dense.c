/* Makes dense vectors, and takes them apart; see dense.h.
 *
 * If a lane's components fit into an integer of up to 64 bits, they are joined and taken apart by
 * shifts, which need no shuffles across registers. */
#include "compiler/lower/emit/dense.h"

#include "base/assert.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/lanes.h"
#include "compiler/lower/emit/number.h"
#include "compiler/lower/emit/transpose.h"

LLVMTypeRef geo_emit_dense_type(struct geo_lower_function *f, LLVMTypeRef element, uint32_t count)
{
    GEO_ASSERT(count >= 1 && f->lanes * count <= GEO_EMIT_DENSE_LIMIT);
    return geo_type_wide(element, f->lanes * count);
}

/* Returns whether the components of a lane are the bits of an integer of a usual size. */
static bool is_word(LLVMValueRef value, uint32_t count)
{
    uint32_t bits = geo_type_bits(value) * count;
    return geo_type_is_integer(value) && geo_type_bits(value) >= 8 && bits <= 64;
}

LLVMValueRef geo_emit_dense_part(struct geo_lower_function *f, LLVMValueRef dense, uint32_t count,
                                 uint32_t part)
{
    GEO_ASSERT(geo_type_lanes(dense) == f->lanes * count && part < count);
    if (!is_word(dense, count)) {
        return geo_lanes_stride(f, dense, (int32_t)part, (int32_t)count, f->lanes);
    }
    uint32_t bits = geo_type_bits(dense);
    LLVMTypeRef words = geo_type_vector(f, geo_type_int(f, bits * count));
    LLVMValueRef word = LLVMBuildBitCast(f->llvm.builder, dense, words, "");
    word =
        LLVMBuildLShr(f->llvm.builder, word, geo_emit_const_like(word, (uint64_t)part * bits), "");
    return geo_emit_zext(f, word, bits);
}

/* ---- parts of four words ---- */

#define QUAD      4u /* components, and elements of a quarter of 128 bits */
#define QUAD_BITS 32u

/* Returns the elements of a register, or 0 if the lanes do not fill registers. Four registers are
 * the vectors of so many lanes. */
static uint32_t quad_elements(const struct geo_lower_function *f, uint32_t bits, uint32_t count)
{
    uint32_t each = f->options->target.vector_bits / QUAD_BITS;
    return count == QUAD && bits == QUAD_BITS && each >= QUAD && f->lanes % each == 0 ? each : 0;
}

/* Shuffles two registers within each quarter. `picks` below QUAD are of the first one. */
static LLVMValueRef quad_shuffle(struct geo_lower_function *f, LLVMValueRef a, LLVMValueRef b,
                                 const uint32_t picks[QUAD])
{
    LLVMValueRef numbers[GEO_EMIT_DENSE_LIMIT];
    uint32_t each = geo_type_lanes(a);
    for (uint32_t i = 0; i < each; i++) {
        uint32_t pick = picks[i % QUAD];
        numbers[i] = geo_emit_const_i32(f, i / QUAD * QUAD + pick % QUAD + (pick / QUAD) * each);
    }
    return LLVMBuildShuffleVector(f->llvm.builder, a, b, LLVMConstVector(numbers, each), "");
}

/* Transposes four registers within each quarter: vector k * each / 4 + q, which is quarter q of
 * register k, becomes element 4 * q + k of each part. */
static void quad_transpose(struct geo_lower_function *f, const LLVMValueRef *rows,
                           LLVMValueRef *parts)
{
    static const uint32_t low[QUAD] = {0, 4, 1, 5}, high[QUAD] = {2, 6, 3, 7};
    static const uint32_t first[QUAD] = {0, 1, 4, 5}, last[QUAD] = {2, 3, 6, 7};
    LLVMValueRef pairs[QUAD] = {
        quad_shuffle(f, rows[0], rows[1], low), quad_shuffle(f, rows[2], rows[3], low),
        quad_shuffle(f, rows[0], rows[1], high), quad_shuffle(f, rows[2], rows[3], high)};
    for (uint32_t i = 0; i < QUAD; i++) {
        parts[i] = quad_shuffle(f, pairs[i & 2], pairs[(i & 2) + 1], i % 2 ? last : first);
    }
}

bool geo_emit_dense_parts(struct geo_lower_function *f, LLVMValueRef dense, uint32_t count,
                          LLVMValueRef *parts)
{
    uint32_t each = quad_elements(f, geo_type_bits(dense), count);
    LLVMValueRef rows[QUAD], pieces[QUAD];
    if (!each) {
        for (uint32_t i = 0; i < count; i++) {
            parts[i] = geo_emit_dense_part(f, dense, count, i);
        }
        return true;
    }
    LLVMValueRef found[QUAD][GEO_LOWER_LANES_LIMIT];
    uint32_t groups = f->lanes / each;
    for (uint32_t g = 0; g < groups; g++) {
        for (uint32_t i = 0; i < QUAD; i++) {
            rows[i] = geo_lanes_slice(f, dense, (QUAD * g + i) * each, each);
        }
        quad_transpose(f, rows, pieces);
        for (uint32_t i = 0; i < QUAD; i++) {
            found[i][g] = pieces[i];
        }
    }
    for (uint32_t i = 0; i < QUAD; i++) {
        for (uint32_t left = groups; left > 1; left /= 2) {
            for (uint32_t g = 0; g < left / 2; g++) {
                found[i][g] = geo_lanes_concat(f, found[i][2 * g], found[i][2 * g + 1]);
            }
        }
        parts[i] = found[i][0];
    }
    return false;
}

LLVMValueRef geo_emit_dense_order(struct geo_lower_function *f, LLVMValueRef part, uint32_t count)
{
    uint32_t each = quad_elements(f, geo_type_bits(part), count), quarters = each / QUAD;
    LLVMValueRef numbers[GEO_LOWER_LANES_LIMIT];
    GEO_ASSERT(each && geo_type_lanes(part) == f->lanes);
    for (uint32_t lane = 0; lane < f->lanes; lane++) {
        uint32_t at = lane % each;
        numbers[lane] = geo_emit_const_i32(f, lane - at + at % quarters * QUAD + at / quarters);
    }
    return LLVMBuildShuffleVector(f->llvm.builder, part, LLVMGetPoison(LLVMTypeOf(part)),
                                  LLVMConstVector(numbers, f->lanes), "");
}

static LLVMValueRef join_words(struct geo_lower_function *f, const LLVMValueRef *parts,
                               uint32_t count)
{
    uint32_t bits = geo_type_bits(parts[0]);
    LLVMValueRef words = NULL;
    for (uint32_t i = 0; i < count; i++) {
        LLVMValueRef part = geo_emit_zext(f, parts[i], bits * count);
        part =
            LLVMBuildShl(f->llvm.builder, part, geo_emit_const_like(part, (uint64_t)i * bits), "");
        words = words ? LLVMBuildOr(f->llvm.builder, words, part, "") : part;
    }
    LLVMTypeRef type = geo_emit_dense_type(f, geo_type_element(parts[0]), count);
    return LLVMBuildBitCast(f->llvm.builder, words, type, "");
}

LLVMValueRef geo_emit_dense_join(struct geo_lower_function *f, const LLVMValueRef *parts,
                                 uint32_t count)
{
    LLVMValueRef rows[GEO_LOWER_LANES_LIMIT];
    GEO_ASSERT(f->lanes > 1 && count >= 2 && count <= GEO_EMIT_DENSE_COMPONENTS);
    if (is_word(parts[0], count)) {
        return join_words(f, parts, count);
    }
    geo_emit_transpose(f, parts, count, rows);
    for (uint32_t left = f->lanes; left > 1; left /= 2) {
        for (uint32_t i = 0; i < left / 2; i++) {
            rows[i] = geo_lanes_concat(f, rows[2 * i], rows[2 * i + 1]);
        }
    }
    return rows[0];
}

LLVMValueRef geo_emit_dense_repeat(struct geo_lower_function *f, const LLVMValueRef *scalars,
                                   uint32_t count)
{
    LLVMValueRef picks[GEO_EMIT_DENSE_LIMIT];
    LLVMValueRef one = LLVMGetPoison(geo_type_wide(LLVMTypeOf(scalars[0]), count));
    GEO_ASSERT(count >= 2 && f->lanes * count <= GEO_EMIT_DENSE_LIMIT);
    for (uint32_t i = 0; i < count; i++) {
        one =
            LLVMBuildInsertElement(f->llvm.builder, one, scalars[i], geo_emit_const_i32(f, i), "");
    }
    for (uint32_t i = 0; i < f->lanes * count; i++) {
        picks[i] = geo_emit_const_i32(f, i % count);
    }
    return LLVMBuildShuffleVector(f->llvm.builder, one, LLVMGetPoison(LLVMTypeOf(one)),
                                  LLVMConstVector(picks, f->lanes * count), "");
}

LLVMValueRef geo_emit_dense_spread(struct geo_lower_function *f, LLVMValueRef value, uint32_t count)
{
    LLVMValueRef picks[GEO_EMIT_DENSE_LIMIT];
    bool scalar = geo_type_lanes(value) == 1;
    GEO_ASSERT(f->lanes > 1 && f->lanes * count <= GEO_EMIT_DENSE_LIMIT);
    value = scalar ? geo_lanes_splat(f, value) : value;
    for (uint32_t i = 0; i < f->lanes * count; i++) {
        picks[i] = geo_emit_const_i32(f, scalar ? 0 : i / count);
    }
    return LLVMBuildShuffleVector(f->llvm.builder, value, LLVMGetPoison(LLVMTypeOf(value)),
                                  LLVMConstVector(picks, f->lanes * count), "");
}

/* Returns the dense vector with `more` components per lane, the last of which are undefined. */
static LLVMValueRef widen(struct geo_lower_function *f, LLVMValueRef dense, uint32_t count,
                          uint32_t more)
{
    LLVMValueRef picks[GEO_EMIT_DENSE_LIMIT];
    if (count == more) {
        return dense;
    }
    for (uint32_t i = 0; i < f->lanes * more; i++) {
        picks[i] = i % more < count ? geo_emit_const_i32(f, i / more * count + i % more)
                                    : LLVMGetPoison(geo_type_i32(f));
    }
    return LLVMBuildShuffleVector(f->llvm.builder, dense, LLVMGetPoison(LLVMTypeOf(dense)),
                                  LLVMConstVector(picks, f->lanes * more), "");
}

LLVMValueRef geo_emit_dense_shuffle(struct geo_lower_function *f, LLVMValueRef a, uint32_t a_count,
                                    LLVMValueRef b, uint32_t b_count, const uint32_t *picks,
                                    uint32_t count)
{
    LLVMValueRef numbers[GEO_EMIT_DENSE_LIMIT];
    uint32_t each = b && b_count > a_count ? b_count : a_count, elements = f->lanes * each;
    GEO_ASSERT(f->lanes * count <= GEO_EMIT_DENSE_LIMIT && elements <= GEO_EMIT_DENSE_LIMIT);
    a = widen(f, a, a_count, each);
    b = b ? widen(f, b, b_count, each) : geo_emit_zero_like(a);
    for (uint32_t i = 0; i < f->lanes * count; i++) {
        uint32_t pick = picks[i % count], first = i / count * each;
        uint32_t place = pick == UINT32_MAX ? elements
                         : pick >= a_count  ? elements + first + pick - a_count
                                            : first + pick;
        numbers[i] = geo_emit_const_i32(f, place);
    }
    return LLVMBuildShuffleVector(f->llvm.builder, a, b, LLVMConstVector(numbers, f->lanes * count),
                                  "");
}
