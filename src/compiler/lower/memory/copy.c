/* Lowers OpCopyMemory and OpCopyMemorySized.
 *
 * Small objects are loaded and stored part by part, with all the memory classes of access.c. Large
 * objects and byte ranges are copied lane by lane. Objects may overlap: an object is read
 * completely before it is written, like a load followed by a store (transform/memory/large_values.c
 * makes copies from those). memcpy is never called. Constant sizes in bytes use the inline
 * intrinsic, others loops. */
#include "compiler/lower/memory/copy.h"

#include "base/assert.h"
#include "compiler/ir/remark.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/mask.h"
#include "compiler/lower/emit/memory.h"
#include "compiler/lower/emit/number.h"
#include "compiler/lower/memory/load_store.h"
#include "compiler/lower/value/value.h"

#define PARTS_LIMIT 64u
/* Largest number of vectors of a large object that are held in registers. Larger objects are copied
 * in a loop. */
#define HELD_VECTORS 4u
#define HELD_PIECES  (HELD_VECTORS + 7u) /* plus pieces of 1 to 32 bytes for the remainder */

/* One copy. */
struct copy {
    struct geo_address target, source;
    uint32_t target_align, source_align;
    uint64_t bytes;    /* the size, if constant */
    LLVMValueRef size; /* run-time size, i64 or <W x i64>; NULL: constant */
    bool is_volatile;
    bool object; /* an object, which may overlap, instead of a byte range */
};

/* Emits for (at = 0; at < size; at++) target[at] = source[at]. */
static void copy_loop(struct geo_lower_function *f, const struct copy *copy, LLVMValueRef target,
                      LLVMValueRef source, LLVMValueRef size)
{
    LLVMBuilderRef b = f->llvm.builder;
    LLVMTypeRef byte = LLVMInt8TypeInContext(f->llvm.context);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(b);
    LLVMBasicBlockRef behind = geo_emit_block_next(f, "copied");
    LLVMBasicBlockRef body = geo_emit_block_next(f, "copy");
    LLVMValueRef none = geo_emit_icmp(f, LLVMIntEQ, size, geo_emit_zero_like(size));
    LLVMBuildCondBr(b, none, behind, body);
    LLVMPositionBuilderAtEnd(b, body);
    LLVMValueRef at = LLVMBuildPhi(b, LLVMTypeOf(size), "");
    LLVMValueRef load = LLVMBuildLoad2(b, byte, geo_emit_offset(f, source, at), "");
    LLVMSetVolatile(load, copy->is_volatile);
    LLVMSetVolatile(LLVMBuildStore(b, load, geo_emit_offset(f, target, at)), copy->is_volatile);
    LLVMValueRef next = LLVMBuildAdd(b, at, geo_emit_const_like(at, 1), "");
    LLVMBasicBlockRef from[2] = {before, body};
    LLVMAddIncoming(at, (LLVMValueRef[]){geo_emit_zero_like(size), next}, from, 2);
    LLVMBuildCondBr(b, geo_emit_icmp(f, LLVMIntULT, next, size), body, behind);
    LLVMPositionBuilderAtEnd(b, behind);
}

static void copy_fixed(struct geo_lower_function *f, const struct copy *copy, LLVMValueRef target,
                       LLVMValueRef source)
{
    LLVMTypeRef types[3] = {LLVMTypeOf(target), LLVMTypeOf(source),
                            LLVMInt64TypeInContext(f->llvm.context)};
    LLVMValueRef args[4] = {
        target, source, LLVMConstInt(types[2], copy->bytes, false),
        LLVMConstInt(LLVMInt1TypeInContext(f->llvm.context), copy->is_volatile, false)};
    LLVMValueRef call = geo_emit_intrinsic_of(f, "llvm.memcpy.inline", types, 3, args, 4);
    unsigned kind = LLVMGetEnumAttributeKindForName("align", 5);
    LLVMAddCallSiteAttribute(call, 1,
                             LLVMCreateEnumAttribute(f->llvm.context, kind, copy->target_align));
    LLVMAddCallSiteAttribute(call, 2,
                             LLVMCreateEnumAttribute(f->llvm.context, kind, copy->source_align));
}

/* ---- objects ---- */

/* A part of an object that is held in a register. */
struct piece {
    uint64_t offset;
    LLVMValueRef value;
};

static LLVMTypeRef piece_type(struct geo_lower_function *f, uint32_t bytes)
{
    return bytes > 8 ? LLVMVectorType(geo_type_i64(f), bytes / 8) : geo_type_int(f, 8 * bytes);
}

static LLVMValueRef piece_load(struct geo_lower_function *f, const struct copy *copy,
                               LLVMValueRef pointer, uint32_t bytes)
{
    LLVMValueRef load = LLVMBuildLoad2(f->llvm.builder, piece_type(f, bytes), pointer, "");
    LLVMSetAlignment(load, geo_lane_address_align(copy->source_align, bytes));
    LLVMSetVolatile(load, copy->is_volatile);
    return load;
}

static void piece_store(struct geo_lower_function *f, const struct copy *copy, LLVMValueRef value,
                        LLVMValueRef pointer, uint32_t bytes)
{
    LLVMValueRef store = LLVMBuildStore(f->llvm.builder, value, pointer);
    LLVMSetAlignment(store, geo_lane_address_align(copy->target_align, bytes));
    LLVMSetVolatile(store, copy->is_volatile);
}

/* Copies `count` vectors in a loop, so that each is read before it is overwritten. The loop runs
 * downwards if the target overlaps the end of the source, otherwise upwards. */
static void copy_vectors(struct geo_lower_function *f, const struct copy *copy, LLVMValueRef target,
                         LLVMValueRef source, uint64_t count, uint32_t bytes)
{
    LLVMBuilderRef b = f->llvm.builder;
    LLVMTypeRef i64 = geo_type_i64(f);
    LLVMValueRef distance = LLVMBuildSub(b, LLVMBuildPtrToInt(b, target, i64, ""),
                                         LLVMBuildPtrToInt(b, source, i64, ""), "");
    LLVMValueRef upwards =
        geo_emit_icmp(f, LLVMIntUGE, distance, geo_emit_const_like(distance, copy->bytes));
    LLVMValueRef first = geo_emit_select(f, upwards, geo_emit_const_like(distance, 0),
                                         geo_emit_const_like(distance, (count - 1) * bytes));
    LLVMValueRef step = geo_emit_select(f, upwards, geo_emit_const_like(distance, bytes),
                                        geo_emit_const_like(distance, -(uint64_t)bytes));
    LLVMBasicBlockRef before = LLVMGetInsertBlock(b);
    LLVMBasicBlockRef behind = geo_emit_block_next(f, "moved");
    LLVMBasicBlockRef body = geo_emit_block_next(f, "move");
    LLVMBuildBr(b, body);
    LLVMPositionBuilderAtEnd(b, body);
    LLVMValueRef at = LLVMBuildPhi(b, i64, ""), left = LLVMBuildPhi(b, i64, "");
    LLVMValueRef value = piece_load(f, copy, geo_emit_offset(f, source, at), bytes);
    piece_store(f, copy, value, geo_emit_offset(f, target, at), bytes);
    LLVMValueRef next = LLVMBuildAdd(b, at, step, "");
    LLVMValueRef less = LLVMBuildSub(b, left, geo_emit_const_like(left, 1), "");
    LLVMBasicBlockRef from[2] = {before, body};
    LLVMAddIncoming(at, (LLVMValueRef[]){first, next}, from, 2);
    LLVMAddIncoming(left, (LLVMValueRef[]){geo_emit_const_like(distance, count), less}, from, 2);
    LLVMBuildCondBr(b, geo_emit_icmp(f, LLVMIntNE, less, geo_emit_zero_like(less)), body, behind);
    LLVMPositionBuilderAtEnd(b, behind);
}

/* Copies an object. The remainder behind the whole vectors is loaded before and stored after the
 * loop, so it neither overwrites unread vectors nor is overwritten. */
static void copy_object(struct geo_lower_function *f, const struct copy *copy, LLVMValueRef target,
                        LLVMValueRef source)
{
    uint32_t vector = f->options->target.vector_bits / 8, pieces = 0;
    uint64_t vectors = copy->bytes / vector, offset = vectors * vector;
    struct piece held[HELD_PIECES];
    bool loop = vectors > HELD_VECTORS;
    for (uint64_t at = loop ? offset : 0; at < copy->bytes;) {
        uint32_t bytes = vector;
        while (bytes > copy->bytes - at) {
            bytes /= 2;
        }
        GEO_ASSERT(pieces < HELD_PIECES);
        held[pieces].offset = at;
        held[pieces++].value =
            piece_load(f, copy, geo_emit_offset_const(f, source, (int64_t)at), bytes);
        at += bytes;
    }
    if (loop) {
        copy_vectors(f, copy, target, source, vectors, vector);
    }
    for (uint32_t i = 0; i < pieces; i++) {
        uint64_t end = i + 1 < pieces ? held[i + 1].offset : copy->bytes;
        piece_store(f, copy, held[i].value,
                    geo_emit_offset_const(f, target, (int64_t)held[i].offset),
                    (uint32_t)(end - held[i].offset));
    }
}

static LLVMValueRef copy_lane(struct geo_lower_function *f, const struct geo_turn *turn, void *data)
{
    const struct copy *copy = data;
    LLVMValueRef target = geo_lane_address_turn(f, copy->target, turn);
    LLVMValueRef source = geo_lane_address_turn(f, copy->source, turn);
    if (copy->object) {
        copy_object(f, copy, target, source);
        return NULL;
    }
    if (!copy->size) {
        copy_fixed(f, copy, target, source);
        return NULL;
    }
    copy_loop(f, copy, target, source, geo_emit_turn_value(f, turn, copy->size));
    return NULL;
}

static void copy_by_lanes(struct geo_lower_function *f, struct copy *copy)
{
    bool once = copy->target.kind == GEO_SHAPE_UNIFORM && copy->source.kind == GEO_SHAPE_UNIFORM &&
                (!copy->size || geo_type_lanes(copy->size) == 1);
    geo_remark_access_part(f->lanes == 1 ? GEO_REMARK_SCALAR
                           : once        ? GEO_REMARK_UNIFORM
                                         : GEO_REMARK_LANES);
    if (once) {
        copy_lane(f, &(struct geo_turn){0}, copy);
    } else {
        geo_emit_turns(f, NULL, GEO_TURN_LARGE, copy_lane, copy);
    }
}

static bool copy_by_parts(struct geo_lower_function *f, const struct geo_ir_inst *inst,
                          const struct copy *copy, const struct geo_ir_type *type, uint32_t parts)
{
    LLVMValueRef values[PARTS_LIMIT];
    GEO_ASSERT(parts <= PARTS_LIMIT);
    struct geo_access access = {.f = f, .inst = inst, .flags = inst->memory_flags};
    access.address = copy->source;
    access.align = copy->source_align;
    if (!geo_access_load(&access, type, values, parts)) {
        return false;
    }
    access.address = copy->target;
    access.align = copy->target_align;
    return geo_access_store(&access, type, values, parts);
}

static uint32_t known_align(uint32_t asked, uint32_t natural)
{
    uint32_t align = asked ? asked : natural;
    return align && !(align & (align - 1)) ? align : 1;
}

bool geo_access_copy_memory(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    struct geo_ir_value *target = inst->operands[0], *source = inst->operands[1];
    if (target->type->kind != GEO_TYPE_POINTER || source->type->kind != GEO_TYPE_POINTER) {
        geo_state_error(f, inst, "operands are not pointers");
        return false;
    }
    bool sized = inst->op == SpvOpCopyMemorySized;
    const struct geo_ir_type *type = target->type->element;
    uint32_t natural = sized || !type ? 1 : type->align;
    struct copy copy = {
        .target = geo_lane_address_of(f, target),
        .source = geo_lane_address_of(f, source),
        .target_align = known_align(inst->memory_align, natural),
        .is_volatile = (inst->memory_flags & SpvMemoryAccessVolatileMask) != 0,
    };
    geo_remark_access_begin(inst, f->body.mask != NULL);
    copy.source_align =
        known_align(inst->source_align ? inst->source_align : inst->memory_align, natural);
    if (sized) {
        struct geo_ir_value *size = inst->operands[2];
        if (!geo_ir_constant_bits(size, &copy.bytes)) {
            bool uniform = geo_value_is_uniform(f, size);
            copy.size = geo_emit_zext(f, geo_value_operand(f, size, 0, uniform), 64);
        }
    } else {
        uint32_t parts = type ? geo_part_count(type) : 0;
        if (parts == 0) {
            geo_state_error(f, inst, "the type behind the pointers has no components");
            return false;
        }
        if (parts <= PARTS_LIMIT) {
            return copy_by_parts(f, inst, &copy, type, parts);
        }
        copy.bytes = type->size;
        copy.object = true;
    }
    if (copy.size || copy.bytes) {
        copy_by_lanes(f, &copy);
    }
    return true;
}
