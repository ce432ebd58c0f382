/* Operations of sub-groups, which are the 32 lanes of a warp: votes and shuffles with the mask of
 * the lanes that the sub-group has. All items of the sub-group must come to the operation together
 * (geo_simt_module_together). Reductions and scans take the same steps as those of the CPU with 32
 * lanes, so that the results are equal. */
#include "base/assert.h"
#include "compiler/ir/group_op.h"
#include "compiler/lower/arith/compare.h"
#include "compiler/lower/arith/half.h"
#include "compiler/lower/arith/join.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/number.h"
#include "compiler/lower/simt/simt.h"
#include "compiler/lower/state/parts.h"
#include "compiler/lower/value/value.h"

/* One operation: its sub-group. */
struct warp {
    struct geo_lower_function *f;
    const struct geo_ir_inst *inst;
    LLVMValueRef lanes; /* i32: mask of the lanes that the sub-group has */
    LLVMValueRef lane;  /* i32: number of the item's own lane */
};

/* Prepares an operation with at least `count` operands. Returns false after an error. */
static bool warp_begin(struct warp *w, struct geo_lower_function *f, const struct geo_ir_inst *inst,
                       uint32_t count)
{
    *w = (struct warp){.f = f, .inst = inst};
    if (inst->operand_count < count) {
        geo_state_error(f, inst, "it has %u operands instead of %u", inst->operand_count, count);
        return false;
    }
    if (!geo_simt_module_together(f, inst)) {
        return false;
    }
    LLVMValueRef linear =
        LLVMBuildTrunc(f->llvm.builder, geo_simt_linear_id(f), geo_type_i32(f), "");
    w->lanes = geo_simt_ids_lanes_mask(f);
    w->lane =
        LLVMBuildAnd(f->llvm.builder, linear, geo_emit_const_i32(f, GEO_NVIDIA_LANES - 1), "lane");
    return true;
}

static LLVMValueRef word(const struct warp *w, uint32_t value)
{
    return geo_emit_const_i32(w->f, value);
}

/* Reads an integer operand as an i32. */
static LLVMValueRef number_of(const struct warp *w, uint32_t operand)
{
    return LLVMBuildIntCast2(w->f->llvm.builder,
                             geo_value_scalar(w->f, w->inst->operands[operand], 0),
                             geo_type_i32(w->f), 0, "");
}

/* ---- moves ---- */

static LLVMValueRef word_move(const struct warp *w, LLVMValueRef value, LLVMValueRef from)
{
    LLVMValueRef args[] = {w->lanes, value, from, word(w, GEO_NVIDIA_LANES - 1)};
    return geo_simt_ids_intrinsic(w->f, "llvm.nvvm.shfl.sync.idx.i32", args, 4);
}

/* Returns the value of lane `from` (i32, modulo 32). Values are moved in words of 32 bits. */
static LLVMValueRef move(const struct warp *w, LLVMValueRef value, LLVMValueRef from)
{
    LLVMBuilderRef b = w->f->llvm.builder;
    LLVMTypeRef type = LLVMTypeOf(value), i32 = geo_type_i32(w->f), i64 = geo_type_i64(w->f);
    bool pointer = LLVMGetTypeKind(type) == LLVMPointerTypeKind;
    LLVMValueRef bits =
        pointer ? LLVMBuildPtrToInt(b, value, i64, "") : geo_emit_to_bits(w->f, value);
    uint32_t width = LLVMGetIntTypeWidth(LLVMTypeOf(bits));
    LLVMValueRef result;
    if (width <= 32) {
        result = word_move(w, LLVMBuildZExtOrBitCast(b, bits, i32, ""), from);
        result = LLVMBuildTruncOrBitCast(b, result, LLVMTypeOf(bits), "");
    } else {
        LLVMValueRef shift = geo_emit_const_i64(w->f, 32);
        LLVMValueRef low = word_move(w, LLVMBuildTrunc(b, bits, i32, ""), from);
        LLVMValueRef high = LLVMBuildTrunc(b, LLVMBuildLShr(b, bits, shift, ""), i32, "");
        high = LLVMBuildShl(b, LLVMBuildZExt(b, word_move(w, high, from), i64, ""), shift, "");
        result = LLVMBuildOr(b, LLVMBuildZExt(b, low, i64, ""), high, "");
    }
    return pointer ? LLVMBuildIntToPtr(b, result, type, "") : LLVMBuildBitCast(b, result, type, "");
}

/* ---- votes ---- */

static LLVMValueRef ballot(const struct warp *w, LLVMValueRef condition)
{
    LLVMValueRef args[] = {w->lanes, condition};
    return geo_simt_ids_intrinsic(w->f, "llvm.nvvm.vote.ballot.sync", args, 2);
}

/* Returns whether the value equals that of lane 0. */
static LLVMValueRef equal_to_first(const struct warp *w)
{
    struct geo_lower_function *f = w->f;
    struct geo_ir_value *value = w->inst->operands[1];
    LLVMValueRef all = LLVMConstInt(geo_type_i1(f), 1, 0);
    for (uint32_t part = 0; part < geo_part_count(value->type); part++) {
        LLVMValueRef own = geo_value_scalar(f, value, part);
        LLVMValueRef first = move(w, own, word(w, 0));
        LLVMValueRef equal =
            geo_arith_compare_equal(f, geo_part_type(value->type, part), own, first);
        all = LLVMBuildAnd(f->llvm.builder, all, equal, "");
    }
    return all;
}

bool geo_simt_group_vote(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    struct warp w;
    LLVMValueRef result;
    if (!warp_begin(&w, f, inst, inst->op == SpvOpGroupNonUniformElect ? 1 : 2)) {
        return false;
    }
    if (inst->op == SpvOpGroupNonUniformElect) {
        result = geo_emit_icmp(f, LLVMIntEQ, w.lane, word(&w, 0));
    } else if (inst->op == SpvOpGroupAny || inst->op == SpvOpGroupNonUniformAny) {
        result = geo_emit_icmp(f, LLVMIntNE, ballot(&w, geo_value_scalar(f, inst->operands[1], 0)),
                               word(&w, 0));
    } else {
        LLVMValueRef own = inst->op == SpvOpGroupNonUniformAllEqual
                               ? equal_to_first(&w)
                               : geo_value_scalar(f, inst->operands[1], 0);
        result = geo_emit_icmp(f, LLVMIntEQ, ballot(&w, own), w.lanes);
    }
    geo_value_set(f, inst, 0, result);
    return true;
}

/* ---- ballots: four words of 32 lanes, of which the first is used ---- */

/* Returns bit `index` of a word. Bits from 32 on are zero. */
static LLVMValueRef bit_at(const struct warp *w, LLVMValueRef bits, LLVMValueRef index)
{
    LLVMBuilderRef b = w->f->llvm.builder;
    LLVMValueRef small = geo_emit_icmp(w->f, LLVMIntULT, index, word(w, 32));
    LLVMValueRef count = LLVMBuildAnd(b, index, word(w, 31), "");
    LLVMValueRef bit = LLVMBuildAnd(b, LLVMBuildLShr(b, bits, count, ""), word(w, 1), "");
    return LLVMBuildAnd(b, geo_emit_icmp(w->f, LLVMIntNE, bit, word(w, 0)), small, "");
}

static LLVMValueRef ballot_count(const struct warp *w, LLVMValueRef bits)
{
    LLVMBuilderRef b = w->f->llvm.builder;
    uint32_t operation = w->inst->literals[0];
    if (operation != SpvGroupOperationReduce) {
        LLVMValueRef own = LLVMBuildShl(b, word(w, 1), w->lane, "");
        LLVMValueRef below = LLVMBuildSub(b, own, word(w, 1), "");
        below =
            operation == SpvGroupOperationInclusiveScan ? LLVMBuildOr(b, below, own, "") : below;
        bits = LLVMBuildAnd(b, bits, below, "");
    }
    return geo_emit_intrinsic(w->f, "llvm.ctpop", &bits, 1);
}

static LLVMValueRef ballot_find(const struct warp *w, LLVMValueRef bits)
{
    bool lowest = w->inst->op == SpvOpGroupNonUniformBallotFindLSB;
    LLVMValueRef args[] = {bits, LLVMConstNull(geo_type_i1(w->f))};
    LLVMTypeRef type = LLVMTypeOf(bits);
    LLVMValueRef zeros =
        geo_emit_intrinsic_of(w->f, lowest ? "llvm.cttz" : "llvm.ctlz", &type, 1, args, 2);
    return lowest ? zeros : LLVMBuildSub(w->f->llvm.builder, word(w, 31), zeros, "");
}

bool geo_simt_group_ballot(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    struct warp w;
    bool extracts = inst->op == SpvOpGroupNonUniformBallotBitExtract;
    bool counts = inst->op == SpvOpGroupNonUniformBallotBitCount;
    if (!warp_begin(&w, f, inst, extracts ? 3 : 2)) {
        return false;
    }
    if (counts && inst->literals[0] > SpvGroupOperationExclusiveScan) {
        geo_state_error(f, inst, "group operation %u is not supported", inst->literals[0]);
        return false;
    }
    LLVMValueRef operand = geo_value_scalar(f, inst->operands[1], 0);
    if (inst->op == SpvOpGroupNonUniformBallot) {
        geo_value_set(f, inst, 0, ballot(&w, operand));
        for (uint32_t part = 1; part < geo_part_count(inst->value.type); part++) {
            geo_value_set(f, inst, part, word(&w, 0));
        }
        return true;
    }
    LLVMValueRef bits = LLVMBuildAnd(f->llvm.builder, operand, w.lanes, "");
    if (inst->op == SpvOpGroupNonUniformInverseBallot || extracts) {
        geo_value_set(f, inst, 0, bit_at(&w, bits, extracts ? number_of(&w, 2) : w.lane));
        return true;
    }
    LLVMValueRef result = counts ? ballot_count(&w, bits) : ballot_find(&w, bits);
    geo_value_set(f, inst, 0, geo_emit_zext(f, result, inst->value.type->width));
    return true;
}

/* ---- broadcasts and shuffles ---- */

static void parts_move(const struct warp *w, struct geo_ir_value *value, LLVMValueRef from)
{
    for (uint32_t part = 0; part < geo_part_count(w->inst->value.type); part++) {
        geo_value_set(w->f, w->inst, part, move(w, geo_value_scalar(w->f, value, part), from));
    }
}

bool geo_simt_group_broadcast(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    struct warp w;
    bool first = inst->op == SpvOpGroupNonUniformBroadcastFirst;
    if (!warp_begin(&w, f, inst, first ? 2 : 3)) {
        return false;
    }
    parts_move(&w, inst->operands[1], first ? word(&w, 0) : number_of(&w, 2));
    return true;
}

/* Returns (lane & ~(size - 1)) | (inner & (size - 1)): lanes read from their own cluster. */
static LLVMValueRef inside_cluster(const struct warp *w, LLVMValueRef inner, uint32_t size)
{
    LLVMBuilderRef b = w->f->llvm.builder;
    LLVMValueRef outer = LLVMBuildAnd(b, w->lane, word(w, ~(size - 1)), "");
    return LLVMBuildOr(b, outer, LLVMBuildAnd(b, inner, word(w, size - 1), ""), "");
}

static LLVMValueRef source_lane(const struct warp *w, LLVMValueRef number, uint32_t cluster)
{
    LLVMBuilderRef b = w->f->llvm.builder;
    switch (w->inst->op) {
    case SpvOpGroupNonUniformShuffleXor:
    case SpvOpSubgroupShuffleXorINTEL:
        return LLVMBuildXor(b, w->lane, number, "");
    case SpvOpGroupNonUniformShuffleUp:
    case SpvOpSubgroupShuffleUpINTEL:
        return LLVMBuildSub(b, w->lane, number, "");
    case SpvOpGroupNonUniformShuffleDown:
    case SpvOpSubgroupShuffleDownINTEL:
        return LLVMBuildAdd(b, w->lane, number, "");
    case SpvOpGroupNonUniformRotateKHR:
        return inside_cluster(w, LLVMBuildAdd(b, w->lane, number, ""), cluster);
    case SpvOpGroupNonUniformQuadBroadcast:
        return inside_cluster(w, number, 4);
    case SpvOpGroupNonUniformQuadSwap: /* direction 0: along x, 1: along y, 2: both */
        number = LLVMBuildAdd(b, number, word(w, 1), "");
        return inside_cluster(w, LLVMBuildXor(b, w->lane, number, ""), 4);
    default:
        return number;
    }
}

/* Up and down of SPV_INTEL_subgroups continue into a second value. The operands are (previous,
 * current) for up and (current, next) for down. */
static bool shuffle_pair(const struct warp *w)
{
    struct geo_lower_function *f = w->f;
    bool up = w->inst->op == SpvOpSubgroupShuffleUpINTEL;
    LLVMValueRef from = source_lane(w, number_of(w, 2), 0);
    LLVMValueRef inside =
        geo_emit_icmp(f, up ? LLVMIntSGE : LLVMIntSLT, from, word(w, up ? 0 : GEO_NVIDIA_LANES));
    for (uint32_t part = 0; part < geo_part_count(w->inst->value.type); part++) {
        LLVMValueRef a = move(w, geo_value_scalar(f, w->inst->operands[0], part), from);
        LLVMValueRef b = move(w, geo_value_scalar(f, w->inst->operands[1], part), from);
        geo_value_set(f, w->inst, part, geo_emit_select(f, inside, up ? b : a, up ? a : b));
    }
    return true;
}

/* Reads a cluster size, which must be a constant power of two. Returns 0 after an error. */
static uint32_t cluster_of(const struct warp *w, uint32_t operand)
{
    uint64_t bits;
    if (!geo_ir_constant_bits(w->inst->operands[operand], &bits) || bits == 0 ||
        (bits & (bits - 1)) != 0) {
        geo_state_error(w->f, w->inst, "the cluster's size is not a constant power of two");
        return 0;
    }
    return bits < GEO_NVIDIA_LANES ? (uint32_t)bits : GEO_NVIDIA_LANES;
}

bool geo_simt_group_shuffle(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    struct warp w;
    bool intel = inst->op >= SpvOpSubgroupShuffleINTEL && inst->op <= SpvOpSubgroupShuffleXorINTEL;
    bool pair =
        inst->op == SpvOpSubgroupShuffleUpINTEL || inst->op == SpvOpSubgroupShuffleDownINTEL;
    bool clustered = inst->op == SpvOpGroupNonUniformRotateKHR && inst->operand_count == 4;
    uint32_t first = intel ? 0 : 1;
    if (!warp_begin(&w, f, inst, pair ? 3 : first + 2)) {
        return false;
    }
    if (pair) {
        return shuffle_pair(&w);
    }
    uint32_t cluster = clustered ? cluster_of(&w, 3) : GEO_NVIDIA_LANES;
    if (!cluster) {
        return false;
    }
    parts_move(&w, inst->operands[first], source_lane(&w, number_of(&w, first + 1), cluster));
    return true;
}

/* ---- reductions and scans ---- */

/* One part of a reduction or scan. */
struct joining {
    const struct warp *w;
    enum geo_group_join join;
    LLVMValueRef identity;
    bool is_float;
};

/* Returns the value of lane `from`, or the identity element if the sub-group lacks the lane. */
static LLVMValueRef other_lane(const struct joining *j, LLVMValueRef value, LLVMValueRef from,
                               LLVMValueRef exists)
{
    return geo_emit_select(j->w->f, exists, move(j->w, value, from), j->identity);
}

/* Before each step, all lanes of an aligned block of `distance` lanes have the block's result. A
 * lane whose partner does not exist reads from the first lane of the partner's block. */
static LLVMValueRef reduce(const struct joining *j, LLVMValueRef value, uint32_t size)
{
    const struct warp *w = j->w;
    LLVMBuilderRef b = w->f->llvm.builder;
    for (uint32_t distance = 1; distance < size; distance *= 2) {
        LLVMValueRef partner = LLVMBuildXor(b, w->lane, word(w, distance), "");
        LLVMValueRef first = LLVMBuildAnd(b, partner, word(w, ~(distance - 1)), "");
        LLVMValueRef from = geo_emit_select(w->f, bit_at(w, w->lanes, partner), partner, first);
        LLVMValueRef other = other_lane(j, value, from, bit_at(w, w->lanes, first));
        value = geo_arith_join_two(w->f, j->join, value, other, j->is_float);
    }
    return value;
}

static LLVMValueRef shift_up(const struct joining *j, LLVMValueRef value, uint32_t distance)
{
    const struct warp *w = j->w;
    LLVMValueRef from = LLVMBuildSub(w->f->llvm.builder, w->lane, word(w, distance), "");
    LLVMValueRef exists = geo_emit_icmp(w->f, LLVMIntUGE, w->lane, word(w, distance));
    return other_lane(j, value, from, exists);
}

static LLVMValueRef scan(const struct joining *j, LLVMValueRef value, bool exclusive)
{
    for (uint32_t distance = 1; distance < GEO_NVIDIA_LANES; distance *= 2) {
        LLVMValueRef before = shift_up(j, value, distance);
        value = geo_arith_join_two(j->w->f, j->join, before, value, j->is_float);
    }
    return exclusive ? shift_up(j, value, 1) : value;
}

static LLVMValueRef part_join(const struct warp *w, uint32_t part, uint32_t operation,
                              uint32_t cluster)
{
    struct geo_lower_function *f = w->f;
    const struct geo_ir_type *type = geo_part_type(w->inst->value.type, part);
    LLVMValueRef value = geo_value_scalar(f, w->inst->operands[1], part);
    bool half = geo_type_is_half(type), exclusive = operation == SpvGroupOperationExclusiveScan;
    value = half ? geo_arith_half_to_float(f, value) : value;
    struct joining j = {.w = w,
                        .join = geo_group_op_find((uint32_t)w->inst->op)->join,
                        .is_float = type->kind == GEO_TYPE_FLOAT};
    j.identity = geo_arith_join_identity(j.join, LLVMTypeOf(value), j.is_float, exclusive);
    LLVMValueRef result =
        operation == SpvGroupOperationReduce || operation == SpvGroupOperationClusteredReduce
            ? reduce(&j, value, cluster)
            : scan(&j, value, exclusive);
    return half ? geo_arith_float_to_half(f, result, SpvFPRoundingModeRTE) : result;
}

bool geo_simt_group_reduce(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    struct warp w;
    uint32_t operation = inst->literals[0];
    bool clustered = operation == SpvGroupOperationClusteredReduce;
    if (!warp_begin(&w, f, inst, clustered ? 3 : 2)) {
        return false;
    }
    if (operation > SpvGroupOperationClusteredReduce) {
        geo_state_error(f, inst, "group operation %u is not supported", operation);
        return false;
    }
    uint32_t cluster = clustered ? cluster_of(&w, 2) : GEO_NVIDIA_LANES;
    for (uint32_t part = 0; cluster && part < geo_part_count(inst->value.type); part++) {
        geo_value_set(f, inst, part, part_join(&w, part, operation, cluster));
    }
    return cluster != 0;
}
