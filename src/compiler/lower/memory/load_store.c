/* Lowers loads and stores of whole values, part by part. Short vectors of consecutive lanes are
 * accessed as one long vector. */
#include "compiler/lower/memory/load_store.h"

#include "base/assert.h"
#include "compiler/analysis/interleave.h"
#include "compiler/ir/access.h"
#include "compiler/ir/remark.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/lanes.h"
#include "compiler/lower/emit/number.h"
#include "compiler/lower/emit/recompute.h"
#include "compiler/lower/memory/dense.h"
#include "compiler/lower/memory/record.h"
#include "compiler/lower/memory/table_load.h"
#include "compiler/lower/memory/window.h"
#include "compiler/lower/value/value.h"

/* Largest number of components of such short vectors, and largest number of elements of the long
 * vector. */
#define WIDE_COMPONENTS 8u
#define WIDE_LANES      128u
#define ADDRESS_DEPTH   8u /* instructions between an address and an index that are followed */

/* ---- short vectors ---- */

/* Returns whether each lane's vector (char4, half2 ...) is accessed as one integer. */
static bool squashes(const struct geo_access *access, const struct geo_ir_type *type, bool store)
{
    bool padded = type->count == 3;
    return type->kind == GEO_TYPE_VECTOR && access->f->lanes > 1 && !access->interleaved &&
           access->address.kind != GEO_SHAPE_UNIFORM && type->element->size < 4 &&
           type->element->kind != GEO_TYPE_BOOL && !(padded && (store || access->packed)) &&
           (type->size == 2 || type->size == 4 || type->size == 8);
}

static const struct geo_ir_type *squashed_type(struct geo_lower_function *f,
                                               const struct geo_ir_type *type)
{
    return geo_ir_type_int(f->module, (uint32_t)type->size * 8);
}

static void squashed_load(const struct geo_access *access, const struct geo_ir_type *type,
                          LLVMValueRef *values)
{
    struct geo_lower_function *f = access->f;
    LLVMValueRef bits = geo_lane_dense_word_load(access, squashed_type(f, type));
    uint32_t width = type->element->width;
    for (uint32_t i = 0; i < type->count; i++) {
        LLVMValueRef part = LLVMBuildLShr(f->llvm.builder, bits,
                                          geo_emit_const_like(bits, (uint64_t)i * width), "");
        values[i] = geo_emit_zext(f, part, width);
    }
}

static void squashed_store(const struct geo_access *access, const struct geo_ir_type *type,
                           LLVMValueRef *values)
{
    struct geo_lower_function *f = access->f;
    struct geo_part_place whole = {squashed_type(f, type), 0};
    uint32_t width = type->element->width;
    LLVMValueRef bits = NULL;
    for (uint32_t i = 0; i < type->count; i++) {
        LLVMValueRef part =
            geo_type_lanes(values[i]) > 1 ? values[i] : geo_lanes_splat(f, values[i]);
        part = geo_emit_zext(f, part, whole.type->width);
        part =
            LLVMBuildShl(f->llvm.builder, part, geo_emit_const_like(part, (uint64_t)i * width), "");
        bits = bits ? LLVMBuildOr(f->llvm.builder, bits, part, "") : part;
    }
    geo_access_part_store(access, &whole, bits);
}

/* Returns the number of components in memory (4 for vec3) if the lanes' vectors (float4 ...) are
 * consecutive in memory. Returns 0 otherwise. */
static uint32_t wide_components(const struct geo_access *access, const struct geo_ir_type *type)
{
    if (type->kind != GEO_TYPE_VECTOR || access->address.kind != GEO_SHAPE_STRIDED ||
        access->interleaved || type->element->kind == GEO_TYPE_BOOL) {
        return 0;
    }
    uint64_t components = access->packed ? type->count : type->size / type->element->size;
    if (access->address.stride != (int64_t)(components * type->element->size)) {
        return 0;
    }
    bool regular = components == 3 || (components & (components - 1)) == 0;
    return regular && components <= WIDE_COMPONENTS && components * access->f->lanes <= WIDE_LANES
               ? (uint32_t)components
               : 0;
}

/* Returns the mask of the long vector: each lane's bit for its components, and 0 for padding. NULL
 * means all. */
static LLVMValueRef wide_mask(struct geo_lower_function *f, uint32_t components, uint32_t used)
{
    if (!f->body.mask && components == used) {
        return NULL;
    }
    uint32_t total = components * f->lanes;
    GEO_ASSERT(total <= WIDE_LANES && used <= components);
    LLVMValueRef spread[WIDE_LANES], kept[WIDE_LANES];
    for (uint32_t i = 0; i < total; i++) {
        spread[i] = geo_emit_const_i32(f, i / components);
        kept[i] = LLVMConstInt(geo_type_i1(f), i % components < used, false);
    }
    LLVMValueRef mask = LLVMConstVector(kept, total);
    if (f->body.mask) {
        LLVMValueRef each = LLVMBuildShuffleVector(f->llvm.builder, f->body.mask,
                                                   LLVMGetPoison(LLVMTypeOf(f->body.mask)),
                                                   LLVMConstVector(spread, total), "");
        mask = components == used ? each : LLVMBuildAnd(f->llvm.builder, each, mask, "");
    }
    return mask;
}

static void wide_load(const struct geo_access *access, const struct geo_ir_type *type,
                      uint32_t components, LLVMValueRef *values)
{
    struct geo_lower_function *f = access->f;
    LLVMTypeRef wide = LLVMVectorType(geo_type_of(f, type->element), components * f->lanes);
    /* the padding inside a vec3 may be read */
    LLVMValueRef all = geo_access_row_load(access, wide, access->address.base,
                                           wide_mask(f, components, components),
                                           geo_lane_address_align(access->align, 0));
    for (uint32_t i = 0; i < type->count; i++) {
        values[i] = geo_lanes_stride(f, all, (int32_t)i, (int32_t)components, f->lanes);
    }
}

/* Returns whether masked stores of the long vector would go element by element. */
static bool lacks_masks(const struct geo_access *access, const struct geo_ir_type *type)
{
    const struct geo_lower_target *target = &access->f->options->target;
    return access->f->body.mask && !target->has_masks &&
           (target->vector_bits < 256 || type->element->size < 4);
}

static void wide_store(const struct geo_access *access, const struct geo_ir_type *type,
                       uint32_t components, LLVMValueRef *values)
{
    struct geo_lower_function *f = access->f;
    LLVMValueRef rows[WIDE_COMPONENTS];
    uint32_t slots = components == 3 ? 4 : components;
    GEO_ASSERT(slots <= WIDE_COMPONENTS && type->count <= slots);
    for (uint32_t i = 0; i < slots; i++) {
        LLVMValueRef value = values[i < type->count ? i : 0];
        rows[i] = geo_type_lanes(value) > 1 ? value : geo_lanes_splat(f, value);
    }
    for (uint32_t count = slots; count > 1; count /= 2) {
        for (uint32_t i = 0; i < count / 2; i++) {
            rows[i] = geo_lanes_concat(f, rows[2 * i], rows[2 * i + 1]);
        }
    }
    LLVMValueRef picks[WIDE_LANES];
    uint32_t total = components * f->lanes;
    for (uint32_t i = 0; i < total; i++) {
        picks[i] = geo_emit_const_i32(f, (i % components) * f->lanes + i / components);
    }
    LLVMValueRef all =
        LLVMBuildShuffleVector(f->llvm.builder, rows[0], LLVMGetPoison(LLVMTypeOf(rows[0])),
                               LLVMConstVector(picks, total), "");
    geo_access_row_store(access, all, access->address.base,
                         wide_mask(f, components, (uint32_t)type->count),
                         geo_lane_address_align(access->align, 0));
}

/* Returns whether windows for each component take less time than shuffles of three components of
 * one or two bytes: a tenth, measured with AVX-512. */
static bool prefers_windows(const struct geo_access *access, const struct geo_ir_type *type,
                            uint32_t components)
{
    return components == 3 && type->element->size < 4 && access->f->options->target.has_masks;
}

/* Stores the components one after another, each through a window. */
static void components_store(const struct geo_access *access, const struct geo_ir_type *type,
                             LLVMValueRef *values)
{
    struct geo_access part = *access;
    for (uint32_t i = 0; i < type->count; i++) {
        part.address =
            geo_lane_address_add(access->f, access->address, (int64_t)(i * type->element->size));
        if (geo_window_store(&part, type->element, &values[i])) {
            geo_remark_access_part(GEO_REMARK_PATTERN);
        } else {
            geo_access_part_store(&part, &(struct geo_part_place){type->element, 0}, values[i]);
        }
    }
}

/* ---- whole values ---- */

bool geo_access_load(const struct geo_access *access, const struct geo_ir_type *type,
                     LLVMValueRef *values, uint32_t count)
{
    bool plain = !(access->flags & SpvMemoryAccessVolatileMask);
    uint32_t components = plain ? wide_components(access, type) : 0;
    if (plain && squashes(access, type, false)) {
        squashed_load(access, type, values);
        return true;
    }
    if (components) {
        geo_remark_access_part(GEO_REMARK_CONSECUTIVE);
        wide_load(access, type, components, values);
        return true;
    }
    if (plain && geo_window_load(access, type, values)) {
        geo_remark_access_part(GEO_REMARK_PATTERN);
        return true;
    }
    if (geo_access_record_fits(access, type)) {
        geo_access_record_load(access, type, values);
        return true;
    }
    const struct geo_part_place *places = geo_part_places(access->f, access->inst, type, &count);
    for (uint32_t i = 0; places && i < count; i++) {
        values[i] = geo_access_part_load(access, &places[i]);
    }
    return places != NULL;
}

bool geo_access_store(const struct geo_access *access, const struct geo_ir_type *type,
                      LLVMValueRef *values, uint32_t count)
{
    bool plain = !(access->flags & SpvMemoryAccessVolatileMask);
    uint32_t components = plain ? wide_components(access, type) : 0;
    if (plain && squashes(access, type, true)) {
        squashed_store(access, type, values);
        return true;
    }
    if (prefers_windows(access, type, components)) {
        components_store(access, type, values);
        return true;
    }
    if (components && !lacks_masks(access, type)) {
        geo_remark_access_part(GEO_REMARK_CONSECUTIVE);
        wide_store(access, type, components, values);
        return true;
    }
    if (plain && geo_window_store(access, type, values)) {
        geo_remark_access_part(GEO_REMARK_PATTERN);
        return true;
    }
    if (geo_access_record_fits(access, type)) {
        geo_access_record_store(access, type, values);
        return true;
    }
    const struct geo_part_place *places = geo_part_places(access->f, access->inst, type, &count);
    for (uint32_t i = 0; places && i < count; i++) {
        geo_access_part_store(access, &places[i], values[i]);
    }
    return places != NULL;
}

/* ---- chunks that are most often aligned ---- */

/* Returns the access as it is if the chunk is aligned: through a window, or at one address. Its
 * base is taken from the lanes' addresses. */
static struct geo_access access_aligned(const struct geo_access *access,
                                        const struct geo_address *address)
{
    struct geo_access result = *access;
    struct geo_lower_function *f = access->f;
    int64_t stride;
    result.address = *address;
    LLVMValueRef first = geo_recompute_first(f, address->base);
    if (geo_pattern_is_stride(address->pattern, f->lanes, &stride)) {
        result.address.kind = stride ? GEO_SHAPE_STRIDED : GEO_SHAPE_UNIFORM;
        result.address.stride = stride;
        result.address.base = first;
    } else {
        /* windows look at lane 0 only */
        result.address.base = geo_lanes_splat(f, first);
    }
    return result;
}

/* Returns whether an address is computed in the block of a load from a value that the block reads
 * or computes. Lowering has the value there only then. */
static bool is_at_hand(const struct geo_ir_block *block, struct geo_ir_value *address,
                       const struct geo_ir_value *value, uint32_t depth)
{
    const struct geo_ir_inst *inst = geo_ir_as_inst(address);
    if (address == value) {
        return true;
    }
    for (uint32_t i = 0; inst && inst->block == block && depth && i < inst->operand_count; i++) {
        if (is_at_hand(block, inst->operands[i], value, depth - 1)) {
            return true;
        }
    }
    return false;
}

/* Returns an i1: the integer is not negative in lane 0, and its low bits are zero there. */
static LLVMValueRef is_aligned(struct geo_lower_function *f, const struct geo_pattern *pattern)
{
    struct geo_ir_value *value = (struct geo_ir_value *)pattern->aligned;
    LLVMValueRef first = geo_value_scalar(f, value, 0);
    uint64_t sign = UINT64_C(1) << (value->type->width - 1);
    uint64_t bits = sign | ((UINT64_C(1) << pattern->aligned_zeros) - 1);
    LLVMValueRef rest = LLVMBuildAnd(f->llvm.builder, first, geo_emit_const_like(first, bits), "");
    return geo_emit_icmp(f, LLVMIntEQ, rest, geo_emit_zero_like(rest));
}

/* Loads in two ways: for chunks whose index starts at a multiple of W, in which the lanes'
 * distances are known, and for others. */
static bool aligned_load(const struct geo_access *access, const struct geo_address *address,
                         const struct geo_ir_type *type, LLVMValueRef *values, uint32_t count)
{
    struct geo_lower_function *f = access->f;
    LLVMBuilderRef b = f->llvm.builder;
    LLVMValueRef *ways[2] = {values, geo_arena_new_array(f->arena, LLVMValueRef, count)};
    if (!ways[1]) {
        geo_state_no_memory(f);
        return false;
    }
    LLVMValueRef aligned = is_aligned(f, address->pattern);
    LLVMBasicBlockRef after = geo_emit_block_next(f, "loaded");
    LLVMBasicBlockRef blocks[2] = {geo_emit_block_next(f, "aligned"),
                                   geo_emit_block_next(f, "apart")};
    LLVMBuildCondBr(b, aligned, blocks[0], blocks[1]);
    for (uint32_t way = 0; way < 2; way++) {
        LLVMPositionBuilderAtEnd(b, blocks[way]);
        struct geo_access at = way ? *access : access_aligned(access, address);
        at.address.base = way ? geo_recompute_lanes(f, at.address.base) : at.address.base;
        if (!geo_access_load(&at, type, ways[way], count)) {
            return false;
        }
        for (uint32_t i = 0; i < count; i++) {
            LLVMValueRef value = ways[way][i];
            ways[way][i] = geo_type_lanes(value) > 1 ? value : geo_lanes_splat(f, value);
        }
        blocks[way] = LLVMGetInsertBlock(b);
        LLVMBuildBr(b, after);
    }
    LLVMPositionBuilderAtEnd(b, after);
    for (uint32_t i = 0; i < count; i++) {
        LLVMValueRef incoming[2] = {ways[0][i], ways[1][i]};
        values[i] = LLVMBuildPhi(b, LLVMTypeOf(incoming[0]), "");
        LLVMAddIncoming(values[i], incoming, blocks, 2);
    }
    return true;
}

/* Returns whether a load of values of type `type` is faster in aligned chunks, and sets the
 * addresses that it has there. */
static bool aligns(const struct geo_access *access, const struct geo_ir_inst *inst,
                   const struct geo_ir_type *type, struct geo_address *address)
{
    struct geo_access at = *access;
    int64_t stride;
    if (access->flags & SpvMemoryAccessVolatileMask || access->interleaved ||
        !geo_lane_address_aligned(access->f, inst->operands[0], &access->address, address) ||
        !is_at_hand(inst->block, inst->operands[0], address->pattern->aligned, ADDRESS_DEPTH)) {
        return false;
    }
    if (geo_pattern_is_stride(address->pattern, access->f->lanes, &stride)) {
        return stride == 0 || stride == (int64_t)type->size;
    }
    at.address = *address;
    return geo_window_load_fits(&at, squashes(access, type, false) ? squashed_type(access->f, type)
                                                                   : type);
}

/* Loads a value that stays together in registers. */
static LLVMValueRef dense_load(const struct geo_access *access, const struct geo_ir_inst *inst)
{
    const struct geo_ir_type *type = inst->value.type;
    bool word = type->size == 2 || type->size == 4 || type->size == 8;
    const struct geo_ir_type *bits = word ? squashed_type(access->f, type) : NULL;
    struct geo_address address;
    LLVMValueRef value = NULL;
    if (!word || !aligns(access, inst, bits, &address)) {
        return geo_lane_dense_load(access, type);
    }
    return aligned_load(access, &address, bits, &value, 1)
               ? geo_lane_dense_of_words(access, type, value)
               : NULL;
}

/* Fills *access for a load or store. Reports an error and returns false if `pointer` is not a
 * pointer. */
static bool access_of(struct geo_lower_function *f, const struct geo_ir_inst *inst,
                      struct geo_ir_value *pointer, const struct geo_ir_type *type,
                      struct geo_access *access)
{
    if (pointer->type->kind != GEO_TYPE_POINTER) {
        geo_state_error(f, inst, "operand is not a pointer");
        return false;
    }
    *access = (struct geo_access){.f = f, .inst = inst, .flags = inst->memory_flags};
    access->packed = inst->memory_flags & GEO_ACCESS_PACKED;
    access->align = inst->memory_align ? inst->memory_align : type->align;
    access->address = geo_lane_address_of(f, pointer);
    if (pointer->flags & GEO_VALUE_INTERLEAVED && f->lanes > 1) {
        uint64_t element = geo_interleave_element(type);
        access->interleaved = true;
        access->align = access->align < element ? access->align : (uint32_t)element;
    }
    return true;
}

bool geo_access_lower_load(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    const struct geo_ir_type *type = inst->value.type;
    uint32_t count;
    struct geo_access access;
    if (!geo_part_places(f, inst, type, &count) ||
        !access_of(f, inst, inst->operands[0], type, &access)) {
        return false;
    }
    geo_remark_access_begin(inst, f->body.mask != NULL);
    if (geo_value_is_dense(f, &inst->value) && geo_lane_dense_fits(&access, type)) {
        LLVMValueRef whole = dense_load(&access, inst);
        if (whole) {
            geo_value_set_dense(f, &inst->value, whole);
        }
        return whole != NULL;
    }
    LLVMValueRef found = geo_access_table_load(&access);
    if (found) {
        geo_value_set_wide(f, inst, 0, found);
        return true;
    }
    LLVMValueRef *values = geo_arena_new_array(f->arena, LLVMValueRef, count);
    if (!values) {
        geo_state_no_memory(f);
        return false;
    }
    struct geo_address aligned;
    bool good = aligns(&access, inst, type, &aligned)
                    ? aligned_load(&access, &aligned, type, values, count)
                    : geo_access_load(&access, type, values, count);
    if (!good) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        geo_value_set_wide(f, inst, i, values[i]);
    }
    return true;
}

bool geo_access_lower_store(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    struct geo_ir_value *object = inst->operands[1];
    uint32_t count;
    struct geo_access access;
    if (!geo_part_places(f, inst, object->type, &count) ||
        !access_of(f, inst, inst->operands[0], object->type, &access)) {
        return false;
    }
    geo_remark_access_begin(inst, f->body.mask != NULL);
    if (geo_value_is_dense(f, object) && geo_lane_dense_fits(&access, object->type)) {
        geo_lane_dense_store(&access, object->type, geo_value_dense(f, object));
        return true;
    }
    LLVMValueRef *values = geo_arena_new_array(f->arena, LLVMValueRef, count);
    if (!values) {
        geo_state_no_memory(f);
        return false;
    }
    bool uniform = geo_value_is_uniform(f, object);
    for (uint32_t i = 0; i < count; i++) {
        values[i] = geo_value_operand(f, object, i, uniform);
    }
    return geo_access_store(&access, object->type, values, count);
}
