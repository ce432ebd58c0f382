/* Makes the metadata of source files. */
#include "compiler/lower/debug/internal.h"

#include <string.h>

/* LLVM's warnings about stack frames begin with the name of the file, and codegen/stack.c looks for
 * this text in them. A file with such a name gets another one. */
static const char *name_of(const struct geo_ir_file *file)
{
    return strstr(file->name, "stack frame size (") ? "unknown" : file->name;
}

LLVMMetadataRef geo_debug_file(struct geo_lower_debug *debug, const struct geo_ir_file *file)
{
    if (!file || !file->name) {
        return debug->unknown_file;
    }
    LLVMMetadataRef made = geo_ptrmap_find(&debug->files, file);
    if (!made) {
        const char *name = name_of(file);
        made = LLVMDIBuilderCreateFile(debug->builder, name, strlen(name), "", 0);
        (void)geo_ptrmap_set(&debug->files, file, made); /* else it is made again */
    }
    return made;
}
