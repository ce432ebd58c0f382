/* The smallest part of a program that still fails, by leaving out ever smaller runs of operations.
 * See watch.h. */
#include "watch.h"

#include <stdio.h>

#define TIMES      6 /* that a program is run to see whether it fails */
#define PATIENCE_S 4 /* a wrong guess on a busy machine costs nothing: the end is checked */
#define TRIES_MAX  600

static bool ending_fails(enum ending ending)
{
    return ending == ENDED_WRONG || ending == ENDED_CRASHED || ending == ENDED_HUNG;
}

static bool part_fails(const struct options *options, struct report *report,
                       const struct program *part)
{
    return ending_fails(watch_program(options, report, part, TIMES, PATIENCE_S));
}

static struct program without(const struct program *program, uint32_t first, uint32_t count)
{
    struct program part = {.seed = program->seed, .threads = program->threads};
    for (uint32_t i = 0; i < program->count; i++) {
        if (i < first || i >= first + count) {
            part.ops[part.count++] = program->ops[i];
        }
    }
    return part;
}

void reduce_program(const struct options *options, struct report *report, struct program *program)
{
    struct program whole = *program;
    uint32_t tries = 0;
    bool smaller = true;
    for (uint32_t size = program->count / 2; size > 0; size = smaller ? size : size / 2) {
        smaller = false;
        for (uint32_t first = 0; first < program->count && tries < TRIES_MAX;) {
            struct program part = without(program, first, size);
            tries++;
            if (part_fails(options, report, &part)) {
                *program = part;
                smaller = size == 1;
            } else {
                first += size;
            }
        }
    }
    if (!ending_fails(watch_program(options, report, program, 4 * TIMES, options->patience_s))) {
        printf("The failure did not come again while the program was made smaller.\n");
        *program = whole;
    }
}
