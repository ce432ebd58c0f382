/* The debug records that say that a source variable is in the memory of a private variable, for
 * the passes that take this memory apart. */
#ifndef GEO_COMPILER_TRANSFORM_MEMORY_DECLARED_H
#define GEO_COMPILER_TRANSFORM_MEMORY_DECLARED_H

#include "compiler/ir/debug.h"
#include "compiler/transform/pass/pass.h"

/* Source variables in one private variable beyond this number are lost: input may be hostile. */
#define DECLARED_MAX 8u

/* A record about the memory of a private variable. */
struct declared {
    struct geo_ir_record *record;
    const struct geo_ir_record *template; /* the record as it was when it was found */
    struct declared *next;
};

/* By index of a private variable as numbered before: its records, in the order of the function. */
struct declared_map {
    struct declared **of; /* NULL: the module has no debug information */
};

/* Finds the records of a function, in *map. Records that are more than DECLARED_MAX of a variable
 * are lost. Returns false when memory runs out. */
bool declared_find(struct geo_pass *pass, struct geo_ir_function *function,
                   struct declared_map *map);
static inline struct declared *declared_first(const struct declared_map *map,
                                              const struct geo_ir_inst *variable)
{
    return map->of ? map->of[variable->value.index] : NULL;
}

/* Returns whether a record depends on what is in the memory, and not on its address. */
bool declared_is_value(const struct geo_ir_record *record);
/* Turns a record about the memory of a variable, or about its address, into one about the value
 * that the memory has now (NULL: unknown). */
void declared_to_value(struct geo_ir_module *module, struct geo_ir_record *record,
                       struct geo_ir_value *value);

#endif
