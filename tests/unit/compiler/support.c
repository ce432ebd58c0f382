/* Graphs, random numbers and counts for the compiler's unit tests. See support.h. */
#include "support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define ARENA_LIMIT ((size_t)512 << 20)

/* ---- graphs ---- */

static struct geo_ir_function *graph_function(struct geo_ir_module *module)
{
    const struct geo_ir_type *type =
        geo_ir_type_function(module, geo_ir_type_void(module), 0, NULL);
    struct geo_ir_function *function = geo_ir_function_create(module, type);
    assert_non_null(function);
    function->is_kernel = true;
    function->entry_name = "graph";
    return function;
}

static void graph_terminate(struct geo_ir_module *module, struct geo_ir_block *block,
                            struct geo_ir_block *const *targets, uint32_t count)
{
    SpvOp op = count == 0   ? SpvOpReturn
               : count == 1 ? SpvOpBranch
               : count == 2 ? SpvOpBranchConditional
                            : SpvOpSwitch;
    struct geo_ir_inst *inst = geo_ir_inst_create(module, op, geo_ir_type_void(module), count > 1,
                                                  count > 2 ? 2 * (count - 1) : 0, count);
    assert_non_null(inst);
    for (uint32_t i = 0; i < count; i++) {
        inst->targets[i] = targets[i];
    }
    if (count > 1) {
        inst->operands[0] = geo_ir_const_undef(module, count == 2 ? geo_ir_type_bool(module)
                                                                  : geo_ir_type_int(module, 32));
    }
    for (uint32_t i = 1; count > 2 && i < count; i++) {
        inst->literals[2 * (i - 1)] = i;
    }
    geo_ir_inst_append(block, inst);
}

struct geo_ir_module *support_graph_bits(const uint64_t *edges, uint32_t count)
{
    struct geo_ir_module *module = geo_ir_module_create(ARENA_LIMIT);
    assert_non_null(module);
    struct geo_ir_function *function = graph_function(module);
    struct geo_ir_block *blocks[64], *targets[64];
    for (uint32_t i = 0; i < count; i++) {
        blocks[i] = geo_ir_block_create(function, NULL);
        assert_non_null(blocks[i]);
        blocks[i]->id = i;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t degree = 0;
        for (uint32_t t = 0; t < count; t++) {
            if (edges[i] >> t & 1) {
                targets[degree++] = blocks[t];
            }
        }
        graph_terminate(module, blocks[i], targets, degree);
    }
    geo_ir_function_number(function);
    return module;
}

struct geo_ir_module *support_graph(const char *text)
{
    uint64_t edges[64] = {0};
    uint32_t count = 0;
    char *at = (char *)text;
    while (*at) {
        uint32_t node = (uint32_t)strtoul(at, &at, 10);
        assert_true(node < 64);
        count = node + 1 > count ? node + 1 : count;
        while (*at == '>' || *at == ',') {
            uint32_t target = (uint32_t)strtoul(at + 1, &at, 10);
            assert_true(target < 64);
            edges[node] |= (uint64_t)1 << target;
            count = target + 1 > count ? target + 1 : count;
        }
        while (*at == ' ') {
            at++;
        }
    }
    return support_graph_bits(edges, count);
}

char *support_block_list(struct geo_ir_block *const *blocks, uint32_t count, char *text,
                         size_t size)
{
    size_t used = 0;
    text[0] = 0;
    for (uint32_t i = 0; i < count && used + 16 < size; i++) {
        used += (size_t)snprintf(text + used, size - used, i ? " %u" : "%u", blocks[i]->index);
    }
    return text;
}

/* ---- random numbers ---- */

uint64_t support_random(struct support_random *random)
{
    uint64_t x = random->state ? random->state : 88172645463325252u;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    random->state = x;
    return x * 0x2545F4914F6CDD1Du;
}

uint32_t support_random_below(struct support_random *random, uint32_t bound)
{
    return (uint32_t)((support_random(random) >> 32) * bound >> 32);
}

uint64_t support_random_value(struct support_random *random)
{
    static const uint64_t edges[] = {
        0,      1,          2,      3,          7,          UINT64_MAX, UINT64_MAX - 1,      0x7F,
        0x80,   0x7FFF,     0x8000, 0x7FFFFFFF, 0x80000000, INT64_MAX,  (uint64_t)INT64_MIN, 0xFF,
        0xFFFF, 0xFFFFFFFF, 31,     32,         63,         64,
    };
    uint64_t bits = support_random(random);
    if (bits & 1) {
        return edges[support_random_below(random, sizeof(edges) / sizeof(edges[0]))];
    }
    return support_random(random) >> (bits >> 8 & 63);
}

uint32_t support_count(const struct geo_ir_module *module, const struct geo_ir_function *function,
                       unsigned op)
{
    uint32_t count = 0;
    geo_ir_for_each_function(f, module) {
        if (function && f != function) {
            continue;
        }
        geo_ir_for_each_block(block, f) {
            for (const struct geo_ir_inst *inst = block->first; inst; inst = inst->next) {
                count += (unsigned)inst->op == op;
            }
        }
    }
    return count;
}
