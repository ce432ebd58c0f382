/* Emits the accesses of one scalar in each lane, by the memory class of the address; see access.h.
 * load_store.c handles whole values. */
#include "compiler/lower/memory/access.h"

#include "base/assert.h"
#include "compiler/ir/access.h"
#include "compiler/ir/remark.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/lanes.h"
#include "compiler/lower/emit/mark.h"
#include "compiler/lower/emit/mask.h"
#include "compiler/lower/emit/memory.h"
#include "compiler/lower/emit/number.h"
#include "compiler/lower/memory/page_load.h"

/* ---- scalar accesses ---- */

static LLVMTypeRef memory_type(struct geo_lower_function *f, const struct geo_ir_type *type)
{
    return type->kind == GEO_TYPE_BOOL ? LLVMInt8TypeInContext(f->llvm.context)
                                       : geo_type_of(f, type);
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

static LLVMValueRef plain_load(const struct geo_access *access, LLVMTypeRef type,
                               LLVMValueRef pointer, uint32_t align)
{
    return geo_access_row_load(access, type, pointer, NULL, align);
}

static void plain_store(const struct geo_access *access, LLVMValueRef value, LLVMValueRef pointer,
                        uint32_t align)
{
    geo_access_row_store(access, value, pointer, NULL, align);
}

/* ---- masked accesses ---- */

/* Returns the address of a constant from which inactive lanes load. */
static LLVMValueRef nowhere(struct geo_lower_function *f)
{
    static const char name[] = "geo.nowhere";
    LLVMValueRef global = LLVMGetNamedGlobal(f->llvm.module, name);
    if (!global) {
        LLVMTypeRef type = LLVMArrayType2(LLVMInt8TypeInContext(f->llvm.context), 16);
        global = LLVMAddGlobal(f->llvm.module, type, name);
        LLVMSetInitializer(global, LLVMConstNull(type));
        LLVMSetGlobalConstant(global, true);
        LLVMSetLinkage(global, LLVMPrivateLinkage);
        LLVMSetAlignment(global, 16);
    }
    return global;
}

/* Loads lane by lane. Inactive lanes load from geo.nowhere. */
static LLVMValueRef lanes_load(const struct geo_access *access, LLVMTypeRef type,
                               struct geo_address address, uint32_t align)
{
    struct geo_lower_function *f = access->f;
    geo_remark_access_part(GEO_REMARK_LANES);
    if (f->body.mask) {
        LLVMValueRef pointers = geo_lane_address_vector(f, address);
        address.base = geo_emit_mask_active_select(f, pointers, geo_lanes_splat(f, nowhere(f)));
        address.kind = GEO_SHAPE_VARYING;
    }
    LLVMValueRef result = LLVMConstNull(LLVMVectorType(type, f->lanes));
    for (uint32_t lane = 0; lane < f->lanes; lane++) {
        LLVMValueRef pointer = geo_lane_address_lane(f, address, lane);
        LLVMValueRef value = plain_load(access, type, pointer, align);
        LLVMValueRef number = LLVMConstInt(LLVMInt32TypeInContext(f->llvm.context), lane, false);
        result = LLVMBuildInsertElement(f->llvm.builder, result, value, number, "");
    }
    return result;
}

/* Moves elements picks[lane] of a row to the lanes and merges them into `sum`; -1 leaves a lane
 * unchanged, or zero without `sum`. For bytes it uses shuffles that fill with zeros, and an or. */
static LLVMValueRef row_add(struct geo_lower_function *f, LLVMValueRef sum, LLVMValueRef row,
                            const int32_t *picks)
{
    bool bytes = geo_type_bits(row) == 8 && f->lanes <= 16;
    LLVMValueRef other = bytes || !sum ? LLVMConstNull(LLVMTypeOf(row)) : sum;
    LLVMValueRef numbers[GEO_LOWER_LANES_LIMIT];
    for (uint32_t lane = 0; lane < f->lanes; lane++) {
        uint32_t pick = picks[lane] >= 0 ? (uint32_t)picks[lane] : f->lanes + lane;
        numbers[lane] = geo_emit_const_i32(f, pick);
    }
    LLVMValueRef moved =
        LLVMBuildShuffleVector(f->llvm.builder, row, other, LLVMConstVector(numbers, f->lanes), "");
    return bytes && sum ? LLVMBuildOr(f->llvm.builder, sum, moved, "") : moved;
}

/* Loads elements that are `step` (2 to 4) apart, with all lanes active. It loads the vectors that
 * cover the range, the last of which ends at the last lane's element, and shuffles them. Memory
 * between two lanes may be read. */
static LLVMValueRef row_load(const struct geo_access *access, LLVMTypeRef type,
                             struct geo_address address, uint32_t bytes, uint32_t step,
                             uint32_t align)
{
    struct geo_lower_function *f = access->f;
    uint32_t lanes = f->lanes, last = (lanes - 1) * step + 1 - lanes;
    GEO_ASSERT(!f->body.mask && lanes > 1 && step >= 2 && step <= 4);
    GEO_ASSERT(address.stride == (int64_t)step * bytes);
    geo_remark_access_part(GEO_REMARK_STRIDED);
    LLVMValueRef result = NULL;
    for (uint32_t i = 0; i < step; i++) {
        uint32_t start = i + 1 < step ? i * lanes : last;
        LLVMValueRef pointer = geo_emit_offset_const(f, address.base, (int64_t)start * bytes);
        LLVMValueRef row = plain_load(access, LLVMVectorType(type, lanes), pointer,
                                      geo_lane_address_align(align, bytes));
        int32_t picks[GEO_LOWER_LANES_LIMIT];
        for (uint32_t lane = 0; lane < lanes; lane++) {
            uint32_t element = lane * step;
            bool here = i + 1 < step ? element >= start && element < start + lanes
                                     : element >= (step - 1) * lanes;
            picks[lane] = here ? (int32_t)(element - start) : -1;
        }
        result = row_add(f, result, row, picks);
    }
    return result;
}

/* Loads consecutive elements under a mask of which a lane is active; NULL: all lanes. */
static LLVMValueRef lanes_row_load(const struct geo_access *access, LLVMTypeRef type,
                                   LLVMValueRef pointer, LLVMValueRef mask, uint32_t align)
{
    LLVMTypeRef row = LLVMVectorType(type, access->f->lanes);
    return mask && geo_access_page_load_wanted(access, type)
               ? geo_access_page_load(access, row, pointer, mask, align)
               : geo_access_row_load(access, row, pointer, mask, align);
}

/* Loads consecutive elements in reverse order. */
static LLVMValueRef backward_load(const struct geo_access *access, LLVMTypeRef type,
                                  struct geo_address address, uint32_t bytes, uint32_t align)
{
    struct geo_lower_function *f = access->f;
    int32_t last = (int32_t)f->lanes - 1;
    geo_remark_access_part(GEO_REMARK_REVERSED);
    LLVMValueRef pointer = geo_emit_offset_const(f, address.base, -(int64_t)last * bytes);
    LLVMValueRef mask = f->body.mask ? geo_lanes_stride(f, f->body.mask, last, -1, f->lanes) : NULL;
    LLVMValueRef row =
        lanes_row_load(access, type, pointer, mask, geo_lane_address_align(align, bytes));
    return geo_lanes_stride(f, row, last, -1, f->lanes);
}

static LLVMValueRef wide_gather(const struct geo_access *access, LLVMTypeRef type,
                                LLVMValueRef pointers, uint32_t align)
{
    struct geo_lower_function *f = access->f;
    LLVMTypeRef data = LLVMVectorType(type, f->lanes);
    LLVMValueRef args[3] = {pointers, geo_emit_mask_active(f), LLVMConstNull(data)};
    return geo_emit_masked(access->f, "llvm.masked.gather", data, args, 3, 1, align);
}

/* Gathers elements of 8 or 16 bits, for which no instruction exists. It gathers the aligned 32-bit
 * words around them. These are on the same page, so they are readable, and other bytes in them are
 * ignored. */
static LLVMValueRef narrow_gather(const struct geo_access *access, LLVMTypeRef type, uint32_t bits,
                                  LLVMValueRef pointers)
{
    struct geo_lower_function *f = access->f;
    LLVMBuilderRef b = f->llvm.builder;
    LLVMTypeRef i32 = geo_type_i32(f);
    LLVMTypeRef words = LLVMVectorType(i32, f->lanes);
    LLVMTypeRef addresses = LLVMVectorType(geo_type_i64(f), f->lanes);
    LLVMValueRef address = LLVMBuildPtrToInt(b, pointers, addresses, "");
    LLVMValueRef start = LLVMBuildAnd(b, address, geo_emit_const_like(address, ~UINT64_C(3)), "");
    LLVMValueRef word =
        wide_gather(access, i32, LLVMBuildIntToPtr(b, start, LLVMTypeOf(pointers), "word"), 4);
    LLVMValueRef place = LLVMBuildTrunc(b, address, words, "");
    place = LLVMBuildAnd(b, place, geo_emit_const_like(place, 3), "");
    place = LLVMBuildShl(b, place, geo_emit_const_like(place, 3), "");
    word = LLVMBuildTrunc(b, LLVMBuildLShr(b, word, place, ""),
                          LLVMVectorType(geo_type_int(f, bits), f->lanes), "");
    return LLVMBuildBitCast(b, word, LLVMVectorType(type, f->lanes), "");
}

/* Loads from arbitrary addresses, by a gather or lane by lane, whichever is faster. Private memory
 * is loaded lane by lane. A scalar load takes its value from the store that has just written it,
 * as on a stack, but a gather waits until all stores are in the cache. */
static LLVMValueRef gather(const struct geo_access *access, LLVMTypeRef type,
                           struct geo_address address, uint32_t bits, uint32_t align)
{
    struct geo_lower_function *f = access->f;
    enum geo_gathers worth = f->options->target.gathers;
    bool vectors = address.kind == GEO_SHAPE_VARYING || f->body.mask;
    if (worth == GEO_GATHERS_NEVER || (worth == GEO_GATHERS_VECTORS && !vectors) ||
        (bits == 16 && align < 2) || access->interleaved) {
        return lanes_load(access, type, address, align);
    }
    geo_remark_access_part(GEO_REMARK_GATHERED);
    LLVMValueRef pointers = geo_lane_address_vector(f, address);
    return bits < 32 ? narrow_gather(access, type, bits, pointers)
                     : wide_gather(access, type, pointers, align);
}

/* ---- lane by lane ---- */

/* An access that is emitted lane by lane. */
struct lane_access {
    const struct geo_access *access;
    struct geo_address address;
    LLVMTypeRef type;
    LLVMValueRef value; /* value to store, vector or scalar; NULL: load */
    uint32_t align;
};

static LLVMValueRef lane_emit(struct geo_lower_function *f, const struct geo_turn *turn, void *data)
{
    struct lane_access *a = data;
    LLVMValueRef pointer = geo_lane_address_turn(f, a->address, turn);
    if (!a->value) {
        return plain_load(a->access, a->type, pointer, a->align);
    }
    plain_store(a->access, geo_emit_turn_value(f, turn, a->value), pointer, a->align);
    return NULL;
}

/* ---- one part in all lanes ---- */

/* Returns the distance between lanes in elements if it is 2 to 4, otherwise 0. */
static uint32_t row_step(int64_t stride, uint64_t bytes)
{
    int64_t step = bytes ? stride / (int64_t)bytes : 0;
    return step >= 2 && step <= 4 && step * (int64_t)bytes == stride ? (uint32_t)step : 0;
}

static struct geo_address part_address(const struct geo_access *access,
                                       const struct geo_part_place *place)
{
    uint64_t scale = access->interleaved ? access->f->lanes : 1;
    return geo_lane_address_add(access->f, access->address, (int64_t)(place->offset * scale));
}

LLVMValueRef geo_access_part_load(const struct geo_access *access,
                                  const struct geo_part_place *place)
{
    struct geo_lower_function *f = access->f;
    LLVMTypeRef type = memory_type(f, place->type);
    struct geo_address at = part_address(access, place);
    GEO_ASSERT(geo_lane_address_is_valid(f, &at));
    uint32_t align = geo_lane_address_align(access->align, place->offset);
    LLVMValueRef value;
    if (access->flags & SpvMemoryAccessVolatileMask) {
        struct lane_access data = {access, at, type, NULL, align};
        geo_remark_access_part(f->lanes > 1 ? GEO_REMARK_LANES : GEO_REMARK_SCALAR);
        value = geo_emit_turns(f, type, GEO_TURN_SMALL, lane_emit, &data);
    } else if (at.kind == GEO_SHAPE_UNIFORM) {
        geo_remark_access_part(f->lanes > 1 ? GEO_REMARK_UNIFORM : GEO_REMARK_SCALAR);
        value = plain_load(access, type, at.base, align);
    } else if (at.kind == GEO_SHAPE_STRIDED && at.stride == (int64_t)place->type->size) {
        geo_remark_access_part(GEO_REMARK_CONSECUTIVE);
        /* no mask for interleaved private memory, in which inactive lanes have elements too */
        value =
            lanes_row_load(access, type, at.base, access->interleaved ? NULL : f->body.mask, align);
    } else if (at.kind == GEO_SHAPE_STRIDED && at.stride == -(int64_t)place->type->size) {
        value = backward_load(access, type, at, (uint32_t)place->type->size, align);
    } else if (at.kind == GEO_SHAPE_STRIDED && !f->body.mask &&
               row_step(at.stride, place->type->size)) {
        value = row_load(access, type, at, (uint32_t)place->type->size,
                         row_step(at.stride, place->type->size), align);
    } else {
        value = gather(access, type, at, 8 * (uint32_t)place->type->size, align);
    }
    return from_memory(f, place->type, value);
}

/* Returns the value of the last active lane, which remains if all lanes store to one address. */
static LLVMValueRef last_lane(struct geo_lower_function *f, LLVMValueRef vector)
{
    if (!f->body.mask) {
        return geo_emit_lane(f, vector, f->lanes - 1);
    }
    LLVMValueRef bits = geo_emit_mask_bits(f, f->body.mask);
    /* bit 0 is always set, so the result is in range without an active lane */
    bits = LLVMBuildOr(f->llvm.builder, bits, geo_emit_const_like(bits, 1), "");
    LLVMValueRef args[2] = {bits, LLVMConstInt(LLVMInt1TypeInContext(f->llvm.context), 1, false)};
    LLVMValueRef zeros = geo_emit_intrinsic(f, "llvm.ctlz", args, 2);
    LLVMValueRef most = geo_emit_const_like(bits, f->lanes - 1);
    LLVMValueRef lane = LLVMBuildSub(f->llvm.builder, most, zeros, "");
    return LLVMBuildExtractElement(f->llvm.builder, vector, geo_emit_zext(f, lane, 32), "");
}

/* Stores to arbitrary addresses. Without a scatter instruction, LLVM would emit a branch and a
 * store for each lane. Unconditional stores are faster; inactive lanes store to dummy memory.
 * Private memory has such stores in any case, since loads do not take values from a scatter. */
static void scatter(const struct geo_access *access, LLVMValueRef value, struct geo_address address,
                    uint32_t align)
{
    struct geo_lower_function *f = access->f;
    if (geo_type_bits(value) < 32 || !f->options->target.has_masks || access->interleaved) {
        struct lane_access data = {access, address, LLVMTypeOf(value), value, align};
        LLVMValueRef mask = f->body.mask;
        geo_remark_access_part(GEO_REMARK_LANES);
        if (mask && geo_emit_turns_written_out(f)) {
            data.address = geo_lane_address_spread(f, address);
            data.align = align < GEO_SPREAD_ALIGN ? align : GEO_SPREAD_ALIGN;
            f->body.mask = NULL;
        }
        geo_emit_turns(f, NULL, GEO_TURN_SMALL, lane_emit, &data);
        f->body.mask = mask;
        return;
    }
    LLVMValueRef args[3] = {value, geo_lane_address_vector(f, address), geo_emit_mask_active(f)};
    geo_remark_access_part(GEO_REMARK_GATHERED);
    geo_emit_masked(access->f, "llvm.masked.scatter", LLVMTypeOf(value), args, 3, 2, align);
}

/* Stores a row in which lanes that are off store their old value. Later loads then find the row in
 * one store. */
static void whole_row_store(const struct geo_access *access, LLVMValueRef value,
                            LLVMValueRef pointer, uint32_t align)
{
    struct geo_lower_function *f = access->f;
    LLVMValueRef before = plain_load(access, LLVMTypeOf(value), pointer, align);
    /* otherwise LLVM makes a store under a mask of it again */
    before = LLVMBuildFreeze(f->llvm.builder, before, "");
    plain_store(access, geo_emit_mask_active_select(f, value, before), pointer, align);
}

/* Returns whether only this thread accesses the memory around a row, on a target whose stores under
 * a mask are slow: local memory is in the thread's scratch. */
static bool is_in_scratch(const struct geo_access *access)
{
    const struct geo_ir_inst *inst = access->inst;
    return inst->op == SpvOpStore && !access->f->options->target.has_masks &&
           inst->operands[0]->type->storage == SpvStorageClassWorkgroup;
}

/* Stores a row to local memory. Scratch has writable memory behind its end, but none before its
 * start. So a row is stored whole only if its first lane is on. */
static void scratch_row_store(const struct geo_access *access, LLVMValueRef value,
                              LLVMValueRef pointer, uint32_t align)
{
    struct geo_lower_function *f = access->f;
    LLVMBuilderRef b = f->llvm.builder;
    LLVMBasicBlockRef after = geo_emit_block_next(f, "stored");
    LLVMBasicBlockRef some = geo_emit_block_next(f, "some");
    LLVMBasicBlockRef whole = geo_emit_block_next(f, "whole");
    LLVMBuildCondBr(b, geo_emit_lane(f, f->body.mask, 0), whole, some);
    LLVMPositionBuilderAtEnd(b, whole);
    whole_row_store(access, value, pointer, align);
    LLVMBuildBr(b, after);
    LLVMPositionBuilderAtEnd(b, some);
    geo_access_row_store(access, value, pointer, f->body.mask, align);
    LLVMBuildBr(b, after);
    LLVMPositionBuilderAtEnd(b, after);
}

/* Stores a row of consecutive elements. No other thread sees interleaved private memory, in which
 * lanes that are off have elements too. */
static void row_store(const struct geo_access *access, LLVMValueRef value, LLVMValueRef pointer,
                      uint32_t align)
{
    if (access->f->body.mask && access->interleaved) {
        whole_row_store(access, value, pointer, align);
    } else if (access->f->body.mask && is_in_scratch(access)) {
        scratch_row_store(access, value, pointer, align);
    } else {
        geo_access_row_store(access, value, pointer, access->f->body.mask, align);
    }
}

void geo_access_part_store(const struct geo_access *access, const struct geo_part_place *place,
                           LLVMValueRef value)
{
    struct geo_lower_function *f = access->f;
    GEO_ASSERT(geo_type_element(value) == geo_type_of(f, place->type));
    value = to_memory(f, place->type, value);
    struct geo_address at = part_address(access, place);
    GEO_ASSERT(geo_lane_address_is_valid(f, &at));
    uint32_t align = geo_lane_address_align(access->align, place->offset);
    bool vector = geo_type_lanes(value) > 1;
    if (access->flags & SpvMemoryAccessVolatileMask) {
        struct lane_access data = {access, at, LLVMTypeOf(value), value, align};
        geo_remark_access_part(f->lanes > 1 ? GEO_REMARK_LANES : GEO_REMARK_SCALAR);
        geo_emit_turns(f, NULL, GEO_TURN_SMALL, lane_emit, &data);
    } else if (at.kind == GEO_SHAPE_UNIFORM) {
        geo_remark_access_part(f->lanes > 1 ? GEO_REMARK_UNIFORM : GEO_REMARK_SCALAR);
        plain_store(access, vector ? last_lane(f, value) : value, at.base, align);
    } else {
        value = vector ? value : geo_lanes_splat(f, value);
        if (at.kind == GEO_SHAPE_STRIDED && at.stride == (int64_t)place->type->size) {
            geo_remark_access_part(GEO_REMARK_CONSECUTIVE);
            row_store(access, value, at.base, align);
        } else {
            scatter(access, value, at, align);
        }
    }
}
