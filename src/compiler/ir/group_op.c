/* Table of group and sub-group operations. See group_op.h. */
#include "compiler/ir/group_op.h"

#include "compiler/ir/grammar.h"

#include <stddef.h>
#include <string.h>

#define VOTE(op, types)               {op, GEO_GROUP_VOTE, GEO_JOIN_NONE, true, types}
#define BALLOT(op, uniform, types)    {op, GEO_GROUP_BALLOT, GEO_JOIN_NONE, uniform, types}
#define BROADCAST(op, types)          {op, GEO_GROUP_BROADCAST, GEO_JOIN_NONE, true, types}
#define SHUFFLE(op, types)            {op, GEO_GROUP_SHUFFLE, GEO_JOIN_NONE, false, types}
#define UNIFORM(op, join, types)      {op, GEO_GROUP_REDUCE, join, true, types}
#define IMAGE_IO(op, types)           {op, GEO_GROUP_IMAGE_IO, GEO_JOIN_NONE, false, types}
#define NON_UNIFORM(op, join, letter) {op, GEO_GROUP_REDUCE, join, false, letter "s#v?i"}

/* Sorted by opcode for the binary search. */
static const struct geo_group_op table[] = {
    {SpvOpGroupAsyncCopy, GEO_GROUP_COPY, GEO_JOIN_NONE, true, NULL},
    {SpvOpGroupWaitEvents, GEO_GROUP_COPY, GEO_JOIN_NONE, true, NULL},
    VOTE(SpvOpGroupAll, "bsb"),
    VOTE(SpvOpGroupAny, "bsb"),
    BROADCAST(SpvOpGroupBroadcast, "Tsvl"),
    UNIFORM(SpvOpGroupIAdd, GEO_JOIN_ADD, "Is#v"),
    UNIFORM(SpvOpGroupFAdd, GEO_JOIN_ADD, "Fs#v"),
    UNIFORM(SpvOpGroupFMin, GEO_JOIN_FMIN, "Fs#v"),
    UNIFORM(SpvOpGroupUMin, GEO_JOIN_UMIN, "Is#v"),
    UNIFORM(SpvOpGroupSMin, GEO_JOIN_SMIN, "Is#v"),
    UNIFORM(SpvOpGroupFMax, GEO_JOIN_FMAX, "Fs#v"),
    UNIFORM(SpvOpGroupUMax, GEO_JOIN_UMAX, "Is#v"),
    UNIFORM(SpvOpGroupSMax, GEO_JOIN_SMAX, "Is#v"),
    {SpvOpGroupNonUniformElect, GEO_GROUP_VOTE, GEO_JOIN_NONE, false, "bs"},
    VOTE(SpvOpGroupNonUniformAll, "bsb"),
    VOTE(SpvOpGroupNonUniformAny, "bsb"),
    VOTE(SpvOpGroupNonUniformAllEqual, "bsT"),
    BROADCAST(SpvOpGroupNonUniformBroadcast, "Tsvi"),
    BROADCAST(SpvOpGroupNonUniformBroadcastFirst, "Tsv"),
    BALLOT(SpvOpGroupNonUniformBallot, true, "wsb"),
    BALLOT(SpvOpGroupNonUniformInverseBallot, false, "bsw"),
    BALLOT(SpvOpGroupNonUniformBallotBitExtract, false, "bswi"),
    BALLOT(SpvOpGroupNonUniformBallotBitCount, false, "is#w"),
    BALLOT(SpvOpGroupNonUniformBallotFindLSB, false, "isw"),
    BALLOT(SpvOpGroupNonUniformBallotFindMSB, false, "isw"),
    SHUFFLE(SpvOpGroupNonUniformShuffle, "Tsvi"),
    SHUFFLE(SpvOpGroupNonUniformShuffleXor, "Tsvi"),
    SHUFFLE(SpvOpGroupNonUniformShuffleUp, "Tsvi"),
    SHUFFLE(SpvOpGroupNonUniformShuffleDown, "Tsvi"),
    NON_UNIFORM(SpvOpGroupNonUniformIAdd, GEO_JOIN_ADD, "I"),
    NON_UNIFORM(SpvOpGroupNonUniformFAdd, GEO_JOIN_ADD, "F"),
    NON_UNIFORM(SpvOpGroupNonUniformIMul, GEO_JOIN_MUL, "I"),
    NON_UNIFORM(SpvOpGroupNonUniformFMul, GEO_JOIN_MUL, "F"),
    NON_UNIFORM(SpvOpGroupNonUniformSMin, GEO_JOIN_SMIN, "I"),
    NON_UNIFORM(SpvOpGroupNonUniformUMin, GEO_JOIN_UMIN, "I"),
    NON_UNIFORM(SpvOpGroupNonUniformFMin, GEO_JOIN_FMIN, "F"),
    NON_UNIFORM(SpvOpGroupNonUniformSMax, GEO_JOIN_SMAX, "I"),
    NON_UNIFORM(SpvOpGroupNonUniformUMax, GEO_JOIN_UMAX, "I"),
    NON_UNIFORM(SpvOpGroupNonUniformFMax, GEO_JOIN_FMAX, "F"),
    NON_UNIFORM(SpvOpGroupNonUniformBitwiseAnd, GEO_JOIN_AND, "I"),
    NON_UNIFORM(SpvOpGroupNonUniformBitwiseOr, GEO_JOIN_OR, "I"),
    NON_UNIFORM(SpvOpGroupNonUniformBitwiseXor, GEO_JOIN_XOR, "I"),
    NON_UNIFORM(SpvOpGroupNonUniformLogicalAnd, GEO_JOIN_AND, "B"),
    NON_UNIFORM(SpvOpGroupNonUniformLogicalOr, GEO_JOIN_OR, "B"),
    NON_UNIFORM(SpvOpGroupNonUniformLogicalXor, GEO_JOIN_XOR, "B"),
    SHUFFLE(SpvOpGroupNonUniformQuadBroadcast, "Tsvi"),
    SHUFFLE(SpvOpGroupNonUniformQuadSwap, "Tsvi"),
    BALLOT(SpvOpSubgroupBallotKHR, true, "wb"),
    BROADCAST(SpvOpSubgroupFirstInvocationKHR, "Tv"),
    VOTE(SpvOpSubgroupAllKHR, "bb"),
    VOTE(SpvOpSubgroupAnyKHR, "bb"),
    VOTE(SpvOpSubgroupAllEqualKHR, "bb"),
    SHUFFLE(SpvOpGroupNonUniformRotateKHR, "Tsvi?i"),
    BROADCAST(SpvOpSubgroupReadInvocationKHR, "Tvi"),
    {GEO_SPV_COOPERATIVE_MATRIX_LOAD_KHR, GEO_GROUP_MATRIX, GEO_JOIN_NONE, false, NULL},
    {GEO_SPV_COOPERATIVE_MATRIX_STORE_KHR, GEO_GROUP_MATRIX, GEO_JOIN_NONE, false, NULL},
    {GEO_SPV_COOPERATIVE_MATRIX_MUL_ADD_KHR, GEO_GROUP_MATRIX, GEO_JOIN_NONE, false, NULL},
    SHUFFLE(SpvOpSubgroupShuffleINTEL, "Tvi"),
    SHUFFLE(SpvOpSubgroupShuffleDownINTEL, "Tvvi"),
    SHUFFLE(SpvOpSubgroupShuffleUpINTEL, "Tvvi"),
    SHUFFLE(SpvOpSubgroupShuffleXorINTEL, "Tvi"),
    {SpvOpSubgroupBlockReadINTEL, GEO_GROUP_BLOCK_IO, GEO_JOIN_NONE, false, "Np"},
    {SpvOpSubgroupBlockWriteINTEL, GEO_GROUP_BLOCK_IO, GEO_JOIN_NONE, false, "-pN"},
    IMAGE_IO(SpvOpSubgroupImageBlockReadINTEL, "Nmc"),
    IMAGE_IO(SpvOpSubgroupImageBlockWriteINTEL, "-mcN"),
    IMAGE_IO(SpvOpSubgroupImageMediaBlockReadINTEL, "Nmcii"),
    IMAGE_IO(SpvOpSubgroupImageMediaBlockWriteINTEL, "-mciiN"),
    {GEO_SPV_COOPERATIVE_MATRIX_LOAD_CHECKED, GEO_GROUP_MATRIX, GEO_JOIN_NONE, false, NULL},
    {GEO_SPV_COOPERATIVE_MATRIX_STORE_CHECKED, GEO_GROUP_MATRIX, GEO_JOIN_NONE, false, NULL},
    UNIFORM(SpvOpGroupIMulKHR, GEO_JOIN_MUL, "Is#v"),
    UNIFORM(SpvOpGroupFMulKHR, GEO_JOIN_MUL, "Fs#v"),
    UNIFORM(SpvOpGroupBitwiseAndKHR, GEO_JOIN_AND, "Is#v"),
    UNIFORM(SpvOpGroupBitwiseOrKHR, GEO_JOIN_OR, "Is#v"),
    UNIFORM(SpvOpGroupBitwiseXorKHR, GEO_JOIN_XOR, "Is#v"),
    UNIFORM(SpvOpGroupLogicalAndKHR, GEO_JOIN_AND, "Bs#v"),
    UNIFORM(SpvOpGroupLogicalOrKHR, GEO_JOIN_OR, "Bs#v"),
    UNIFORM(SpvOpGroupLogicalXorKHR, GEO_JOIN_XOR, "Bs#v"),
};

const struct geo_group_op *geo_group_op_find(uint32_t op)
{
    size_t low = 0;
    size_t count = sizeof(table) / sizeof(table[0]);
    size_t high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (table[middle].op < op) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < count && table[low].op == op ? &table[low] : NULL;
}

static bool names_scope(const struct geo_group_op *group)
{
    return group->types ? group->types[1] == 's' : group->family == GEO_GROUP_COPY;
}

uint32_t geo_group_op_scope(const struct geo_group_op *group, const struct geo_ir_inst *inst)
{
    uint64_t scope;
    if (!names_scope(group)) {
        return SpvScopeSubgroup;
    }
    return inst->operand_count && geo_ir_constant_bits(inst->operands[0], &scope) ? (uint32_t)scope
                                                                                  : UINT32_MAX;
}

/* ---- checks of operand types (letters of geo_group_op.types) ---- */

static bool scalar_fits(char letter, const struct geo_ir_type *type)
{
    bool is_int = type->kind == GEO_TYPE_INT;
    bool is_float = type->kind == GEO_TYPE_FLOAT;
    bool is_bool = type->kind == GEO_TYPE_BOOL;
    switch (letter) {
    case 'I':
        return is_int;
    case 'F':
        return is_float;
    case 'B':
        return is_bool;
    case 'N':
        return is_int || is_float;
    default:
        return is_int || is_float || is_bool;
    }
}

/* Returns whether the type is a 2D image that is neither an array nor a depth image. */
static bool is_flat_image(const struct geo_ir_type *type)
{
    return type->kind == GEO_TYPE_OPAQUE && type->opaque == SpvOpTypeImage &&
           type->image.dim == SpvDim2D && !type->image.arrayed && !type->image.depth;
}

static bool type_fits(char letter, const struct geo_ir_type *type, const struct geo_ir_type *result)
{
    bool vector = type->kind == GEO_TYPE_VECTOR;
    switch (letter) {
    case '-':
        return type->kind == GEO_TYPE_VOID;
    case 'v':
        return type == result;
    case 'p':
        return type->kind == GEO_TYPE_POINTER;
    case 'm':
        return is_flat_image(type);
    case 'c':
        return vector && type->count == 2 && type->element->kind == GEO_TYPE_INT &&
               type->element->width == 32;
    case 'b':
        return type->kind == GEO_TYPE_BOOL;
    case 's':
    case 'i':
        return type->kind == GEO_TYPE_INT;
    case 'w':
        return vector && type->count == 4 && type->element->kind == GEO_TYPE_INT &&
               type->element->width == 32;
    case 'l':
        return type->kind == GEO_TYPE_INT ||
               (vector && type->count <= 3 && type->element->kind == GEO_TYPE_INT);
    default:
        return scalar_fits(letter, vector ? type->element : type);
    }
}

bool geo_group_op_check(const struct geo_group_op *group, const struct geo_ir_inst *inst)
{
    const struct geo_ir_type *result = inst->value.type;
    const char *letter = group->types;
    uint32_t operand = 0, literals = 0;
    bool optional = false;
    if (!letter) {
        return true;
    }
    if (!type_fits(*letter, result, result)) {
        return false;
    }
    while (*++letter) {
        if (*letter == '#') {
            literals++;
        } else if (*letter == '?') {
            optional = true;
        } else if (operand == inst->operand_count) {
            return optional && inst->literal_count == literals;
        } else if (!type_fits(*letter, inst->operands[operand++]->type, result)) {
            return false;
        }
    }
    return operand == inst->operand_count && inst->literal_count == literals;
}
