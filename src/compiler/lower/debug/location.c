/* Makes the metadata of locations. See location.h. */
#include "compiler/lower/debug/location.h"

#include "compiler/lower/debug/distinct.h"
#include "compiler/lower/debug/internal.h"

/* LLVM stores columns in 16 bits. */
#define COLUMNS 0xffffu

/* Returns the scope of code at a location, in a file that may differ from the scope's. */
static LLVMMetadataRef scope_at(struct geo_lower_debug *debug, struct geo_debug_group *group,
                                const struct geo_ir_location *at)
{
    LLVMMetadataRef scope = geo_debug_scope(debug, group, at->scope);
    if (!scope) {
        scope = debug->own.root;
    }
    const struct geo_ir_file *usual = at->scope      ? at->scope->file
                                      : debug->scope ? debug->scope->file
                                                     : debug->file;
    if (at->file && at->file != usual) {
        scope = LLVMDIBuilderCreateLexicalBlockFile(debug->builder, scope,
                                                    geo_debug_file(debug, at->file), 0);
    }
    return scope;
}

/* Makes the metadata of one location, whose caller's is `outer`; NULL: it is not inlined. */
static LLVMMetadataRef location_make(struct geo_lower_debug *debug,
                                     const struct geo_ir_location *at, LLVMMetadataRef outer)
{
    const struct geo_ir_scope *function = geo_debug_scope_find(at->scope);
    bool own = !function || (!outer && function == debug->scope);
    if (!function) {
        outer = NULL; /* the inlined function is unknown: its lines count as the function's */
    } else if (!own && !outer) {
        outer = debug->nowhere; /* a function that was inlined at an unknown place */
    }
    LLVMMetadataRef scope = scope_at(debug, own ? &debug->own : &debug->inlined[debug->width], at);
    uint32_t column = at->column > COLUMNS ? 0 : at->column;
    return at->instance
               ? geo_debug_distinct_location(debug->context, at->line, column, scope, outer)
               : LLVMDIBuilderCreateDebugLocation(debug->context, at->line, column, scope, outer);
}

/* Also makes the locations of the calls around it. */
LLVMMetadataRef geo_debug_location_get(struct geo_lower_function *f, uint32_t number)
{
    struct geo_lower_debug *debug = f->lower->debug;
    const struct geo_ir_location *chain[GEO_LIMIT_INLINED_DEPTH + 1];
    uint32_t count = 0;
    LLVMMetadataRef made = NULL;
    while (number && count <= GEO_LIMIT_INLINED_DEPTH) {
        const struct geo_ir_location *at = geo_ir_location(f->module, number);
        made = geo_ptrmap_find(&debug->locations, at);
        if (made) {
            break;
        }
        chain[count++] = at;
        number = at->inlined_at;
    }
    while (count > 0) {
        const struct geo_ir_location *at = chain[--count];
        made = location_make(debug, at, made);
        (void)geo_ptrmap_set(&debug->locations, at, made); /* else it is made again */
    }
    return made;
}

void geo_debug_location_set(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    if (f->lower->debug && inst->location) {
        LLVMSetCurrentDebugLocation2(f->llvm.builder, geo_debug_location_get(f, inst->location));
    }
}

void geo_debug_location_clear(struct geo_lower_function *f)
{
    if (f->lower->debug) {
        LLVMSetCurrentDebugLocation2(f->llvm.builder, f->lower->debug->nowhere);
    }
}
