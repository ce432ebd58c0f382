/* Replaces group functions. OpenCL C's work_group_*, sub_group_* and intel_sub_group_* have two
 * tables: plain functions, and reductions composed of operation and join. Names starting with
 * __spirv_Group are replaced by the instruction of that name and its row in ir/group_op.c. See
 * imports_group.h.
 *
 * clang-22 translates most of them itself. It leaves some of SPV_INTEL_subgroups, and functions
 * that a program declares on its own. */
#include "compiler/builtins/imports_group.h"

#include "base/assert.h"
#include "compiler/ir/grammar.h"
#include "compiler/ir/group_op.h"

#include <stdio.h>
#include <string.h>

#define MAX_OPERANDS 6u

/* An instruction under construction. */
struct build {
    struct geo_writer *writer;
    struct geo_ir_inst *call;
    uint32_t scope;
    uint32_t next; /* index of the next argument */
    SpvOp op;
    struct geo_ir_value *operands[MAX_OPERANDS];
    uint32_t operand_count;
    uint32_t literals[1];
    uint32_t literal_count;
    bool decides; /* the instruction returns a bool where the function returns an integer */
};

static void operand_add(struct build *build, struct geo_ir_value *value)
{
    GEO_ASSERT(build->operand_count < MAX_OPERANDS); /* the tables have shorter rows */
    build->operands[build->operand_count++] = value;
}

static void literal_add(struct build *build, uint32_t literal)
{
    GEO_ASSERT(build->literal_count < sizeof(build->literals) / sizeof(build->literals[0]));
    build->literals[build->literal_count++] = literal;
}

static struct geo_ir_value *argument_take(struct build *build)
{
    return geo_import_argument(build->call, build->next++);
}

/* Converts an integer to the bool that it stands for. */
static struct geo_ir_value *predicate(struct build *build, struct geo_ir_value *value)
{
    if (!value || value->type->kind != GEO_TYPE_INT) {
        return value;
    }
    struct geo_ir_module *module = build->writer->module;
    return geo_write_2(build->writer, SpvOpINotEqual, geo_ir_type_bool(module), value,
                       geo_write_const(build->writer, value->type->width, 0));
}

/* Writes the instruction and replaces the call. Returns false if the types do not fit. */
static bool build_finish(struct build *build)
{
    struct geo_writer *writer = build->writer;
    const struct geo_ir_type *wanted = build->call->value.type;
    const struct geo_ir_type *type =
        build->decides && wanted->kind == GEO_TYPE_INT ? geo_ir_type_bool(writer->module) : wanted;
    for (uint32_t i = 0; i < build->operand_count; i++) {
        if (!build->operands[i]) { /* too few arguments */
            return false;
        }
    }
    const struct geo_group_op *group = geo_group_op_find((uint32_t)build->op);
    struct geo_ir_value *value =
        geo_write_op(writer, build->op, type, build->operand_count, build->operands,
                     build->literal_count, build->literals);
    if (!value || !group || build->next != geo_import_argument_count(build->call) ||
        !geo_group_op_check(group, geo_ir_as_inst(value))) {
        if (value) {
            geo_ir_inst_remove(geo_ir_as_inst(value));
        }
        return false;
    }
    if (wanted->kind == GEO_TYPE_VOID) {
        geo_write_replace(build->call, NULL);
        return true;
    }
    if (type != wanted) {
        value = geo_write_3(writer, SpvOpSelect, wanted, value,
                            geo_write_const(writer, wanted->width, 1),
                            geo_write_const(writer, wanted->width, 0));
    }
    return geo_import_replace(build->call, value);
}

/* ---- plain functions ---- */

/* A function that is one instruction. */
struct plain {
    const char *name;
    SpvOp op;
    /* The operands: s scope, x an argument, l the last argument, p an argument as a bool, d the
     * item of a broadcast (one to three arguments). P: the instruction's result is a bool. */
    const char *form;
    int8_t operation; /* literal group operation; -1: none */
};

static const struct plain shared[] = {
    {"all", SpvOpGroupAll, "Psp", -1},
    {"any", SpvOpGroupAny, "Psp", -1},
    {"broadcast", SpvOpGroupBroadcast, "sxd", -1},
};

static const struct plain of_subgroups[] = {
    {"elect", SpvOpGroupNonUniformElect, "Ps", -1},
    {"non_uniform_all", SpvOpGroupNonUniformAll, "Psp", -1},
    {"non_uniform_any", SpvOpGroupNonUniformAny, "Psp", -1},
    {"non_uniform_all_equal", SpvOpGroupNonUniformAllEqual, "Psx", -1},
    {"non_uniform_broadcast", SpvOpGroupNonUniformBroadcast, "sxx", -1},
    {"broadcast_first", SpvOpGroupNonUniformBroadcastFirst, "sx", -1},
    {"ballot", SpvOpGroupNonUniformBallot, "sp", -1},
    {"inverse_ballot", SpvOpGroupNonUniformInverseBallot, "Psx", -1},
    {"ballot_bit_extract", SpvOpGroupNonUniformBallotBitExtract, "Psxx", -1},
    {"ballot_bit_count", SpvOpGroupNonUniformBallotBitCount, "sx", SpvGroupOperationReduce},
    {"ballot_inclusive_scan", SpvOpGroupNonUniformBallotBitCount, "sx",
     SpvGroupOperationInclusiveScan},
    {"ballot_exclusive_scan", SpvOpGroupNonUniformBallotBitCount, "sx",
     SpvGroupOperationExclusiveScan},
    {"ballot_find_lsb", SpvOpGroupNonUniformBallotFindLSB, "sx", -1},
    {"ballot_find_msb", SpvOpGroupNonUniformBallotFindMSB, "sx", -1},
    {"shuffle", SpvOpGroupNonUniformShuffle, "sxx", -1},
    {"shuffle_xor", SpvOpGroupNonUniformShuffleXor, "sxx", -1},
    {"shuffle_up", SpvOpGroupNonUniformShuffleUp, "sxx", -1},
    {"shuffle_down", SpvOpGroupNonUniformShuffleDown, "sxx", -1},
    {"rotate", SpvOpGroupNonUniformRotateKHR, "sxx", -1},
    {"clustered_rotate", SpvOpGroupNonUniformRotateKHR, "sxxx", -1},
};

static const struct plain of_intel[] = {
    {"shuffle", SpvOpSubgroupShuffleINTEL, "xx", -1},
    {"shuffle_xor", SpvOpSubgroupShuffleXorINTEL, "xx", -1},
    {"shuffle_up", SpvOpSubgroupShuffleUpINTEL, "xxx", -1},
    {"shuffle_down", SpvOpSubgroupShuffleDownINTEL, "xxx", -1},
    {"block_read", SpvOpSubgroupBlockReadINTEL, "x", -1},
    {"block_write", SpvOpSubgroupBlockWriteINTEL, "xx", -1},
};

/* Functions of the same names if the first or the last argument is an image. */
static const struct plain of_images[] = {
    {"block_read", SpvOpSubgroupImageBlockReadINTEL, "xx", -1},
    {"block_write", SpvOpSubgroupImageBlockWriteINTEL, "xxx", -1},
    {"media_block_read", SpvOpSubgroupImageMediaBlockReadINTEL, "lxxx", -1},
    {"media_block_write", SpvOpSubgroupImageMediaBlockWriteINTEL, "lxxxx", -1},
};

static const struct plain *plain_find(const struct plain *table, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(table[i].name, name) == 0) {
            return &table[i];
        }
    }
    return NULL;
}
#define PLAIN_FIND(table, name) plain_find(table, sizeof(table) / sizeof(table[0]), name)

/* Takes the item of a broadcast: one id, or one for each dimension of the work-group. */
static struct geo_ir_value *item_take(struct build *build)
{
    struct geo_ir_value *parts[3];
    struct geo_ir_value *first = argument_take(build);
    uint32_t count = geo_import_argument_count(build->call) - build->next + 1;
    if (!first || count == 1 || count > 3) {
        return first;
    }
    parts[0] = first;
    for (uint32_t i = 1; i < count; i++) {
        parts[i] = argument_take(build);
        if (parts[i]->type != first->type || first->type->kind != GEO_TYPE_INT) {
            return NULL;
        }
    }
    const struct geo_ir_type *type = geo_ir_type_vector(build->writer->module, first->type, count);
    return geo_write_op(build->writer, SpvOpCompositeConstruct, type, count, parts, 0, NULL);
}

static bool plain_build(struct build *build, const struct plain *plain)
{
    uint32_t last = geo_import_argument_count(build->call) - 1;
    build->op = plain->op;
    for (const char *letter = plain->form; *letter; letter++) {
        switch (*letter) {
        case 's':
            operand_add(build, geo_write_const(build->writer, 32, build->scope));
            break;
        case 'p':
            operand_add(build, predicate(build, argument_take(build)));
            break;
        case 'd':
            operand_add(build, item_take(build));
            break;
        case 'l':
            operand_add(build, geo_import_argument(build->call, last));
            break;
        case 'P':
            build->decides = true;
            break;
        default:
            operand_add(build, argument_take(build));
        }
    }
    build->next += strchr(plain->form, 'l') != NULL;
    if (plain->operation >= 0) {
        literal_add(build, (uint32_t)plain->operation);
    }
    return build_finish(build);
}

/* ---- reductions and scans: [non_uniform_|clustered_]<operation>_[logical_]<join> ---- */

/* A group operation, by the prefix of the function's name. */
struct operation {
    const char *prefix;
    uint32_t operation;
    bool non_uniform;
};

static const struct operation operations[] = {
    {"reduce_", SpvGroupOperationReduce, false},
    {"scan_inclusive_", SpvGroupOperationInclusiveScan, false},
    {"scan_exclusive_", SpvGroupOperationExclusiveScan, false},
    {"non_uniform_reduce_", SpvGroupOperationReduce, true},
    {"non_uniform_scan_inclusive_", SpvGroupOperationInclusiveScan, true},
    {"non_uniform_scan_exclusive_", SpvGroupOperationExclusiveScan, true},
    {"clustered_reduce_", SpvGroupOperationClusteredReduce, true},
};

/* The type of the reduced values. */
enum element {
    ELEMENT_FLOAT,
    ELEMENT_SIGNED,
    ELEMENT_UNSIGNED,
};

/* The binary operation of a reduction, by the rest of the name. */
struct join {
    const char *name;
    uint32_t uniform[3], non_uniform[3]; /* opcodes by enum element; 0: none */
    bool logical;
};

static const struct join joins[] = {
    {"add",
     {SpvOpGroupFAdd, SpvOpGroupIAdd, SpvOpGroupIAdd},
     {SpvOpGroupNonUniformFAdd, SpvOpGroupNonUniformIAdd, SpvOpGroupNonUniformIAdd},
     false},
    {"mul",
     {SpvOpGroupFMulKHR, SpvOpGroupIMulKHR, SpvOpGroupIMulKHR},
     {SpvOpGroupNonUniformFMul, SpvOpGroupNonUniformIMul, SpvOpGroupNonUniformIMul},
     false},
    {"min",
     {SpvOpGroupFMin, SpvOpGroupSMin, SpvOpGroupUMin},
     {SpvOpGroupNonUniformFMin, SpvOpGroupNonUniformSMin, SpvOpGroupNonUniformUMin},
     false},
    {"max",
     {SpvOpGroupFMax, SpvOpGroupSMax, SpvOpGroupUMax},
     {SpvOpGroupNonUniformFMax, SpvOpGroupNonUniformSMax, SpvOpGroupNonUniformUMax},
     false},
    {"and",
     {0, SpvOpGroupBitwiseAndKHR, SpvOpGroupBitwiseAndKHR},
     {0, SpvOpGroupNonUniformBitwiseAnd, SpvOpGroupNonUniformBitwiseAnd},
     false},
    {"or",
     {0, SpvOpGroupBitwiseOrKHR, SpvOpGroupBitwiseOrKHR},
     {0, SpvOpGroupNonUniformBitwiseOr, SpvOpGroupNonUniformBitwiseOr},
     false},
    {"xor",
     {0, SpvOpGroupBitwiseXorKHR, SpvOpGroupBitwiseXorKHR},
     {0, SpvOpGroupNonUniformBitwiseXor, SpvOpGroupNonUniformBitwiseXor},
     false},
    {"logical_and",
     {0, SpvOpGroupLogicalAndKHR, SpvOpGroupLogicalAndKHR},
     {0, SpvOpGroupNonUniformLogicalAnd, SpvOpGroupNonUniformLogicalAnd},
     true},
    {"logical_or",
     {0, SpvOpGroupLogicalOrKHR, SpvOpGroupLogicalOrKHR},
     {0, SpvOpGroupNonUniformLogicalOr, SpvOpGroupNonUniformLogicalOr},
     true},
    {"logical_xor",
     {0, SpvOpGroupLogicalXorKHR, SpvOpGroupLogicalXorKHR},
     {0, SpvOpGroupNonUniformLogicalXor, SpvOpGroupNonUniformLogicalXor},
     true},
};

static const struct join *join_find(const char *name)
{
    for (size_t i = 0; i < sizeof(joins) / sizeof(joins[0]); i++) {
        if (strcmp(joins[i].name, name) == 0) {
            return &joins[i];
        }
    }
    return NULL;
}

static bool reduction_build(struct build *build, const struct operation *operation,
                            const struct join *join, bool is_unsigned)
{
    struct geo_ir_value *value = argument_take(build);
    if (!value) {
        return false;
    }
    enum element element = value->type->kind == GEO_TYPE_FLOAT ? ELEMENT_FLOAT
                           : is_unsigned                       ? ELEMENT_UNSIGNED
                                                               : ELEMENT_SIGNED;
    build->op = (SpvOp)(operation->non_uniform ? join->non_uniform : join->uniform)[element];
    build->decides = join->logical;
    literal_add(build, operation->operation);
    operand_add(build, geo_write_const(build->writer, 32, build->scope));
    operand_add(build, join->logical ? predicate(build, value) : value);
    if (operation->operation == SpvGroupOperationClusteredReduce) {
        operand_add(build, argument_take(build));
    }
    return build->op && build_finish(build);
}

static bool reduction_import(struct build *build, const char *name, bool is_unsigned)
{
    for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++) {
        size_t length = strlen(operations[i].prefix);
        if (strncmp(name, operations[i].prefix, length) != 0) {
            continue;
        }
        const struct join *join = join_find(name + length);
        return join && reduction_build(build, &operations[i], join, is_unsigned);
    }
    return false;
}

/* ---- prefixes ---- */

static bool has_image(const struct geo_ir_inst *call)
{
    bool found = false;
    for (uint32_t i = 0; i < geo_import_argument_count(call); i++) {
        found |= geo_import_argument(call, i)->type->kind == GEO_TYPE_OPAQUE;
    }
    return found;
}

/* Replaces [media_]block_read_us4 and the like. The types tell what is read or written. */
static bool block_import(struct build *build, const char *name)
{
    char known[24];
    const char *verb = strstr(name, "block_read") ? "read" : "write";
    const char *end = strstr(name, verb);
    size_t length = end ? (size_t)(end - name) + strlen(verb) : 0;
    if (length >= sizeof(known) ||
        strspn(name + length, "_ucsil1248036") != strlen(name + length)) {
        return false;
    }
    snprintf(known, sizeof(known), "%.*s", (int)length, name);
    const struct plain *plain =
        has_image(build->call) ? PLAIN_FIND(of_images, known) : PLAIN_FIND(of_intel, known);
    return plain && plain_build(build, plain);
}

/* Replaces __spirv_GroupNonUniformShuffle and the like, whose arguments are the instruction's
 * operands. */
static bool spirv_import(struct build *build, const char *name)
{
    char instruction[72];
    snprintf(instruction, sizeof(instruction), "Op%.*s", (int)strcspn(name, "_"), name);
    const struct geo_grammar *grammar = geo_grammar_find_name(instruction);
    const struct geo_group_op *group = grammar ? geo_group_op_find(grammar->op) : NULL;
    if (!group || !group->types) {
        return false;
    }
    build->op = (SpvOp)group->op;
    build->decides = group->types[0] == 'b';
    for (const char *letter = group->types + 1;
         *letter && build->next < geo_import_argument_count(build->call); letter++) {
        uint64_t bits;
        if (*letter == '?') {
            continue;
        }
        struct geo_ir_value *value = argument_take(build);
        if (*letter != '#') {
            operand_add(build, *letter == 'b' ? predicate(build, value) : value);
        } else if (geo_ir_constant_bits(value, &bits)) {
            literal_add(build, (uint32_t)bits);
        } else {
            return false;
        }
    }
    return build_finish(build);
}

bool geo_builtins_imports_group(struct geo_writer *writer, struct geo_ir_inst *call,
                                const struct geo_import *import)
{
    struct build build = {.writer = writer, .call = call, .scope = SpvScopeSubgroup};
    const char *name = import->base;
    if (strncmp(name, "__spirv_", 8) == 0) {
        return spirv_import(&build, name + 8);
    }
    bool intel = strncmp(name, "intel_sub_group_", 16) == 0;
    bool work = strncmp(name, "work_group_", 11) == 0;
    if (!intel && !work && strncmp(name, "sub_group_", 10) != 0) {
        return false;
    }
    name += intel ? 16 : work ? 11 : 10;
    build.scope = work ? SpvScopeWorkgroup : SpvScopeSubgroup;
    const struct plain *plain = intel && !has_image(call) ? PLAIN_FIND(of_intel, name) : NULL;
    plain = plain ? plain : PLAIN_FIND(shared, name);
    plain = plain || work ? plain : PLAIN_FIND(of_subgroups, name);
    if (plain) {
        return plain_build(&build, plain);
    }
    return (intel && block_import(&build, name)) ||
           reduction_import(&build, name, import->is_unsigned);
}
