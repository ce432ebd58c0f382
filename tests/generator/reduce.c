/* Makes a failing program small: deletes statements, unwraps expressions, as long as the
 * interpreter finds nothing undefined in it (in both orders of items: a deleted barrier may leave a
 * race) and it fails in the same way. See check.h. */
#include "check.h"

#include "evaluate.h"
#include "generate.h"
#include "opencl_c.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reducer {
    const struct gen_device *device;
    struct gen_program *program;
    uint32_t lanes;
    char text[GEN_TEXT]; /* of the first failure */
    uint32_t removed, tried;
    bool changed;
};

/* "v12[3]: ..." and "v7[0]: ..." are the same failure, a crash or a build error is another. */
static bool same_failure(const char *a, const char *b)
{
    bool wrong_a = strstr(a, " expected, ") != NULL, wrong_b = strstr(b, " expected, ") != NULL;
    if (wrong_a || wrong_b) {
        return wrong_a == wrong_b;
    }
    return strncmp(a, b, 24) == 0;
}

static bool still_fails(struct reducer *reducer)
{
    static const struct gen_device itself = {.name = "the other order",
                                             .has_subgroups = true,
                                             .has_collectives = true,
                                             .has_halves = true,
                                             .has_modes = true,
                                             .has_spaces = true,
                                             .has_far = true,
                                             .has_returns = true};
    char text[GEN_TEXT] = "";
    reducer->tried++;
    if (gen_check(&itself, reducer->program, 1, text) != GEN_PASSED) {
        return false;
    }
    return gen_check_isolated(reducer->device, reducer->program, reducer->lanes, text) ==
               GEN_FAILED &&
           same_failure(reducer->text, text);
}

static void keep(struct reducer *reducer)
{
    reducer->removed++;
    reducer->changed = true;
    fprintf(stderr, "\rremoved %u of %u tried", reducer->removed, reducer->tried);
}

/* ---- expressions ---- */

static void reduce_expr(struct reducer *reducer, struct gen_expr *expr)
{
    struct gen_expr *now = (struct gen_expr *)(uintptr_t)gen_expr_resolve(expr);
    if (now->op == GEN_CONST) {
        return;
    }
    for (uint32_t i = 0; i < now->arg_count; i++) {
        const struct gen_expr *part = gen_expr_resolve(now->args[i]);
        if (part->type == now->type) {
            now->replaced = now->args[i];
            if (still_fails(reducer)) {
                keep(reducer);
                reduce_expr(reducer, now);
                return;
            }
            now->replaced = NULL;
        }
    }
    if (now->type->kind != GEN_STRUCT) {
        struct gen_expr *constant = gen_expr_create(reducer->program, GEN_CONST, now->type, 0);
        constant->bits = gen_alloc(reducer->program, now->type->leaves * sizeof(uint64_t));
        now->replaced = constant;
        if (still_fails(reducer)) {
            keep(reducer);
            return;
        }
        now->replaced = NULL;
    }
    for (uint32_t i = 0; i < now->arg_count; i++) {
        reduce_expr(reducer, now->args[i]);
    }
    if (now->place && now->place->element) {
        reduce_expr(reducer, (struct gen_expr *)(uintptr_t)now->place->element);
    }
}

static void reduce_place(struct reducer *reducer, struct gen_place *place)
{
    for (uint32_t i = 0; place && i < place->step_count; i++) {
        if (!place->steps[i].is_member) {
            reduce_expr(reducer, (struct gen_expr *)(uintptr_t)place->steps[i].index);
        }
    }
}

/* ---- statements ---- */

static void reduce_block(struct reducer *reducer, struct gen_block *block);

static void reduce_inside(struct reducer *reducer, struct gen_stmt *stmt)
{
    reduce_block(reducer, &stmt->body);
    reduce_block(reducer, &stmt->other);
    for (uint32_t i = 0; i < stmt->case_count; i++) {
        reduce_block(reducer, &stmt->cases[i].body);
    }
}

/* An if whose body is always (never) taken. */
static void reduce_if(struct reducer *reducer, struct gen_stmt *stmt)
{
    struct gen_block other = stmt->other;
    stmt->other.count = 0;
    if (other.count && still_fails(reducer)) {
        keep(reducer);
        return;
    }
    stmt->other = other;
}

static void reduce_block(struct reducer *reducer, struct gen_block *block)
{
    /* Halves, quarters ... first: most of a program has nothing to do with the failure. */
    for (uint32_t size = block->count; size > 0; size /= 2) {
        for (uint32_t start = 0; start < block->count; start += size) {
            uint32_t touched = 0;
            bool was[512] = {false};
            for (uint32_t i = start; i < start + size && i < block->count && i < 512; i++) {
                was[i] = block->items[i]->deleted || block->items[i]->pinned;
                touched += !was[i];
                block->items[i]->deleted = block->items[i]->deleted || !block->items[i]->pinned;
            }
            if (touched && still_fails(reducer)) {
                keep(reducer);
                continue;
            }
            for (uint32_t i = start; i < start + size && i < block->count && i < 512; i++) {
                if (!was[i]) {
                    block->items[i]->deleted = false;
                }
            }
        }
    }
    for (uint32_t i = 0; i < block->count; i++) {
        if (!block->items[i]->deleted) {
            if (block->items[i]->kind == GEN_IF && block->items[i]->other.count) {
                reduce_if(reducer, block->items[i]);
            }
            reduce_inside(reducer, block->items[i]);
        }
    }
}

static void reduce_subgroup(struct reducer *reducer, struct gen_subgroup *subgroup)
{
    enum gen_guard guard = subgroup->guard;
    if (subgroup->number) {
        reduce_expr(reducer, subgroup->number);
    }
    if (subgroup->second) {
        reduce_expr(reducer, subgroup->second);
    }
    if (subgroup->block) {
        reduce_expr(reducer, (struct gen_expr *)(uintptr_t)subgroup->block->element);
    }
    subgroup->guard = GEN_GUARD_NONE;
    if (guard != GEN_GUARD_NONE) {
        if (still_fails(reducer)) {
            keep(reducer);
        } else {
            subgroup->guard = guard;
        }
    }
}

static void reduce_values(struct reducer *reducer, struct gen_block *block)
{
    for (uint32_t i = 0; i < block->count; i++) {
        struct gen_stmt *stmt = block->items[i];
        if (stmt->deleted) {
            continue;
        }
        if (stmt->value && !stmt->keep_value) {
            reduce_expr(reducer, stmt->value);
        }
        if (stmt->entry) {
            reduce_expr(reducer, stmt->entry);
        }
        if (stmt->subgroup) {
            reduce_subgroup(reducer, stmt->subgroup);
        }
        for (uint32_t a = 0; stmt->function && a < stmt->function->parameters.count; a++) {
            if (stmt->arguments[a].value) {
                reduce_expr(reducer, stmt->arguments[a].value);
            }
        }
        reduce_place(reducer, stmt->place);
        reduce_values(reducer, &stmt->body);
        reduce_values(reducer, &stmt->other);
        for (uint32_t c = 0; c < stmt->case_count; c++) {
            reduce_values(reducer, &stmt->cases[c].body);
        }
    }
}

/* ---- what is declared ---- */

static bool uses(const void *node, const struct gen_variable *variable);

static bool place_uses(const struct gen_place *place, const struct gen_variable *variable)
{
    if (!place) {
        return false;
    }
    bool found = place->base == variable || place->other == variable ||
                 (place->element && uses(place->element, variable)) ||
                 (place->condition && uses(place->condition, variable));
    for (uint32_t i = 0; !found && i < place->step_count; i++) {
        found = !place->steps[i].is_member && uses(place->steps[i].index, variable);
    }
    return found;
}

static bool uses(const void *node, const struct gen_variable *variable)
{
    const struct gen_expr *expr = gen_expr_resolve(node);
    bool found = place_uses(expr->place, variable) || place_uses(expr->other_place, variable);
    for (uint32_t i = 0; !found && i < expr->arg_count; i++) {
        found = uses(expr->args[i], variable);
    }
    return found;
}

static bool subgroup_uses(const struct gen_subgroup *subgroup, const struct gen_variable *variable)
{
    return place_uses(subgroup->block, variable) ||
           (subgroup->number && uses(subgroup->number, variable)) ||
           (subgroup->second && uses(subgroup->second, variable));
}

static bool block_uses(const struct gen_block *block, const struct gen_variable *variable)
{
    for (uint32_t i = 0; i < block->count; i++) {
        const struct gen_stmt *stmt = block->items[i];
        if (stmt->deleted) {
            continue;
        }
        bool found = place_uses(stmt->place, variable) ||
                     place_uses(stmt->atomic_place, variable) || stmt->counter == variable ||
                     (stmt->value && uses(stmt->value, variable)) ||
                     (stmt->entry && uses(stmt->entry, variable)) ||
                     (stmt->subgroup && subgroup_uses(stmt->subgroup, variable)) ||
                     block_uses(&stmt->body, variable) || block_uses(&stmt->other, variable);
        for (uint32_t c = 0; !found && c < stmt->case_count; c++) {
            found = block_uses(&stmt->cases[c].body, variable);
        }
        for (uint32_t a = 0; !found && stmt->function && a < stmt->function->parameters.count;
             a++) {
            const struct gen_argument *argument = &stmt->arguments[a];
            found = (argument->value && uses(argument->value, variable)) ||
                    place_uses(argument->address, variable) || argument->variable == variable;
        }
        if (found) {
            return true;
        }
    }
    return false;
}

/* Unused variables go without a test. */
static void drop_unused(struct gen_program *program)
{
    for (uint32_t f = 0; f < program->functions.count; f++) {
        struct gen_function *function = program->functions.items[f];
        uint32_t kept = 0;
        for (uint32_t i = 0; i < function->locals.count; i++) {
            if (block_uses(&function->body, function->locals.items[i])) {
                function->locals.items[kept++] = function->locals.items[i];
            }
        }
        function->locals.count = kept;
    }
}

void gen_reduce(const struct gen_device *device, struct gen_program *program, uint32_t lanes)
{
    struct reducer reducer = {.device = device, .program = program, .lanes = lanes};
    if (gen_check_isolated(device, program, lanes, reducer.text) != GEN_FAILED) {
        printf("seed %llu does not fail at %u lanes\n", (unsigned long long)program->seed, lanes);
        return;
    }
    do {
        reducer.changed = false;
        for (uint32_t f = program->functions.count; f-- > 0;) {
            reduce_block(&reducer, &program->functions.items[f]->body);
        }
        for (uint32_t f = program->functions.count; f-- > 0;) {
            reduce_values(&reducer, &program->functions.items[f]->body);
        }
    } while (reducer.changed);
    drop_unused(program);
    char text[GEN_TEXT] = "";
    gen_check_isolated(device, program, lanes, text);
    char *source = gen_emit_opencl(program);
    printf("\n/* lanes %u, %s, %s: %s */\n%s", lanes, program->ssa ? "SSA" : "in memory",
           program->loop_merges ? "merges" : "no merges", text, source);
    free(source);
}
