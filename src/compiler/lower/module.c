/* Lowers one module of the model to LLVM IR. This is the top of lower/; codegen and the facade call
 * it. It analyses the functions and places local memory, which are the same for every machine. The
 * machine emits the rest (machine.h). */
#include "compiler/lower/lower.h"

#include "base/assert.h"
#include "compiler/lower/global/local_memory.h"
#include "compiler/lower/state/code.h"

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

ze_result_t geo_lower_module(struct geo_ir_module *module, const struct geo_lower_options *options,
                             LLVMContextRef context, struct geo_lower_result *result,
                             struct geo_strbuf *log)
{
    struct geo_lower lower = {.module = module,
                              .options = options,
                              .machine = options->target.machine,
                              .context = context,
                              .log = log};
    GEO_ASSERT(lower.machine);
    *result = (struct geo_lower_result){0};
    geo_arena_init(&lower.arena, GEO_LOWER_ARENA_LIMIT);
    lower.llvm_module = LLVMModuleCreateWithNameInContext("geoid", context);
    bool good = module_emit(&lower, result);
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
