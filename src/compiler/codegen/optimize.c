/* Runs LLVM's optimisation pipeline.
 *
 * LLVM has no budget and cannot be interrupted: the budget is checked between calls of it. So in a
 * large module, each pass is a separate call. */
#include "base/assert.h"
#include "compiler/codegen/internal.h"
#include "compiler/ir/budget.h"

#include <llvm-c/Transforms/PassBuilder.h>

#include <stdio.h>
#include <string.h>

/* Room for the passes of the longest table, with separators. */
#define PASSES_BYTES 1024

/* A part of LLVM's pass pipeline, as text. */
struct step {
    const char *pass;
    const char *large; /* replacement for large modules; NULL: the same pass */
    bool by_blocks;    /* replace it also when a function has many blocks */
};

/* The passes for code that is already vectorised and inlined: LLVM's vectorisers and inliner are
 * left out. The code is as fast as with default<O2>, in two thirds of its time. */
#define COMBINE {"instcombine<no-verify-fixpoint>", NULL, false}
static const struct step steps_optimized[] = {
    {"sroa", NULL, false},
    {"early-cse<memssa>", NULL, false},
    {"simplifycfg", NULL, false},
    COMBINE,
    /* Rotation updates MemorySSA, and visits the whole loop for each block that it adds. */
    {"loop-mssa(loop-rotate,licm)", "loop(loop-rotate),loop-mssa(licm)", true},
    {"simplifycfg", NULL, false},
    {"loop(indvars,loop-deletion)", NULL, false},
    /* Memory dependence analysis searches all earlier blocks for each load and each call that
       reads. It takes a fifth of the time in a kernel with a thousand blocks. */
    {"gvn", "gvn<no-memdep>", true},
    {"loop-mssa(licm)", NULL, false},
    /* Run-time unrolling is left out. It takes two fifths of LLVM's time, and kernels do not gain:
       their loop bodies are already as wide as registers. */
    {"loop-unroll<O2;no-runtime>", NULL, false},
    {"sroa", NULL, false},
    {"early-cse<memssa>", NULL, false},
    {"dse", NULL, false},
    {"adce", NULL, false},
    COMBINE,
    {"simplifycfg", NULL, false},
};
/* The passes without optimisation, and for functions that rarely run. */
static const struct step steps_plain[] = {
    {"sroa", NULL, false},
    {"early-cse", NULL, false},
    {"simplifycfg", NULL, false},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A module is large beyond these numbers of instructions, or of blocks in a function: a pass may
 * take seconds. */
#define LARGE_INSTRUCTIONS (1u << 18)
#define LARGE_BLOCKS       (1u << 14)
#define MANY_BLOCKS        256u

/* The size of a module, which decides between passes. */
struct size {
    uint32_t instructions, blocks; /* of the module; of the function with most blocks */
};

/* Measures a module, and stops when it is found to be large. */
static struct size module_size(LLVMModuleRef module)
{
    struct size size = {0, 0};
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        uint32_t blocks = 0;
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block;
             block = LLVMGetNextBasicBlock(block)) {
            for (LLVMValueRef inst = LLVMGetFirstInstruction(block); inst;
                 inst = LLVMGetNextInstruction(inst)) {
                size.instructions++;
            }
            blocks++;
            size.blocks = blocks > size.blocks ? blocks : size.blocks;
            if (size.blocks > LARGE_BLOCKS || size.instructions > LARGE_INSTRUCTIONS) {
                return size;
            }
        }
    }
    return size;
}

/* One run of LLVM's passes. */
struct pipeline {
    LLVMModuleRef module;
    LLVMTargetMachineRef machine;
    LLVMPassBuilderOptionsRef options;
    struct geo_strbuf *log;
};

/* Runs passes, separated by commas, on one function, or with NULL on all functions of the module. */
static bool pipeline_run(const struct pipeline *pipeline, LLVMValueRef function, const char *passes)
{
    char text[PASSES_BYTES + sizeof("function()")];
    int length = snprintf(text, sizeof(text), "function(%s)", passes);
    GEO_ASSERT(length > 0 && (size_t)length < sizeof(text));
    (void)length;
    LLVMErrorRef error =
        function ? LLVMRunPassesOnFunction(function, passes, pipeline->machine, pipeline->options)
                 : LLVMRunPasses(pipeline->module, text, pipeline->machine, pipeline->options);
    if (error) {
        char *reason = LLVMGetErrorMessage(error);
        geo_strbuf_printf(
            pipeline->log,
            "error: optimisation: LLVM failed: %s (-ze-opt-disable avoids most passes)\n", reason);
        LLVMDisposeErrorMessage(reason);
    }
    return !error;
}

/* Runs all steps by one call of LLVM, on one function or on all (NULL). */
static bool steps_run_together(const struct pipeline *pipeline, LLVMValueRef function,
                               const struct step *steps, size_t count, bool many_blocks)
{
    char passes[PASSES_BYTES];
    size_t length = 0;
    for (size_t i = 0; i < count; i++) {
        bool other = steps[i].by_blocks && many_blocks;
        length += (size_t)snprintf(passes + length, sizeof(passes) - length, "%s%s", i ? "," : "",
                                   other ? steps[i].large : steps[i].pass);
        GEO_ASSERT(length < sizeof(passes)); /* the tables above are constant */
    }
    return geo_budget_ask() && pipeline_run(pipeline, function, passes);
}

static bool steps_run(const struct pipeline *pipeline, const struct step *steps, size_t count)
{
    struct size size = module_size(pipeline->module);
    if (size.instructions <= LARGE_INSTRUCTIONS && size.blocks <= LARGE_BLOCKS) {
        return steps_run_together(pipeline, NULL, steps, count, size.blocks > MANY_BLOCKS);
    }
    for (size_t i = 0; i < count; i++) {
        const char *pass = steps[i].large ? steps[i].large : steps[i].pass;
        geo_budget_at(pass, NULL);
        if (!geo_budget_ask() || !pipeline_run(pipeline, NULL, pass)) {
            return false;
        }
    }
    geo_budget_at("code generation", NULL);
    return true;
}

/* ---- functions that rarely run ---- */

static void attribute_add(LLVMValueRef function, const char *name)
{
    LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(function));
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(context, kind, 0));
}

static bool is_rare(LLVMValueRef function)
{
    return LLVMGetStringAttributeAtIndex(function, LLVMAttributeFunctionIndex,
                                         GEO_LOWER_RARE_ATTRIBUTE,
                                         (unsigned)strlen(GEO_LOWER_RARE_ATTRIBUTE)) != NULL;
}

/* Runs the few passes of the functions that rarely run. Then marks them, so that all later passes
 * that only optimise leave them out, those of the back end too ("optnone" needs "noinline"). */
static bool rare_functions_run(const struct pipeline *pipeline)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(pipeline->module); f; f = LLVMGetNextFunction(f)) {
        if (!is_rare(f) || LLVMIsDeclaration(f)) {
            continue;
        }
        if (!steps_run_together(pipeline, f, steps_plain, COUNT(steps_plain), false)) {
            return false;
        }
        attribute_add(f, "noinline");
        attribute_add(f, "optnone");
    }
    return true;
}

bool geo_codegen_optimize(LLVMModuleRef module, LLVMTargetMachineRef machine, bool optimize,
                          struct geo_strbuf *log)
{
    struct pipeline pipeline = {module, machine, LLVMCreatePassBuilderOptions(), log};
    LLVMPassBuilderOptionsSetLoopVectorization(pipeline.options, 0);
    LLVMPassBuilderOptionsSetSLPVectorization(pipeline.options, 0);
    LLVMPassBuilderOptionsSetLoopInterleaving(pipeline.options, 0);
    bool good = optimize ? rare_functions_run(&pipeline) &&
                               steps_run(&pipeline, steps_optimized, COUNT(steps_optimized))
                         : steps_run(&pipeline, steps_plain, COUNT(steps_plain));
    LLVMDisposePassBuilderOptions(pipeline.options);
    return good;
}
