/* Begins and ends the debug information of a module and of its functions. See debug.h. */
#include "compiler/lower/debug/debug.h"

#include "compiler/lower/debug/internal.h"
#include "compiler/lower/debug/location.h"

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

/* Forgets the metadata of the function that was emitted last. */
static void own_finish(struct geo_lower_debug *debug)
{
    geo_ptrmap_finish(&debug->own.scopes);
    geo_ptrmap_finish(&debug->locations);
    debug->own = (struct geo_debug_group){0};
    debug->locations = (struct geo_ptrmap){0};
}

void geo_debug_end(struct geo_lower *lower)
{
    struct geo_lower_debug *debug = lower->debug;
    if (!debug) {
        return;
    }
    LLVMDIBuilderFinalize(debug->builder);
    LLVMDisposeDIBuilder(debug->builder);
    geo_ptrmap_finish(&debug->files);
    geo_ptrmap_finish(&debug->types);
    own_finish(debug);
    for (uint32_t i = 0; i < GEO_DEBUG_WIDTHS; i++) {
        geo_ptrmap_finish(&debug->inlined[i].scopes);
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
    size_t length;
    const char *symbol = LLVMGetValueName2(f->llvm.function, &length);
    own_finish(debug);
    debug->scope = source_of(f->function);
    debug->width = (uint32_t)__builtin_ctz(f->lanes);
    debug->own.function =
        geo_debug_scope_function(debug, debug->scope, name_of(f->function), symbol);
    debug->nowhere =
        LLVMDIBuilderCreateDebugLocation(debug->context, 0, 0, debug->own.function, NULL);
    LLVMSetSubprogram(f->llvm.function, debug->own.function);
    geo_debug_location_clear(f);
}
