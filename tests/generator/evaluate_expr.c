/* Random kernels: the interpreter's places and expressions. See evaluate_internal.h. */
#include "evaluate_internal.h"

#include <string.h>

/* ---- places ---- */

bool gen_eval_index(struct frame *frame, const struct gen_expr *expr, uint32_t bound,
                    uint32_t *index)
{
    uint64_t value[GEN_MAX_LEAVES];
    if (!gen_eval(frame, expr, value)) {
        return false;
    }
    if (value[0] >= bound) {
        return gen_run_fail(frame->item->run, "index out of bounds");
    }
    *index = (uint32_t)value[0];
    return true;
}

/* Counted from the first element that is there. */
static bool eval_element(struct frame *frame, const struct gen_expr *expr,
                         const struct gen_variable *buffer, uint32_t *index)
{
    uint64_t value[GEN_MAX_LEAVES];
    if (!gen_eval(frame, expr, value)) {
        return false;
    }
    if (value[0] - buffer->shift >= buffer->length) {
        return gen_run_fail(frame->item->run, "index out of bounds");
    }
    *index = (uint32_t)(value[0] - buffer->shift);
    return true;
}

uint8_t *gen_eval_address(struct frame *frame, const struct gen_place *place)
{
    const struct gen_variable *base = place->base;
    bool second = false;
    uint32_t index;
    if (place->condition && !gen_eval_bool(frame, place->condition, &second)) {
        return NULL;
    }
    base = second ? place->other : base;
    uint8_t *address =
        base->role == GEN_TABLE ? (uint8_t *)(uintptr_t)base->bytes : frame->address[base->slot];
    const struct gen_type *type = base->type;
    if (place->element) {
        if (!eval_element(frame, place->element, base, &index)) {
            return NULL;
        }
        address += (size_t)index * type->size;
    }
    for (uint32_t i = 0; i < place->step_count; i++) {
        const struct gen_step *step = &place->steps[i];
        if (step->is_member) {
            address += type->offsets[step->member];
            type = type->members[step->member];
            continue;
        }
        if (!gen_eval_index(frame, step->index, type->count, &index)) {
            return NULL;
        }
        type = type->element;
        address += (size_t)index * type->size;
    }
    return address;
}

/* ---- expressions ---- */

/* The first word; the others are 0, sub-groups have 32 items at most. */
static uint64_t mask_value(uint64_t lane, uint32_t size, enum gen_id id)
{
    uint64_t own = 1ull << lane, below = own - 1, all = UINT32_MAX >> (32 - size);
    switch (id) {
    case GEN_SUBGROUP_EQ_MASK:
        return own;
    case GEN_SUBGROUP_GE_MASK:
        return all & ~below;
    case GEN_SUBGROUP_GT_MASK:
        return all & ~below & ~own;
    case GEN_SUBGROUP_LE_MASK:
        return below | own;
    default:
        return below;
    }
}

static uint64_t id_value(const struct item *item, enum gen_id id, uint32_t d)
{
    const struct run *run = item->run;
    const struct gen_program *p = run->program;
    uint64_t size[3], global[3];
    uint64_t linear =
        ((uint64_t)item->local[2] * p->local[1] + item->local[1]) * p->local[0] + item->local[0];
    for (uint32_t i = 0; i < 3; i++) {
        size[i] = (uint64_t)p->local[i] * p->groups[i];
        global[i] = (uint64_t)run->group[i] * p->local[i] + item->local[i];
    }
    switch (id) {
    case GEN_GLOBAL_ID:
        return global[d] + p->offset[d];
    case GEN_LOCAL_ID:
        return item->local[d];
    case GEN_GROUP_ID:
        return run->group[d];
    case GEN_LOCAL_SIZE:
        return p->local[d];
    case GEN_GLOBAL_SIZE:
        return size[d];
    case GEN_GROUP_COUNT:
        return p->groups[d];
    case GEN_GLOBAL_OFFSET:
        return p->offset[d];
    case GEN_GLOBAL_LINEAR:
        return (global[2] * size[1] + global[1]) * size[0] + global[0];
    case GEN_LOCAL_LINEAR:
        return linear;
    case GEN_SUBGROUP_LOCAL_ID:
        return linear % p->subgroup_size;
    case GEN_SUBGROUP_ID:
        return linear / p->subgroup_size;
    case GEN_SUBGROUP_COUNT:
        return (gen_local_total(p) + p->subgroup_size - 1) / p->subgroup_size;
    case GEN_SUBGROUP_SIZE:
        return linear / p->subgroup_size < gen_local_total(p) / p->subgroup_size
                   ? p->subgroup_size
                   : gen_local_total(p) % p->subgroup_size;
    case GEN_SUBGROUP_MAX_SIZE:
        return p->subgroup_size;
    default:
        return mask_value(linear % p->subgroup_size, p->subgroup_size, id);
    }
}

static bool eval_load(struct frame *frame, const struct gen_expr *expr, uint64_t *leaves)
{
    const uint8_t *address = gen_eval_address(frame, expr->place);
    if (!address || !gen_access(frame->item, address, expr->type->size, GEN_ACCESS_READ)) {
        return false;
    }
    gen_leaves_load(expr->type, address, leaves);
    return true;
}

static bool eval_vload(struct frame *frame, const struct gen_expr *expr, uint64_t *leaves)
{
    uint32_t count = expr->type->count, index = 0;
    const struct gen_variable *buffer = expr->place->base;
    if (!gen_eval_index(frame, expr->args[0], buffer->length / count, &index)) {
        return false;
    }
    const uint8_t *address =
        frame->address[buffer->slot] + (size_t)index * count * buffer->type->size;
    if (!gen_access(frame->item, address, (size_t)count * buffer->type->size, GEN_ACCESS_READ)) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        gen_leaves_load(buffer->type, address + (size_t)i * buffer->type->size, &leaves[i]);
    }
    return true;
}

static bool eval_space(struct frame *frame, const struct gen_expr *expr, uint64_t *leaves)
{
    bool second = false;
    if (!gen_eval_bool(frame, expr->args[0], &second)) {
        return false;
    }
    const struct gen_place *place = second ? expr->other_place : expr->place;
    const uint8_t *address = gen_eval_address(frame, place);
    if (!address) {
        return false;
    }
    if (expr->number != GEN_BEHIND) {
        leaves[0] = gen_space_answer((enum gen_question)expr->number, place->base->role);
        return true;
    }
    if (!gen_access(frame->item, address, expr->type->size, GEN_ACCESS_READ)) {
        return false;
    }
    gen_leaves_load(expr->type, address, leaves);
    return true;
}

/* Operations that move components about. */
static bool eval_vector(struct frame *frame, const struct gen_expr *expr, uint64_t *leaves)
{
    uint64_t values[3][GEN_MAX_LEAVES];
    uint32_t index = expr->number;
    if (expr->op == GEN_CONSTRUCT) {
        for (uint32_t i = 0; i < expr->arg_count; i++) {
            if (!gen_eval(frame, expr->args[i], values[0])) {
                return false;
            }
            leaves[i] = values[0][0];
        }
        return true;
    }
    for (uint32_t i = 0; i < expr->arg_count && i < 3; i++) {
        if (!gen_eval(frame, expr->args[i], values[i])) {
            return false;
        }
    }
    uint32_t count = gen_components(expr->args[0]->type);
    bool dynamic = expr->op == GEN_EXTRACT_DYN || expr->op == GEN_INSERT_DYN;
    if (dynamic) {
        uint64_t wanted = values[expr->arg_count - 1][0];
        if (wanted >= count) {
            return gen_run_fail(frame->item->run, "component out of bounds");
        }
        index = (uint32_t)wanted;
    }
    switch (expr->op) {
    case GEN_EXTRACT:
    case GEN_EXTRACT_DYN:
        leaves[0] = values[0][index];
        return true;
    case GEN_INSERT:
    case GEN_INSERT_DYN:
        memcpy(leaves, values[0], count * sizeof(*leaves));
        leaves[index] = values[1][0];
        return true;
    case GEN_SHUFFLE:
        for (uint32_t i = 0; i < expr->type->count; i++) {
            uint32_t lane = expr->lanes[i];
            leaves[i] = lane < count ? values[0][lane] : values[1][lane - count];
        }
        return true;
    case GEN_SELECT:
        for (uint32_t i = 0; i < expr->type->leaves; i++) {
            leaves[i] = values[0][i] ? values[1][i] : values[2][i];
        }
        return true;
    default: /* ANY, ALL */
        leaves[0] = expr->op == GEN_ALL;
        for (uint32_t i = 0; i < count; i++) {
            leaves[0] = expr->op == GEN_ALL ? leaves[0] && values[0][i] : leaves[0] || values[0][i];
        }
        return true;
    }
}

/* What the kernel's modes and the conversion's decoration say. */
static struct gen_how how_of(const struct frame *frame, const struct gen_expr *expr,
                             const struct gen_type *source)
{
    const struct gen_program *program = frame->item->run->program;
    const struct gen_type *type = gen_scalar_of(expr->type);
    struct gen_how how = {0};
    if (type->kind == GEN_FLOAT) {
        how.rounding = gen_float_mode(program, type->bits)->rounding;
        how.flush_result = gen_float_mode(program, type->bits)->flush;
    }
    if (source->kind == GEN_FLOAT) {
        how.flush_operands = gen_float_mode(program, source->bits)->flush;
    }
    if (expr->rounding) {
        how.given = true;
        how.rounding = expr->rounding - 1;
    }
    return how;
}

bool gen_eval(struct frame *frame, const struct gen_expr *expr, uint64_t *leaves)
{
    expr = gen_expr_resolve(expr);
    switch (expr->op) {
    case GEN_CONST:
        memcpy(leaves, expr->bits, expr->type->leaves * sizeof(*leaves));
        return true;
    case GEN_LOAD:
        return eval_load(frame, expr, leaves);
    case GEN_VLOAD:
        return eval_vload(frame, expr, leaves);
    case GEN_SPACE:
        return eval_space(frame, expr, leaves);
    case GEN_ID:
        memset(leaves, 0, expr->type->leaves * sizeof(*leaves));
        leaves[0] = id_value(frame->item, (enum gen_id)expr->number, expr->number2);
        return true;
    case GEN_CONSTRUCT:
    case GEN_EXTRACT:
    case GEN_EXTRACT_DYN:
    case GEN_INSERT:
    case GEN_INSERT_DYN:
    case GEN_SHUFFLE:
    case GEN_SELECT:
    case GEN_ANY:
    case GEN_ALL:
        return eval_vector(frame, expr, leaves);
    default:
        break;
    }
    uint64_t values[3][16];
    for (uint32_t i = 0; i < expr->arg_count; i++) {
        if (!gen_eval(frame, expr->args[i], values[i])) {
            return false;
        }
    }
    const struct gen_type *source = gen_scalar_of(expr->args[0]->type);
    const struct gen_how how = how_of(frame, expr, source);
    for (uint32_t c = 0; c < gen_components(expr->type); c++) {
        uint64_t operands[3] = {0};
        for (uint32_t i = 0; i < expr->arg_count; i++) {
            operands[i] = values[i][c];
        }
        if (expr->op == GEN_IN_RANGE) {
            leaves[c] = gen_interpret_in_range(gen_scalar_of(expr->type), expr->number,
                                               expr->number2, operands[0]);
            continue;
        }
        const char *error = gen_interpret_scalar(expr->op, gen_scalar_of(expr->type), source,
                                                 operands, &how, &leaves[c]);
        if (error) {
            return gen_run_fail(frame->item->run, error);
        }
    }
    return true;
}

bool gen_eval_bool(struct frame *frame, const struct gen_expr *expr, bool *value)
{
    uint64_t leaves[GEN_MAX_LEAVES];
    if (!gen_eval(frame, expr, leaves)) {
        return false;
    }
    *value = leaves[0] != 0;
    return true;
}
