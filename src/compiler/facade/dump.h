/* GEOID_DUMP=FOLDER: writes the intermediate forms of every build, for debugging the compiler. */
#ifndef GEO_COMPILER_FACADE_DUMP_H
#define GEO_COMPILER_FACADE_DUMP_H

#include "compiler/ir/ir.h"

#include <llvm-c/Core.h>

/* Each writes FOLDER/<pid>-<build>.<suffix> if GEOID_DUMP is set. geo_dump_spirv is called first in
 * a build and increments the build number. */
void geo_dump_spirv(const void *words, size_t bytes);
void geo_dump_module(const struct geo_ir_module *module);
void geo_dump_llvm(LLVMModuleRef module, const char *stage);
void geo_dump_object(const void *object, size_t bytes);

#endif
