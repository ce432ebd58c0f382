/* What the decorations of an id say about the type, value or function that it becomes. */
#ifndef GEO_COMPILER_SPIRV_DECORATION_H
#define GEO_COMPILER_SPIRV_DECORATION_H

#include "compiler/spirv/state.h"

struct spirv_decoration {
    struct spirv_decoration *next;
    uint32_t kind;  /* SpvDecoration */
    int32_t member; /* of a struct; -1: the whole */
    uint32_t count; /* of words */
    const uint32_t *words;
};

/* The last one of a kind that decorates the whole; NULL when there is none. */
const struct spirv_decoration *spirv_decoration_find(const struct spirv_decoration *list,
                                                     uint32_t kind);
/* Turns decorations into flags and alignment of a value. */
void spirv_decorate_value(const struct spirv_decoration *list, struct geo_ir_value *value);
/* Linkage of a function or variable; leaves *name alone without one. */
bool spirv_linkage(struct spirv_reader *reader, const struct spirv_decoration *list,
                   enum geo_ir_linkage *linkage, const char **name);

#endif
