/* Random kernels for tests of lowering: any reducible control flow with forward jumps, nested loops
 * and switches, over private variables, loads, stores and arithmetic.
 *
 *     kernel(global int in[GENERATOR_INPUTS], global int out[items * GENERATOR_OUTPUTS], int u,
 *            local int shared[group size])
 *
 * Every loop has a budget of turns, so every kernel ends. With `barriers`, control flow depends on
 * uniform variables alone (but for small branches without barriers) and blocks exchange values
 * through `shared` between barriers. */
#ifndef GEO_TESTS_LOWER_GENERATOR_H
#define GEO_TESTS_LOWER_GENERATOR_H

#include "compiler/ir/ir.h"

#include <stdbool.h>

#define GENERATOR_INPUTS  256u /* a power of two; ids may be up to 64 below it */
#define GENERATOR_OUTPUTS 4u

struct generator_options {
    uint64_t seed;
    bool barriers;
};

/* The kernel is called "random". The same module for the same options. */
struct geo_ir_module *generator_run(const struct generator_options *options);

#endif
