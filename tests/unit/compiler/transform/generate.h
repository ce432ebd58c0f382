/* Random functions of the model, for comparing what they compute before and after a pass.
 *
 * A function takes (i32, i64, f32), returns an i64 and is exported as "random". Its blocks are
 * wired at random; values go from block to block through private variables, which are scalars,
 * structs, and byte buffers that are accessed with all types at all places. The same seed gives the
 * same function. Nothing in it is undefined for the interpreter. */
#ifndef GEO_TESTS_COMPILER_TRANSFORM_GENERATE_H
#define GEO_TESTS_COMPILER_TRANSFORM_GENERATE_H

#include "compiler/ir/ir.h"

struct generate_options {
    uint64_t seed;
    uint32_t blocks;       /* about */
    uint32_t instructions; /* about, of each block */
    bool any_graph;        /* irreducible ones too; else structured loops and branches */
    uint32_t functions;    /* called by it, each by the later ones */
};

struct geo_ir_module *generate_module(const struct generate_options *options);

#endif
