/* The alignment that a kernel expects of the memory behind its pointer arguments. Code of a level
 * without instructions for it does not notice memory that is less aligned; code of another level
 * faults. So tests find out on every machine. */
#ifndef GEO_TESTS_LOWER_POINTER_ALIGN_H
#define GEO_TESTS_LOWER_POINTER_ALIGN_H

#include "compiler/ir/ir.h"

struct pointer_align {
    char kernel[64];
    uint32_t argument, bytes;
};

struct pointer_aligns {
    struct pointer_align *items;
    size_t count;
};

/* Fills in what the loads and stores of all kernels need, from a module in canonical form. */
void pointer_aligns_find(const struct geo_ir_module *module, struct pointer_aligns *out);
void pointer_aligns_finish(struct pointer_aligns *aligns);
/* Returns how many bytes the argument's address must be a multiple of: 1 or more. */
uint32_t pointer_align_of(const struct pointer_aligns *aligns, const char *kernel,
                          uint32_t argument);

#endif
