/* A variant is one way to emit a part of a kernel. variants.c has the table of them all.
 *
 * The table has levels, from the whole kernel to one row of chunks. At each level the first row of
 * the table that is legal and pays emits the code. It may ask for the next level. */
#ifndef GEO_COMPILER_LOWER_CPU_FUNCTION_VARIANT_H
#define GEO_COMPILER_LOWER_CPU_FUNCTION_VARIANT_H

#include "compiler/lower/cpu/function/groups.h"

enum geo_variant_level {
    GEO_VARIANT_ANY,    /* the version of a kernel for ids that may exceed 31 bits */
    GEO_VARIANT_GROUP,  /* one work-group */
    GEO_VARIANT_REGION, /* the chunks of one region of a group that is cut at barriers */
    GEO_VARIANT_CHUNKS, /* all chunks of a group */
    GEO_VARIANT_ROW,    /* the chunks of one row, or all linear chunks */
    GEO_VARIANT_LEVELS,
};

/* A row of the table. */
struct geo_variant {
    enum geo_variant_level level;
    const char *name; /* unique in its level */
    /* Returns whether the code would be right. NULL: always. */
    bool (*legal)(const struct geo_lower_groups *k);
    /* Returns whether the code is worth its size and time, if it is legal. NULL: always. */
    bool (*pays)(struct geo_lower_groups *k);
    void (*emit)(struct geo_lower_groups *k);
};

/* Returns the variant of a level for the current state of the kernel. Returns NULL after a
 * failure. */
const struct geo_variant *geo_variant_choose(struct geo_lower_groups *k,
                                             enum geo_variant_level level);
/* Emits that variant, unless the function has failed. */
void geo_variant_run(struct geo_lower_groups *k, enum geo_variant_level level);

#endif
