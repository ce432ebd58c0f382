/* Generates code with LLVM: from a lowered module to an object. */
#include "base/assert.h"
#include "compiler/codegen/emitter.h"
#include "compiler/codegen/internal.h"
#include "compiler/ir/budget.h"
#include "compiler/ir/remark.h"
#include "native/abi.h"
#include "native/native.h"
#include "native/registers.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/DebugInfo.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The diagnostics of LLVM while it emits one module. */
struct diagnostics {
    struct geo_strbuf *log;
    struct geo_codegen_frames frames;
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
    if (severity == LLVMDSError || !geo_codegen_stack_hear(&diagnostics->frames, text)) {
        geo_strbuf_printf(diagnostics->log, "%s: code generation: %s\n",
                          severity == LLVMDSError ? "error" : "warning", text);
    }
    LLVMDisposeMessage(text);
    diagnostics->failed |= severity == LLVMDSError;
}

/* Adds what LLVM says about the registers of a function to the report. */
static void spills_hear(const struct geo_emitter_function *function)
{
    geo_remark_code(function->name,
                    "\"spills\": %llu, \"reloads\": %llu, \"stack\": %llu, \"instructions\": %llu",
                    function->spills, function->reloads, function->stack_bytes,
                    function->instructions);
}

static void attribute_add(LLVMContextRef context, LLVMValueRef function, const char *name,
                          const char *value)
{
    LLVMAttributeRef attribute = LLVMCreateStringAttribute(context, name, (unsigned)strlen(name),
                                                           value, (unsigned)strlen(value));
    LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex, attribute);
}

/* Writes LLVM's feature list. Gathers that lowering takes for fast are marked as fast for LLVM,
 * too; on AVX2 CPUs older than Skylake and on unnamed ones it would replace them by branches. */
static void features_print(const struct geo_codegen_target *target, char *text, size_t size)
{
    const char *more = target->level->more ? target->level->more : "";
    const char *gathers = target->facts.gathers != GEO_GATHERS_NEVER ? "+fast-gather" : "";
    snprintf(text, size, "%s%s%s", more, more[0] && gathers[0] ? "," : "", gathers);
}

/* Sets the target of every function. "no-builtins" keeps LLVM from turning loops into calls of the
 * C library. */
static void functions_prepare(const struct geo_codegen_target *target, LLVMModuleRef module)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    char width[16], features[128];
    snprintf(width, sizeof(width), "%u", (unsigned)target->facts.vector_bits);
    features_print(target, features, sizeof(features));
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        if (LLVMIsDeclaration(f)) {
            continue;
        }
        attribute_add(context, f, "no-builtins", "");
        attribute_add(context, f, "target-cpu", target->level->cpu);
        attribute_add(context, f, "tune-cpu", target->tune);
        if (features[0]) {
            attribute_add(context, f, "target-features", features);
        }
        attribute_add(context, f, "prefer-vector-width", width);
        attribute_add(context, f, "min-legal-vector-width", width);
        geo_codegen_stack_watch(f);
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

/* Verifies a module that was lowered. Debug information comes from the application's module, which
 * may be wrong in ways that only LLVM notices. Then the code is built without it. */
static bool lowered_verify(LLVMModuleRef module, struct geo_strbuf *log)
{
    bool debug = LLVMGetNamedMetadata(module, "llvm.dbg.cu", strlen("llvm.dbg.cu")) != NULL;
    if (debug && !LLVMVerifyModule(module, LLVMReturnStatusAction, NULL)) {
        return true;
    }
    if (debug) {
        LLVMStripModuleDebugInfo(module);
        geo_strbuf_printf(log, "warning: the debug information is wrong, so it is left out\n");
    }
    return module_verify(module, "after lowering", log);
}

/* Bound on the instructions of a block for MachineCombiner. It counts a block anew for each of its
 * changes, so that in larger blocks it costs more than it gains. */
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
                               LLVMTargetMachineRef machine, LLVMModuleRef module,
                               const struct geo_emitter_profile *profile, void **object,
                               size_t *object_bytes, struct geo_strbuf *log)
{
    bool combine = !(target->facts.llvm_faults & GEO_LLVM_BLOCKS_COUNTED) ||
                   !has_block_above(module, COMBINED_BLOCK);
    LLVMMemoryBufferRef buffer = geo_codegen_object(machine, module, combine, profile);
    if (!buffer) {
        geo_strbuf_printf(log,
                          "error: code generation: LLVM cannot emit objects for this target\n");
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

/* Inputs and results of one emission. */
struct emission {
    const struct geo_codegen_target *target;
    struct geo_codegen_machine *machine;
    struct geo_ir_module *module;
    const struct geo_lower_result *lowered;
    const struct geo_codegen_notes *notes;
    enum geo_codegen_effort effort;
    struct diagnostics *diagnostics;
    struct geo_codegen_kernel_registers *registers; /* [lowered->kernel_count] */
    bool spared;                                    /* the code spares registers */
    bool spilled;                                   /* a kernel stores registers to the stack */
    void *object;
    size_t object_bytes;
    struct geo_strbuf *log;
};

/* Returns the current target machine, if any, and takes one with another optimisation level. */
static bool machine_set(struct emission *emission, LLVMCodeGenOptLevel level)
{
    if (emission->machine) {
        geo_codegen_target_machine_give(emission->machine);
    }
    emission->machine = geo_codegen_target_machine_take(emission->target, level);
    if (!emission->machine) {
        geo_strbuf_printf(emission->log, "error: LLVM does not support %s\n",
                          emission->target->arch->triple);
    }
    return emission->machine != NULL;
}

/* Returns the record of a kernel by its symbol, or NULL for other functions. */
static struct geo_codegen_kernel_registers *registers_of(const struct emission *emission,
                                                         const char *function)
{
    for (uint32_t i = 0; i < emission->lowered->kernel_count; i++) {
        if (strcmp(emission->lowered->kernels[i].symbol, function) == 0) {
            return &emission->registers[i];
        }
    }
    return NULL;
}

static void free_registers_hear(void *data, const char *function, uint64_t free_registers)
{
    struct geo_codegen_kernel_registers *registers = registers_of(data, function);
    if (registers) {
        registers->free = free_registers;
    }
}

static void spill_bytes_hear(void *data, const char *function, uint64_t bytes)
{
    struct emission *emission = data;
    struct geo_codegen_kernel_registers *registers = registers_of(emission, function);
    if (registers) {
        registers->spill_bytes = bytes;
        emission->spilled |= bytes != 0;
    }
}

/* Emits an object; LLVM's back end changes the module. *bytes: stack that the code needs. */
static ze_result_t object_try(struct emission *emission, LLVMModuleRef module, uint64_t *bytes)
{
    struct geo_codegen_frames *frames = &emission->diagnostics->frames;
    const struct geo_emitter_profile profile = {
        .target = emission->target->arch->target,
        .features = emission->target->facts.features,
        .flags = emission->notes->profile_flags,
        .spared = &emission->spared,
        .tell = free_registers_hear,
        .tell_spills = spill_bytes_hear,
        .data = emission,
    };
    emission->spared = emission->spilled = false;
    geo_codegen_stack_clear(frames);
    ze_result_t result = object_emit(emission->target, emission->machine->llvm, module, &profile,
                                     &emission->object, &emission->object_bytes, emission->log);
    if (result == ZE_RESULT_SUCCESS && frames->lost) {
        result = ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    *bytes = geo_codegen_stack_depth(frames, module);
    return result;
}

/* Emits the object of the module. Without optimisation, every value has its own stack slot, and the
 * frame of a large kernel may exceed a thread's stack. Then the module is emitted again with shared
 * slots. */
static ze_result_t object_make(struct emission *emission)
{
    LLVMModuleRef module = emission->lowered->module;
    LLVMModuleRef spare = emission->effort == GEO_CODEGEN_FULL ? NULL : LLVMCloneModule(module);
    uint64_t bytes;
    ze_result_t result = object_try(emission, module, &bytes);
    if (result == ZE_RESULT_SUCCESS && bytes > GEO_ABI_STACK_BYTES && spare) {
        free(emission->object);
        emission->object = NULL;
        result = machine_set(emission, LLVMCodeGenLevelLess) ? object_try(emission, spare, &bytes)
                                                             : ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
    }
    if (spare) {
        LLVMDisposeModule(spare);
    }
    if (result == ZE_RESULT_SUCCESS && bytes > GEO_ABI_STACK_BYTES) {
        geo_strbuf_printf(emission->log,
                          "error: code generation: the code needs %llu bytes of stack, the "
                          "limit is %u\n",
                          (unsigned long long)bytes, GEO_ABI_STACK_BYTES);
        result = ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
    }
    return result;
}

static ze_result_t module_emit(struct emission *emission)
{
    LLVMModuleRef module = emission->lowered->module;
    if (!machine_set(emission, emission->effort == GEO_CODEGEN_FULL ? LLVMCodeGenLevelDefault
                                                                    : LLVMCodeGenLevelNone)) {
        return ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
    }
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(emission->machine->llvm);
    LLVMSetModuleDataLayout(module, layout);
    LLVMDisposeTargetData(layout);
    LLVMSetTarget(module, emission->target->arch->triple);
    functions_prepare(emission->target, module);
    if (!lowered_verify(module, emission->log) ||
        !geo_codegen_optimize(module, emission->machine->llvm,
                              emission->effort != GEO_CODEGEN_PLAIN, emission->log)) {
        return ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
    }
    if (emission->target->facts.wide_masks) {
        geo_codegen_masks_widen(module, emission->target->facts.vector_bits);
    }
    geo_codegen_mend(module, emission->target->facts.llvm_faults);
    if (emission->target->facts.llvm_faults & GEO_LLVM_CHAINS_SQUARED) {
        geo_codegen_chains_cut(module);
    }
    geo_codegen_limits_mark(module);
    if (geo_remarks_want(GEO_REMARK_LLVM)) {
        char *text = LLVMPrintModuleToString(module);
        geo_remark_text(GEO_REMARK_LLVM, "optimised", text, strlen(text));
        LLVMDisposeMessage(text);
    }
    if (!geo_budget_ask()) {
        return ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
    }
    if (!geo_codegen_note_add(emission->target, emission->module, emission->lowered,
                              emission->notes)) {
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    emission->registers = calloc(emission->lowered->kernel_count + 1, sizeof(*emission->registers));
    if (!emission->registers) {
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    ze_result_t result = object_make(emission);
    if (result == ZE_RESULT_SUCCESS) {
        bool sealed = geo_native_parse_seal(emission->object, emission->object_bytes);
        GEO_ASSERT(sealed); /* the object contains the note */
        (void)sealed;
    }
    if (result == ZE_RESULT_SUCCESS && (emission->notes->profile_flags || emission->spilled)) {
        uint32_t flags = emission->notes->profile_flags;
        flags &= emission->spared ? ~0u : ~(uint32_t)ZET_PROFILE_FLAG_REGISTER_REALLOCATION;
        geo_codegen_note_registers(emission->object, emission->object_bytes, flags,
                                   emission->registers);
    }
    return result;
}

/* Sanitizers do not see LLVM's code, in which a build spends most of its time. So builds for them
 * use LLVM's back end without optimisation. */
static enum geo_codegen_effort effort_of(enum geo_codegen_effort wanted)
{
#ifdef GEOID_SANITIZED
    return wanted == GEO_CODEGEN_FULL ? GEO_CODEGEN_CAREFUL : wanted;
#else
    return wanted;
#endif
}

ze_result_t geo_codegen_emit(const struct geo_codegen_target *target, struct geo_ir_module *module,
                             const struct geo_lower_result *lowered,
                             const struct geo_codegen_notes *notes, enum geo_codegen_effort effort,
                             void **object, size_t *object_bytes, struct geo_strbuf *log)
{
    LLVMContextRef context = LLVMGetModuleContext(lowered->module);
    struct diagnostics diagnostics = {.log = log};
    struct emission emission = {.target = target,
                                .module = module,
                                .lowered = lowered,
                                .notes = notes,
                                .effort = effort_of(effort),
                                .diagnostics = &diagnostics,
                                .log = log};
    *object = NULL;
    *object_bytes = 0;
    if (geo_remarks_wanted()) {
        geo_codegen_object_remarks(context, spills_hear);
    }
    LLVMContextSetDiagnosticHandler(context, diagnostic_handle, &diagnostics);
    ze_result_t result = module_emit(&emission);
    LLVMContextSetDiagnosticHandler(context, NULL, NULL);
    geo_codegen_target_machine_give(emission.machine);
    geo_codegen_stack_clear(&diagnostics.frames);
    free(emission.registers);
    if (result == ZE_RESULT_SUCCESS && diagnostics.failed &&
        target->facts.llvm_faults & GEO_LLVM_SILENT_ERROR) {
        result = ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
    }
    if (result != ZE_RESULT_SUCCESS) {
        free(emission.object);
        return result;
    }
    *object = emission.object;
    *object_bytes = emission.object_bytes;
    return result;
}
