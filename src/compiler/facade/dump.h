/* GEOID_DUMP=FOLDER: writes the intermediate forms of every build, for debugging the compiler. */
#ifndef GEO_COMPILER_FACADE_DUMP_H
#define GEO_COMPILER_FACADE_DUMP_H

#include "compiler/ir/ir.h"

#include <llvm-c/Core.h>

/* Write one form of a module to FOLDER/<pid>-<build>.<suffix> if GEOID_DUMP names a folder. A build
 * calls geo_dump_spirv first, which increments the build number. */
void geo_dump_spirv(const void *words, size_t bytes);
void geo_dump_module(const struct geo_ir_module *module);
void geo_dump_llvm(LLVMModuleRef module, const char *stage);
void geo_dump_object(const void *object, size_t bytes);

#endif
