/* Builds the call graph by a scan over all functions and a depth-first walk with an explicit stack.
 * See call_graph.h. */
#include "compiler/transform/calls/call_graph.h"

bool geo_call_graph_is_collective(const struct geo_ir_inst *inst)
{
    return geo_op_is(inst->op, GEO_IS_COLLECTIVE);
}

static bool nodes_make(struct geo_pass *pass, struct geo_call_graph *graph)
{
    struct geo_ir_module *module = pass->module;
    geo_ir_for_each_function(function, module) {
        graph->count++;
    }
    graph->nodes = geo_arena_new_array(&pass->arena, struct geo_call_node, graph->count);
    graph->order = geo_arena_new_array(&pass->arena, uint32_t, graph->count);
    graph->node_of = geo_arena_new_array(&pass->arena, uint32_t, module->next_index);
    if (!graph->nodes || !graph->order || !graph->node_of) {
        return geo_pass_no_memory(pass);
    }
    uint32_t number = 0;
    geo_ir_for_each_function(function, module) {
        graph->nodes[number].function = function;
        graph->node_of[function->value.index] = number++;
    }
    return true;
}

static bool node_sweep(struct geo_pass *pass, struct geo_call_graph *graph,
                       struct geo_call_node *node)
{
    for (int fill = 0; fill < 2; fill++) {
        uint32_t calls = 0;
        geo_ir_for_each_block(block, node->function) {
            for (const struct geo_ir_inst *inst = block->first; inst; inst = inst->next) {
                node->instructions += (uint32_t)fill;
                node->collective |= geo_call_graph_is_collective(inst);
                for (uint32_t i = 0; i < inst->operand_count; i++) {
                    const struct geo_ir_function *callee = geo_ir_as_function(inst->operands[i]);
                    if (!callee) {
                        continue;
                    }
                    uint32_t number = graph->node_of[callee->value.index];
                    if (i > 0 || inst->op != SpvOpFunctionCall) {
                        graph->nodes[number].address_taken = true;
                    } else if (fill) {
                        node->callees[calls++] = number;
                        graph->nodes[number].call_sites++;
                    } else {
                        calls++;
                    }
                }
            }
        }
        if (!fill) {
            node->callees = geo_arena_new_array(&pass->arena, uint32_t, calls);
            node->callee_count = calls;
            if (!node->callees) {
                return geo_pass_no_memory(pass);
            }
        }
    }
    return true;
}

/* Marks the functions whose address is in a constant, such as a table of functions or an
 * initialiser. */
static void constants_sweep(struct geo_pass *pass, struct geo_call_graph *graph)
{
    const struct geo_ir_module *module = pass->module;
    for (size_t c = 0; c < module->constants.count; c++) {
        struct geo_ir_constant *constant = geo_ir_as_constant(module->constants.items[c]);
        if (!constant) {
            continue;
        }
        for (uint64_t i = 0; constant->members && i < constant->value.type->count; i++) {
            const struct geo_ir_function *function = geo_ir_as_function(constant->members[i]);
            if (function) {
                graph->nodes[graph->node_of[function->value.index]].address_taken = true;
            }
        }
        for (uint32_t i = 0; i < constant->operand_count; i++) {
            const struct geo_ir_function *function = geo_ir_as_function(constant->operands[i]);
            if (function) {
                graph->nodes[graph->node_of[function->value.index]].address_taken = true;
            }
        }
    }
}

/* ---- order ---- */

/* A frame of the depth-first search: a node, and the callee to visit next. */
struct frame {
    uint32_t node, next;
};

static bool circle_report(struct geo_pass *pass, const struct geo_call_graph *graph,
                          const struct frame *stack, uint32_t depth, uint32_t again)
{
    struct geo_strbuf names;
    char label[256];
    uint32_t at = depth - 1;
    while (stack[at].node != again) {
        at--;
    }
    geo_strbuf_init(&names, 2048);
    for (; at < depth; at++) {
        const struct geo_ir_function *function = graph->nodes[stack[at].node].function;
        geo_strbuf_printf(&names, "%s calls ",
                          geo_pass_function_label(function, label, sizeof(label)));
    }
    geo_strbuf_printf(&names, "%s",
                      geo_pass_function_label(graph->nodes[again].function, label, sizeof(label)));
    geo_pass_fail(pass, "recursion is not possible: %s", geo_strbuf_text(&names));
    geo_strbuf_finish(&names);
    return false;
}

static bool order_make(struct geo_pass *pass, struct geo_call_graph *graph)
{
    enum { FRESH, OPEN, DONE };
    uint8_t *state = geo_arena_new_array(&pass->arena, uint8_t, graph->count);
    struct frame *stack = geo_arena_new_array(&pass->arena, struct frame, graph->count);
    uint32_t depth = 0, done = 0;
    if (!state || !stack) {
        return geo_pass_no_memory(pass);
    }
    for (uint32_t root = 0; root < graph->count; root++) {
        if (state[root] != FRESH) {
            continue;
        }
        state[root] = OPEN;
        stack[depth++] = (struct frame){root, 0};
        while (depth > 0) {
            struct frame *top = &stack[depth - 1];
            struct geo_call_node *node = &graph->nodes[top->node];
            if (top->next == node->callee_count) {
                state[top->node] = DONE;
                graph->order[done++] = top->node;
                depth--;
                continue;
            }
            uint32_t callee = node->callees[top->next++];
            if (state[callee] == OPEN) {
                return circle_report(pass, graph, stack, depth, callee);
            }
            if (state[callee] == FRESH) {
                state[callee] = OPEN;
                stack[depth++] = (struct frame){callee, 0};
            }
        }
    }
    return true;
}

bool geo_call_graph_build(struct geo_pass *pass, struct geo_call_graph *out)
{
    struct geo_call_graph graph = {0};
    if (!nodes_make(pass, &graph)) {
        return false;
    }
    for (uint32_t i = 0; i < graph.count; i++) {
        if (!node_sweep(pass, &graph, &graph.nodes[i])) {
            return false;
        }
    }
    constants_sweep(pass, &graph);
    if (!order_make(pass, &graph)) {
        return false;
    }
    for (uint32_t i = 0; i < graph.count; i++) {
        struct geo_call_node *node = &graph.nodes[graph.order[i]];
        for (uint32_t c = 0; c < node->callee_count; c++) {
            node->collective |= graph.nodes[node->callees[c]].collective;
        }
    }
    *out = graph;
    return true;
}
