/* The generator against itself: every program is run by the interpreter in two orders of items,
 * which must agree. Needs nothing else. GENERATOR_BREAK=1: a device that computes one bit of one
 * result wrongly; a run that does not fail then is broken itself. */
#include "check.h"

#include "evaluate.h"

#include <stdlib.h>

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

int main(int argc, char **argv)
{
    static const struct gen_device itself = {.name = "the other order",
                                             .has_subgroups = true,
                                             .has_collectives = true,
                                             .has_halves = true};
    static const struct gen_device broken = {.name = "the broken device",
                                             .has_lanes = true,
                                             .has_subgroups = true,
                                             .has_collectives = true,
                                             .has_halves = true,
                                             .run = run_wrongly};
    return gen_main(argc, argv, getenv("GENERATOR_BREAK") ? &broken : &itself);
}
