/* Random kernels as SPIR-V: operations of sub-groups as instructions. Where an item could get a
 * value from one that is not there, the instruction is followed (a ballot preceded) by a choice
 * between what it gave and the own value: the specification leaves such a value undefined,
 * nothing else. See spirv.h. */
#include "spirv.h"

#include <string.h>

static struct gen_words *out(struct gen_spirv *spirv)
{
    return &spirv->current->body;
}

static struct gen_program *program_of(struct gen_spirv *spirv)
{
    return (struct gen_program *)(uintptr_t)spirv->program;
}

/* At the end of `list` unless it is there. */
static void add_once(uint32_t *list, uint32_t *count, uint32_t value)
{
    for (uint32_t i = 0; i < *count; i++) {
        if (list[i] == value) {
            return;
        }
    }
    list[(*count)++] = value;
}

void gen_emit_subgroup_head(const struct gen_program *program, struct gen_words *out)
{
    uint32_t capabilities[GEN_SG_COUNT + 2], count = 0, extension_count = 0;
    const char *extensions[GEN_SG_COUNT];
    for (uint32_t i = 0; i < GEN_SG_COUNT; i++) {
        const struct gen_subgroup_info *info = &gen_subgroups[i];
        uint32_t e = 0;
        if (!program->subgroup_size && !(program->collectives && info->whole && info->has_scope)) {
            continue;
        }
        add_once(capabilities, &count, info->capability);
        while (info->extension && e < extension_count &&
               strcmp(extensions[e], info->extension) != 0) {
            e++;
        }
        if (info->extension && e == extension_count) {
            extensions[extension_count++] = info->extension;
        }
    }
    if (program->subgroup_size) {
        add_once(capabilities, &count, SpvCapabilitySubgroupDispatch);
        add_once(capabilities, &count, SpvCapabilityGroupNonUniformClustered);
    }
    for (uint32_t i = 0; i < count; i++) {
        gen_put(out, SpvOpCapability, 1, capabilities[i]);
    }
    for (uint32_t i = 0; i < extension_count; i++) {
        gen_words_put(out, (gen_string_words(extensions[i]) + 1) << 16 | SpvOpExtension);
        gen_put_string(out, extensions[i]);
    }
}

/* ---- small instructions ---- */

static uint32_t u32(struct gen_spirv *spirv, SpvOp op, uint32_t a, uint32_t b)
{
    uint32_t type = gen_type_id(spirv, gen_type_int(program_of(spirv), 32)), id = spirv->bound++;
    gen_put(out(spirv), (uint32_t)op, 4, type, id, a, b);
    return id;
}

static uint32_t truth(struct gen_spirv *spirv, SpvOp op, uint32_t a, uint32_t b)
{
    uint32_t type = gen_type_id(spirv, gen_type_bool(program_of(spirv))), id = spirv->bound++;
    gen_put(out(spirv), (uint32_t)op, 4, type, id, a, b);
    return id;
}

static uint32_t builtin(struct gen_spirv *spirv, enum gen_id which)
{
    uint32_t variable = gen_builtin_variable(spirv, which);
    uint32_t type = gen_type_id(spirv, gen_builtin_type(spirv, which)), id = spirv->bound++;
    gen_put(out(spirv), SpvOpLoad, 3, type, id, variable);
    return id;
}

/* ---- is the other item there? ---- */

/* Number of the item whose value this one gets. */
static uint32_t source_of(struct gen_spirv *spirv, const struct gen_subgroup *subgroup,
                          uint32_t number)
{
    uint32_t full = spirv->program->subgroup_size;
    uint32_t cluster = subgroup->cluster ? subgroup->cluster : full;
    uint32_t lane = builtin(spirv, GEN_SUBGROUP_LOCAL_ID), inner;
    switch (subgroup->op) {
    case GEN_SG_SHUFFLE_XOR:
    case GEN_SG_INTEL_XOR:
        return u32(spirv, SpvOpBitwiseXor, lane, number);
    case GEN_SG_SHUFFLE_UP:
        return u32(spirv, SpvOpISub, lane, number);
    case GEN_SG_SHUFFLE_DOWN:
        return u32(spirv, SpvOpIAdd, lane, number);
    case GEN_SG_INTEL_UP:
        return u32(spirv, SpvOpBitwiseAnd, u32(spirv, SpvOpISub, lane, number),
                   gen_u32_id(spirv, full - 1));
    case GEN_SG_INTEL_DOWN:
        return u32(spirv, SpvOpBitwiseAnd, u32(spirv, SpvOpIAdd, lane, number),
                   gen_u32_id(spirv, full - 1));
    case GEN_SG_ROTATE:
        inner = u32(spirv, SpvOpBitwiseAnd, u32(spirv, SpvOpIAdd, lane, number),
                    gen_u32_id(spirv, cluster - 1));
        return u32(spirv, SpvOpBitwiseOr, inner,
                   u32(spirv, SpvOpBitwiseAnd, lane, gen_u32_id(spirv, ~(cluster - 1))));
    case GEN_SG_QUAD_BROADCAST:
        return u32(spirv, SpvOpBitwiseOr, number,
                   u32(spirv, SpvOpBitwiseAnd, lane, gen_u32_id(spirv, ~3u)));
    case GEN_SG_QUAD_SWAP:
        return u32(spirv, SpvOpBitwiseXor, lane,
                   u32(spirv, SpvOpIAdd, number, gen_u32_id(spirv, 1)));
    default:
        return number;
    }
}

/* A bool; 0 when nobody asks. */
static uint32_t emit_guard(struct gen_spirv *spirv, const struct gen_subgroup *subgroup,
                           uint32_t number)
{
    if (subgroup->guard == GEN_GUARD_NONE) {
        return 0;
    }
    uint32_t source = source_of(spirv, subgroup, number);
    if (subgroup->guard == GEN_GUARD_SIZE) {
        return truth(spirv, SpvOpULessThan, source, builtin(spirv, GEN_SUBGROUP_SIZE));
    }
    struct gen_program *program = program_of(spirv);
    const struct gen_type *word = gen_type_int(program, 32);
    uint32_t words = gen_type_id(spirv, gen_type_vector(program, word, 4));
    uint32_t yes = gen_scalar_id(spirv, gen_type_bool(program), 1);
    uint32_t scope = gen_u32_id(spirv, SpvScopeSubgroup), ballot = spirv->bound++;
    gen_put(out(spirv), SpvOpGroupNonUniformBallot, 4, words, ballot, scope, yes);
    uint32_t first = spirv->bound++;
    gen_put(out(spirv), SpvOpCompositeExtract, 4, gen_type_id(spirv, word), first, ballot, 0);
    uint32_t count = u32(spirv, SpvOpBitwiseAnd, source, gen_u32_id(spirv, 31));
    uint32_t bit = u32(spirv, SpvOpBitwiseAnd, u32(spirv, SpvOpShiftRightLogical, first, count),
                       gen_u32_id(spirv, 1));
    uint32_t inside = truth(spirv, SpvOpULessThan, source, gen_u32_id(spirv, 32));
    return truth(spirv, SpvOpLogicalAnd, inside,
                 truth(spirv, SpvOpINotEqual, bit, gen_u32_id(spirv, 0)));
}

static uint32_t choose(struct gen_spirv *spirv, const struct gen_type *type, uint32_t condition,
                       uint32_t yes, uint32_t no)
{
    struct gen_program *program = program_of(spirv);
    uint32_t count = gen_components(type);
    if (count > 1) {
        /* A scalar condition chooses vectors from SPIR-V 1.4 on only. */
        const struct gen_type *bools = gen_type_vector(program, gen_type_bool(program), count);
        uint32_t type_id = gen_type_id(spirv, bools), id = spirv->bound++;
        gen_words_put(out(spirv), (3 + count) << 16 | SpvOpCompositeConstruct);
        gen_words_put(out(spirv), type_id);
        gen_words_put(out(spirv), id);
        for (uint32_t i = 0; i < count; i++) {
            gen_words_put(out(spirv), condition);
        }
        condition = id;
    }
    uint32_t type_id = gen_type_id(spirv, type), id = spirv->bound++;
    gen_put(out(spirv), SpvOpSelect, 5, type_id, id, condition, yes, no);
    return id;
}

/* ---- the operation ---- */

static bool has_operation(const struct gen_subgroup_info *info)
{
    return info->form == GEN_FORM_REDUCE || info->form == GEN_FORM_COUNT;
}

/* Words after result type and result, in order. */
static uint32_t operands_put(struct gen_spirv *spirv, const struct gen_subgroup *subgroup,
                             uint32_t value, uint32_t second, uint32_t number, uint32_t *words)
{
    static const SpvGroupOperation operations[] = {
        SpvGroupOperationReduce, SpvGroupOperationInclusiveScan, SpvGroupOperationExclusiveScan,
        SpvGroupOperationClusteredReduce};
    const struct gen_subgroup_info *info = &gen_subgroups[subgroup->op];
    uint32_t count = 0;
    if (info->has_scope) {
        words[count++] =
            gen_u32_id(spirv, subgroup->of_group ? SpvScopeWorkgroup : SpvScopeSubgroup);
    }
    if (has_operation(info)) {
        words[count++] = operations[subgroup->operation];
    }
    if (info->form == GEN_FORM_PAIR && subgroup->op == GEN_SG_INTEL_UP) {
        words[count++] = second;
    }
    if (info->form != GEN_FORM_ELECT) {
        words[count++] = value;
    }
    if (info->form == GEN_FORM_PAIR && subgroup->op == GEN_SG_INTEL_DOWN) {
        words[count++] = second;
    }
    if (subgroup->number) {
        words[count++] = number;
    }
    if (subgroup->cluster) {
        words[count++] = gen_u32_id(spirv, subgroup->cluster);
    }
    return count;
}

/* The number of an item; in a group of several dimensions its place along each. */
static uint32_t emit_number(struct gen_spirv *spirv, const struct gen_subgroup *subgroup)
{
    const uint32_t *local = spirv->program->local;
    const struct gen_expr *number = gen_expr_resolve(subgroup->number);
    struct gen_program *program = program_of(spirv);
    if (!subgroup->of_group || local[1] * local[2] == 1) {
        return gen_emit_expr(spirv, number);
    }
    uint32_t linear = (uint32_t)number->bits[0];
    const uint64_t places[] = {linear % local[0], linear / local[0] % local[1],
                               linear / local[0] / local[1]};
    const struct gen_type *type = gen_type_int(program, subgroup->wide ? 64 : 32);
    return gen_const_id(spirv, gen_type_vector(program, type, 3), places);
}

static void emit_block_io(struct gen_spirv *spirv, const struct gen_stmt *stmt)
{
    const struct gen_subgroup *subgroup = stmt->subgroup;
    uint32_t value = stmt->value ? gen_emit_expr(spirv, stmt->value) : 0;
    uint32_t pointer = gen_emit_address(spirv, subgroup->block);
    if (subgroup->op == GEN_SG_BLOCK_WRITE) {
        gen_put(out(spirv), SpvOpSubgroupBlockWriteINTEL, 2, pointer, value);
        return;
    }
    uint32_t type = gen_type_id(spirv, stmt->place->type), id = spirv->bound++;
    gen_put(out(spirv), SpvOpSubgroupBlockReadINTEL, 3, type, id, pointer);
    gen_emit_store(spirv, stmt->place, id);
}

/* Where all items of the sub-group come. */
static void emit_subgroup_barrier(struct gen_spirv *spirv)
{
    static const uint32_t orders[] = {
        0, SpvMemorySemanticsAcquireReleaseMask | SpvMemorySemanticsWorkgroupMemoryMask,
        SpvMemorySemanticsSequentiallyConsistentMask | SpvMemorySemanticsCrossWorkgroupMemoryMask};
    uint32_t semantics = gen_u32_id(spirv, orders[gen_way(spirv, 3)]);
    uint32_t scope = gen_u32_id(spirv, SpvScopeSubgroup);
    gen_put(out(spirv), SpvOpControlBarrier, 3, scope, scope, semantics);
}

void gen_emit_subgroup(struct gen_spirv *spirv, const struct gen_stmt *stmt)
{
    const struct gen_subgroup *subgroup = stmt->subgroup;
    bool whole = gen_subgroups[subgroup->op].whole && !subgroup->of_group;
    if (spirv->program->forms && whole && stmt->number % 2) {
        emit_subgroup_barrier(spirv);
    }
    if (subgroup->block) {
        emit_block_io(spirv, stmt);
        return;
    }
    uint32_t value = stmt->value ? gen_emit_expr(spirv, stmt->value) : 0;
    uint32_t second = subgroup->second ? gen_emit_expr(spirv, subgroup->second) : 0;
    uint32_t number = subgroup->number ? emit_number(spirv, subgroup) : 0;
    uint32_t guard = emit_guard(spirv, subgroup, number), words[8];
    uint32_t count = operands_put(spirv, subgroup, value, second, number, words);
    uint32_t type = gen_type_id(spirv, stmt->place->type), id = spirv->bound++;
    gen_words_put(out(spirv), (3 + count) << 16 | gen_subgroups[subgroup->op].spirv);
    gen_words_put(out(spirv), type);
    gen_words_put(out(spirv), id);
    for (uint32_t i = 0; i < count; i++) {
        gen_words_put(out(spirv), words[i]);
    }
    if (guard) {
        id = choose(spirv, stmt->place->type, guard, id, value);
    }
    gen_emit_store(spirv, stmt->place, id);
}
