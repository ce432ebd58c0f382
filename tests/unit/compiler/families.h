/* Families of hostile modules: large, deep, or doubling, by a size. */
#ifndef GEO_TESTS_COMPILER_FAMILIES_H
#define GEO_TESTS_COMPILER_FAMILIES_H

#include "spv.h"

struct family {
    const char *name;
    /* Writes a module between spv_begin and spv_end. */
    void (*write)(struct spv *s, uint32_t size);
    uint32_t size;       /* at which work is compared with that of half of it */
    const char *refusal; /* in the log; NULL: it is built */
    /* What grows with the square of the size until a bound ends it, which stands at `bound`; NULL:
       nothing. */
    const char *bound;
};

extern const struct family families_flow[], families_data[];
extern const size_t families_flow_count, families_data_count;

#endif
