/* Loads and stores by memory class; see memory.h. */
#include "compiler/lower/memory.h"

#include "compiler/lower/frame.h"
#include "compiler/lower/instruction.h"

#include <string.h>

/* Short vectors of at most this many components, one per lane in a row, are wide accesses. */
#define WIDE_COMPONENTS 8u
#define WIDE_LANES      128u

/* ---- layout ---- */

static uint64_t leaf_walk(const struct geo_ir_type *type, uint64_t offset, struct geo_leaf *leaves)
{
    uint64_t count = 0;
    switch (type->kind) {
    case GEO_TYPE_VECTOR:
    case GEO_TYPE_ARRAY:
        for (uint64_t i = 0; i < type->count; i++) {
            count += leaf_walk(type->element, offset + i * type->element->size, leaves + count);
        }
        return count;
    case GEO_TYPE_STRUCT:
        for (uint64_t i = 0; i < type->count; i++) {
            count += leaf_walk(type->members[i], offset + type->offsets[i], leaves + count);
        }
        return count;
    default:
        leaves[0] = (struct geo_leaf){type, offset};
        return 1;
    }
}

const struct geo_leaf *geo_leaves(struct geo_lower_function *f, const struct geo_ir_inst *inst,
                                  const struct geo_ir_type *type, uint32_t *count)
{
    uint32_t parts = geo_lower_part_count(type);
    if (parts == 0 || parts > GEO_LOWER_PARTS_LIMIT) {
        geo_lower_error(f, inst,
                        parts ? "type %%%u is too large to be held as a value"
                              : "type %%%u holds no value",
                        type->id);
        return NULL;
    }
    struct geo_leaf *leaves = geo_arena_new_array(f->arena, struct geo_leaf, parts);
    if (!leaves) {
        geo_lower_no_memory(f);
        return NULL;
    }
    *count = (uint32_t)leaf_walk(type, 0, leaves);
    return leaves;
}

uint64_t geo_lower_part_offset(const struct geo_ir_type *type, uint32_t part)
{
    uint64_t offset = 0;
    for (;;) {
        if (type->kind == GEO_TYPE_VECTOR || type->kind == GEO_TYPE_ARRAY) {
            uint32_t each = geo_lower_part_count(type->element);
            offset += (part / each) * type->element->size;
            part %= each;
            type = type->element;
        } else if (type->kind == GEO_TYPE_STRUCT) {
            uint64_t member = 0;
            uint32_t each;
            while (part >= (each = geo_lower_part_count(type->members[member]))) {
                part -= each;
                member++;
            }
            offset += type->offsets[member];
            type = type->members[member];
        } else {
            return offset;
        }
    }
}

static uint32_t align_at(uint32_t align, uint64_t offset)
{
    if (align == 0 || (align & (align - 1))) {
        return 1;
    }
    uint64_t lowest = offset & -offset;
    return lowest && lowest < align ? (uint32_t)lowest : align;
}

/* ---- addresses ---- */

struct geo_address geo_address_of(struct geo_lower_function *f, struct geo_ir_value *pointer)
{
    struct geo_shape shape = geo_lower_shape(f, pointer);
    struct geo_address address = {.kind = f->lanes == 1 ? GEO_SHAPE_UNIFORM : shape.kind};
    if (address.kind == GEO_SHAPE_STRIDED) {
        address.stride = shape.stride;
        if (shape.stride == 0) {
            address.kind = GEO_SHAPE_UNIFORM;
        }
    }
    address.base = geo_lower_operand(f, pointer, 0, address.kind != GEO_SHAPE_VARYING);
    return address;
}

struct geo_address geo_address_add(struct geo_lower_function *f, struct geo_address address,
                                   int64_t bytes)
{
    address.base = geo_emit_offset_const(f, address.base, bytes);
    return address;
}

struct geo_address geo_address_index(struct geo_lower_function *f, struct geo_address address,
                                     struct geo_ir_value *index, int64_t size)
{
    struct geo_shape shape = geo_lower_shape(f, index);
    enum geo_shape_kind kind = f->lanes == 1 ? GEO_SHAPE_UNIFORM : shape.kind;
    /* A narrow index may wrap between lanes: its 64-bit form need not be strided. Lanes that have
     * bases of their own need offsets of their own. */
    if (kind == GEO_SHAPE_STRIDED &&
        (index->type->width < 64 || address.kind == GEO_SHAPE_VARYING)) {
        kind = GEO_SHAPE_VARYING;
    }
    LLVMValueRef offset = geo_lower_operand(f, index, 0, kind != GEO_SHAPE_VARYING);
    offset = geo_emit_sext(f, offset, 64);
    offset = LLVMBuildMul(f->builder, offset, geo_emit_const_like(offset, (uint64_t)size), "");
    if (kind == GEO_SHAPE_VARYING && address.kind == GEO_SHAPE_STRIDED) {
        address.base = geo_address_vector(f, address);
        address.kind = GEO_SHAPE_VARYING;
    }
    address.base = geo_emit_offset(f, address.base, offset);
    if (kind == GEO_SHAPE_VARYING) {
        address.kind = kind;
    } else if (kind == GEO_SHAPE_STRIDED && address.kind != GEO_SHAPE_VARYING) {
        address.stride += shape.stride * size;
        address.kind = address.stride ? GEO_SHAPE_STRIDED : GEO_SHAPE_UNIFORM;
    }
    return address;
}

LLVMValueRef geo_address_vector(struct geo_lower_function *f, struct geo_address address)
{
    switch (address.kind) {
    case GEO_SHAPE_UNIFORM:
        return geo_lower_splat(f, address.base);
    case GEO_SHAPE_STRIDED:
        return geo_lower_ramp(f, address.base, address.stride);
    default:
        return address.base;
    }
}

LLVMValueRef geo_address_lane(struct geo_lower_function *f, struct geo_address address,
                              LLVMValueRef lane)
{
    switch (address.kind) {
    case GEO_SHAPE_UNIFORM:
        return address.base;
    case GEO_SHAPE_STRIDED: {
        LLVMValueRef wide = geo_emit_zext(f, lane, 64);
        LLVMValueRef offset =
            LLVMBuildMul(f->builder, wide, geo_emit_const_like(wide, (uint64_t)address.stride), "");
        return geo_emit_offset(f, address.base, offset);
    }
    default:
        return LLVMBuildExtractElement(f->builder, address.base, lane, "");
    }
}

/* ---- scalar accesses ---- */

static LLVMTypeRef memory_type(struct geo_lower_function *f, const struct geo_ir_type *type)
{
    return type->kind == GEO_TYPE_BOOL ? LLVMInt8TypeInContext(f->context)
                                       : geo_lower_scalar_type(f, type);
}

static LLVMValueRef from_memory(struct geo_lower_function *f, const struct geo_ir_type *type,
                                LLVMValueRef value)
{
    return type->kind == GEO_TYPE_BOOL
               ? geo_emit_icmp(f, LLVMIntNE, value, geo_emit_zero_like(value))
               : value;
}

static LLVMValueRef to_memory(struct geo_lower_function *f, const struct geo_ir_type *type,
                              LLVMValueRef value)
{
    return type->kind == GEO_TYPE_BOOL ? geo_emit_zext(f, value, 8) : value;
}

/* Only whole vector stores: x86 has no other worth having, and LLVM's back end crashes on
 * non-temporal accesses of short vectors, which its passes make of scalar ones. */
static void store_mark(const struct geo_access *access, LLVMValueRef store, LLVMValueRef value)
{
    struct geo_lower_function *f = access->f;
    uint32_t bits = geo_emit_bits(value), total = bits * geo_emit_lanes(value);
    if (!(access->flags & SpvMemoryAccessNontemporalMask) || geo_emit_lanes(value) == 1 ||
        bits < 32 || total < 128 || (total & (total - 1))) {
        return;
    }
    LLVMMetadataRef one =
        LLVMValueAsMetadata(LLVMConstInt(LLVMInt32TypeInContext(f->context), 1, false));
    LLVMMetadataRef node = LLVMMDNodeInContext2(f->context, &one, 1);
    LLVMSetMetadata(store, LLVMGetMDKindIDInContext(f->context, "nontemporal", 11),
                    LLVMMetadataAsValue(f->context, node));
}

static LLVMValueRef plain_load(const struct geo_access *access, LLVMTypeRef type,
                               LLVMValueRef pointer, uint32_t align)
{
    LLVMValueRef load = LLVMBuildLoad2(access->f->builder, type, pointer, "");
    LLVMSetAlignment(load, align);
    LLVMSetVolatile(load, (access->flags & SpvMemoryAccessVolatileMask) != 0);
    return load;
}

static void plain_store(const struct geo_access *access, LLVMValueRef value, LLVMValueRef pointer,
                        uint32_t align)
{
    LLVMValueRef store = LLVMBuildStore(access->f->builder, value, pointer);
    LLVMSetAlignment(store, align);
    LLVMSetVolatile(store, (access->flags & SpvMemoryAccessVolatileMask) != 0);
    store_mark(access, store, value);
}

/* ---- masked accesses ---- */

/* A masked intrinsic: its pointer argument (from 1) carries the alignment. */
static LLVMValueRef masked(const struct geo_access *access, const char *name, LLVMTypeRef data,
                           LLVMValueRef *args, uint32_t count, uint32_t pointer, uint32_t align)
{
    struct geo_lower_function *f = access->f;
    LLVMTypeRef types[2] = {data, LLVMTypeOf(args[pointer - 1])};
    LLVMValueRef call = geo_emit_intrinsic_of(f, name, types, 2, args, count);
    unsigned kind = LLVMGetEnumAttributeKindForName("align", 5);
    LLVMAddCallSiteAttribute(call, pointer, LLVMCreateEnumAttribute(f->context, kind, align));
    return call;
}

static LLVMValueRef vector_load(const struct geo_access *access, LLVMTypeRef type,
                                LLVMValueRef pointer, LLVMValueRef mask, uint32_t align)
{
    if (!mask) {
        return plain_load(access, type, pointer, align);
    }
    LLVMValueRef args[3] = {pointer, mask, LLVMConstNull(type)};
    return masked(access, "llvm.masked.load", type, args, 3, 1, align);
}

static void vector_store(const struct geo_access *access, LLVMValueRef value, LLVMValueRef pointer,
                         LLVMValueRef mask, uint32_t align)
{
    if (!mask) {
        plain_store(access, value, pointer, align);
        return;
    }
    LLVMValueRef args[3] = {value, pointer, mask};
    masked(access, "llvm.masked.store", LLVMTypeOf(value), args, 3, 2, align);
}

/* Dead lanes of a lane-by-lane load read here. */
static LLVMValueRef nowhere(struct geo_lower_function *f)
{
    static const char name[] = "geo.nowhere";
    LLVMValueRef global = LLVMGetNamedGlobal(f->llvm_module, name);
    if (!global) {
        LLVMTypeRef type = LLVMArrayType2(LLVMInt8TypeInContext(f->context), 16);
        global = LLVMAddGlobal(f->llvm_module, type, name);
        LLVMSetInitializer(global, LLVMConstNull(type));
        LLVMSetGlobalConstant(global, true);
        LLVMSetLinkage(global, LLVMPrivateLinkage);
        LLVMSetAlignment(global, 16);
    }
    return global;
}

static LLVMValueRef lanes_load(const struct geo_access *access, LLVMTypeRef type,
                               struct geo_address address, uint32_t align)
{
    struct geo_lower_function *f = access->f;
    if (f->mask) {
        LLVMValueRef pointers = geo_address_vector(f, address);
        address.base = geo_lower_select_mask(f, pointers, geo_lower_splat(f, nowhere(f)));
        address.kind = GEO_SHAPE_VARYING;
    }
    LLVMValueRef result = LLVMConstNull(LLVMVectorType(type, f->lanes));
    for (uint32_t lane = 0; lane < f->lanes; lane++) {
        LLVMValueRef pointer =
            address.kind == GEO_SHAPE_STRIDED
                ? geo_emit_offset_const(f, address.base, address.stride * (int64_t)lane)
                : geo_lower_lane(f, address.base, lane);
        LLVMValueRef value = plain_load(access, type, pointer, align);
        LLVMValueRef number = LLVMConstInt(LLVMInt32TypeInContext(f->context), lane, false);
        result = LLVMBuildInsertElement(f->builder, result, value, number, "");
    }
    return result;
}

/* Lanes that lie `step` elements apart, 2 to 4, all of them on: vectors that cover the row, the
 * last one ending at the last lane's element, and shuffles. What lies between two lanes may be
 * read. */
static LLVMValueRef row_load(const struct geo_access *access, LLVMTypeRef type,
                             struct geo_address address, uint32_t bytes, uint32_t step,
                             uint32_t align)
{
    struct geo_lower_function *f = access->f;
    uint32_t lanes = f->lanes, last = (lanes - 1) * step + 1 - lanes;
    LLVMValueRef result = NULL;
    for (uint32_t i = 0; i < step; i++) {
        uint32_t start = i + 1 < step ? i * lanes : last;
        LLVMValueRef pointer = geo_emit_offset_const(f, address.base, (int64_t)start * bytes);
        LLVMValueRef row =
            plain_load(access, LLVMVectorType(type, lanes), pointer, align_at(align, bytes));
        LLVMValueRef picks[GEO_LOWER_LANES_LIMIT];
        for (uint32_t lane = 0; lane < lanes; lane++) {
            uint32_t element = lane * step;
            bool here = i + 1 < step ? element >= start && element < start + lanes
                                     : element >= (step - 1) * lanes;
            picks[lane] = geo_lower_const_i32(f, here     ? lanes + element - start
                                                 : result ? lane
                                                          : 0);
        }
        result = LLVMBuildShuffleVector(f->builder, result ? result : row, row,
                                        LLVMConstVector(picks, lanes), "");
    }
    return result;
}

/* Lanes that lie in a row backwards. */
static LLVMValueRef backward_load(const struct geo_access *access, LLVMTypeRef type,
                                  struct geo_address address, uint32_t bytes, uint32_t align)
{
    struct geo_lower_function *f = access->f;
    int32_t last = (int32_t)f->lanes - 1;
    LLVMValueRef pointer = geo_emit_offset_const(f, address.base, -(int64_t)last * bytes);
    LLVMValueRef mask = f->mask ? geo_emit_stride(f, f->mask, last, -1, f->lanes) : NULL;
    LLVMValueRef row =
        vector_load(access, LLVMVectorType(type, f->lanes), pointer, mask, align_at(align, bytes));
    return geo_emit_stride(f, row, last, -1, f->lanes);
}

static LLVMValueRef gather(const struct geo_access *access, LLVMTypeRef type,
                           struct geo_address address, uint32_t align)
{
    struct geo_lower_function *f = access->f;
    if (!f->options->target.fast_gather) {
        return lanes_load(access, type, address, align);
    }
    LLVMTypeRef data = LLVMVectorType(type, f->lanes);
    LLVMValueRef args[3] = {geo_address_vector(f, address), geo_lower_mask_vector(f),
                            LLVMConstNull(data)};
    return masked(access, "llvm.masked.gather", data, args, 3, 1, align);
}

static void scatter(const struct geo_access *access, LLVMValueRef value, struct geo_address address,
                    uint32_t align)
{
    struct geo_lower_function *f = access->f;
    LLVMValueRef args[3] = {value, geo_address_vector(f, address), geo_lower_mask_vector(f)};
    masked(access, "llvm.masked.scatter", LLVMTypeOf(value), args, 3, 2, align);
}

/* ---- volatile: every lane its own access ---- */

struct lane_access {
    const struct geo_access *access;
    struct geo_address address;
    LLVMTypeRef type;
    LLVMValueRef value; /* store: vector or scalar; NULL: load */
    uint32_t align;
};

static LLVMValueRef lane_emit(struct geo_lower_function *f, LLVMValueRef lane, void *data)
{
    struct lane_access *a = data;
    LLVMValueRef pointer = geo_address_lane(f, a->address, lane);
    if (!a->value) {
        return plain_load(a->access, a->type, pointer, a->align);
    }
    LLVMValueRef value = geo_emit_lanes(a->value) > 1
                             ? LLVMBuildExtractElement(f->builder, a->value, lane, "")
                             : a->value;
    plain_store(a->access, value, pointer, a->align);
    return NULL;
}

/* ---- one leaf ---- */

/* Elements from lane to lane when they are 2 to 4; else 0. */
static uint32_t row_step(int64_t stride, uint64_t bytes)
{
    int64_t step = bytes ? stride / (int64_t)bytes : 0;
    return step >= 2 && step <= 4 && step * (int64_t)bytes == stride ? (uint32_t)step : 0;
}

static LLVMValueRef leaf_load(const struct geo_access *access, const struct geo_leaf *leaf)
{
    struct geo_lower_function *f = access->f;
    LLVMTypeRef type = memory_type(f, leaf->type);
    struct geo_address at = geo_address_add(f, access->address, (int64_t)leaf->offset);
    uint32_t align = align_at(access->align, leaf->offset);
    LLVMValueRef value;
    if (f->lanes == 1) {
        value = plain_load(access, type, at.base, align);
    } else if (access->flags & SpvMemoryAccessVolatileMask) {
        struct lane_access data = {access, at, type, NULL, align};
        value = geo_lower_for_each_lane(f, type, lane_emit, &data);
    } else if (at.kind == GEO_SHAPE_UNIFORM) {
        value = plain_load(access, type, at.base, align);
    } else if (at.kind == GEO_SHAPE_STRIDED && at.stride == (int64_t)leaf->type->size) {
        value = vector_load(access, LLVMVectorType(type, f->lanes), at.base, f->mask, align);
    } else if (at.kind == GEO_SHAPE_STRIDED && at.stride == -(int64_t)leaf->type->size) {
        value = backward_load(access, type, at, (uint32_t)leaf->type->size, align);
    } else if (at.kind == GEO_SHAPE_STRIDED && !f->mask && row_step(at.stride, leaf->type->size)) {
        value = row_load(access, type, at, (uint32_t)leaf->type->size,
                         row_step(at.stride, leaf->type->size), align);
    } else {
        value = gather(access, type, at, align);
    }
    return from_memory(f, leaf->type, value);
}

/* The value of the last lane that is on: what a store of all lanes to one address leaves. */
static LLVMValueRef last_lane(struct geo_lower_function *f, LLVMValueRef vector)
{
    if (!f->mask) {
        return geo_lower_lane(f, vector, f->lanes - 1);
    }
    LLVMValueRef bits = geo_lower_mask_bits(f, f->mask);
    LLVMValueRef args[2] = {bits, LLVMConstInt(LLVMInt1TypeInContext(f->context), 0, false)};
    LLVMValueRef zeros = geo_emit_intrinsic(f, "llvm.ctlz", args, 2);
    /* W - 1 - zeros; a power of two less one, so that an empty mask stays in range. */
    LLVMValueRef most = geo_emit_const_like(bits, f->lanes - 1);
    LLVMValueRef lane =
        LLVMBuildAnd(f->builder, LLVMBuildSub(f->builder, most, zeros, ""), most, "");
    return LLVMBuildExtractElement(f->builder, vector, geo_emit_zext(f, lane, 32), "");
}

static void leaf_store(const struct geo_access *access, const struct geo_leaf *leaf,
                       LLVMValueRef value)
{
    struct geo_lower_function *f = access->f;
    value = to_memory(f, leaf->type, value);
    struct geo_address at = geo_address_add(f, access->address, (int64_t)leaf->offset);
    uint32_t align = align_at(access->align, leaf->offset);
    bool vector = geo_emit_lanes(value) > 1;
    if (f->lanes == 1) {
        plain_store(access, value, at.base, align);
    } else if (access->flags & SpvMemoryAccessVolatileMask) {
        struct lane_access data = {access, at, LLVMTypeOf(value), value, align};
        geo_lower_for_each_lane(f, NULL, lane_emit, &data);
    } else if (at.kind == GEO_SHAPE_UNIFORM) {
        plain_store(access, vector ? last_lane(f, value) : value, at.base, align);
    } else {
        value = vector ? value : geo_lower_splat(f, value);
        if (at.kind == GEO_SHAPE_STRIDED && at.stride == (int64_t)leaf->type->size) {
            vector_store(access, value, at.base, f->mask, align);
        } else {
            scatter(access, value, at, align);
        }
    }
}

/* ---- short vectors ---- */

/* char4, half2 and their like as one integer per lane. */
static bool squashes(const struct geo_access *access, const struct geo_ir_type *type, bool store)
{
    bool padded = type->count == 3;
    return type->kind == GEO_TYPE_VECTOR && access->f->lanes > 1 &&
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
    struct geo_leaf whole = {squashed_type(f, type), 0};
    LLVMValueRef bits = leaf_load(access, &whole);
    uint32_t width = type->element->width;
    for (uint32_t i = 0; i < type->count; i++) {
        LLVMValueRef part =
            LLVMBuildLShr(f->builder, bits, geo_emit_const_like(bits, (uint64_t)i * width), "");
        values[i] = geo_emit_zext(f, part, width);
    }
}

static void squashed_store(const struct geo_access *access, const struct geo_ir_type *type,
                           LLVMValueRef *values)
{
    struct geo_lower_function *f = access->f;
    struct geo_leaf whole = {squashed_type(f, type), 0};
    uint32_t width = type->element->width;
    LLVMValueRef bits = NULL;
    for (uint32_t i = 0; i < type->count; i++) {
        LLVMValueRef part =
            geo_emit_lanes(values[i]) > 1 ? values[i] : geo_lower_splat(f, values[i]);
        part = geo_emit_zext(f, part, whole.type->width);
        part = LLVMBuildShl(f->builder, part, geo_emit_const_like(part, (uint64_t)i * width), "");
        bits = bits ? LLVMBuildOr(f->builder, bits, part, "") : part;
    }
    leaf_store(access, &whole, bits);
}

/* float4 and its like of consecutive lanes: the W vectors lie in a row. Gives components per
 * vector in memory (4 for vec3); 0: not of this kind. */
static uint32_t wide_components(const struct geo_access *access, const struct geo_ir_type *type)
{
    if (type->kind != GEO_TYPE_VECTOR || access->address.kind != GEO_SHAPE_STRIDED ||
        type->element->kind == GEO_TYPE_BOOL) {
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

/* The mask of the wide access: each lane's bit for its components, none for padding. NULL: all. */
static LLVMValueRef wide_mask(struct geo_lower_function *f, uint32_t components, uint32_t used)
{
    if (!f->mask && components == used) {
        return NULL;
    }
    uint32_t total = components * f->lanes;
    LLVMValueRef spread[WIDE_LANES], kept[WIDE_LANES];
    for (uint32_t i = 0; i < total; i++) {
        spread[i] = geo_lower_const_i32(f, i / components);
        kept[i] = LLVMConstInt(geo_lower_i1(f), i % components < used, false);
    }
    LLVMValueRef mask = LLVMConstVector(kept, total);
    if (f->mask) {
        LLVMValueRef each =
            LLVMBuildShuffleVector(f->builder, f->mask, LLVMGetPoison(LLVMTypeOf(f->mask)),
                                   LLVMConstVector(spread, total), "");
        mask = components == used ? each : LLVMBuildAnd(f->builder, each, mask, "");
    }
    return mask;
}

static void wide_load(const struct geo_access *access, const struct geo_ir_type *type,
                      uint32_t components, LLVMValueRef *values)
{
    struct geo_lower_function *f = access->f;
    LLVMTypeRef wide =
        LLVMVectorType(geo_lower_scalar_type(f, type->element), components * f->lanes);
    /* Padding inside a vec3 may be read. */
    LLVMValueRef all =
        vector_load(access, wide, access->address.base, wide_mask(f, components, components),
                    align_at(access->align, 0));
    for (uint32_t i = 0; i < type->count; i++) {
        values[i] = geo_emit_stride(f, all, (int32_t)i, (int32_t)components, f->lanes);
    }
}

static void wide_store(const struct geo_access *access, const struct geo_ir_type *type,
                       uint32_t components, LLVMValueRef *values)
{
    struct geo_lower_function *f = access->f;
    LLVMValueRef rows[WIDE_COMPONENTS];
    uint32_t slots = components == 3 ? 4 : components;
    for (uint32_t i = 0; i < slots; i++) {
        LLVMValueRef value = values[i < type->count ? i : 0];
        rows[i] = geo_emit_lanes(value) > 1 ? value : geo_lower_splat(f, value);
    }
    for (uint32_t count = slots; count > 1; count /= 2) {
        for (uint32_t i = 0; i < count / 2; i++) {
            rows[i] = geo_emit_concat(f, rows[2 * i], rows[2 * i + 1]);
        }
    }
    LLVMValueRef picks[WIDE_LANES];
    uint32_t total = components * f->lanes;
    for (uint32_t i = 0; i < total; i++) {
        picks[i] = geo_lower_const_i32(f, (i % components) * f->lanes + i / components);
    }
    LLVMValueRef all = LLVMBuildShuffleVector(
        f->builder, rows[0], LLVMGetPoison(LLVMTypeOf(rows[0])), LLVMConstVector(picks, total), "");
    vector_store(access, all, access->address.base, wide_mask(f, components, (uint32_t)type->count),
                 align_at(access->align, 0));
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
        wide_load(access, type, components, values);
        return true;
    }
    const struct geo_leaf *leaves = geo_leaves(access->f, access->inst, type, &count);
    for (uint32_t i = 0; leaves && i < count; i++) {
        values[i] = leaf_load(access, &leaves[i]);
    }
    return leaves != NULL;
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
    if (components) {
        wide_store(access, type, components, values);
        return true;
    }
    const struct geo_leaf *leaves = geo_leaves(access->f, access->inst, type, &count);
    for (uint32_t i = 0; leaves && i < count; i++) {
        leaf_store(access, &leaves[i], values[i]);
    }
    return leaves != NULL;
}

static bool access_of(struct geo_lower_function *f, const struct geo_ir_inst *inst,
                      struct geo_ir_value *pointer, const struct geo_ir_type *type,
                      struct geo_access *access)
{
    if (pointer->type->kind != GEO_TYPE_POINTER) {
        geo_lower_error(f, inst, "operand is not a pointer");
        return false;
    }
    *access = (struct geo_access){.f = f, .inst = inst, .flags = inst->memory_flags};
    access->align = inst->memory_align ? inst->memory_align : type->align;
    if (pointer->flags & GEO_VALUE_VOLATILE) {
        access->flags |= SpvMemoryAccessVolatileMask;
    }
    access->address = geo_address_of(f, pointer);
    return true;
}

bool geo_lower_load(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    const struct geo_ir_type *type = inst->value.type;
    uint32_t count;
    struct geo_access access;
    if (!geo_leaves(f, inst, type, &count) ||
        !access_of(f, inst, inst->operands[0], type, &access)) {
        return false;
    }
    LLVMValueRef *values = geo_arena_new_array(f->arena, LLVMValueRef, count);
    if (!values) {
        geo_lower_no_memory(f);
        return false;
    }
    if (!geo_access_load(&access, type, values, count)) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        geo_lower_set_wide(f, inst, i, values[i]);
    }
    return true;
}

bool geo_lower_store(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    struct geo_ir_value *object = inst->operands[1];
    uint32_t count;
    struct geo_access access;
    if (!geo_leaves(f, inst, object->type, &count) ||
        !access_of(f, inst, inst->operands[0], object->type, &access)) {
        return false;
    }
    LLVMValueRef *values = geo_arena_new_array(f->arena, LLVMValueRef, count);
    if (!values) {
        geo_lower_no_memory(f);
        return false;
    }
    bool uniform = f->lanes == 1 || geo_lower_shape(f, object).kind == GEO_SHAPE_UNIFORM;
    for (uint32_t i = 0; i < count; i++) {
        values[i] = geo_lower_operand(f, object, i, uniform);
    }
    return geo_access_store(&access, object->type, values, count);
}
