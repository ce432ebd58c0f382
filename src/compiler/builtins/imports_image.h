/* Replaces mangled image functions that clang-22 leaves. */
#ifndef GEO_COMPILER_BUILTINS_IMPORTS_IMAGE_H
#define GEO_COMPILER_BUILTINS_IMPORTS_IMAGE_H

#include "compiler/builtins/import.h"

/* Replaces a call of an image function, as geo_builtins_imports does. The replacement has to be
 * expanded later. */
bool geo_builtins_imports_image(struct geo_writer *writer, struct geo_ir_inst *call,
                                const struct geo_import *import);

#endif
