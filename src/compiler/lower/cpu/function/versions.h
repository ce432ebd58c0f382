/* The versions of a kernel, which differ in the shapes that they assume. */
#ifndef GEO_COMPILER_LOWER_CPU_FUNCTION_VERSIONS_H
#define GEO_COMPILER_LOWER_CPU_FUNCTION_VERSIONS_H

#include "compiler/lower/cpu/function/groups.h"

/* Computes the shapes of both versions. Kernels with calls always use linear chunks, because a call
 * passes a chunk's position as its linear id. Returns false when memory runs out. */
bool geo_function_versions_find(struct geo_lower_groups *k);
/* Emits the versions, and the choice between them, as the rest of the kernel. */
void geo_function_versions_run(struct geo_lower_groups *k);
/* Finds the branches at which lanes agree in the current version, and computes its shapes without
 * these. Returns whether there are any, once for each version. */
bool geo_function_versions_agree(struct geo_lower_groups *k);
/* Emits the groups of one version. */
void geo_function_version_run(struct geo_lower_groups *k, const struct geo_shapes *shapes);

/* Adds a function with the parameters of a kernel to the LLVM module. */
LLVMValueRef geo_function_versions_kernel_add(struct geo_lower_function *f, const char *suffix);

/* ---- variants of the version for any ids (variants.c) ---- */

/* Calls a function of its own, which kernel.c emits later and which runs item by item. */
void geo_function_versions_any_items_run(struct geo_lower_groups *k);
/* Emits the version in place, with all chunks treated as partial. */
void geo_function_versions_any_masked_run(struct geo_lower_groups *k);

#endif
