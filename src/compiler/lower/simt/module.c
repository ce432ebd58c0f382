/* Emits a module: every kernel, then the functions and variables that were requested, until none is
 * left. */
#include "base/assert.h"
#include "compiler/analysis/passed.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/global/initializer.h"
#include "compiler/lower/global/local_memory.h"
#include "compiler/lower/global/variable.h"
#include "compiler/lower/memory/argument.h"
#include "compiler/lower/simt/simt.h"
#include "compiler/lower/state/parts.h"
#include "compiler/lower/value/value.h"
#include "native/native.h"

#include <stdio.h>
#include <string.h>

/* LLVM's calling convention of PTX kernels (llvm/IR/CallingConv.h, PTX_Kernel). */
#define CONVENTION_KERNEL 71u

/* ---- one function ---- */

/* Prepares the state for emission into an LLVM function without blocks. */
static bool function_begin(struct geo_lower_function *f, struct geo_lower *lower,
                           struct geo_lower_code *code, struct geo_arena *arena)
{
    geo_state_function_init(f, lower, code->function, 1, arena);
    struct geo_shapes *shapes = geo_arena_new(arena, struct geo_shapes);
    const struct geo_shape_options options = {.lanes = 1,
                                              .large_objects = lower->options->large_objects};
    f->frame = geo_arena_new(arena, struct geo_lower_frame);
    f->values = geo_arena_new_array(arena, struct geo_lower_value, code->function->value_count + 1);
    f->llvm.builder = LLVMCreateBuilderInContext(lower->context);
    f->llvm.allocas = LLVMCreateBuilderInContext(lower->context);
    f->body.shapes = shapes;
    if (!shapes || !f->frame || !f->values ||
        !geo_shapes_compute(&code->loops, &options, arena, shapes)) {
        geo_state_no_memory(f);
        return false;
    }
    f->frame->code = code;
    return true;
}

static void function_finish(struct geo_lower_function *f)
{
    f->lower->no_memory |= f->no_memory;
    LLVMDisposeBuilder(f->llvm.builder);
    LLVMDisposeBuilder(f->llvm.allocas);
    geo_arena_finish(f->arena);
}

/* Finds out which barriers and sub-group operations all items reach together. */
static bool divergence_find(struct geo_lower_function *f)
{
    struct geo_lower_code *code = f->frame->code;
    struct geo_shapes *group = geo_arena_new(f->arena, struct geo_shapes);
    bool passed = false;
    if (!group || !geo_barriers_passed(&code->loops, &code->barriers, f->arena, group, &passed)) {
        return false;
    }
    f->frame->barriers_aligned = !passed;
    if (code->subgroups && code->canonical) {
        const struct geo_shape_options options = {.lanes = GEO_NVIDIA_LANES, .linear = true};
        struct geo_shapes *shapes = geo_arena_new(f->arena, struct geo_shapes);
        if (!shapes || !geo_shapes_compute(&code->loops, &options, f->arena, shapes)) {
            return false;
        }
        f->frame->divergent = shapes->divergent_block;
    }
    return true;
}

bool geo_simt_module_together(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    if (!f->frame->divergent || f->frame->divergent[inst->block->index]) {
        geo_state_error(f, inst,
                        "sub-group operations are not supported on this machine where items of the "
                        "sub-group may be elsewhere");
        return false;
    }
    return true;
}

/* Emits the entry block and the body. `launch` is the index of the launch's first parameter. */
static bool function_body(struct geo_lower_function *f, LLVMValueRef function, uint32_t launch)
{
    f->llvm.function = function;
    LLVMBasicBlockRef entry = geo_emit_block_last(f, "entry");
    LLVMBasicBlockRef start = geo_emit_block_last(f, "start");
    LLVMPositionBuilderAtEnd(f->llvm.allocas, entry);
    LLVMPositionBuilderBefore(f->llvm.allocas, LLVMBuildBr(f->llvm.allocas, start));
    LLVMPositionBuilderAtEnd(f->llvm.builder, start);
    for (uint32_t i = 0; i < GEO_NVIDIA_PARAMETERS; i++) {
        f->frame->launch[i] = LLVMGetParam(function, launch + i);
    }
    if (!divergence_find(f)) {
        geo_state_no_memory(f);
        return false;
    }
    return true;
}

/* ---- functions ---- */

static bool function_emit(struct geo_lower *lower, struct geo_lower_code *code)
{
    struct geo_arena arena;
    struct geo_lower_function f;
    LLVMValueRef function = lower->frame->functions[code->index];
    uint32_t at = 0, count = LLVMCountParams(function);
    geo_arena_init(&arena, GEO_LOWER_ARENA_LIMIT);
    bool good = function_begin(&f, lower, code, &arena) &&
                function_body(&f, function, count - GEO_NVIDIA_PARAMETERS);
    for (uint32_t i = 0; good && i < code->function->parameter_count; i++) {
        const struct geo_ir_value *parameter = code->function->parameters[i];
        for (uint32_t part = 0; part < geo_part_count(parameter->type); part++) {
            geo_value_set_value(&f, parameter, part, LLVMGetParam(function, at++));
        }
    }
    good = good && geo_simt_body(&f);
    function_finish(&f);
    return good;
}

/* ---- names ---- */

/* Returns whether PTX takes a name, and the compiler does not use it itself. */
static bool is_valid_name(const char *name)
{
    bool good = name[0] && (name[0] < '0' || name[0] > '9') && strcmp(name, "WARP_SZ") != 0 &&
                strncmp(name, "geoid_", 6) != 0;
    for (const char *c = name; *c && good; c++) {
        good = (*c >= '0' && *c <= '9') || (*c >= 'A' && *c <= 'Z') || (*c >= 'a' && *c <= 'z') ||
               *c == '_';
    }
    return good;
}

/* Returns whether a symbol of the module has a name. LLVM would append ".1" to a second one, which
 * PTX does not take. */
static bool is_taken(LLVMModuleRef module, const char *name)
{
    return LLVMGetNamedFunction(module, name) || LLVMGetNamedGlobal(module, name);
}

/* Writes a name that PTX takes and no symbol has: geoid_<kind>_ and a number. */
static void own_name(struct geo_lower *lower, const char *kind, char *name, size_t size)
{
    do {
        snprintf(name, size, "geoid_%s_%u", kind, lower->frame->names++);
    } while (is_taken(lower->llvm_module, name));
}

/* Notes the new name of a variable that the host finds by its old one. */
static bool symbol_keep(struct geo_lower *lower, const char *old, const char *symbol)
{
    struct geo_ir_module *module = lower->module;
    for (size_t i = 0; i < module->variables.count; i++) {
        struct geo_ir_variable *variable = module->variables.items[i];
        if (variable->linkage_name && strcmp(variable->linkage_name, old) == 0) {
            variable->symbol = geo_arena_string(&module->arena, symbol, strlen(symbol));
            lower->no_memory |= !variable->symbol;
        }
    }
    return !lower->no_memory;
}

/* Renames variables that other modules or the host see, where PTX would not take their names. LLVM
 * renames internal ones by itself. */
static bool variables_rename(struct geo_lower *lower)
{
    LLVMValueRef global = LLVMGetFirstGlobal(lower->llvm_module);
    for (; global; global = LLVMGetNextGlobal(global)) {
        char name[32];
        bool own = global == lower->frame->local || global == lower->frame->values;
        if (!own && LLVMGetLinkage(global) == LLVMExternalLinkage &&
            !is_valid_name(LLVMGetValueName(global))) {
            own_name(lower, "var", name, sizeof(name));
            if (!symbol_keep(lower, LLVMGetValueName(global), name)) {
                return false;
            }
            LLVMSetValueName2(global, name, strlen(name));
        }
    }
    return true;
}

/* ---- kernels ---- */

static void attribute_add(struct geo_lower_function *f, LLVMValueRef function, unsigned at,
                          const char *name, uint64_t value)
{
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMAddAttributeAtIndex(function, at, LLVMCreateEnumAttribute(f->llvm.context, kind, value));
}

/* Declares the kernel: its arguments are one block that is passed by value. */
static LLVMValueRef kernel_declare(struct geo_lower_function *f, uint32_t argument_bytes)
{
    LLVMTypeRef types[1 + GEO_NVIDIA_PARAMETERS] = {geo_type_ptr(f)};
    for (uint32_t i = 0; i < GEO_NVIDIA_PARAMETERS; i++) {
        types[1 + i] = i == GEO_NVIDIA_WORK_DIM ? geo_type_i32(f) : geo_type_i64(f);
    }
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(f->llvm.context), types,
                                        1 + GEO_NVIDIA_PARAMETERS, 0);
    char own[32];
    const char *name = f->function->entry_name;
    if (!is_valid_name(name) || is_taken(f->llvm.module, name)) {
        own_name(f->lower, "kernel", own, sizeof(own));
        name = own;
    }
    LLVMValueRef function = LLVMAddFunction(f->llvm.module, name, type);
    LLVMTypeRef block = LLVMArrayType2(geo_type_i8(f), argument_bytes);
    unsigned kind = LLVMGetEnumAttributeKindForName("byval", 5);
    LLVMSetFunctionCallConv(function, CONVENTION_KERNEL);
    LLVMAddAttributeAtIndex(function, 1, LLVMCreateTypeAttribute(f->llvm.context, kind, block));
    attribute_add(f, function, 1, "align", GEO_NVIDIA_ARGUMENTS_ALIGN);
    attribute_add(f, function, (unsigned)LLVMAttributeFunctionIndex, "nounwind", 0);
    const uint32_t *size = f->function->required_size;
    if (size[0]) {
        char text[48];
        snprintf(text, sizeof(text), "%u,%u,%u", size[0], size[1], size[2]);
        LLVMAddAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                LLVMCreateStringAttribute(f->llvm.context, "nvvm.reqntid", 12, text,
                                                          (unsigned)strlen(text)));
    }
    return function;
}

/* Sets the facts of the kernel's record. */
static bool kernel_describe(struct geo_lower_function *f, struct geo_lower_kernel *kernel)
{
    const struct geo_ir_function *function = f->function;
    const struct geo_lower_code *code = f->frame->code;
    *kernel =
        (struct geo_lower_kernel){.function = function,
                                  .lanes = 1,
                                  .subgroup_size = GEO_NVIDIA_LANES,
                                  .flags = (code->barriers.count ? GEO_KERNEL_BARRIER : 0) |
                                           (code->subgroups ? GEO_KERNEL_SUBGROUPS : 0),
                                  .local_bytes = geo_global_local_memory_bytes(f->lower, function)};
    kernel->argument_offsets =
        geo_arena_new_array(&f->module->arena, uint32_t, function->parameter_count + 1);
    if (!kernel->argument_offsets) {
        geo_state_no_memory(f);
        return false;
    }
    if (!geo_argument_place(function, kernel->argument_offsets, &kernel->argument_bytes)) {
        geo_state_error(f, NULL, "error: kernel %s: its arguments are too large",
                        function->entry_name);
        return false;
    }
    if (!kernel->argument_bytes) {
        kernel->argument_bytes = GEO_NVIDIA_ARGUMENTS_ALIGN;
    }
    uint32_t required = function->required_subgroup_size;
    if (required && required != GEO_NVIDIA_LANES) {
        geo_state_error(f, NULL,
                        "error: kernel %s: sub-groups of %u items are not supported: this "
                        "machine has %u",
                        function->entry_name, required, GEO_NVIDIA_LANES);
        return false;
    }
    return true;
}

static bool kernel_emit(struct geo_lower *lower, struct geo_lower_code *code,
                        struct geo_lower_kernel *kernel)
{
    struct geo_arena arena;
    struct geo_lower_function f;
    geo_arena_init(&arena, GEO_LOWER_ARENA_LIMIT);
    bool good = function_begin(&f, lower, code, &arena) && kernel_describe(&f, kernel);
    if (good) {
        size_t length;
        LLVMValueRef function = kernel_declare(&f, kernel->argument_bytes);
        const char *symbol = LLVMGetValueName2(function, &length);
        kernel->symbol = geo_arena_string(&lower->module->arena, symbol, length);
        f.no_memory |= !kernel->symbol;
        good = function_body(&f, function, 1) && kernel->symbol;
        f.frame->arguments = LLVMGetParam(function, 0);
    }
    if (good) {
        geo_argument_load(&f, kernel->argument_offsets);
        good = geo_simt_body(&f);
    }
    function_finish(&f);
    return good;
}

/* ---- the module ---- */

static bool machine_make(struct geo_lower *lower)
{
    struct geo_lower_module_frame *module =
        geo_arena_new(&lower->arena, struct geo_lower_module_frame);
    lower->frame = module;
    if (module) {
        module->functions = geo_arena_new_array(&lower->arena, LLVMValueRef, lower->code_count + 1);
        module->queue =
            geo_arena_new_array(&lower->arena, struct geo_lower_code *, lower->code_count + 1);
    }
    return module && module->functions && module->queue;
}

static bool kernels_emit(struct geo_lower *lower, struct geo_lower_result *result)
{
    uint32_t count = 0;
    geo_ir_for_each_function(function, lower->module) {
        count += function->is_kernel && function->first_block;
    }
    result->kernels =
        geo_arena_new_array(&lower->module->arena, struct geo_lower_kernel, count + 1);
    if (!result->kernels) {
        lower->no_memory = true;
        return false;
    }
    geo_ir_for_each_function(function, lower->module) {
        struct geo_lower_code *code = geo_state_code_find(lower, function);
        if (code && function->is_kernel &&
            !kernel_emit(lower, code, &result->kernels[result->kernel_count++])) {
            return false;
        }
    }
    return true;
}

bool geo_simt_module_emit(struct geo_lower *lower, struct geo_lower_result *result)
{
    if (!machine_make(lower)) {
        lower->no_memory = true;
        return false;
    }
    struct geo_lower_module_frame *module = lower->frame;
    if (!kernels_emit(lower, result) || !geo_global_shared_variables(lower)) {
        return false;
    }
    do {
        while (module->emitted < module->queued) {
            if (!function_emit(lower, module->queue[module->emitted++])) {
                return false;
            }
        }
        if (!geo_global_initializer_define(lower)) {
            return false;
        }
    } while (module->emitted < module->queued);
    return variables_rename(lower);
}

void geo_simt_module_finish(struct geo_lower *lower)
{
    (void)lower;
}
