/* Makes the metadata of scopes: functions and blocks of the source. */
#include "compiler/lower/debug/internal.h"

#include <string.h>

const struct geo_ir_scope *geo_debug_scope_find(const struct geo_ir_scope *scope)
{
    for (uint32_t depth = 0; scope && depth < GEO_DEBUG_DEPTH; depth++) {
        if (scope->kind == GEO_SCOPE_FUNCTION) {
            return scope;
        }
        scope = scope->parent;
    }
    return NULL;
}

/* Returns the type of a function: its result and parameters. */
static LLVMMetadataRef signature(struct geo_lower_debug *debug, const struct geo_ir_scope *scope)
{
    enum { PARAMETERS = 64 };
    LLVMMetadataRef types[PARAMETERS + 1] = {NULL};
    unsigned count = 1;
    const struct geo_ir_debug_type *type = scope ? scope->type : NULL;
    if (type && type->kind == GEO_DEBUG_FUNCTION) {
        types[0] = geo_debug_type(debug, type->base);
        for (const struct geo_ir_debug_member *m = type->members; m && count <= PARAMETERS;
             m = m->next) {
            types[count++] = geo_debug_type(debug, m->type);
        }
    }
    return LLVMDIBuilderCreateSubroutineType(debug->builder,
                                             geo_debug_file(debug, scope ? scope->file : NULL),
                                             types, count, LLVMDIFlagZero);
}

LLVMMetadataRef geo_debug_scope_function(struct geo_lower_debug *debug,
                                         const struct geo_ir_scope *scope, const char *name)
{
    LLVMMetadataRef file = geo_debug_file(debug, scope ? scope->file : debug->file);
    unsigned line = scope ? scope->line : 0;
    unsigned body = scope && scope->scope_line ? scope->scope_line : line;
    const char *symbol = scope && scope->linkage_name ? scope->linkage_name : "";
    name = scope && scope->name ? scope->name : name;
    LLVMDIFlags flags =
        scope && scope->flags & GEO_DEBUG_IS_ARTIFICIAL ? LLVMDIFlagArtificial : LLVMDIFlagZero;
    return LLVMDIBuilderCreateFunction(debug->builder, file, name, strlen(name), symbol,
                                       strlen(symbol), file, line, signature(debug, scope), 0, 1,
                                       body, flags, debug->optimized);
}

LLVMMetadataRef geo_debug_scope(struct geo_lower_debug *debug, struct geo_debug_group *group,
                                const struct geo_ir_scope *scope)
{
    const struct geo_ir_scope *chain[GEO_DEBUG_DEPTH];
    uint32_t count = 0;
    LLVMMetadataRef made = NULL;
    if (!geo_debug_scope_find(scope)) {
        return NULL;
    }
    for (; !made && count < GEO_DEBUG_DEPTH; scope = scope->parent) {
        made = geo_ptrmap_find(&group->scopes, scope);
        if (!made) {
            chain[count++] = scope;
        }
        if (scope->kind == GEO_SCOPE_FUNCTION) {
            break;
        }
    }
    while (count > 0) {
        scope = chain[--count];
        if (scope->kind == GEO_SCOPE_FUNCTION) {
            made = group->root && scope == debug->scope
                       ? group->root
                       : geo_debug_scope_function(debug, scope, "function");
        } else {
            made = LLVMDIBuilderCreateLexicalBlock(debug->builder, made,
                                                   geo_debug_file(debug, scope->file), scope->line,
                                                   scope->column & 0xffff);
        }
        (void)geo_ptrmap_set(&group->scopes, scope, made); /* else it is made again */
    }
    return made;
}
