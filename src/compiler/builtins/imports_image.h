/* Mangled built-ins: functions of images that clang-22 leaves. */
#ifndef GEO_COMPILER_BUILTINS_IMPORTS_IMAGE_H
#define GEO_COMPILER_BUILTINS_IMPORTS_IMAGE_H

#include "compiler/builtins/import.h"

/* See geo_builtins_import; what a call becomes is still to be expanded. */
bool geo_builtins_image_import(struct geo_writer *writer, struct geo_ir_inst *call,
                               const struct geo_import *import);

#endif
