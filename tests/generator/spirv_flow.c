/* Conditions, loops, switches and the ways out of them as blocks. See spirv.h. */
#include "spirv.h"

#include <stdlib.h>

static struct gen_words *out(struct gen_spirv *spirv)
{
    return &spirv->current->body;
}

void gen_node_begin_sealed(struct gen_spirv *spirv, struct gen_node *node)
{
    gen_node_begin(spirv, node);
    gen_node_seal(spirv, node);
}

/* Goes on at a block that may have no way to it: then nothing is written until the next one. */
static void join(struct gen_spirv *spirv, struct gen_node *node)
{
    gen_node_begin_sealed(spirv, node);
    if (node->pred_count == 0) {
        gen_put(&node->body, SpvOpUnreachable, 0);
        spirv->current = NULL;
    }
}

void gen_emit_if(struct gen_spirv *spirv, const struct gen_stmt *stmt)
{
    uint32_t condition = gen_emit_expr(spirv, stmt->value);
    struct gen_node *then = gen_node_create(spirv), *after = gen_node_create(spirv);
    struct gen_node *other = stmt->other.count ? gen_node_create(spirv) : after;
    if (spirv->program->loop_merges) {
        gen_put(out(spirv), SpvOpSelectionMerge, 2, after->id, 0);
    }
    gen_branch_if(spirv, condition, then, other);
    gen_node_begin_sealed(spirv, then);
    gen_emit_block(spirv, &stmt->body);
    gen_branch(spirv, after);
    if (other != after) {
        gen_node_begin_sealed(spirv, other);
        gen_emit_block(spirv, &stmt->other);
        gen_branch(spirv, after);
    }
    join(spirv, after);
}

static uint32_t emit_counter(struct gen_spirv *spirv, const struct gen_variable *counter)
{
    const struct gen_place place = {.base = (struct gen_variable *)(uintptr_t)counter,
                                    .type = counter->type};
    return gen_emit_load(spirv, &place);
}

static void set_counter(struct gen_spirv *spirv, const struct gen_variable *counter, uint32_t value)
{
    const struct gen_place place = {.base = (struct gen_variable *)(uintptr_t)counter,
                                    .type = counter->type};
    gen_emit_store(spirv, &place, value);
}

static uint32_t emit_loop_test(struct gen_spirv *spirv, const struct gen_stmt *stmt)
{
    const struct gen_type *truth = gen_type_bool((struct gen_program *)(uintptr_t)spirv->program);
    uint32_t counter = emit_counter(spirv, stmt->counter);
    uint32_t bound = gen_emit_expr(spirv, stmt->value), type = gen_type_id(spirv, truth);
    uint32_t id = spirv->bound++;
    gen_put(out(spirv), SpvOpULessThan, 4, type, id, counter, bound);
    return id;
}

/* Behind the body: counter++, and the test of a post-test loop. */
static void emit_back(struct gen_spirv *spirv, const struct gen_stmt *stmt, struct gen_node *header,
                      struct gen_node *next, struct gen_node *exit)
{
    const struct gen_type *type = stmt->counter->type;
    join(spirv, next);
    if (spirv->current) {
        uint32_t counter = emit_counter(spirv, stmt->counter), sum = spirv->bound++;
        gen_put(out(spirv), SpvOpIAdd, 4, gen_type_id(spirv, type), sum, counter,
                gen_scalar_id(spirv, type, 1));
        set_counter(spirv, stmt->counter, sum);
        if (stmt->post_test) {
            gen_branch_if(spirv, emit_loop_test(spirv, stmt), header, exit);
        } else {
            gen_branch(spirv, header);
        }
    }
    gen_node_seal(spirv, header);
    join(spirv, exit);
}

/* entry -> middle, header;  header: other -> middle;  middle: body -> next;  next -> header, exit
 */
static void emit_loop_of_two_entries(struct gen_spirv *spirv, const struct gen_stmt *stmt)
{
    struct gen_node *header = gen_node_create(spirv), *middle = gen_node_create(spirv);
    struct gen_node *next = gen_node_create(spirv), *exit = gen_node_create(spirv);
    set_counter(spirv, stmt->counter, gen_scalar_id(spirv, stmt->counter->type, 0));
    gen_branch_if(spirv, gen_emit_expr(spirv, stmt->entry), middle, header);
    gen_node_begin(spirv, header); /* sealed when the way back is there */
    spirv->loops[spirv->loop_count++] = (struct gen_loop_nodes){stmt, exit, next};
    gen_emit_block(spirv, &stmt->other);
    gen_branch(spirv, middle);
    gen_node_begin_sealed(spirv, middle);
    gen_emit_block(spirv, &stmt->body);
    spirv->loop_count--;
    gen_branch(spirv, next);
    emit_back(spirv, stmt, header, next, exit);
}

/* pre-test:  header: test -> body, exit;  body -> next;  next: counter++ -> header
 * post-test: header: body -> next;        next: counter++, test -> header, exit     */
void gen_emit_loop(struct gen_spirv *spirv, const struct gen_stmt *stmt)
{
    if (stmt->entry) {
        emit_loop_of_two_entries(spirv, stmt);
        return;
    }
    struct gen_node *header = gen_node_create(spirv), *next = gen_node_create(spirv);
    struct gen_node *exit = gen_node_create(spirv);
    set_counter(spirv, stmt->counter, gen_scalar_id(spirv, stmt->counter->type, 0));
    gen_branch(spirv, header);
    gen_node_begin(spirv, header); /* sealed when the way back is there */
    uint32_t condition = stmt->post_test ? 0 : emit_loop_test(spirv, stmt);
    if (spirv->program->loop_merges) {
        gen_put(out(spirv), SpvOpLoopMerge, 3, exit->id, next->id, 0);
    }
    struct gen_node *body = gen_node_create(spirv);
    if (stmt->post_test) {
        gen_branch(spirv, body);
    } else {
        gen_branch_if(spirv, condition, body, exit);
    }
    gen_node_begin_sealed(spirv, body);
    spirv->loops[spirv->loop_count++] = (struct gen_loop_nodes){stmt, exit, next};
    gen_emit_block(spirv, &stmt->body);
    spirv->loop_count--;
    gen_branch(spirv, next);
    emit_back(spirv, stmt, header, next, exit);
}

void gen_emit_switch(struct gen_spirv *spirv, const struct gen_stmt *stmt)
{
    uint32_t selector = gen_emit_expr(spirv, stmt->value);
    const struct gen_type *type = stmt->value->type;
    struct gen_node **nodes = calloc(stmt->case_count, sizeof(struct gen_node *));
    struct gen_node *after = gen_node_create(spirv), *from = spirv->current;
    for (uint32_t i = 0; i < stmt->case_count; i++) {
        nodes[i] = gen_node_create(spirv);
    }
    if (spirv->program->loop_merges) {
        gen_put(out(spirv), SpvOpSelectionMerge, 2, after->id, 0);
    }
    uint32_t per_case = type->bits == 64 ? 3 : 2, cases = stmt->case_count - 1;
    gen_words_put(out(spirv), (3 + per_case * cases) << 16 | SpvOpSwitch);
    gen_words_put(out(spirv), selector);
    gen_words_put(out(spirv), nodes[cases]->id);
    for (uint32_t i = 0; i < cases; i++) {
        gen_words_put(out(spirv), (uint32_t)stmt->cases[i].value);
        if (per_case == 3) {
            gen_words_put(out(spirv), (uint32_t)(stmt->cases[i].value >> 32));
        }
        gen_words_put(out(spirv), nodes[i]->id);
    }
    for (uint32_t i = 0; i < stmt->case_count; i++) {
        gen_edge(from, nodes[i]);
    }
    spirv->current = NULL;
    for (uint32_t i = 0; i < stmt->case_count; i++) {
        gen_node_begin_sealed(spirv, nodes[i]);
        gen_emit_block(spirv, &stmt->cases[i].body);
        gen_branch(spirv, stmt->cases[i].falls_through ? nodes[i + 1] : after);
    }
    free(nodes);
    join(spirv, after);
}

void gen_emit_jump(struct gen_spirv *spirv, const struct gen_stmt *stmt)
{
    for (uint32_t i = spirv->loop_count; i-- > 0;) {
        if (spirv->loops[i].loop == stmt->target) {
            gen_branch(spirv,
                       stmt->kind == GEN_BREAK ? spirv->loops[i].exit : spirv->loops[i].next);
            return;
        }
    }
}
