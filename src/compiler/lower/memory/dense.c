/* Accesses vectors whose lanes stay together in registers; see dense.h.
 *
 *     rows               one long vector if the lanes are consecutive, and all are active or
 *                        elements can be masked
 *     2, 4 or 8 bytes    otherwise one integer per lane: consecutive, gathered or scattered
 *     16 to 64 bytes     otherwise a vector for each lane
 *
 * The bytes in registers are in the order of memory, so nothing is transposed. */
#include "compiler/lower/memory/dense.h"

#include "base/assert.h"
#include "compiler/ir/remark.h"
#include "compiler/lower/emit/dense.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/lanes.h"
#include "compiler/lower/memory/record.h"
#include "compiler/lower/memory/window.h"

#define WORD_BYTES 8u

bool geo_lane_dense_fits(const struct geo_access *access, const struct geo_ir_type *type)
{
    bool whole = type->kind == GEO_TYPE_VECTOR && type->element->kind != GEO_TYPE_BOOL &&
                 type->size == type->count * type->element->size;
    return whole && !access->interleaved && access->address.kind != GEO_SHAPE_UNIFORM &&
           !(access->flags & SpvMemoryAccessVolatileMask) && type->size <= GEO_SPREAD_BYTES;
}

static struct geo_part_place word_place(const struct geo_access *access,
                                        const struct geo_ir_type *type)
{
    return (struct geo_part_place){geo_ir_type_int(access->f->module, 8 * (uint32_t)type->size), 0};
}

/* Returns whether all lanes together are one vector in memory, which is accessed as a whole. */
static bool is_row(const struct geo_access *access, const struct geo_ir_type *type)
{
    const struct geo_lower_target *target = &access->f->options->target;
    bool masks = type->element->size >= 4 && (target->has_masks || target->vector_bits >= 256);
    return (!access->f->body.mask || masks) && access->address.kind == GEO_SHAPE_STRIDED &&
           access->address.stride == (int64_t)type->size;
}

/* Returns the mask of the elements of a row; NULL: all. */
static LLVMValueRef row_mask(const struct geo_access *access, const struct geo_ir_type *type)
{
    LLVMValueRef mask = access->f->body.mask;
    return mask ? geo_emit_dense_spread(access->f, mask, (uint32_t)type->count) : NULL;
}

LLVMValueRef geo_lane_dense_word_load(const struct geo_access *access,
                                      const struct geo_ir_type *word)
{
    LLVMValueRef value;
    if (!(access->flags & SpvMemoryAccessVolatileMask) && geo_window_load(access, word, &value)) {
        geo_remark_access_part(GEO_REMARK_PATTERN);
        return value;
    }
    return geo_access_part_load(access, &(struct geo_part_place){word, 0});
}

LLVMValueRef geo_lane_dense_of_words(const struct geo_access *access,
                                     const struct geo_ir_type *type, LLVMValueRef words)
{
    struct geo_lower_function *f = access->f;
    LLVMTypeRef dense =
        geo_emit_dense_type(f, geo_type_of(f, type->element), (uint32_t)type->count);
    return LLVMBuildBitCast(f->llvm.builder, words, dense, "");
}

LLVMValueRef geo_lane_dense_load(const struct geo_access *access, const struct geo_ir_type *type)
{
    struct geo_lower_function *f = access->f;
    LLVMTypeRef dense =
        geo_emit_dense_type(f, geo_type_of(f, type->element), (uint32_t)type->count);
    LLVMValueRef rows[GEO_LOWER_LANES_LIMIT];
    GEO_ASSERT(geo_lane_dense_fits(access, type));
    if (type->size <= WORD_BYTES) {
        return geo_lane_dense_of_words(
            access, type, geo_lane_dense_word_load(access, word_place(access, type).type));
    }
    if (is_row(access, type)) {
        geo_remark_access_part(GEO_REMARK_CONSECUTIVE);
        return geo_access_row_load(access, dense, access->address.base, row_mask(access, type),
                                   access->align);
    }
    geo_access_record_rows_load(access, type, rows);
    for (uint32_t left = f->lanes; left > 1; left /= 2) {
        for (uint32_t i = 0; i < left / 2; i++) {
            rows[i] = geo_lanes_concat(f, rows[2 * i], rows[2 * i + 1]);
        }
    }
    return rows[0];
}

void geo_lane_dense_store(const struct geo_access *access, const struct geo_ir_type *type,
                          LLVMValueRef value)
{
    struct geo_lower_function *f = access->f;
    LLVMValueRef rows[GEO_LOWER_LANES_LIMIT];
    uint32_t count = (uint32_t)type->count;
    GEO_ASSERT(geo_lane_dense_fits(access, type) && geo_type_lanes(value) == f->lanes * count);
    if (type->size <= WORD_BYTES) {
        struct geo_part_place place = word_place(access, type);
        LLVMTypeRef words = geo_type_vector(f, geo_type_of(f, place.type));
        geo_access_part_store(access, &place, LLVMBuildBitCast(f->llvm.builder, value, words, ""));
        return;
    }
    if (is_row(access, type)) {
        geo_remark_access_part(GEO_REMARK_CONSECUTIVE);
        geo_access_row_store(access, value, access->address.base, row_mask(access, type),
                             access->align);
        return;
    }
    for (uint32_t lane = 0; lane < f->lanes; lane++) {
        rows[lane] = geo_lanes_slice(f, value, lane * count, count);
    }
    geo_access_record_rows_store(access, rows);
}
