/* Random integer expressions of ids, parameters and constants, and what they are in each lane of a
 * chunk: for tests of what analyses claim of lanes. */
#ifndef GEO_TESTS_EXPRESSIONS_H
#define GEO_TESTS_EXPRESSIONS_H

#include "compiler/ir/ir.h"
#include "support.h"

#define EXPRESSIONS 40u
#define LANES       16u
#define SOURCES     3u /* global id in 64 and 32 bits, local id */

struct expressions {
    struct support_random random;
    struct geo_ir_module *module;
    struct geo_ir_function *function;
    const struct geo_ir_type *types[2]; /* 32 and 64 bits */
    struct geo_ir_inst *insts[EXPRESSIONS + SOURCES];
    uint32_t count;
};

/* A kernel of one block; the caller destroys e->module. */
void expressions_make(struct expressions *e, uint64_t seed);
/* Values of every instruction in every lane, for lane 0's ids and parameters. */
void expressions_evaluate(const struct expressions *e, uint64_t first, uint64_t first_local,
                          const uint64_t parameters[2], uint64_t values[EXPRESSIONS][LANES]);

#endif
