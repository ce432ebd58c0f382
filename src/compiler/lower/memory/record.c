/* Accesses vectors of 8 to 64 bytes, one for each lane, that are not consecutive; see record.h.
 *
 *     8 bytes         one integer per lane, gathered or scattered
 *     16 to 64        one vector register per lane; a transposition converts to components
 *
 * Each access covers exactly the lane's vector. Loading a 3-component vector also reads the padding
 * of the fourth component. */
#include "compiler/lower/memory/record.h"

#include "base/assert.h"
#include "compiler/ir/remark.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/lanes.h"
#include "compiler/lower/emit/mask.h"
#include "compiler/lower/emit/memory.h"
#include "compiler/lower/emit/number.h"
#include "compiler/lower/emit/transpose.h"

#define PAIR_BYTES 8u

static bool is_pair(const struct geo_ir_type *type)
{
    return type->count == 2 && type->size == PAIR_BYTES;
}

bool geo_access_record_fits(const struct geo_access *access, const struct geo_ir_type *type)
{
    if (type->kind != GEO_TYPE_VECTOR || access->interleaved ||
        access->address.kind == GEO_SHAPE_UNIFORM || access->flags & SpvMemoryAccessVolatileMask ||
        (type->element->kind != GEO_TYPE_INT && type->element->kind != GEO_TYPE_FLOAT)) {
        return false;
    }
    bool rooms = type->count == 3 && !access->packed && access->inst->op == SpvOpLoad;
    bool whole = (type->count & (type->count - 1)) == 0;
    return is_pair(type) ||
           ((rooms || whole) && type->size >= 16 && type->size <= GEO_SPREAD_BYTES);
}

/* ---- pairs ---- */

static struct geo_part_place pair_place(const struct geo_access *access)
{
    return (struct geo_part_place){geo_ir_type_int(access->f->module, 8 * PAIR_BYTES), 0};
}

static void pair_load(const struct geo_access *access, const struct geo_ir_type *type,
                      LLVMValueRef *values)
{
    struct geo_lower_function *f = access->f;
    struct geo_part_place place = pair_place(access);
    LLVMTypeRef both = LLVMVectorType(geo_type_of(f, type->element), 2 * f->lanes);
    LLVMValueRef all =
        LLVMBuildBitCast(f->llvm.builder, geo_access_part_load(access, &place), both, "");
    for (int32_t i = 0; i < 2; i++) {
        values[i] = geo_lanes_stride(f, all, i, 2, f->lanes);
    }
}

static void pair_store(const struct geo_access *access, LLVMValueRef *values)
{
    struct geo_lower_function *f = access->f;
    struct geo_part_place place = pair_place(access);
    LLVMValueRef picks[2 * GEO_LOWER_LANES_LIMIT];
    for (uint32_t i = 0; i < 2 * f->lanes; i++) {
        picks[i] = geo_emit_const_i32(f, i / 2 + i % 2 * f->lanes);
    }
    LLVMValueRef all = LLVMBuildShuffleVector(f->llvm.builder, values[0], values[1],
                                              LLVMConstVector(picks, 2 * f->lanes), "");
    LLVMTypeRef words = LLVMVectorType(geo_type_i64(f), f->lanes);
    geo_access_part_store(access, &place, LLVMBuildBitCast(f->llvm.builder, all, words, ""));
}

/* ---- one register for each lane ---- */

/* Returns the access with dummy memory for inactive lanes. */
static struct geo_access lanes_apart(const struct geo_access *access)
{
    struct geo_access apart = *access;
    if (access->f->body.mask) {
        apart.address = access->inst->op == SpvOpStore
                            ? geo_lane_address_spread(access->f, access->address)
                            : geo_lane_address_zeros(access->f, access->address);
        apart.align = access->align < GEO_SPREAD_ALIGN ? access->align : GEO_SPREAD_ALIGN;
    }
    return apart;
}

void geo_access_record_rows_load(const struct geo_access *access, const struct geo_ir_type *type,
                                 LLVMValueRef *rows)
{
    struct geo_lower_function *f = access->f;
    uint32_t slots = (uint32_t)(type->size / type->element->size);
    GEO_ASSERT(slots >= type->count && slots <= GEO_SPREAD_BYTES);
    LLVMTypeRef row = LLVMVectorType(geo_type_of(f, type->element), slots);
    struct geo_access apart = lanes_apart(access);
    geo_remark_access_part(GEO_REMARK_RECORDS);
    for (uint32_t lane = 0; lane < f->lanes; lane++) {
        LLVMValueRef pointer = geo_lane_address_lane(f, apart.address, lane);
        rows[lane] = geo_access_row_load(&apart, row, pointer, NULL, apart.align);
    }
}

void geo_access_record_rows_store(const struct geo_access *access, const LLVMValueRef *rows)
{
    struct geo_lower_function *f = access->f;
    struct geo_access apart = lanes_apart(access);
    geo_remark_access_part(GEO_REMARK_RECORDS);
    for (uint32_t lane = 0; lane < f->lanes; lane++) {
        LLVMValueRef pointer = geo_lane_address_lane(f, apart.address, lane);
        geo_access_row_store(&apart, rows[lane], pointer, NULL, apart.align);
    }
}

static void rows_load(const struct geo_access *access, const struct geo_ir_type *type,
                      LLVMValueRef *values)
{
    LLVMValueRef rows[GEO_LOWER_LANES_LIMIT], columns[GEO_SPREAD_BYTES];
    geo_access_record_rows_load(access, type, rows);
    geo_emit_transpose(access->f, rows, access->f->lanes, columns);
    for (uint32_t i = 0; i < type->count; i++) {
        values[i] = columns[i];
    }
}

static void rows_store(const struct geo_access *access, const struct geo_ir_type *type,
                       LLVMValueRef *values)
{
    LLVMValueRef rows[GEO_LOWER_LANES_LIMIT];
    geo_emit_transpose(access->f, values, (uint32_t)type->count, rows);
    geo_access_record_rows_store(access, rows);
}

/* ---- vectors of any size ---- */

void geo_access_record_load(const struct geo_access *access, const struct geo_ir_type *type,
                            LLVMValueRef *values)
{
    if (is_pair(type)) {
        pair_load(access, type, values);
    } else {
        rows_load(access, type, values);
    }
}

void geo_access_record_store(const struct geo_access *access, const struct geo_ir_type *type,
                             LLVMValueRef *values)
{
    LLVMValueRef vectors[GEO_SPREAD_BYTES];
    GEO_ASSERT(geo_access_record_fits(access, type) && type->count <= GEO_SPREAD_BYTES);
    for (uint32_t i = 0; i < type->count; i++) {
        vectors[i] =
            geo_type_lanes(values[i]) > 1 ? values[i] : geo_lanes_splat(access->f, values[i]);
    }
    if (is_pair(type)) {
        pair_store(access, vectors);
    } else {
        rows_store(access, type, vectors);
    }
}
