/* Translates the decorations of an id into properties of its type, value or function. */
#ifndef GEO_COMPILER_SPIRV_DECORATION_H
#define GEO_COMPILER_SPIRV_DECORATION_H

#include "compiler/spirv/state.h"

/* A decoration of an id, in the list of its struct spirv_id. `words` are in the module's words. */
struct spirv_decoration {
    struct spirv_decoration *next;
    uint32_t kind;  /* SpvDecoration */
    int32_t member; /* index of a struct member; -1: the whole id */
    uint32_t count; /* number of words */
    const uint32_t *words;
};

/* Returns the last decoration of a kind that applies to the whole id, or NULL. */
const struct spirv_decoration *spirv_decoration_find(const struct spirv_decoration *list,
                                                     uint32_t kind);
/* Sets flags and alignment of a value from its decorations. */
void spirv_decorate_value(const struct spirv_decoration *list, struct geo_ir_value *value);
/* Reads linkage and linkage name of a function or variable. Without a linkage decoration *name is
 * unchanged. */
bool spirv_linkage(struct spirv_reader *reader, const struct spirv_decoration *list,
                   enum geo_ir_linkage *linkage, const char **name);

#endif
