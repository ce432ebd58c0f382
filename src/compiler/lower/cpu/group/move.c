/* Lowers votes, ballots, broadcasts and shuffles of sub-groups to moves between lanes of vectors.
 *
 * Only active lanes take part. By the specification, a shuffle that reads an inactive lane has an
 * undefined result. Here it is the register's content, but never poison. */
#include "compiler/lower/cpu/group/move.h"

#include "base/assert.h"
#include "compiler/lower/arith/compare.h"
#include "compiler/lower/cpu/frame/ids.h"
#include "compiler/lower/cpu/group/subgroup.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/lanes.h"
#include "compiler/lower/emit/mask.h"
#include "compiler/lower/emit/number.h"
#include "compiler/lower/state/parts.h"
#include "compiler/lower/value/value.h"

/* ---- votes ---- */

/* Returns for each lane whether a value equals that of lane `lane` (i32) in all parts. No NaN
 * does. */
static LLVMValueRef equal_to_lane(struct geo_lower_function *f, struct geo_ir_value *value,
                                  LLVMValueRef lane)
{
    LLVMValueRef all = LLVMConstAllOnes(geo_type_mask(f));
    for (uint32_t part = 0; part < geo_part_count(value->type); part++) {
        LLVMValueRef vector = geo_value_vector(f, value, part);
        LLVMValueRef wanted = geo_lanes_splat(f, geo_subgroup_pick(f, vector, lane));
        LLVMValueRef equal =
            geo_arith_compare_equal(f, geo_part_type(value->type, part), vector, wanted);
        all = LLVMBuildAnd(f->llvm.builder, all, equal, "");
    }
    return all;
}

bool geo_group_move_vote(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    LLVMValueRef result;
    if (!geo_subgroup_operands(f, inst, inst->op == SpvOpGroupNonUniformElect ? 1 : 2)) {
        return false;
    }
    if (inst->op == SpvOpGroupNonUniformElect) {
        result = geo_emit_icmp(f, LLVMIntEQ, geo_subgroup_lanes(f),
                               geo_lanes_splat(f, geo_subgroup_first(f)));
    } else if (inst->op == SpvOpGroupAny || inst->op == SpvOpGroupNonUniformAny) {
        LLVMValueRef vector = geo_value_vector(f, inst->operands[1], 0);
        result = geo_emit_mask_any(f, geo_emit_mask_and(f, f->body.mask, vector));
    } else { /* all: no active lane has false */
        LLVMValueRef vector = inst->op == SpvOpGroupNonUniformAllEqual
                                  ? equal_to_lane(f, inst->operands[1], geo_subgroup_first(f))
                                  : geo_value_vector(f, inst->operands[1], 0);
        LLVMValueRef no = LLVMBuildNot(f->llvm.builder, vector, "");
        result = LLVMBuildNot(f->llvm.builder,
                              geo_emit_mask_any(f, geo_emit_mask_and(f, f->body.mask, no)), "");
    }
    geo_value_set_wide(f, inst, 0, result);
    return true;
}

/* ---- ballots: four words of 32 lanes, of which W bits of the first are used (W <= 32) ---- */

/* Returns the first word of a ballot, limited to the items of this sub-group. The last sub-group of
 * a group may be smaller than W. */
static LLVMValueRef ballot_word(struct geo_lower_function *f, struct geo_ir_value *ballot)
{
    GEO_ASSERT(f->lanes <= 32);
    LLVMValueRef size =
        LLVMBuildTrunc(f->llvm.builder, geo_frame_ids_subgroup_size(f), geo_type_i32(f), "");
    LLVMValueRef unused = LLVMBuildSub(f->llvm.builder, geo_emit_const_i32(f, 32), size, "");
    LLVMValueRef all =
        LLVMBuildLShr(f->llvm.builder, geo_emit_const_i32(f, UINT32_MAX), unused, "");
    return LLVMBuildAnd(f->llvm.builder, geo_value_vector(f, ballot, 0), geo_lanes_splat(f, all),
                        "");
}

static LLVMValueRef ballot_bits(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    LLVMValueRef vector = geo_value_vector(f, inst->operands[1], 0);
    return geo_emit_zext(f, geo_emit_mask_bits(f, geo_emit_mask_and(f, f->body.mask, vector)), 32);
}

/* Returns bit `index` of a ballot, with an index for each lane. Bits beyond the sub-group are 0. */
static LLVMValueRef bit_at(struct geo_lower_function *f, struct geo_ir_value *ballot,
                           LLVMValueRef index)
{
    LLVMBuilderRef b = f->llvm.builder;
    LLVMValueRef word = ballot_word(f, ballot);
    LLVMValueRef small = geo_emit_icmp(f, LLVMIntULT, index, geo_emit_const_like(index, 32));
    LLVMValueRef count = LLVMBuildAnd(b, index, geo_emit_const_like(index, 31), "");
    LLVMValueRef bit =
        LLVMBuildAnd(b, LLVMBuildLShr(b, word, count, ""), geo_emit_const_like(word, 1), "");
    LLVMValueRef set = geo_emit_icmp(f, LLVMIntNE, bit, geo_emit_zero_like(bit));
    return LLVMBuildAnd(b, set, small, "");
}

/* Returns for each lane the bits of the lanes below it. The inclusive scan includes the lane
 * itself. */
static LLVMValueRef bits_below(struct geo_lower_function *f, uint32_t operation)
{
    LLVMValueRef one = geo_emit_const(LLVMTypeOf(geo_subgroup_lanes(f)), 1);
    LLVMValueRef own = LLVMBuildShl(f->llvm.builder, one, geo_subgroup_lanes(f), "");
    LLVMValueRef below = LLVMBuildSub(f->llvm.builder, own, one, "");
    return operation == SpvGroupOperationInclusiveScan
               ? LLVMBuildOr(f->llvm.builder, below, own, "")
               : below;
}

static LLVMValueRef ballot_count(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    LLVMValueRef word = ballot_word(f, inst->operands[1]);
    if (inst->literals[0] != SpvGroupOperationReduce) {
        word = LLVMBuildAnd(f->llvm.builder, word, bits_below(f, inst->literals[0]), "");
    }
    return geo_emit_intrinsic(f, "llvm.ctpop", &word, 1);
}

static LLVMValueRef ballot_find(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    LLVMValueRef word = ballot_word(f, inst->operands[1]);
    bool lowest = inst->op == SpvOpGroupNonUniformBallotFindLSB;
    LLVMValueRef arguments[] = {word, LLVMConstNull(geo_type_i1(f))};
    LLVMTypeRef type = LLVMTypeOf(word);
    LLVMValueRef zeros =
        geo_emit_intrinsic_of(f, lowest ? "llvm.cttz" : "llvm.ctlz", &type, 1, arguments, 2);
    return lowest ? zeros
                  : LLVMBuildSub(f->llvm.builder, geo_emit_const_like(zeros, 31), zeros, "");
}

/* Emits OpGroupNonUniformPartitionNV: the ballot of the active lanes whose value equals that of the
 * lane itself. A lane with a NaN is alone. */
static bool partition(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    LLVMValueRef words = LLVMConstNull(geo_type_vector(f, geo_type_i32(f)));
    if (!geo_subgroup_operands(f, inst, 1)) {
        return false;
    }
    for (uint32_t lane = 0; lane < f->lanes; lane++) {
        LLVMValueRef equal = equal_to_lane(f, inst->operands[0], geo_emit_const_i32(f, lane));
        LLVMValueRef word = geo_emit_mask_bits(f, geo_emit_mask_and(f, f->body.mask, equal));
        word = LLVMBuildOr(f->llvm.builder, geo_emit_zext(f, word, 32),
                           geo_emit_const_i32(f, UINT64_C(1) << lane), "");
        words =
            LLVMBuildInsertElement(f->llvm.builder, words, word, geo_emit_const_i32(f, lane), "");
    }
    geo_value_set_wide(f, inst, 0, words);
    for (uint32_t part = 1; part < geo_part_count(inst->value.type); part++) {
        geo_value_set_wide(f, inst, part, geo_emit_const_i32(f, 0));
    }
    return true;
}

bool geo_group_move_ballot(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    if (inst->op == SpvOpGroupNonUniformPartitionNV) {
        return partition(f, inst);
    }
    bool extracts = inst->op == SpvOpGroupNonUniformBallotBitExtract;
    bool counts = inst->op == SpvOpGroupNonUniformBallotBitCount;
    if (!geo_subgroup_operands(f, inst, extracts ? 3 : 2)) {
        return false;
    }
    if (counts && inst->literals[0] > SpvGroupOperationExclusiveScan) {
        geo_state_error(f, inst, "group operation %u is not supported", inst->literals[0]);
        return false;
    }
    if (inst->op == SpvOpGroupNonUniformBallot) {
        geo_value_set_wide(f, inst, 0, ballot_bits(f, inst));
        for (uint32_t part = 1; part < geo_part_count(inst->value.type); part++) {
            geo_value_set_wide(f, inst, part, geo_emit_const_i32(f, 0));
        }
        return true;
    }
    LLVMValueRef result;
    if (inst->op == SpvOpGroupNonUniformInverseBallot) {
        result = bit_at(f, inst->operands[1], geo_subgroup_lanes(f));
    } else if (extracts) {
        LLVMValueRef index = geo_value_vector(f, inst->operands[2], 0);
        result = bit_at(f, inst->operands[1], geo_emit_zext(f, index, 32));
    } else {
        result = counts ? ballot_count(f, inst) : ballot_find(f, inst);
        result = geo_emit_zext(f, result, inst->value.type->width);
    }
    geo_value_set_wide(f, inst, 0, result);
    return true;
}

/* ---- broadcasts ---- */

bool geo_group_move_broadcast(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    bool first = inst->op == SpvOpGroupNonUniformBroadcastFirst;
    if (!geo_subgroup_operands(f, inst, first ? 2 : 3)) {
        return false;
    }
    LLVMValueRef lane = first ? geo_subgroup_first(f) : geo_subgroup_agreed(f, inst->operands[2]);
    for (uint32_t part = 0; part < geo_part_count(inst->value.type); part++) {
        LLVMValueRef vector = geo_value_vector(f, inst->operands[1], part);
        geo_value_set_wide(f, inst, part, geo_subgroup_pick(f, vector, lane));
    }
    return true;
}

/* ---- shuffles ---- */

/* Returns (lanes & ~mask) | (inner & mask), so that lanes read from their own cluster. */
static LLVMValueRef inside_cluster(struct geo_lower_function *f, LLVMValueRef lanes,
                                   LLVMValueRef inner, uint32_t size)
{
    LLVMValueRef mask = geo_emit_const_like(lanes, size - 1);
    LLVMValueRef outer = LLVMBuildAnd(f->llvm.builder, lanes, LLVMConstNot(mask), "");
    return LLVMBuildOr(f->llvm.builder, outer, LLVMBuildAnd(f->llvm.builder, inner, mask, ""), "");
}

/* Returns the lane that each lane reads, before it is reduced modulo W. A constant `number` gives a
 * constant vector. */
static LLVMValueRef source_lanes(struct geo_lower_function *f, SpvOp op, LLVMValueRef number,
                                 uint32_t cluster)
{
    LLVMBuilderRef b = f->llvm.builder;
    LLVMValueRef lanes = geo_subgroup_lanes(f);
    switch (op) {
    case SpvOpGroupNonUniformShuffleXor:
    case SpvOpSubgroupShuffleXorINTEL:
        return LLVMBuildXor(b, lanes, number, "");
    case SpvOpGroupNonUniformShuffleUp:
    case SpvOpSubgroupShuffleUpINTEL:
        return LLVMBuildSub(b, lanes, number, "");
    case SpvOpGroupNonUniformShuffleDown:
    case SpvOpSubgroupShuffleDownINTEL:
        return LLVMBuildAdd(b, lanes, number, "");
    case SpvOpGroupNonUniformRotateKHR:
        return inside_cluster(f, lanes, LLVMBuildAdd(b, lanes, number, ""), cluster);
    case SpvOpGroupNonUniformQuadBroadcast:
        return inside_cluster(f, lanes, number, 4);
    case SpvOpGroupNonUniformQuadSwap: /* direction 0: along x, 1: along y, 2: both */
        number = LLVMBuildAdd(b, number, geo_emit_const_like(number, 1), "");
        return inside_cluster(f, lanes, LLVMBuildXor(b, lanes, number, ""), 4);
    default:
        return number;
    }
}

/* Lowers up and down of SPV_INTEL_subgroups, which continue into a second value. The operands are
 * (previous, current) for up and (current, next) for down. */
static bool shuffle_pair(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    bool up = inst->op == SpvOpSubgroupShuffleUpINTEL;
    if (!geo_subgroup_operands(f, inst, 3)) {
        return false;
    }
    LLVMValueRef delta = geo_emit_zext(f, geo_value_vector(f, inst->operands[2], 0), 32);
    LLVMValueRef from = source_lanes(f, inst->op, delta, 0);
    LLVMValueRef inside =
        up ? geo_emit_icmp(f, LLVMIntSGE, from, geo_emit_zero_like(from))
           : geo_emit_icmp(f, LLVMIntSLT, from, geo_emit_const_like(from, f->lanes));
    for (uint32_t part = 0; part < geo_part_count(inst->value.type); part++) {
        LLVMValueRef a = geo_value_vector(f, inst->operands[0], part);
        LLVMValueRef b = geo_value_vector(f, inst->operands[1], part);
        LLVMValueRef current = geo_subgroup_permute(f, up ? b : a, from);
        LLVMValueRef other = geo_subgroup_permute(f, up ? a : b, from);
        geo_value_set_wide(f, inst, part, geo_emit_select(f, inside, current, other));
    }
    return true;
}

bool geo_group_move_shuffle(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    bool intel = inst->op >= SpvOpSubgroupShuffleINTEL && inst->op <= SpvOpSubgroupShuffleXorINTEL;
    uint32_t first = intel ? 0 : 1;
    uint32_t cluster = f->lanes;
    bool clustered = inst->op == SpvOpGroupNonUniformRotateKHR && inst->operand_count == 4;
    if (inst->op == SpvOpSubgroupShuffleUpINTEL || inst->op == SpvOpSubgroupShuffleDownINTEL) {
        return shuffle_pair(f, inst);
    }
    if (!geo_subgroup_operands(f, inst, first + (clustered ? 3 : 2)) ||
        (clustered && !geo_subgroup_cluster(f, inst, 3, &cluster))) {
        return false;
    }
    LLVMValueRef number = geo_emit_zext(f, geo_value_vector(f, inst->operands[first + 1], 0), 32);
    LLVMValueRef lanes = source_lanes(f, inst->op, number, cluster);
    for (uint32_t part = 0; part < geo_part_count(inst->value.type); part++) {
        LLVMValueRef vector = geo_value_vector(f, inst->operands[first], part);
        geo_value_set_wide(f, inst, part, geo_subgroup_permute(f, vector, lanes));
    }
    return true;
}
