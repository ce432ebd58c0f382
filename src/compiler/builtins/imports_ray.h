/* Replaces imports that name a function of ray queries: intel_ray_query_*, intel_get_hit_*,
 * intel_get_ray_* and others. */
#ifndef GEO_COMPILER_BUILTINS_IMPORTS_RAY_H
#define GEO_COMPILER_BUILTINS_IMPORTS_RAY_H

#include "compiler/builtins/functions.h"
#include "compiler/builtins/write.h"

/* Replaces the call of `name` by calls of ray.cl's functions, and removes it. Returns false if the
 * name is unknown, the types do not fit, or memory runs out (writer->out_of_memory). */
bool geo_builtins_imports_ray(struct geo_builtins_functions *functions, struct geo_writer *writer,
                              struct geo_ir_inst *call, const char *name);

#endif
