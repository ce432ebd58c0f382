/* GEOID_DUMP=FOLDER: the intermediate forms of every build, for people who debug the compiler. */
#ifndef GEO_COMPILER_FACADE_DUMP_H
#define GEO_COMPILER_FACADE_DUMP_H

#include "compiler/ir/ir.h"

#include <llvm-c/Core.h>

/* Each writes FOLDER/<pid>-<build>.<what>, and nothing without GEOID_DUMP. geo_dump_spirv starts
 * the next build's number. */
void geo_dump_spirv(const void *words, size_t bytes);
void geo_dump_module(const struct geo_ir_module *module);
void geo_dump_llvm(LLVMModuleRef module, const char *stage);
void geo_dump_object(const void *object, size_t bytes);

#endif
