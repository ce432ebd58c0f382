/* Scalar replacement of private variables: the division into parts, and the pass itself. See
 * sroa.h. */
#include "compiler/transform/memory/sroa.h"

#include <stdlib.h>

/* ---- parts ---- */

static int leaf_compare(const void *left, const void *right)
{
    const struct sroa_leaf *a = left, *b = right;
    if (a->offset != b->offset) {
        return a->offset < b->offset ? -1 : 1;
    }
    return a->end == b->end ? 0 : a->end > b->end ? -1 : 1;
}

/* Lists the scalars of all accesses of a variable, sorted by position. *out is NULL without a
 * failure if there are too many. */
static bool variable_leaves(struct sroa *sroa, const struct sroa_variable *variable,
                            struct sroa_leaf **out, uint32_t *count)
{
    struct sroa_leaf buffer[SROA_MAX_LEAVES];
    struct {
        struct sroa_leaf *items;
        size_t count, capacity;
    } leaves = {0};
    for (size_t i = 0; i < variable->accesses.count; i++) {
        const struct sroa_access *access = &variable->accesses.items[i];
        uint32_t found = 0;
        if (access->kind == SROA_POINTER ||
            !sroa_leaves(access->type, access->offset, buffer, SROA_MAX_LEAVES, &found)) {
            buffer[0] = (struct sroa_leaf){access->offset, access->end, NULL};
            found = 1;
        }
        if (!geo_array_reserve(&leaves, found)) {
            geo_array_finish(&leaves);
            return geo_pass_no_memory(sroa->pass);
        }
        for (uint32_t l = 0; l < found; l++) {
            leaves.items[leaves.count++] = buffer[l];
        }
        if (leaves.count > sroa->leaf_budget) {
            geo_array_finish(&leaves);
            *out = NULL;
            return true;
        }
    }
    sroa->leaf_budget -= (uint32_t)leaves.count;
    qsort(leaves.items, leaves.count, sizeof(*leaves.items), leaf_compare);
    *out = leaves.items;
    *count = (uint32_t)leaves.count;
    return true;
}

/* Returns the most frequent type among the leaves. Only the first few distinct types are
 * counted. */
static const struct geo_ir_type *common_type(const struct sroa_leaf *leaves, uint32_t count)
{
    const struct geo_ir_type *types[4] = {NULL};
    uint32_t votes[4] = {0}, best = 0;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t t = 0; t < 4; t++) {
            if (!types[t] || types[t] == leaves[i].type) {
                types[t] = leaves[i].type;
                votes[t]++;
                break;
            }
        }
    }
    for (uint32_t t = 1; t < 4; t++) {
        best = votes[t] > votes[best] ? t : best;
    }
    return types[best];
}

static bool is_row_size(uint64_t size)
{
    return size == 1 || size == 2 || size == 4 || size == 8;
}

/* Returns the size of the small integers into which a part of disagreeing leaves can be divided:
 * the smallest leaf size, if all leaves are multiples of it. Returns 0 if that is impossible. */
static uint64_t row_step(const struct sroa_part *part, const struct sroa_leaf *leaves,
                         uint32_t count)
{
    uint64_t step = UINT64_MAX;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t size = leaves[i].end - leaves[i].offset;
        if (!leaves[i].type || leaves[i].type->kind == GEO_TYPE_OPAQUE || !is_row_size(size)) {
            return 0;
        }
        step = size < step ? size : step;
    }
    for (uint32_t i = 0; i < count; i++) {
        if ((leaves[i].offset - part->offset) % step != 0 ||
            (leaves[i].end - leaves[i].offset) % step != 0) {
            return 0;
        }
    }
    return step;
}

/* Returns the member of a type that covers exactly [offset, end), or NULL. */
static const struct geo_ir_type *member_at(const struct geo_ir_type *type, uint64_t offset,
                                           uint64_t end)
{
    while (offset != 0 || end != type->size) {
        if (type->kind == GEO_TYPE_STRUCT) {
            uint64_t i = type->count;
            while (i > 0 && (type->offsets[i - 1] > offset || type->members[i - 1]->size == 0)) {
                i--;
            }
            if (i == 0) {
                return NULL;
            }
            offset -= type->offsets[i - 1];
            end -= type->offsets[i - 1];
            type = type->members[i - 1];
        } else if (type->kind == GEO_TYPE_ARRAY && type->element->size > 0) {
            uint64_t begin = offset / type->element->size * type->element->size;
            offset -= begin;
            end -= begin;
            type = type->element;
        } else {
            return NULL;
        }
        if (end > type->size) {
            return NULL;
        }
    }
    return type;
}

static bool part_decide(struct sroa *sroa, const struct sroa_variable *variable,
                        struct sroa_part *part, const struct sroa_leaf *leaves, uint32_t count)
{
    struct geo_ir_module *module = sroa->pass->module;
    bool agree = leaves[0].type != NULL;
    for (uint32_t i = 0; i < count; i++) {
        agree = agree && leaves[i].type && leaves[i].offset == part->offset &&
                leaves[i].end == part->end &&
                geo_make_can_reinterpret(leaves[i].type, leaves[0].type);
    }
    if (agree) {
        part->step = part->end - part->offset;
        part->type = common_type(leaves, count);
        return true;
    }
    part->step = row_step(part, leaves, count);
    if (part->step) {
        part->type = geo_ir_type_int(module, (uint32_t)part->step * 8);
    } else {
        part->base = part->offset & ~((uint64_t)sroa_align(variable) - 1);
        part->type = member_at(variable->type, part->base, part->end);
        if (!part->type) {
            part->type = geo_ir_type_array(module, sroa->pass->type_i8, part->end - part->base);
        }
    }
    return part->type != NULL || geo_pass_no_memory(sroa->pass);
}

/* Groups overlapping leaves into parts. */
static bool parts_make(struct sroa *sroa, struct sroa_variable *variable,
                       const struct sroa_leaf *leaves, uint32_t count)
{
    variable->parts = geo_arena_new_array(&sroa->pass->arena, struct sroa_part, count);
    if (!variable->parts) {
        return geo_pass_no_memory(sroa->pass);
    }
    for (uint32_t first = 0; first < count;) {
        struct sroa_part *part = &variable->parts[variable->part_count++];
        uint32_t next = first;
        part->offset = leaves[first].offset;
        part->end = leaves[first].end;
        while (next < count && leaves[next].offset < part->end) {
            part->end = leaves[next].end > part->end ? leaves[next].end : part->end;
            next++;
        }
        if (!part_decide(sroa, variable, part, leaves + first, next - first)) {
            return false;
        }
        first = next;
    }
    return true;
}

/* Returns whether the whole variable is one part in memory: splitting it gains nothing. */
static bool is_hopeless(const struct sroa_variable *variable)
{
    return variable->part_count == 1 && variable->parts[0].step == 0;
}

static bool variable_split(struct sroa *sroa, struct sroa_variable *variable)
{
    struct sroa_leaf *leaves = NULL;
    uint32_t count = 0;
    if (variable->escapes || variable->direct || variable->inst->operand_count > 0 ||
        variable->accesses.count == 0) {
        return true;
    }
    if (!variable_leaves(sroa, variable, &leaves, &count)) {
        return false;
    }
    bool good = !leaves || parts_make(sroa, variable, leaves, count);
    if (good && leaves && !is_hopeless(variable)) {
        good = sroa_rewrite(sroa, variable);
    }
    free(leaves);
    return good;
}

/* ---- the pass ---- */

static bool variables_list(struct sroa *sroa)
{
    uint32_t count = 0;
    geo_ir_for_each_block(block, sroa->function) {
        geo_ir_for_each_inst(inst, block) {
            count += inst->op == SpvOpVariable;
        }
    }
    sroa->variables = geo_arena_new_array(&sroa->pass->arena, struct sroa_variable, count);
    if (!sroa->variables) {
        return geo_pass_no_memory(sroa->pass);
    }
    geo_ir_for_each_block(block, sroa->function) {
        geo_ir_for_each_inst(inst, block) {
            if (inst->op == SpvOpVariable) {
                sroa->variables[sroa->variable_count++] = (struct sroa_variable){
                    .inst = inst,
                    .type = inst->value.type->element,
                    .direct = sroa_is_scalar(inst->value.type->element),
                };
            }
        }
    }
    return true;
}

static bool function_split(struct sroa *sroa)
{
    if (!sroa_prepare(sroa)) {
        return false;
    }
    geo_ir_function_number(sroa->function);
    if (!geo_uses_build(sroa->function, &sroa->pass->arena, &sroa->uses)) {
        return geo_pass_no_memory(sroa->pass);
    }
    if (!declared_find(sroa->pass, sroa->function, &sroa->declared) || !variables_list(sroa) ||
        !sroa_collect(sroa)) {
        return false;
    }
    for (uint32_t i = 0; i < sroa->variable_count; i++) {
        if (!variable_split(sroa, &sroa->variables[i])) {
            return false;
        }
    }
    geo_ir_function_resolve(sroa->function);
    return geo_remove_dead(sroa->pass, sroa->function);
}

ze_result_t geo_transform_sroa(struct geo_ir_module *module, struct geo_strbuf *log)
{
    struct geo_pass pass;
    bool good = geo_pass_begin(&pass, module, log);
    geo_ir_for_each_function(function, module) {
        struct sroa sroa = {.pass = &pass, .function = function, .leaf_budget = SROA_MAX_ACCESSES};
        if (!good || !function->first_block) {
            continue;
        }
        good = function_split(&sroa);
        for (uint32_t i = 0; i < sroa.variable_count; i++) {
            geo_array_finish(&sroa.variables[i].accesses);
        }
    }
    return geo_pass_end(&pass);
}
