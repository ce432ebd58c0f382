/* Basic blocks, and SSA values on the way: a variable's value is looked up backwards through the
 * predecessors, with a phi where several meet. A block is sealed when all its predecessors are
 * known; until then what it is asked for becomes a phi that sealing completes. See spirv.h. */
#include "spirv.h"

#include <stdio.h>
#include <stdlib.h>

struct gen_node *gen_node_create(struct gen_spirv *spirv)
{
    struct gen_node *node = calloc(1, sizeof(*node));
    uint32_t slots = spirv->function->slot_count + 1;
    if (node) {
        node->values = calloc(slots, sizeof(*node->values));
        node->incomplete = calloc(slots, sizeof(*node->incomplete));
    }
    if (!node || !node->values || !node->incomplete) {
        fprintf(stderr, "generator: out of memory\n");
        exit(1);
    }
    node->id = spirv->bound++;
    return node;
}

void gen_node_begin(struct gen_spirv *spirv, struct gen_node *node)
{
    if (spirv->last) {
        spirv->last->next = node;
    } else {
        spirv->first = node;
    }
    spirv->last = spirv->current = node;
}

void gen_edge(struct gen_node *from, struct gen_node *to)
{
    if (to->pred_count == to->pred_capacity) {
        to->pred_capacity = to->pred_capacity ? to->pred_capacity * 2 : 4;
        to->preds = realloc(to->preds, to->pred_capacity * sizeof(struct gen_node *));
    }
    to->preds[to->pred_count++] = from;
}

void gen_branch(struct gen_spirv *spirv, struct gen_node *target)
{
    if (spirv->current) {
        gen_put(&spirv->current->body, SpvOpBranch, 1, target->id);
        gen_edge(spirv->current, target);
        spirv->current = NULL;
    }
}

void gen_branch_if(struct gen_spirv *spirv, uint32_t condition, struct gen_node *on,
                   struct gen_node *off)
{
    gen_put(&spirv->current->body, SpvOpBranchConditional, 3, condition, on->id, off->id);
    gen_edge(spirv->current, on);
    gen_edge(spirv->current, off);
    spirv->current = NULL;
}

/* ---- values ---- */

static uint32_t node_read(struct gen_spirv *spirv, struct gen_node *node, uint32_t slot);

static void phi_put(struct gen_spirv *spirv, struct gen_node *node, uint32_t slot, uint32_t id)
{
    uint32_t type = gen_type_id(spirv, spirv->slot_types[slot]);
    uint32_t *values = calloc(node->pred_count + 1, sizeof(*values));
    for (uint32_t i = 0; i < node->pred_count; i++) {
        values[i] = node_read(spirv, node->preds[i], slot);
    }
    gen_words_put(&node->phis, (3 + 2 * node->pred_count) << 16 | SpvOpPhi);
    gen_words_put(&node->phis, type);
    gen_words_put(&node->phis, id);
    for (uint32_t i = 0; i < node->pred_count; i++) {
        gen_words_put(&node->phis, values[i]);
        gen_words_put(&node->phis, node->preds[i]->id);
    }
    free(values);
}

static uint32_t node_read(struct gen_spirv *spirv, struct gen_node *node, uint32_t slot)
{
    if (node->values[slot]) {
        return node->values[slot];
    }
    if (!node->sealed) {
        node->values[slot] = node->incomplete[slot] = spirv->bound++;
        return node->values[slot];
    }
    if (node->pred_count == 1) {
        node->values[slot] = node_read(spirv, node->preds[0], slot);
        return node->values[slot];
    }
    uint32_t id = node->values[slot] = spirv->bound++;
    phi_put(spirv, node, slot, id);
    return id;
}

void gen_node_seal(struct gen_spirv *spirv, struct gen_node *node)
{
    node->sealed = true;
    for (uint32_t slot = 0; slot < spirv->function->slot_count; slot++) {
        if (node->incomplete[slot]) {
            phi_put(spirv, node, slot, node->incomplete[slot]);
        }
    }
}

void gen_ssa_write(struct gen_spirv *spirv, const struct gen_variable *variable, uint32_t value)
{
    spirv->current->values[variable->slot] = value;
}

uint32_t gen_ssa_read(struct gen_spirv *spirv, const struct gen_variable *variable)
{
    return node_read(spirv, spirv->current, variable->slot);
}

void gen_nodes_finish(struct gen_spirv *spirv, struct gen_words *out)
{
    for (struct gen_node *node = spirv->first, *next; node; node = next) {
        next = node->next;
        gen_put(out, SpvOpLabel, 1, node->id);
        for (size_t i = 0; i < node->phis.count; i++) {
            gen_words_put(out, node->phis.items[i]);
        }
        for (size_t i = 0; i < node->body.count; i++) {
            gen_words_put(out, node->body.items[i]);
        }
        free(node->phis.items);
        free(node->body.items);
        free(node->preds);
        free(node->values);
        free(node->incomplete);
        free(node);
    }
    spirv->first = spirv->last = spirv->current = NULL;
}
