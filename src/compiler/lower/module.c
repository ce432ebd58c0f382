/* Lowers one module of the model to LLVM IR. This is the top of lower/; codegen and the facade call
 * it. It analyses the functions and places local memory, which are the same for every machine. The
 * machine emits the rest (machine.h). */
#include "compiler/lower/lower.h"

#include "base/assert.h"
#include "compiler/ir/remark.h"
#include "compiler/lower/global/local_memory.h"
#include "compiler/lower/state/code.h"
#include "native/native.h"

static uint64_t least_global_bytes(const struct geo_ir_module *module)
{
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i < module->variables.count; i++) {
        const struct geo_ir_type *type = module->variables.items[i]->value.type;
        bool global = type->storage == SpvStorageClassCrossWorkgroup;
        least = global && type->element->size < least ? type->element->size : least;
    }
    return least;
}

static bool module_emit(struct geo_lower *lower, struct geo_lower_result *result)
{
    lower->globals =
        geo_arena_new_array(&lower->arena, LLVMValueRef, lower->module->variables.count + 1);
    lower->declared =
        geo_arena_new_array(&lower->arena, size_t, lower->module->variables.count + 1);
    if (!lower->globals || !lower->declared || !geo_state_codes_make(lower)) {
        lower->no_memory = true;
        return false;
    }
    return geo_global_local_memory_place(lower) && lower->machine->emit(lower, result);
}

static ze_result_t module_lower(struct geo_ir_module *module,
                                const struct geo_lower_options *options, LLVMContextRef context,
                                struct geo_lower_result *result, struct geo_strbuf *log)
{
    struct geo_lower lower = {.module = module,
                              .options = options,
                              .machine = options->target.machine,
                              .context = context,
                              .log = log,
                              .least_global_bytes = least_global_bytes(module)};
    GEO_ASSERT(lower.machine);
    *result = (struct geo_lower_result){0};
    geo_remarks_restart();
    geo_arena_init(&lower.arena, GEO_LOWER_ARENA_LIMIT);
    lower.llvm_module = LLVMModuleCreateWithNameInContext("geoid", context);
    bool good = module_emit(&lower, result);
    geo_remarks_accesses_add();
    lower.machine->finish(&lower);
    geo_arena_finish(&lower.arena);
    if (good) {
        result->module = lower.llvm_module;
        return ZE_RESULT_SUCCESS;
    }
    LLVMDisposeModule(lower.llvm_module);
    return lower.no_memory ? ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY
                           : ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
}

/* ---- very large kernels ---- */

/* Largest number of LLVM's instructions of a function that works on several lanes. Masks and
 * accesses lane by lane multiply the code of branches and tables by up to thirty; LLVM takes about
 * 50 us for an instruction. */
#define LANES_INSTRUCTIONS (1u << 16)

static bool is_very_large(LLVMValueRef function)
{
    uint32_t count = 0;
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function);
         block && count <= LANES_INSTRUCTIONS; block = LLVMGetNextBasicBlock(block)) {
        for (LLVMValueRef inst = LLVMGetFirstInstruction(block); inst;
             inst = LLVMGetNextInstruction(inst)) {
            count++;
        }
    }
    return count > LANES_INSTRUCTIONS;
}

/* Marks the kernels whose code became very large by their lanes. The width of kernels with
 * sub-groups is fixed. Returns whether there are any. */
static bool kernels_narrow(struct geo_ir_module *module, const struct geo_lower_result *result,
                           struct geo_strbuf *log)
{
    bool any = false;
    for (uint32_t i = 0; i < result->kernel_count; i++) {
        const struct geo_lower_kernel *kernel = &result->kernels[i];
        LLVMValueRef code = LLVMGetNamedFunction(result->module, kernel->symbol);
        if (kernel->lanes == 1 || (kernel->flags & GEO_KERNEL_SUBGROUPS) || !code ||
            !is_very_large(code)) {
            continue;
        }
        geo_ir_for_each_function(function, module) {
            function->one_lane |= function == kernel->function;
        }
        geo_strbuf_printf(log,
                          "note: kernel %s: the code for several work-items at a time is very "
                          "large, so they run one at a time\n",
                          kernel->function->entry_name);
        any = true;
    }
    return any;
}

ze_result_t geo_lower_module(struct geo_ir_module *module, const struct geo_lower_options *options,
                             LLVMContextRef context, struct geo_lower_result *result,
                             struct geo_strbuf *log)
{
    ze_result_t code = module_lower(module, options, context, result, log);
    bool chosen =
        code == ZE_RESULT_SUCCESS && !options->lanes && options->target.machine->plain_local;
    if (chosen && kernels_narrow(module, result, log)) {
        LLVMDisposeModule(result->module);
        code = module_lower(module, options, context, result, log);
    }
    return code;
}
