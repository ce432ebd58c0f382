/* Describes variables at module scope. See global.h. A variable in local memory
 * belongs to the function that declares it. Its address is relative to the memory of the worker. */
#include "compiler/lower/debug/global.h"

#include "compiler/lower/debug/internal.h"
#include "compiler/lower/emit/memory.h"
#include "compiler/lower/emit/type.h"

#include <string.h>

enum { OP_DEREF = 0x06, OP_PLUS_CONSTANT = 0x23 };

static bool is_local(const struct geo_ir_variable *variable)
{
    return variable->value.type->storage == SpvStorageClassWorkgroup;
}

static const char *text(const char *name)
{
    return name ? name : "";
}

/* ---- local memory ---- */

static LLVMMetadataRef local_make(struct geo_lower_debug *debug,
                                  const struct geo_ir_debug_variable *variable)
{
    LLVMMetadataRef type = geo_debug_type(debug, variable->type);
    const char *name = text(variable->name);
    return type ? LLVMDIBuilderCreateAutoVariable(
                      debug->builder, geo_debug_scope(debug, &debug->own, variable->scope), name,
                      strlen(name), geo_debug_file(debug, variable->file), variable->line, type, 1,
                      LLVMDIFlagZero, 0)
                : NULL;
}

/* Describes one variable at an offset from `scratch`, or from the address in a variable of the
 * stack if the code is not optimised. */
static void local_describe(struct geo_lower_function *f, LLVMMetadataRef variable,
                           LLVMValueRef scratch, uint64_t offset)
{
    struct geo_lower_debug *debug = f->lower->debug;
    LLVMBasicBlockRef block = LLVMGetInsertBlock(f->llvm.builder);
    if (debug->optimized) {
        uint64_t steps[] = {OP_PLUS_CONSTANT, offset, OP_DEREF};
        LLVMDIBuilderInsertDbgValueRecordAtEnd(
            debug->builder, scratch, variable,
            LLVMDIBuilderCreateExpression(debug->builder, steps, 3), debug->nowhere, block);
        return;
    }
    uint64_t steps[] = {OP_DEREF, OP_PLUS_CONSTANT, offset};
    if (!debug->scratch) {
        debug->scratch = geo_emit_alloca(f, geo_type_ptr(f), "debug.scratch");
    }
    LLVMSetVolatile(LLVMBuildStore(f->llvm.builder, scratch, debug->scratch), 1);
    LLVMDIBuilderInsertDeclareRecordAtEnd(debug->builder, debug->scratch, variable,
                                          LLVMDIBuilderCreateExpression(debug->builder, steps, 3),
                                          debug->nowhere, block);
}

void geo_debug_global_local(struct geo_lower_function *f, LLVMValueRef scratch)
{
    struct geo_lower_debug *debug = f->lower->debug;
    for (size_t i = 0; debug && i < f->module->variables.count; i++) {
        const struct geo_ir_variable *variable = f->module->variables.items[i];
        bool here = variable->debug && is_local(variable) && debug->scope &&
                    geo_debug_scope_find(variable->debug->scope) == debug->scope;
        LLVMMetadataRef made = here ? local_make(debug, variable->debug) : NULL;
        if (made) {
            local_describe(f, made, scratch, f->lower->local_offsets[i]);
        }
    }
}

/* ---- the module's variables ---- */

static void global_describe(struct geo_lower_debug *debug,
                            const struct geo_ir_debug_variable *variable, LLVMValueRef global)
{
    LLVMMetadataRef type = geo_debug_type(debug, variable->type);
    const char *name = text(variable->name), *linkage = text(variable->linkage_name);
    if (!type) {
        return;
    }
    LLVMMetadataRef made = LLVMDIBuilderCreateGlobalVariableExpression(
        debug->builder, debug->unit, name, strlen(name), linkage, strlen(linkage),
        geo_debug_file(debug, variable->file), variable->line, type, 0,
        LLVMDIBuilderCreateExpression(debug->builder, NULL, 0), NULL, 0);
    LLVMGlobalSetMetadata(global, LLVMGetMDKindIDInContext(debug->context, "dbg", 3), made);
}

void geo_debug_global_describe(struct geo_lower *lower)
{
    for (size_t i = 0; lower->globals && i < lower->module->variables.count; i++) {
        const struct geo_ir_variable *variable = lower->module->variables.items[i];
        LLVMValueRef global = lower->globals[i];
        if (variable->debug && !is_local(variable) && global && LLVMIsAGlobalVariable(global)) {
            global_describe(lower->debug, variable->debug, global);
        }
    }
}
