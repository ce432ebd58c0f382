/* Emits PTX with LLVM's NVPTX back end. */
#include "compiler/codegen/ptx/internal.h"
#include "compiler/lower/machine.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define TRIPLE "nvptx64-nvidia-cuda"

/* A level: the oldest GPU that runs the code, and the version of PTX. */
static const struct level {
    const char *name, *features;
} levels[] = {
    {"sm_80", "+ptx78"},
    {"sm_90", "+ptx78"},
};

static pthread_once_t init_once = PTHREAD_ONCE_INIT;

static void llvm_init(void)
{
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
}

struct geo_lower_target geo_codegen_ptx_facts(void)
{
    return (struct geo_lower_target){
        .arch = &geo_lower_nvptx64,
        .machine = &geo_lower_simt,
        .vector_bits = 128,
        .gathers = GEO_GATHERS_NEVER,
        .has_fma = true,
        .has_half = true,
        .has_round = true,
    };
}

/* Returns LLVM's target machine of a level, or NULL with a log. */
static LLVMTargetMachineRef machine_create(const char *name, struct geo_strbuf *log)
{
    const struct level *level = NULL;
    LLVMTargetRef target;
    char *message = NULL;
    pthread_once(&init_once, llvm_init);
    for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
        level = strcmp(levels[i].name, name) == 0 ? &levels[i] : level;
    }
    if (!level) {
        geo_strbuf_printf(log, "error: target GPU '%s' is not one of sm_80 sm_90\n", name);
        return NULL;
    }
    if (LLVMGetTargetFromTriple(TRIPLE, &target, &message)) {
        geo_strbuf_printf(log, "error: LLVM has no target " TRIPLE ": %s\n", message);
        LLVMDisposeMessage(message);
        return NULL;
    }
    return LLVMCreateTargetMachine(target, TRIPLE, level->name, level->features,
                                   LLVMCodeGenLevelDefault, LLVMRelocDefault, LLVMCodeModelDefault);
}

ze_result_t geo_codegen_ptx_prepare(LLVMModuleRef module, const char *level, struct geo_strbuf *log)
{
    LLVMTargetMachineRef machine = machine_create(level, log);
    char *message = NULL;
    if (!machine) {
        return ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
    }
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine);
    LLVMSetTarget(module, TRIPLE);
    LLVMSetModuleDataLayout(module, layout);
    LLVMDisposeTargetData(layout);
    LLVMDisposeTargetMachine(machine);
    bool broken = LLVMVerifyModule(module, LLVMReturnStatusAction, &message);
    if (broken) {
        geo_strbuf_printf(log, "error: internal: after lowering, the code is malformed: %s\n",
                          message);
    }
    LLVMDisposeMessage(message);
    return broken ? ZE_RESULT_ERROR_MODULE_BUILD_FAILURE : ZE_RESULT_SUCCESS;
}

/* infer-address-spaces replaces generic accesses; the others are those of codegen/optimize.c that
 * pay most. */
#define PASSES                                                                                     \
    "function(sroa,infer-address-spaces,early-cse<memssa>,simplifycfg,"                            \
    "instcombine<no-verify-fixpoint>,gvn,sroa,infer-address-spaces,dse,adce,simplifycfg)"

static bool optimize_module(LLVMModuleRef module, LLVMTargetMachineRef machine, bool optimize,
                            struct geo_strbuf *log)
{
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef error = LLVMRunPasses(
        module, optimize ? PASSES : "function(sroa,infer-address-spaces)", machine, options);
    LLVMDisposePassBuilderOptions(options);
    if (error) {
        char *reason = LLVMGetErrorMessage(error);
        geo_strbuf_printf(log, "error: optimisation: LLVM failed: %s\n", reason);
        LLVMDisposeErrorMessage(reason);
    }
    return !error;
}

ze_result_t geo_codegen_ptx_optimize(LLVMModuleRef module, const char *level,
                                     struct geo_strbuf *log)
{
    LLVMTargetMachineRef machine = machine_create(level, log);
    if (!machine) {
        return ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
    }
    bool good = optimize_module(module, machine, true, log);
    LLVMDisposeTargetMachine(machine);
    return good ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
}

ze_result_t geo_codegen_ptx_emit(LLVMModuleRef module, const char *level, bool optimize,
                                 char **text, struct geo_strbuf *log)
{
    LLVMTargetMachineRef machine = machine_create(level, log);
    LLVMMemoryBufferRef buffer = NULL;
    char *message = NULL;
    *text = NULL;
    if (!machine) {
        return ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
    }
    geo_codegen_ptx_atomics(module);
    bool good = optimize_module(module, machine, optimize, log);
    geo_codegen_ptx_bytes(module);
    if (good &&
        LLVMTargetMachineEmitToMemoryBuffer(machine, module, LLVMAssemblyFile, &message, &buffer)) {
        geo_strbuf_printf(log, "error: code generation: %s\n", message);
        LLVMDisposeMessage(message);
        good = false;
    }
    LLVMDisposeTargetMachine(machine);
    if (!good) {
        return ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
    }
    *text = strndup(LLVMGetBufferStart(buffer), LLVMGetBufferSize(buffer));
    LLVMDisposeMemoryBuffer(buffer);
    return *text ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
}
