/* Votes, ballots, broadcasts and shuffles of sub-groups: moves between the lanes of vectors. See
 * subgroup.h.
 *
 * Only lanes that are on take part; what a shuffle reads from a lane that is off is undefined by
 * the specification and here is whatever the register holds, never poison. */
#include "compiler/lower/subgroup.h"

bool geo_subgroup_operands(struct geo_lower_function *f, const struct geo_ir_inst *inst,
                           uint32_t count)
{
    if (inst->operand_count != count) {
        geo_lower_error(f, inst, "%u operands where %u belong", inst->operand_count, count);
        return false;
    }
    return true;
}

LLVMValueRef geo_subgroup_lanes(struct geo_lower_function *f)
{
    return geo_emit_lane_steps(f, 32, f->lanes, 1);
}

LLVMValueRef geo_subgroup_first(struct geo_lower_function *f)
{
    if (!f->mask) {
        return geo_lower_const_i32(f, 0);
    }
    LLVMValueRef bits = geo_emit_zext(f, geo_lower_mask_bits(f, f->mask), 64);
    LLVMValueRef limit = LLVMConstInt(geo_lower_i64(f), UINT64_C(1) << (f->lanes - 1), 0);
    bits = LLVMBuildOr(f->builder, bits, limit, ""); /* no lane: the last, never out of range */
    return LLVMBuildTrunc(f->builder, geo_lower_count_zeros(f, bits), geo_lower_i32(f), "first");
}

static LLVMValueRef lane_number(struct geo_lower_function *f, LLVMValueRef lane)
{
    lane = geo_emit_zext(f, lane, 32);
    return LLVMBuildAnd(f->builder, lane, geo_emit_const_like(lane, f->lanes - 1), "");
}

LLVMValueRef geo_subgroup_pick(struct geo_lower_function *f, LLVMValueRef vector, LLVMValueRef lane)
{
    return LLVMBuildExtractElement(f->builder, vector, lane_number(f, lane), "");
}

/* Through memory: LLVM has no shuffle by a vector of numbers. */
LLVMValueRef geo_subgroup_permute(struct geo_lower_function *f, LLVMValueRef vector,
                                  LLVMValueRef lanes)
{
    LLVMBuilderRef b = f->builder;
    bool narrow = geo_emit_bits(vector) == 1;
    if (narrow) {
        vector = geo_emit_zext(f, vector, 8);
    }
    LLVMTypeRef type = LLVMTypeOf(vector);
    LLVMTypeRef element = geo_emit_element(vector);
    LLVMValueRef slot = geo_lower_alloca(f, type, "shuffle");
    LLVMBuildStore(b, vector, slot);
    LLVMValueRef numbers = lane_number(f, lanes);
    LLVMValueRef result = LLVMConstNull(type);
    for (uint32_t i = 0; i < f->lanes; i++) {
        LLVMValueRef place = geo_lower_const_i32(f, i);
        LLVMValueRef index = LLVMBuildExtractElement(b, numbers, place, "");
        LLVMValueRef from = LLVMBuildInBoundsGEP2(b, element, slot, &index, 1, "");
        result = LLVMBuildInsertElement(b, result, LLVMBuildLoad2(b, element, from, ""), place, "");
    }
    return narrow ? geo_emit_icmp(f, LLVMIntNE, result, LLVMConstNull(type)) : result;
}

LLVMValueRef geo_subgroup_rearrange(struct geo_lower_function *f, LLVMValueRef vector,
                                    LLVMValueRef fill, const uint32_t *from)
{
    LLVMValueRef numbers[GEO_LOWER_LANES_LIMIT];
    for (uint32_t i = 0; i < f->lanes; i++) {
        numbers[i] = geo_lower_const_i32(f, from[i]);
    }
    return LLVMBuildShuffleVector(f->builder, vector, fill, LLVMConstVector(numbers, f->lanes), "");
}

/* ---- votes ---- */

static LLVMValueRef equal_to_first(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    struct geo_ir_value *value = inst->operands[1];
    LLVMValueRef first = geo_subgroup_first(f);
    LLVMValueRef all = LLVMConstAllOnes(geo_lower_mask_type(f));
    for (uint32_t part = 0; part < geo_lower_part_count(value->type); part++) {
        LLVMValueRef vector = geo_lower_vector(f, value, part);
        LLVMValueRef wanted = geo_lower_splat(f, geo_subgroup_pick(f, vector, first));
        const struct geo_ir_type *type = geo_lower_part_type(value->type, part);
        LLVMValueRef equal = type->kind == GEO_TYPE_FLOAT && !geo_type_is_half(type)
                                 ? geo_emit_fcmp(f, LLVMRealOEQ, vector, wanted)
                                 : geo_emit_icmp(f, LLVMIntEQ, vector, wanted);
        all = LLVMBuildAnd(f->builder, all, equal, "");
    }
    return all;
}

bool geo_lower_vote(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    LLVMValueRef result;
    if (!geo_subgroup_operands(f, inst, inst->op == SpvOpGroupNonUniformElect ? 1 : 2)) {
        return false;
    }
    if (inst->op == SpvOpGroupNonUniformElect) {
        result = geo_emit_icmp(f, LLVMIntEQ, geo_subgroup_lanes(f),
                               geo_lower_splat(f, geo_subgroup_first(f)));
    } else if (inst->op == SpvOpGroupAny || inst->op == SpvOpGroupNonUniformAny) {
        LLVMValueRef vector = geo_lower_vector(f, inst->operands[1], 0);
        result = geo_lower_any(f, geo_lower_mask_and(f, f->mask, vector));
    } else { /* all: none of those on says no */
        LLVMValueRef vector = inst->op == SpvOpGroupNonUniformAllEqual
                                  ? equal_to_first(f, inst)
                                  : geo_lower_vector(f, inst->operands[1], 0);
        LLVMValueRef no = LLVMBuildNot(f->builder, vector, "");
        result = LLVMBuildNot(f->builder, geo_lower_any(f, geo_lower_mask_and(f, f->mask, no)), "");
    }
    geo_lower_set_wide(f, inst, 0, result);
    return true;
}

/* ---- ballots: four words of 32 lanes; only W bits of the first are ever set (W <= 32) ---- */

static LLVMValueRef word_mask(struct geo_lower_function *f, LLVMValueRef word)
{
    uint64_t all = f->lanes < 32 ? (UINT64_C(1) << f->lanes) - 1 : UINT32_MAX;
    return LLVMBuildAnd(f->builder, word, geo_emit_const_like(word, all), "");
}

static LLVMValueRef ballot_bits(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    LLVMValueRef vector = geo_lower_vector(f, inst->operands[1], 0);
    return geo_emit_zext(f, geo_lower_mask_bits(f, geo_lower_mask_and(f, f->mask, vector)), 32);
}

/* Bit `index` of a ballot, an index for each lane; beyond the sub-group it is 0. */
static LLVMValueRef bit_at(struct geo_lower_function *f, struct geo_ir_value *ballot,
                           LLVMValueRef index)
{
    LLVMBuilderRef b = f->builder;
    LLVMValueRef word = word_mask(f, geo_lower_vector(f, ballot, 0));
    LLVMValueRef small = geo_emit_icmp(f, LLVMIntULT, index, geo_emit_const_like(index, 32));
    LLVMValueRef count = LLVMBuildAnd(b, index, geo_emit_const_like(index, 31), "");
    LLVMValueRef bit =
        LLVMBuildAnd(b, LLVMBuildLShr(b, word, count, ""), geo_emit_const_like(word, 1), "");
    LLVMValueRef set = geo_emit_icmp(f, LLVMIntNE, bit, geo_emit_zero_like(bit));
    return LLVMBuildAnd(b, set, small, "");
}

/* Bits of lanes below each lane, itself included for the inclusive scan. */
static LLVMValueRef bits_below(struct geo_lower_function *f, uint32_t operation)
{
    LLVMValueRef one = geo_emit_const(LLVMTypeOf(geo_subgroup_lanes(f)), 1);
    LLVMValueRef own = LLVMBuildShl(f->builder, one, geo_subgroup_lanes(f), "");
    LLVMValueRef below = LLVMBuildSub(f->builder, own, one, "");
    return operation == SpvGroupOperationInclusiveScan ? LLVMBuildOr(f->builder, below, own, "")
                                                       : below;
}

static LLVMValueRef ballot_count(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    LLVMValueRef word = word_mask(f, geo_lower_vector(f, inst->operands[1], 0));
    uint32_t operation = inst->literal_count ? inst->literals[0] : SpvGroupOperationReduce;
    if (operation != SpvGroupOperationReduce) {
        word = LLVMBuildAnd(f->builder, word, bits_below(f, operation), "");
    }
    return geo_emit_intrinsic(f, "llvm.ctpop", &word, 1);
}

static LLVMValueRef ballot_find(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    LLVMValueRef word = word_mask(f, geo_lower_vector(f, inst->operands[1], 0));
    bool lowest = inst->op == SpvOpGroupNonUniformBallotFindLSB;
    LLVMValueRef arguments[] = {word, LLVMConstNull(geo_lower_i1(f))};
    LLVMTypeRef type = LLVMTypeOf(word);
    LLVMValueRef zeros =
        geo_emit_intrinsic_of(f, lowest ? "llvm.cttz" : "llvm.ctlz", &type, 1, arguments, 2);
    return lowest ? zeros : LLVMBuildSub(f->builder, geo_emit_const_like(zeros, 31), zeros, "");
}

bool geo_lower_ballot(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    bool extracts = inst->op == SpvOpGroupNonUniformBallotBitExtract;
    if (!geo_subgroup_operands(f, inst, extracts ? 3 : 2)) {
        return false;
    }
    if (inst->op == SpvOpGroupNonUniformBallot) {
        geo_lower_set_wide(f, inst, 0, ballot_bits(f, inst));
        for (uint32_t part = 1; part < geo_lower_part_count(inst->value.type); part++) {
            geo_lower_set_wide(f, inst, part, geo_lower_const_i32(f, 0));
        }
        return true;
    }
    LLVMValueRef result;
    if (inst->op == SpvOpGroupNonUniformInverseBallot) {
        result = bit_at(f, inst->operands[1], geo_subgroup_lanes(f));
    } else if (extracts) {
        LLVMValueRef index = geo_lower_vector(f, inst->operands[2], 0);
        result = bit_at(f, inst->operands[1], geo_emit_zext(f, index, 32));
    } else if (inst->op == SpvOpGroupNonUniformBallotBitCount) {
        result = ballot_count(f, inst);
    } else {
        result = ballot_find(f, inst);
    }
    geo_lower_set_wide(f, inst, 0, result);
    return true;
}

/* ---- broadcasts ---- */

/* An operand that is the same for all lanes that are on, as a scalar. */
static LLVMValueRef agreed(struct geo_lower_function *f, struct geo_ir_value *value)
{
    if (geo_lower_shape(f, value).kind == GEO_SHAPE_UNIFORM) {
        return geo_lower_scalar(f, value, 0);
    }
    return geo_subgroup_pick(f, geo_lower_vector(f, value, 0), geo_subgroup_first(f));
}

bool geo_lower_broadcast(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    bool first = inst->op == SpvOpGroupNonUniformBroadcastFirst;
    if (!geo_subgroup_operands(f, inst, first ? 2 : 3)) {
        return false;
    }
    LLVMValueRef lane = first ? geo_subgroup_first(f) : agreed(f, inst->operands[2]);
    for (uint32_t part = 0; part < geo_lower_part_count(inst->value.type); part++) {
        LLVMValueRef vector = geo_lower_vector(f, inst->operands[1], part);
        geo_lower_set_wide(f, inst, part, geo_subgroup_pick(f, vector, lane));
    }
    return true;
}

/* ---- shuffles ---- */

/* Which lane each lane reads, before it is taken modulo W. */
static LLVMValueRef source_lanes(struct geo_lower_function *f, SpvOp op, LLVMValueRef number)
{
    LLVMValueRef lanes = geo_subgroup_lanes(f);
    switch (op) {
    case SpvOpGroupNonUniformShuffleXor:
    case SpvOpSubgroupShuffleXorINTEL:
        return LLVMBuildXor(f->builder, lanes, number, "");
    case SpvOpGroupNonUniformShuffleUp:
    case SpvOpSubgroupShuffleUpINTEL:
        return LLVMBuildSub(f->builder, lanes, number, "");
    case SpvOpGroupNonUniformShuffleDown:
    case SpvOpSubgroupShuffleDownINTEL:
    case SpvOpGroupNonUniformRotateKHR:
        return LLVMBuildAdd(f->builder, lanes, number, "");
    default:
        return number;
    }
}

/* Up and down of SPV_INTEL_subgroups continue into a second value: (previous, current), (current,
 * next). */
static bool shuffle_pair(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    bool up = inst->op == SpvOpSubgroupShuffleUpINTEL;
    if (!geo_subgroup_operands(f, inst, 3)) {
        return false;
    }
    LLVMValueRef delta = geo_emit_zext(f, geo_lower_vector(f, inst->operands[2], 0), 32);
    LLVMValueRef from = source_lanes(f, inst->op, delta);
    LLVMValueRef inside =
        up ? geo_emit_icmp(f, LLVMIntSGE, from, geo_emit_zero_like(from))
           : geo_emit_icmp(f, LLVMIntSLT, from, geo_emit_const_like(from, f->lanes));
    for (uint32_t part = 0; part < geo_lower_part_count(inst->value.type); part++) {
        LLVMValueRef a = geo_lower_vector(f, inst->operands[0], part);
        LLVMValueRef b = geo_lower_vector(f, inst->operands[1], part);
        LLVMValueRef current = geo_subgroup_permute(f, up ? b : a, from);
        LLVMValueRef other = geo_subgroup_permute(f, up ? a : b, from);
        geo_lower_set_wide(f, inst, part, geo_emit_select(f, inside, current, other));
    }
    return true;
}

static bool shuffle_is_constant(const struct geo_ir_inst *inst, struct geo_ir_value *number,
                                uint64_t *bits)
{
    return inst->op != SpvOpGroupNonUniformShuffle && inst->op != SpvOpSubgroupShuffleINTEL &&
           geo_ir_constant_bits(number, bits);
}

static uint32_t constant_source(SpvOp op, uint32_t lane, uint32_t number)
{
    switch (op) {
    case SpvOpGroupNonUniformShuffleXor:
    case SpvOpSubgroupShuffleXorINTEL:
        return lane ^ number;
    case SpvOpGroupNonUniformShuffleUp:
        return lane - number;
    default:
        return lane + number;
    }
}

bool geo_lower_shuffle(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    bool intel = inst->op >= SpvOpSubgroupShuffleINTEL && inst->op <= SpvOpSubgroupShuffleXorINTEL;
    uint32_t first = intel ? 0 : 1;
    uint64_t bits;
    if (inst->op == SpvOpSubgroupShuffleUpINTEL || inst->op == SpvOpSubgroupShuffleDownINTEL) {
        return shuffle_pair(f, inst);
    }
    if (!geo_subgroup_operands(f, inst, first + 2)) {
        return false;
    }
    struct geo_ir_value *value = inst->operands[first];
    struct geo_ir_value *number = inst->operands[first + 1];
    bool constant = shuffle_is_constant(inst, number, &bits);
    uint32_t from[GEO_LOWER_LANES_LIMIT];
    LLVMValueRef lanes = NULL;
    for (uint32_t i = 0; constant && i < f->lanes; i++) {
        from[i] = constant_source(inst->op, i, (uint32_t)bits) & (f->lanes - 1);
    }
    if (!constant) {
        lanes = source_lanes(f, inst->op, geo_emit_zext(f, geo_lower_vector(f, number, 0), 32));
    }
    for (uint32_t part = 0; part < geo_lower_part_count(inst->value.type); part++) {
        LLVMValueRef vector = geo_lower_vector(f, value, part);
        geo_lower_set_wide(f, inst, part,
                           constant ? geo_subgroup_rearrange(f, vector, vector, from)
                                    : geo_subgroup_permute(f, vector, lanes));
    }
    return true;
}
