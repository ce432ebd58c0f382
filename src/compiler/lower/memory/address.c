/* Computes the addresses of a chunk's lanes by memory class: from a pointer value, plus constants
 * and indices, and in one lane; see address.h. */
#include "compiler/lower/memory/address.h"

#include "base/assert.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/lanes.h"
#include "compiler/lower/emit/memory.h"
#include "compiler/lower/emit/number.h"
#include "compiler/lower/value/value.h"

uint32_t geo_lane_address_align(uint32_t align, uint64_t offset)
{
    if (align == 0 || (align & (align - 1))) {
        return 1;
    }
    uint64_t lowest = offset & -offset;
    return lowest && lowest < align ? (uint32_t)lowest : align;
}

bool geo_lane_address_is_valid(struct geo_lower_function *f, const struct geo_address *address)
{
    uint32_t lanes = address->kind == GEO_SHAPE_VARYING ? f->lanes : 1;
    return LLVMGetTypeKind(geo_type_element(address->base)) == LLVMPointerTypeKind &&
           geo_type_lanes(address->base) == lanes &&
           (f->lanes > 1 || address->kind == GEO_SHAPE_UNIFORM) &&
           (address->kind == GEO_SHAPE_STRIDED || address->kind == GEO_SHAPE_VARYING ||
            address->stride == 0) &&
           (address->kind != GEO_SHAPE_STRIDED || address->stride != 0);
}

/* Looks for a pattern in varying addresses, which may also turn out to be strided. If lane 0 may be
 * inactive, its address must be valid in any case. */
static void find_pattern(struct geo_lower_function *f, const struct geo_ir_value *pointer,
                         struct geo_address *address)
{
    struct geo_pattern *pattern = geo_arena_new(f->arena, struct geo_pattern);
    if (!pattern) {
        geo_state_no_memory(f);
        return;
    }
    bool found = geo_pattern_find(f->body.patterns, pointer, pattern);
    if (f->body.patterns->no_memory) {
        geo_state_no_memory(f);
    }
    if (!found || (pattern->flagged && f->body.mask && !f->body.lane0_on)) {
        return;
    }
    address->pattern = pattern;
    if (geo_pattern_is_stride(pattern, f->lanes, &address->stride)) {
        address->base = geo_emit_lane(f, address->base, 0);
        address->kind = address->stride ? GEO_SHAPE_STRIDED : GEO_SHAPE_UNIFORM;
    }
}

struct geo_address geo_lane_address_of(struct geo_lower_function *f, struct geo_ir_value *pointer)
{
    struct geo_shape shape = geo_value_shape(f, pointer);
    struct geo_address address = {.kind = shape.kind};
    if (address.kind == GEO_SHAPE_STRIDED) {
        address.stride = shape.stride;
        if (shape.stride == 0) {
            address.kind = GEO_SHAPE_UNIFORM;
        }
    }
    address.base = geo_value_operand(f, pointer, 0, address.kind != GEO_SHAPE_VARYING);
    if (address.kind == GEO_SHAPE_VARYING && f->body.patterns) {
        find_pattern(f, pointer, &address);
    }
    GEO_ASSERT(geo_lane_address_is_valid(f, &address));
    return address;
}

bool geo_lane_address_aligned(struct geo_lower_function *f, const struct geo_ir_value *pointer,
                              const struct geo_address *address, struct geo_address *aligned)
{
    struct geo_pattern pattern;
    if (address->kind != GEO_SHAPE_VARYING || address->pattern || !f->body.patterns ||
        !geo_pattern_find(f->body.aligned, pointer, &pattern) || !pattern.aligned ||
        (pattern.flagged && f->body.mask && !f->body.lane0_on)) {
        return false;
    }
    struct geo_pattern *kept = geo_arena_new(f->arena, struct geo_pattern);
    if (!kept) {
        geo_state_no_memory(f);
        return false;
    }
    *kept = pattern;
    *aligned = *address;
    aligned->pattern = kept;
    return true;
}

struct geo_address geo_lane_address_add(struct geo_lower_function *f, struct geo_address address,
                                        int64_t bytes)
{
    address.base = geo_emit_offset_const(f, address.base, bytes);
    return address;
}

struct geo_address geo_lane_address_index(struct geo_lower_function *f, struct geo_address address,
                                          struct geo_ir_value *index, int64_t size)
{
    struct geo_shape shape = geo_value_shape(f, index);
    enum geo_shape_kind kind = shape.kind;
    /* A narrow index may wrap between lanes, so its 64-bit form may not be strided. Varying base
     * addresses need varying offsets. */
    if (kind == GEO_SHAPE_STRIDED &&
        (index->type->width < 64 || address.kind == GEO_SHAPE_VARYING)) {
        kind = GEO_SHAPE_VARYING;
    }
    LLVMValueRef offset = geo_value_operand(f, index, 0, kind != GEO_SHAPE_VARYING);
    offset = geo_emit_sext(f, offset, 64);
    offset = LLVMBuildMul(f->llvm.builder, offset, geo_emit_const_like(offset, (uint64_t)size), "");
    if (kind == GEO_SHAPE_VARYING && address.kind == GEO_SHAPE_STRIDED) {
        address.base = geo_lane_address_vector(f, address);
        address.kind = GEO_SHAPE_VARYING;
    }
    address.base = geo_emit_offset(f, address.base, offset);
    address.pattern = kind == GEO_SHAPE_UNIFORM ? address.pattern : NULL;
    if (kind == GEO_SHAPE_VARYING) {
        address.kind = kind;
    } else if (kind == GEO_SHAPE_STRIDED && address.kind != GEO_SHAPE_VARYING) {
        address.stride += shape.stride * size;
        address.kind = address.stride ? GEO_SHAPE_STRIDED : GEO_SHAPE_UNIFORM;
    }
    GEO_ASSERT(geo_lane_address_is_valid(f, &address));
    return address;
}

LLVMValueRef geo_lane_address_vector(struct geo_lower_function *f, struct geo_address address)
{
    GEO_ASSERT(f->lanes > 1 && geo_lane_address_is_valid(f, &address));
    switch (address.kind) {
    case GEO_SHAPE_UNIFORM:
        return geo_lanes_splat(f, address.base);
    case GEO_SHAPE_STRIDED:
        return geo_lanes_ramp(f, address.base, address.stride);
    default:
        return address.base;
    }
}

LLVMValueRef geo_lane_address_lane(struct geo_lower_function *f, struct geo_address address,
                                   uint32_t lane)
{
    GEO_ASSERT(lane < f->lanes);
    switch (address.kind) {
    case GEO_SHAPE_UNIFORM:
        return address.base;
    case GEO_SHAPE_STRIDED:
        return geo_emit_offset_const(f, address.base, address.stride * (int64_t)lane);
    default:
        return geo_emit_lane(f, address.base, lane);
    }
}

LLVMValueRef geo_lane_address_turn(struct geo_lower_function *f, struct geo_address address,
                                   const struct geo_turn *turn)
{
    switch (address.kind) {
    case GEO_SHAPE_UNIFORM:
        return address.base;
    case GEO_SHAPE_STRIDED: {
        LLVMValueRef wide = geo_emit_zext(f, turn->lane, 64);
        LLVMValueRef offset = LLVMBuildMul(f->llvm.builder, wide,
                                           geo_emit_const_like(wide, (uint64_t)address.stride), "");
        return geo_emit_offset(f, address.base, offset);
    }
    default:
        return geo_emit_turn_value(f, turn, address.base);
    }
}

/* Replaces the addresses of inactive lanes by `places`, a pointer or a vector of them. */
static struct geo_address inactive_replace(struct geo_lower_function *f, struct geo_address address,
                                           LLVMValueRef places)
{
    address.base = LLVMBuildSelect(f->llvm.builder, f->body.mask,
                                   geo_lane_address_vector(f, address), places, "");
    address.kind = GEO_SHAPE_VARYING;
    address.pattern = NULL;
    return address;
}

struct geo_address geo_lane_address_spread(struct geo_lower_function *f, struct geo_address address)
{
    if (!f->body.mask) {
        return address;
    }
    if (!f->demand.no_use) {
        uint32_t words = f->lanes - 1 + GEO_SPREAD_BYTES / GEO_SPREAD_ALIGN;
        LLVMTypeRef type = LLVMArrayType2(geo_type_i64(f), words);
        f->demand.no_use = geo_emit_alloca(f, type, "no.use");
    }
    /* own memory for each lane, as accesses to one address would wait for each other */
    return inactive_replace(f, address, geo_lanes_ramp(f, f->demand.no_use, GEO_SPREAD_ALIGN));
}

struct geo_address geo_lane_address_zeros(struct geo_lower_function *f, struct geo_address address)
{
    if (!f->body.mask) {
        return address;
    }
    if (!f->demand.zeros) {
        LLVMTypeRef type = LLVMArrayType2(geo_type_i64(f), GEO_SPREAD_BYTES / sizeof(uint64_t));
        f->demand.zeros = geo_emit_alloca(f, type, "zeros");
        LLVMBuildStore(f->llvm.allocas, LLVMConstNull(type), f->demand.zeros);
    }
    return inactive_replace(f, address, geo_lanes_splat(f, f->demand.zeros));
}
