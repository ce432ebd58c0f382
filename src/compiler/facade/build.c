/* Runs one build on the calling thread: SPIR-V to native binary, stage by stage. See build.h.
 *
 *     read, link -> resolve -> restructure -> lower -> emit
 *
 * A module with imports ends after `resolve`, as a binary without code. When it is linked, it is
 * built again together with the modules that define the imports. A module whose kernels are
 * deferred, linked or not, also ends there, as a binary with its variables; each kernel has a build
 * of its own.
 *
 * Each stage writes to the build log; the first failure ends the build. */
#include "compiler/facade/build.h"

#include "compiler/analysis/prints.h"
#include "compiler/codegen/codegen.h"
#include "compiler/codegen/ptx/ptx.h"
#include "compiler/facade/dump.h"
#include "compiler/facade/options.h"
#include "compiler/facade/sources.h"
#include "compiler/ir/budget.h"
#include "compiler/ir/remark.h"
#include "compiler/lower/machine.h"
#include "compiler/transform/transform.h"
#include "native/native.h"

#include <stdlib.h>
#include <string.h>

/* Modules whose kernels are deferred without a request: those with many kernels, and large ones
 * with several. A kernel that has a build of its own costs 1 to 2 ms more. A kernel of one line
 * costs 9 ms, one of 4 KiB of SPIR-V 0.1 s. Programs that use all kernels lose by it, as most do if
 * there are few; programs that leave out one in six win. */
#define DEFERRED_KERNELS 24u
#define DEFERRED_BYTES   ((size_t)256 << 10)
/* SPIR-V for a kernel that takes ten times as long as its build costs more by itself. */
#define APART_BYTES 1024u

/* Efforts in the order in which they are tried when LLVM fails. First index: without or with
 * optimisation. */
static const enum geo_codegen_effort efforts[2][GEO_BUILD_ATTEMPTS] = {
    {GEO_CODEGEN_PLAIN, GEO_CODEGEN_CAREFUL, GEO_CODEGEN_FULL},
    {GEO_CODEGEN_FULL, GEO_CODEGEN_CAREFUL, GEO_CODEGEN_PLAIN},
};

/* One build in progress. */
struct build {
    const struct geo_compiler_request *request;
    const struct geo_order *order;
    struct geo_build_options options;
    enum geo_codegen_effort effort;
    struct geo_strbuf *log;
    struct geo_ir_module *module;
    struct geo_linkage linkage;
    /* sources stored in the binary for linking and for deferred kernels; NULL: none */
    struct geo_codegen_source *sources;
    bool deferred;   /* the kernels have no code */
    bool restricted; /* they may be GEO_KERNEL_RESTRICTED */
    struct geo_codegen_target *target;
    struct geo_lower_target facts;
    LLVMContextRef context;
    struct geo_lower_result lowered;
    void *object;
    size_t object_bytes;
};

/* Marks exported functions as callable through pointers, if the module declares function
 * pointers. */
static void exports_offer(struct build *build)
{
    for (size_t i = 0; build->module->function_pointers && i < build->linkage.exports.count; i++) {
        struct geo_ir_function *function =
            geo_ir_as_function(build->linkage.exports.items[i].value);
        if (function) {
            function->indirect = true;
        }
    }
}

/* Lists the sources for the binary's note, so that the module can be linked, or its kernels built,
 * later. They point into the order, which outlives the build. */
static ze_result_t sources_keep(struct build *build)
{
    const struct geo_compiler_request *request = build->request;
    build->sources = calloc(request->source_count, sizeof(*build->sources));
    for (uint32_t i = 0; build->sources && i < request->source_count; i++) {
        const struct geo_compiler_source *source = &request->sources[i];
        build->sources[i] =
            (struct geo_codegen_source){source->spirv, source->bytes, source->options};
    }
    return build->sources ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
}

static bool is_named(const char *name, uint32_t count, const char *const *names)
{
    uint32_t i = 0;
    while (i < count && strcmp(name, names[i]) != 0) {
        i++;
    }
    return i < count;
}

/* Removes all kernels but these from a module. Without names it removes none. */
static void kernels_select(struct geo_ir_module *module, uint32_t count, const char *const *names)
{
    struct geo_ir_function *next;
    for (struct geo_ir_function *f = module->first_function; f && count; f = next) {
        next = f->next;
        if (f->is_kernel && !is_named(f->entry_name, count, names)) {
            geo_ir_function_remove(f);
        }
    }
}

static uint32_t kernel_count(const struct geo_ir_module *module)
{
    uint32_t count = 0;
    geo_ir_for_each_function(function, module) {
        count += function->is_kernel;
    }
    return count;
}

/* Returns whether a function is called through a pointer, or its address is taken. */
static bool has_function_pointers(const struct geo_ir_module *module)
{
    for (size_t i = 0; i < module->constants.count; i++) {
        const struct geo_ir_constant *constant = geo_ir_as_constant(module->constants.items[i]);
        if (constant && constant->op == SpvOpConstantFunctionPointerINTEL) {
            return true;
        }
    }
    geo_ir_for_each_function(function, module) {
        geo_ir_for_each_block(block, function) {
            for (const struct geo_ir_inst *inst = block->first; inst; inst = inst->next) {
                if (inst->op == SpvOpFunctionPointerCallINTEL) {
                    return true;
                }
            }
        }
    }
    return false;
}

/* Returns the size of the module's own sources, which unit 0 is built from. */
static size_t module_bytes(const struct geo_compiler_request *request)
{
    size_t bytes = 0;
    for (uint32_t i = 0; i < request->source_count && request->sources[i].unit == 0; i++) {
        bytes += request->sources[i].bytes;
    }
    return bytes;
}

/* Returns whether this names an NVIDIA GPU. */
static bool is_gpu(const char *target)
{
    return target && strncmp(target, "sm_", 3) == 0;
}

/* Returns whether the kernels of this module may be built one at a time, and are to be. A module
 * whose imports are unresolved has no code anyway. Kernels that call through pointers stay
 * together. A function has one address in its module, and its descriptor needs an entry for each
 * width at which any of the kernels calls. */
static bool kernels_defer(const struct build *build)
{
    const struct geo_compiler_request *request = build->request;
    const struct geo_ir_module *module = build->module;
    uint32_t least = 1;
    if (request->kernels == GEO_COMPILER_KERNELS_AUTO) {
        least = module_bytes(request) < DEFERRED_BYTES ? DEFERRED_KERNELS : 2;
    } else if (request->kernels == GEO_COMPILER_KERNELS_APART) {
        bool large = module_bytes(request) >= (size_t)kernel_count(module) * APART_BYTES;
        least = large ? 2 : UINT32_MAX;
    }
    return request->kernels != GEO_COMPILER_KERNELS_ALL && !is_gpu(request->target_cpu) &&
           !request->kernel_count && !request->function && !build->linkage.imports.count &&
           kernel_count(module) >= least && !build->options.profile_flags &&
           !(module->function_pointers && has_function_pointers(module));
}

/* Returns whether the kernels may lack code that is built later. Linked modules and kernels that
 * call through pointers are complete, because their code depends on more than the module's sources.
 * So are instrumented ones, as the profile describes the code that tools see. */
static bool kernels_restrict(const struct build *build)
{
    const struct geo_compiler_request *request = build->request;
    return request->restricted && !is_gpu(request->target_cpu) && request->unit_count <= 1 &&
           !request->function && !build->options.profile_flags && !build->linkage.imports.count &&
           !(build->module->function_pointers && has_function_pointers(build->module));
}

/* Reads and links the module, resolves built-ins in reachable functions, and lists the remaining
 * imports. */
static ze_result_t build_read(struct build *build)
{
    const struct geo_compiler_request *request = build->request;
    geo_budget_at("reading", NULL);
    ze_result_t result = geo_sources_read(request, &build->linkage, &build->module, build->log);
    if (result == ZE_RESULT_SUCCESS) {
        kernels_select(build->module, request->kernel_count, request->kernel_names);
        build->module->keeps_variables = build->module->debug && !build->options.optimize;
        build->module->near_null = request->near_null;
        build->module->fast_math = build->options.fast_math;
        build->module->exact_divide_sqrt = build->options.correctly_rounded_divide_sqrt;
        exports_offer(build);
        geo_budget_at("resolving built-in functions", NULL);
        result = geo_transform_canonicalize_calls(build->module, build->log);
    }
    if (result == ZE_RESULT_SUCCESS && !geo_linkage_find_imports(build->module, &build->linkage)) {
        result = ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    bool linked = request->unit_count > 1;
    for (size_t i = 0; i < build->linkage.imports.count && result == ZE_RESULT_SUCCESS; i++) {
        geo_strbuf_printf(build->log,
                          linked ? "error: link: '%s' is not defined by any of the modules\n"
                                 : "note: '%s' is imported: the module has to be linked\n",
                          build->linkage.imports.items[i].name);
    }
    if (result == ZE_RESULT_SUCCESS && linked && build->linkage.imports.count) {
        result = ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
    }
    build->deferred = result == ZE_RESULT_SUCCESS && kernels_defer(build);
    build->restricted = result == ZE_RESULT_SUCCESS && kernels_restrict(build);
    bool whole = !build->deferred && !request->kernel_count;
    if (build->restricted && whole && !geo_linkage_share(build->module)) {
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    bool keep = !linked && !request->kernel_count &&
                (build->deferred || build->linkage.imports.count || build->linkage.exports.count);
    return result == ZE_RESULT_SUCCESS && keep ? sources_keep(build) : result;
}

/* Lists the kernels for the note of a binary without their code. */
static bool names_keep(struct build *build, struct geo_lower_result *lowered)
{
    struct geo_ir_module *module = build->module;
    lowered->kernels =
        geo_arena_new_array(&module->arena, struct geo_lower_kernel, kernel_count(module) + 1);
    if (!lowered->kernels) {
        return false;
    }
    geo_ir_for_each_function(function, module) {
        if (function->is_kernel) {
            lowered->kernels[lowered->kernel_count++] =
                (struct geo_lower_kernel){.function = function,
                                          .symbol = "",
                                          .lanes = 1,
                                          .subgroup_size = 1,
                                          .flags = build->deferred ? GEO_KERNEL_DEFERRED : 0};
        }
    }
    return true;
}

/* Prepares the binary of a module with imports: kernel names without code. */
static ze_result_t build_without_code(struct build *build)
{
    if (!names_keep(build, &build->lowered)) {
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    build->context = LLVMContextCreate();
    build->lowered.module = LLVMModuleCreateWithNameInContext("geoid", build->context);
    return ZE_RESULT_SUCCESS;
}

/* Returns the number of lanes, or 0 if it is chosen for each kernel. Code that is not optimised has
 * one lane. Whoever debugs a module may ask for more. */
static uint32_t build_lanes(const struct build *build)
{
    uint32_t asked = build->request->lanes;
    bool debugs = build->module->debug && build->order->attempt == 0 && asked;
    return build->options.optimize || debugs ? asked : 1;
}

static ze_result_t build_lower(struct build *build)
{
    const struct geo_lower_options options = {
        .lanes = build_lanes(build),
        .tile = build->request->tile,
        .optimize = build->options.optimize,
        .large_objects = build->options.large_buffers,
        .restricted = build->restricted,
        .counted = build->request->counted,
        .target = build->facts,
    };
    geo_budget_at("restructuring", NULL);
    ze_result_t result = geo_transform_canonicalize_code(
        build->module, build->options.optimize, !build->facts.machine->plain_local, build->log);
    if (result != ZE_RESULT_SUCCESS) {
        return result;
    }
    geo_print_check(build->module, build->log);
    geo_dump_module(build->module);
    build->context = LLVMContextCreate();
    geo_budget_at("lowering", NULL);
    result = geo_lower_module(build->module, &options, build->context, &build->lowered, build->log);
    bool keep = result == ZE_RESULT_SUCCESS && !build->sources && !build->request->kernel_count &&
                build->restricted;
    return keep ? sources_keep(build) : result;
}

/* Prepares the binary of a module whose kernels are deferred: their names, and all variables that
 * they and exported functions use. */
static ze_result_t build_deferred(struct build *build)
{
    struct geo_lower_result names = {0};
    if (!geo_linkage_share(build->module) || !names_keep(build, &names)) {
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    while (build->module->first_function) {
        geo_ir_function_remove(build->module->first_function);
    }
    const struct geo_lower_options options = {.lanes = 1, .target = build->facts};
    build->context = LLVMContextCreate();
    geo_budget_at("lowering", NULL);
    ze_result_t result =
        geo_lower_module(build->module, &options, build->context, &build->lowered, build->log);
    build->lowered.kernels = names.kernels;
    build->lowered.kernel_count = names.kernel_count;
    return result;
}

/* Keeps the LLVM module as text, if the order asks for it. */
static void llvm_keep(const struct build *build, const char *stage)
{
    if (geo_remarks_want(GEO_REMARK_LLVM)) {
        char *text = LLVMPrintModuleToString(build->lowered.module);
        geo_remark_text(GEO_REMARK_LLVM, stage, text, strlen(text));
        LLVMDisposeMessage(text);
    }
}

/* Checks the size of the binary against the limit of the order. */
static ze_result_t size_check(const struct build *build)
{
    if (!build->order->code_bytes || build->object_bytes <= build->order->code_bytes) {
        return ZE_RESULT_SUCCESS;
    }
    geo_strbuf_printf(
        build->log,
        "error: the code is too large: %zu bytes, GEOID_BUILD_CODE allows %llu (0: no limit)\n",
        build->object_bytes, (unsigned long long)build->order->code_bytes);
    return ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
}

static struct geo_codegen_notes build_notes(const struct build *build)
{
    const struct geo_compiler_request *request = build->request;
    return (struct geo_codegen_notes){
        .options = request->sources[0].options,
        .linkage = &build->linkage,
        .sources = build->sources,
        .source_count = build->sources ? request->source_count : 0,
        .profile_flags = build->options.profile_flags,
    };
}

static ze_result_t build_emit(struct build *build)
{
    const struct geo_codegen_notes notes = build_notes(build);
    geo_dump_llvm(build->lowered.module, "lowered");
    llvm_keep(build, "lowered");
    geo_budget_at("code generation", build->lowered.kernel_count
                                         ? build->lowered.kernels[0].function->entry_name
                                         : NULL);
    ze_result_t result =
        geo_codegen_emit(build->target, build->module, &build->lowered, &notes, build->effort,
                         &build->object, &build->object_bytes, build->log);
    return result == ZE_RESULT_SUCCESS ? size_check(build) : result;
}

#ifdef GEOID_HAS_PTX

/* Makes PTX of the module that was read. The caller frees the text. */
static ze_result_t build_text(struct build *build, const char *level, char **text)
{
    ze_result_t result = build_lower(build);
    if (result == ZE_RESULT_SUCCESS) {
        geo_dump_llvm(build->lowered.module, "lowered");
        llvm_keep(build, "lowered");
        result = geo_codegen_ptx_prepare(build->lowered.module, level, build->log);
    }
    if (result == ZE_RESULT_SUCCESS) {
        geo_budget_at("code generation", NULL);
        result = geo_codegen_ptx_emit(build->lowered.module, level, build->options.optimize, text,
                                      build->log);
        llvm_keep(build, "optimised");
    }
    return result;
}

/* Makes the binary of a PTX text; NULL: of a module with imports, which has no code. */
static ze_result_t build_contain(struct build *build, const char *level, const char *text)
{
    const struct geo_codegen_notes notes = build_notes(build);
    const uint32_t architecture = (uint32_t)strtoul(level + sizeof("sm_") - 1, NULL, 10);
    ze_result_t result = geo_codegen_contain_ptx(text, architecture, build->module, &build->lowered,
                                                 &notes, &build->object, &build->object_bytes);
    return result == ZE_RESULT_SUCCESS ? size_check(build) : result;
}

#endif

/* Builds for a GPU: PTX as a text, or as the code of a binary. All kernels are built at once. */
static ze_result_t build_ptx(struct build *build)
{
#ifdef GEOID_HAS_PTX
    const char *level = build->request->target_cpu;
    bool as_text = build->request->forms & GEO_COMPILER_PTX;
    char *text = NULL;
    level = level ? level : "sm_80";
    build->facts = geo_codegen_ptx_facts();
    ze_result_t result = build_read(build);
    bool imports = result == ZE_RESULT_SUCCESS && build->linkage.imports.count;
    if (imports) {
        /* The log names the imports. */
        result = as_text ? ZE_RESULT_ERROR_MODULE_BUILD_FAILURE : build_without_code(build);
    } else if (result == ZE_RESULT_SUCCESS) {
        result = build_text(build, level, &text);
    }
    if (text && as_text) {
        geo_remark_text(GEO_REMARK_PTX, "", text, strlen(text));
    }
    if (result == ZE_RESULT_SUCCESS && !as_text) {
        result = build_contain(build, level, text);
    }
    free(text);
    return result;
#else
    geo_strbuf_printf(build->log,
                      "error: this compiler cannot make PTX: its LLVM was built without "
                      "the target NVPTX\n");
    return ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
#endif
}

static ze_result_t build_run(struct build *build)
{
    const struct geo_compiler_request *request = build->request;
    geo_dump_spirv(request->sources[0].spirv, request->sources[0].bytes);
    if (request->forms & GEO_COMPILER_PTX || is_gpu(request->target_cpu)) {
        return build_ptx(build);
    }
    ze_result_t result = build_read(build);
    if (result == ZE_RESULT_SUCCESS) {
        result = geo_codegen_target_create(request->target_cpu, &build->target, build->log);
    }
    if (result == ZE_RESULT_SUCCESS) {
        build->facts = geo_codegen_target_facts(build->target);
        result = build->linkage.imports.count ? build_without_code(build)
                 : build->deferred            ? build_deferred(build)
                                              : build_lower(build);
    }
    if (result == ZE_RESULT_SUCCESS) {
        result = build_emit(build);
    }
    if (build->lowered.module) {
        geo_dump_llvm(build->lowered.module, "final");
    }
    if (build->object) {
        geo_dump_object(build->object, build->object_bytes);
    }
    return result;
}

/* Frees everything but the log and the object. */
static void build_finish(struct build *build)
{
    if (build->lowered.module) {
        LLVMDisposeModule(build->lowered.module);
    }
    if (build->context) {
        LLVMContextDispose(build->context);
    }
    geo_codegen_target_destroy(build->target);
    geo_linkage_finish(&build->linkage);
    free(build->sources);
    geo_ir_module_destroy(build->module);
}

ze_result_t geo_facade_build(const struct geo_order *order, struct geo_strbuf *log, void **binary,
                             size_t *binary_bytes)
{
    struct build build = {.request = &order->request, .order = order, .log = log};
    if (order->request.source_count == 0 || order->attempt >= GEO_BUILD_ATTEMPTS) {
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    }
    geo_facade_options_read(build.request, &build.options, order->attempt == 0 ? log : NULL);
    build.effort = efforts[build.options.optimize][order->attempt];
    build.options.optimize = build.effort != GEO_CODEGEN_PLAIN;
    ze_result_t result = build_run(&build);
    build_finish(&build);
    if (result != ZE_RESULT_SUCCESS) {
        free(build.object);
        return result;
    }
    *binary = build.object;
    *binary_bytes = build.object_bytes;
    return result;
}

ze_result_t geo_facade_build_lower(const struct geo_order *order,
                                   const struct geo_lower_target *target, const char *kernel,
                                   struct geo_strbuf *log, struct geo_facade_lowered *lowered)
{
    struct build build = {.request = &order->request, .order = order, .log = log, .facts = *target};
    if (order->request.source_count == 0) {
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    }
    geo_facade_options_read(build.request, &build.options, log);
    ze_result_t result = build_read(&build);
    if (result == ZE_RESULT_SUCCESS && build.linkage.imports.count) {
        result = ZE_RESULT_ERROR_MODULE_BUILD_FAILURE; /* the log names the imports */
    }
    if (result == ZE_RESULT_SUCCESS) {
        kernels_select(build.module, kernel ? 1 : 0, &kernel);
        result = build_lower(&build);
    }
    if (result == ZE_RESULT_SUCCESS) {
        *lowered = (struct geo_facade_lowered){build.module, build.context, build.lowered};
        build.module = NULL;
        build.context = NULL;
        build.lowered.module = NULL;
    }
    build_finish(&build);
    return result;
}

void geo_facade_build_lowered_finish(struct geo_facade_lowered *lowered)
{
    LLVMDisposeModule(lowered->result.module);
    LLVMContextDispose(lowered->context);
    geo_ir_module_destroy(lowered->module);
    *lowered = (struct geo_facade_lowered){0};
}
