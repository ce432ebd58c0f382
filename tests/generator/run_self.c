/* The generator against itself: every program is run by the interpreter in two orders of items,
 * which must agree. Needs nothing else. GENERATOR_BREAK=bit: a device that computes one bit of one
 * result wrongly; GENERATOR_BREAK=barriers: one that passes all barriers. A run that does not fail
 * then is broken itself. */
#include "check.h"

#include "evaluate.h"

#include <stdlib.h>
#include <string.h>

static bool run_wrongly(const struct gen_program *program, uint32_t lanes, uint8_t *const *memory,
                        bool *skipped, char *text, size_t text_bytes)
{
    const struct gen_variables *parameters = &gen_kernel(program)->parameters;
    bool good = gen_interpret(program, memory, GEN_FORWARD, text, text_bytes);
    (void)lanes;
    (void)skipped;
    for (uint32_t i = 0; good && i < parameters->count; i++) {
        if (parameters->items[i]->role == GEN_BUFFER) {
            memory[i][0] ^= 1;
            break;
        }
    }
    return good;
}

static void barriers_delete(const struct gen_block *block, bool deleted)
{
    for (uint32_t i = 0; i < block->count; i++) {
        struct gen_stmt *stmt = block->items[i];
        if (stmt->kind == GEN_BARRIER) {
            stmt->deleted = deleted;
        }
        barriers_delete(&stmt->body, deleted);
        barriers_delete(&stmt->other, deleted);
        for (uint32_t c = 0; c < stmt->case_count; c++) {
            barriers_delete(&stmt->cases[c].body, deleted);
        }
    }
}

static bool run_without_barriers(const struct gen_program *program, uint32_t lanes,
                                 uint8_t *const *memory, bool *skipped, char *text,
                                 size_t text_bytes)
{
    (void)lanes;
    (void)skipped;
    for (uint32_t i = 0; i < program->functions.count; i++) {
        barriers_delete(&program->functions.items[i]->body, true);
    }
    bool good = gen_interpret(program, memory, GEN_FORWARD, text, text_bytes);
    for (uint32_t i = 0; i < program->functions.count; i++) {
        barriers_delete(&program->functions.items[i]->body, false);
    }
    return good;
}

int main(int argc, char **argv)
{
    struct gen_device device = {.name = "the other order",
                                .has_subgroups = true,
                                .has_collectives = true,
                                .has_halves = true,
                                .has_modes = true,
                                .has_spaces = true,
                                .has_far = true,
                                .has_returns = true};
    const char *fault = getenv("GENERATOR_BREAK");
    if (fault) {
        device.name = "the broken device";
        device.has_lanes = true;
        device.run = strcmp(fault, "bit") == 0 ? run_wrongly : run_without_barriers;
    }
    return gen_main(argc, argv, &device);
}
