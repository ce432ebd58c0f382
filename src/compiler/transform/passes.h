/* The table of all passes, in the order in which they run. canonicalize.c runs it; tests run its
 * passes one by one. */
#ifndef GEO_COMPILER_TRANSFORM_PASSES_H
#define GEO_COMPILER_TRANSFORM_PASSES_H

#include "compiler/transform/transform.h"

enum geo_pass_traits {
    GEO_PASS_RESTRUCTURES =
        1u << 0,                  /* belongs to geo_transform_canonicalize_code, else to _calls */
    GEO_PASS_OPTIMIZES = 1u << 1, /* only runs with `optimize` */
    GEO_PASS_REPEATS = 1u << 2,   /* repeats with its neighbours while variables disappear */
    GEO_PASS_GROWS = 1u << 3,     /* sizes are checked behind it */
    GEO_PASS_UNROLLED = 1u << 4,  /* only runs if loops were unrolled for their arrays */
};

/* A pass. */
struct geo_transform_pass {
    const char *name; /* for messages; two rows may have one name */
    ze_result_t (*run)(struct geo_ir_module *module, bool optimize, struct geo_strbuf *log);
    uint32_t traits;
};

/* Returns the table. */
const struct geo_transform_pass *geo_transform_passes(size_t *count);
/* Runs a pass, brings debug records in order and validates the model. */
ze_result_t geo_transform_pass_run(const struct geo_transform_pass *pass,
                                   struct geo_ir_module *module, bool optimize,
                                   struct geo_strbuf *log);

#endif
