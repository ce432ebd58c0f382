/* Code generation by LLVM: from a lowered module to an object. */
#include "compiler/codegen/emitter.h"
#include "compiler/codegen/internal.h"
#include "compiler/ir/budget.h"
#include "native/native.h"

#include <llvm-c/Analysis.h>

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct diagnostics {
    struct geo_strbuf *log;
    bool failed;
};

static void diagnostic_handle(LLVMDiagnosticInfoRef info, void *data)
{
    struct diagnostics *diagnostics = data;
    LLVMDiagnosticSeverity severity = LLVMGetDiagInfoSeverity(info);
    if (severity != LLVMDSError && severity != LLVMDSWarning) {
        return;
    }
    char *text = LLVMGetDiagInfoDescription(info);
    geo_strbuf_printf(diagnostics->log, "%s: code generation: %s\n",
                      severity == LLVMDSError ? "error" : "warning", text);
    LLVMDisposeMessage(text);
    diagnostics->failed |= severity == LLVMDSError;
}

static void attribute_add(LLVMContextRef context, LLVMValueRef function, const char *name,
                          const char *value)
{
    LLVMAttributeRef attribute = LLVMCreateStringAttribute(context, name, (unsigned)strlen(name),
                                                           value, (unsigned)strlen(value));
    LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex, attribute);
}

/* Every function gets the same target. What lowering takes for fast is fast for LLVM, too (it would
 * replace gathers by branches on AVX2 CPUs older than Skylake and on those not named). no-builtins
 * keeps loops from becoming calls of the C library. */
static void functions_prepare(const struct geo_codegen_target *target, LLVMModuleRef module)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    const char *width = target->facts.vector_bits == 512   ? "512"
                        : target->facts.vector_bits == 256 ? "256"
                                                           : "128";
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        if (LLVMIsDeclaration(f)) {
            continue;
        }
        attribute_add(context, f, "no-builtins", "");
        attribute_add(context, f, "target-cpu", target->cpu);
        attribute_add(context, f, "tune-cpu", target->tune);
        if (target->facts.gathers != GEO_GATHERS_NEVER) {
            attribute_add(context, f, "target-features", "+fast-gather");
        }
        attribute_add(context, f, "prefer-vector-width", width);
        attribute_add(context, f, "min-legal-vector-width", width);
    }
}

static bool module_verify(LLVMModuleRef module, const char *when, struct geo_strbuf *log)
{
    char *text = NULL;
    bool broken = LLVMVerifyModule(module, LLVMReturnStatusAction, &text);
    if (broken) {
        geo_strbuf_printf(log, "error: internal: %s, the code is malformed: %s\n", when, text);
    }
    LLVMDisposeMessage(text);
    return !broken;
}

/* Instructions of a block above which MachineCombiner, which counts a block anew for each of its
 * changes, costs more than it gains. */
#define COMBINED_BLOCK 2048u

static bool has_block_above(LLVMModuleRef module, uint32_t most)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block;
             block = LLVMGetNextBasicBlock(block)) {
            uint32_t count = 0;
            for (LLVMValueRef inst = LLVMGetFirstInstruction(block); inst;
                 inst = LLVMGetNextInstruction(inst)) {
                if (++count > most) {
                    return true;
                }
            }
        }
    }
    return false;
}

static ze_result_t object_emit(const struct geo_codegen_target *target,
                               LLVMTargetMachineRef machine, LLVMModuleRef module, void **object,
                               size_t *object_bytes, struct geo_strbuf *log)
{
    bool combine = !(target->facts.llvm_faults & GEO_LLVM_BLOCKS_COUNTED) ||
                   !has_block_above(module, COMBINED_BLOCK);
    LLVMMemoryBufferRef buffer = geo_codegen_object(machine, module, combine);
    if (!buffer) {
        geo_strbuf_printf(log, "error: code generation: LLVM's target makes no objects\n");
        return ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
    }
    *object_bytes = LLVMGetBufferSize(buffer);
    *object = malloc(*object_bytes);
    if (*object) {
        memcpy(*object, LLVMGetBufferStart(buffer), *object_bytes);
    }
    LLVMDisposeMemoryBuffer(buffer);
    return *object ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
}

/* One emission: what goes in, and what comes out. */
struct emission {
    const struct geo_codegen_target *target;
    struct geo_codegen_machine *machine;
    struct geo_ir_module *module;
    const struct geo_lower_result *lowered;
    const struct geo_codegen_notes *notes;
    enum geo_codegen_effort effort;
    void *object;
    size_t object_bytes;
    struct geo_strbuf *log;
};

static ze_result_t module_emit(struct emission *emission)
{
    LLVMModuleRef module = emission->lowered->module;
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(emission->machine->llvm);
    LLVMSetModuleDataLayout(module, layout);
    LLVMDisposeTargetData(layout);
    LLVMSetTarget(module, "x86_64-unknown-linux-gnu");
    functions_prepare(emission->target, module);
    if (!module_verify(module, "after lowering", emission->log) ||
        !geo_codegen_optimize(module, emission->machine->llvm,
                              emission->effort != GEO_CODEGEN_PLAIN, emission->log)) {
        return ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
    }
    geo_codegen_mend(module, emission->target->facts.llvm_faults);
    if (emission->target->facts.llvm_faults & GEO_LLVM_CHAINS_SQUARED) {
        geo_codegen_chains_cut(module);
    }
    if (!geo_budget_ask()) {
        return ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
    }
    if (!geo_codegen_note_add(emission->target, emission->module, emission->lowered,
                              emission->notes)) {
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    ze_result_t result = object_emit(emission->target, emission->machine->llvm, module,
                                     &emission->object, &emission->object_bytes, emission->log);
    if (result == ZE_RESULT_SUCCESS) {
        bool sealed = geo_native_seal(emission->object, emission->object_bytes);
        assert(sealed); /* the note is in it */
        (void)sealed;
    }
    return result;
}

ze_result_t geo_codegen_emit(const struct geo_codegen_target *target, struct geo_ir_module *module,
                             const struct geo_lower_result *lowered,
                             const struct geo_codegen_notes *notes, enum geo_codegen_effort effort,
                             void **object, size_t *object_bytes, struct geo_strbuf *log)
{
    LLVMContextRef context = LLVMGetModuleContext(lowered->module);
    struct diagnostics diagnostics = {.log = log};
    *object = NULL;
    *object_bytes = 0;
    struct emission emission = {.target = target,
                                .machine = geo_codegen_machine_take(target, effort),
                                .module = module,
                                .lowered = lowered,
                                .notes = notes,
                                .effort = effort,
                                .log = log};
    if (!emission.machine) {
        geo_strbuf_printf(log, "error: LLVM has no x86-64 target\n");
        return ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
    }
    LLVMContextSetDiagnosticHandler(context, diagnostic_handle, &diagnostics);
    ze_result_t result = module_emit(&emission);
    LLVMContextSetDiagnosticHandler(context, NULL, NULL);
    geo_codegen_machine_give(emission.machine);
    if (result == ZE_RESULT_SUCCESS && diagnostics.failed &&
        target->facts.llvm_faults & GEO_LLVM_SILENT_ERROR) {
        free(emission.object);
        return ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
    }
    *object = emission.object;
    *object_bytes = emission.object_bytes;
    return result;
}
