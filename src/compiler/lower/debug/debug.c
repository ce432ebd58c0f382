/* Begins and ends the debug information of a module and of its functions. See debug.h. */
#include "compiler/lower/debug/debug.h"

#include "compiler/lower/debug/global.h"
#include "compiler/lower/debug/internal.h"
#include "compiler/lower/debug/location.h"
#include "compiler/lower/debug/variable.h"

#include <stdlib.h>
#include <string.h>

/* The version of DWARF. */
#define DWARF_VERSION 5u

/* ---- the compile unit ---- */

/* Returns the compile unit of the first function that has one. */
static const struct geo_ir_scope *unit_find(const struct geo_ir_module *module)
{
    geo_ir_for_each_function(function, module) {
        const struct geo_ir_scope *scope = function->scope;
        for (uint32_t depth = 0; scope && depth < GEO_DEBUG_DEPTH; depth++) {
            if (scope->kind == GEO_SCOPE_UNIT) {
                return scope;
            }
            scope = scope->parent;
        }
    }
    return NULL;
}

static const struct geo_ir_file *file_find(const struct geo_ir_module *module)
{
    for (size_t i = 1; i < module->debug->locations.count; i++) {
        if (module->debug->locations.items[i]->file) {
            return module->debug->locations.items[i]->file;
        }
    }
    return NULL;
}

static LLVMDWARFSourceLanguage language_of(const struct geo_ir_scope *unit)
{
    switch (unit ? unit->language : (uint32_t)SpvSourceLanguageOpenCL_C) {
    case SpvSourceLanguageOpenCL_CPP:
    case 6: /* C++ for OpenCL */
    case 7: /* SYCL */
        return LLVMDWARFSourceLanguageC_plus_plus_14;
    default:
        return LLVMDWARFSourceLanguageOpenCL;
    }
}

static void unit_make(struct geo_lower_debug *debug, const struct geo_ir_scope *unit)
{
    static const char producer[] = "geoid";
    debug->unknown_file = LLVMDIBuilderCreateFile(debug->builder, "unknown", 7, "", 0);
    debug->unit = LLVMDIBuilderCreateCompileUnit(debug->builder, language_of(unit),
                                                 geo_debug_file(debug, debug->file), producer,
                                                 strlen(producer), debug->optimized, "", 0, 0, "",
                                                 0, LLVMDWARFEmissionFull, 0, 0, 0, "", 0, "", 0);
}

static void flag_add(struct geo_lower *lower, const char *name, unsigned value)
{
    LLVMValueRef number = LLVMConstInt(LLVMInt32TypeInContext(lower->context), value, 0);
    LLVMAddModuleFlag(lower->llvm_module, LLVMModuleFlagBehaviorWarning, name, strlen(name),
                      LLVMValueAsMetadata(number));
}

void geo_debug_begin(struct geo_lower *lower)
{
    const struct geo_ir_module *module = lower->module;
    if (!module->debug || module->debug->locations.count < 2) {
        return;
    }
    struct geo_lower_debug *debug = geo_arena_new(&lower->arena, struct geo_lower_debug);
    if (!debug) {
        return; /* code without debug information is better than none */
    }
    const struct geo_ir_scope *unit = unit_find(module);
    *debug = (struct geo_lower_debug){
        .context = lower->context,
        .module = lower->llvm_module,
        .arena = &lower->arena,
        .builder = LLVMCreateDIBuilder(lower->llvm_module),
        .optimized = lower->options->optimize,
        .file = unit && unit->file ? unit->file : file_find(module),
    };
    lower->debug = debug;
    flag_add(lower, "Dwarf Version", DWARF_VERSION);
    flag_add(lower, "Debug Info Version", LLVMDebugMetadataVersion());
    unit_make(debug, unit);
}

static void group_finish(struct geo_debug_group *group)
{
    geo_ptrmap_finish(&group->scopes);
    for (uint32_t i = 0; i < GEO_DEBUG_FORMS; i++) {
        geo_ptrmap_finish(&group->variables[i]);
    }
    *group = (struct geo_debug_group){0};
}

/* Forgets the metadata of the copy that was emitted last. */
static void copy_finish(struct geo_lower_debug *debug)
{
    group_finish(&debug->own);
    geo_ptrmap_finish(&debug->locations);
    debug->locations = (struct geo_ptrmap){0};
    debug->chunk = NULL;
}

/* Forgets the metadata of the function that was emitted last. */
static void own_finish(struct geo_lower_debug *debug)
{
    copy_finish(debug);
    geo_ptrmap_finish(&debug->slots);
    geo_ptrmap_finish(&debug->arguments);
    debug->slots = debug->arguments = (struct geo_ptrmap){0};
    debug->chunk_slot = debug->scratch = NULL;
}

void geo_debug_end(struct geo_lower *lower)
{
    struct geo_lower_debug *debug = lower->debug;
    if (!debug) {
        return;
    }
    geo_debug_global_describe(lower);
    LLVMDIBuilderFinalize(debug->builder);
    LLVMDisposeDIBuilder(debug->builder);
    geo_ptrmap_finish(&debug->files);
    geo_ptrmap_finish(&debug->types);
    own_finish(debug);
    for (uint32_t i = 0; i < GEO_DEBUG_WIDTHS; i++) {
        group_finish(&debug->inlined[i]);
    }
    lower->debug = NULL;
}

/* ---- a function ---- */

/* Returns the function of the source that a function of the model is. Some producers describe only
 * the function that an entry point calls; then it is the one that the code belongs to. */
static const struct geo_ir_scope *source_of(const struct geo_ir_function *function)
{
    if (function->scope) {
        return geo_debug_scope_find(function->scope);
    }
    geo_ir_for_each_block(block, function) {
        for (const struct geo_ir_inst *inst = block->first; inst; inst = inst->next) {
            const struct geo_ir_location *at = geo_ir_location(function->module, inst->location);
            while (at && at->inlined_at) {
                at = geo_ir_location(function->module, at->inlined_at);
            }
            if (at && geo_debug_scope_find(at->scope)) {
                return geo_debug_scope_find(at->scope);
            }
        }
    }
    return NULL;
}

static const char *name_of(const struct geo_ir_function *function)
{
    return function->entry_name   ? function->entry_name
           : function->value.name ? function->value.name
                                  : "function";
}

void geo_debug_function(struct geo_lower_function *f)
{
    struct geo_lower_debug *debug = f->lower->debug;
    if (!debug) {
        return;
    }
    own_finish(debug);
    debug->scope = source_of(f->function);
    debug->width = (uint32_t)__builtin_ctz(f->lanes);
    debug->own.function = debug->own.root =
        geo_debug_scope_function(debug, debug->scope, name_of(f->function));
    debug->outside = debug->nowhere =
        LLVMDIBuilderCreateDebugLocation(debug->context, 0, 0, debug->own.function, NULL);
    LLVMSetSubprogram(f->llvm.function, debug->own.function);
    geo_debug_location_clear(f);
    geo_debug_variables_find(f);
}

void geo_debug_copy_begin(struct geo_lower_function *f)
{
    struct geo_lower_debug *debug = f->lower->debug;
    if (!debug) {
        return;
    }
    LLVMMetadataRef function = debug->own.function;
    const struct geo_ir_scope *scope = debug->scope;
    copy_finish(debug);
    debug->own.function = function;
    debug->own.root = LLVMDIBuilderCreateLexicalBlock(
        debug->builder, function, geo_debug_file(debug, scope ? scope->file : debug->file),
        scope ? scope->line : 0, 0);
    debug->nowhere = LLVMDIBuilderCreateDebugLocation(debug->context, 0, 0, debug->own.root, NULL);
    geo_debug_variables_renew(f);
    geo_debug_location_clear(f);
}

void geo_debug_copy_end(struct geo_lower_function *f)
{
    if (f->lower->debug) {
        f->lower->debug->nowhere = f->lower->debug->outside;
        geo_debug_location_clear(f);
    }
}
