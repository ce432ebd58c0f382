/* The commands of a program, run one after the other in an order that `before` allows: any such
 * order gives the same contents. See contents.h. */
#include "contents.h"

#include <stdlib.h>
#include <string.h>

typedef uint32_t buffers[BUFFERS_MAX][BUFFER_WORDS];

static void region_copy(uint32_t *destination, const uint32_t *source, uint32_t words)
{
    for (uint32_t row = 0; row < words / REGION_PITCH; row++) {
        for (uint32_t i = 0; i < REGION_WIDTH; i++) {
            destination[row * REGION_PITCH + i] = source[row * REGION_PITCH + i];
        }
    }
}

static void op_run(const struct op *op, buffers memory)
{
    uint32_t *destination = op->destination == NONE ? NULL : memory[op->destination];
    const uint32_t *source = op->source == NONE ? NULL : memory[op->source];
    switch ((enum op_kind)op->kind) {
    case OP_LAUNCH:
    case OP_HOST_FUNCTION:
        for (uint32_t i = 0; i < BUFFER_WORDS; i++) {
            destination[i] = step_word(destination[i], source[i], op->multiply, op->add);
        }
        break;
    case OP_COPY:
        memcpy(destination + op->place, source + op->from, op->size * sizeof(*source));
        break;
    case OP_REGION:
        region_copy(destination + op->place, source + op->from, op->size);
        break;
    case OP_FILL:
        for (uint32_t i = 0; i < op->size; i++) {
            destination[op->place + i] = op->add;
        }
        break;
    case OP_WRITE:
        for (uint32_t i = 0; i < BUFFER_WORDS; i++) {
            destination[i] = op->add + i;
        }
        break;
    default:
        break;
    }
}

struct rank {
    int past, node;
};

static int rank_compare(const void *a, const void *b)
{
    const struct rank *left = a, *right = b;
    return left->past != right->past ? left->past - right->past : left->node - right->node;
}

void contents_compute(struct contents *contents, const struct program *program,
                      const struct model *model)
{
    static buffers memory;
    static struct rank ranks[NODES_MAX];
    for (int i = 0; i < BUFFERS_MAX; i++) {
        for (uint32_t j = 0; j < BUFFER_WORDS; j++) {
            memory[i][j] = buffer_start(i, j);
        }
    }
    for (int i = 0; i < model->node_count; i++) {
        ranks[i] = (struct rank){set_count(&model->nodes[i].before), i};
    }
    qsort(ranks, model->node_count, sizeof(ranks[0]), rank_compare);
    for (int i = 0; i < model->node_count; i++) {
        const struct op *op = &program->ops[model->nodes[ranks[i].node].op];
        if (op->kind == OP_CHECK) {
            memcpy(contents->checks[ranks[i].node], memory[op->source], sizeof(memory[0]));
        } else {
            op_run(op, memory);
        }
    }
}
