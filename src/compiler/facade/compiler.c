/* The compiler's one door: SPIR-V to native binary, stage by stage. See compiler/compiler.h.
 *
 *     read, link -> canonicalise -> lower -> emit
 *
 * Each stage reports into the build log; the first failure ends the build. */
#include "compiler/compiler.h"

#include "base/option.h"
#include "base/strbuf.h"
#include "compiler/analysis/prints.h"
#include "compiler/codegen/codegen.h"
#include "compiler/facade/dump.h"
#include "compiler/facade/options.h"
#include "compiler/ir/link.h"
#include "compiler/spirv/reader.h"
#include "compiler/transform/transform.h"

#include <stdlib.h>
#include <string.h>

#define LOG_LIMIT (1u << 20)

static ze_result_t source_read(const struct geo_compiler_source *source,
                               struct geo_ir_module **module, struct geo_strbuf *log)
{
    struct geo_spirv_constant *constants = calloc(source->constant_count + 1, sizeof(*constants));
    if (!constants) {
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    for (uint32_t i = 0; i < source->constant_count; i++) {
        constants[i].id = source->constant_ids[i];
        constants[i].value = source->constant_values[i];
    }
    const struct geo_spirv_options options = {constants, source->constant_count};
    ze_result_t result = geo_spirv_read(source->spirv, source->bytes, &options, module, log);
    free(constants);
    return result;
}

/* One build in progress. */
struct build {
    const struct geo_compiler_request *request;
    struct geo_build_options options;
    struct geo_strbuf log;
    struct geo_ir_module *module;
    struct geo_codegen_target *target;
    LLVMContextRef context;
    struct geo_lower_result lowered;
    void *object;
    size_t object_bytes;
};

/* Reads all sources into one module; imports between them are resolved. */
static ze_result_t build_read(struct build *build)
{
    const struct geo_compiler_request *request = build->request;
    ze_result_t result = source_read(&request->sources[0], &build->module, &build->log);
    for (uint32_t i = 1; i < request->source_count && result == ZE_RESULT_SUCCESS; i++) {
        struct geo_ir_module *more;
        result = source_read(&request->sources[i], &more, &build->log);
        if (result == ZE_RESULT_SUCCESS) {
            result = geo_ir_merge(build->module, more);
            geo_ir_module_destroy(more);
        }
    }
    return result == ZE_RESULT_SUCCESS ? geo_ir_link(build->module, &build->log) : result;
}

static ze_result_t build_lower(struct build *build, uint32_t lanes)
{
    build->context = LLVMContextCreate();
    const struct geo_lower_options options = {
        .lanes = build->options.optimize ? lanes : 1,
        .optimize = build->options.optimize,
        .correctly_rounded_divide_sqrt = build->options.correctly_rounded_divide_sqrt,
        .mad_enable = build->options.mad_enable,
        .target = geo_codegen_target_facts(build->target),
    };
    return geo_lower_module(build->module, &options, build->context, &build->lowered, &build->log);
}

static ze_result_t build_run(struct build *build, const struct geo_compiler_request *request)
{
    uint32_t lanes =
        request->lanes ? request->lanes : (uint32_t)geo_option_number("GEOID_LANES", 0, 32);
    const char *options = request->sources[0].options ? request->sources[0].options : "";
    geo_build_options_parse(options, &build->options, &build->log);
    geo_dump_spirv(request->sources[0].spirv, request->sources[0].bytes);
    ze_result_t result = build_read(build);
    if (result == ZE_RESULT_SUCCESS) {
        result = geo_transform_canonicalize(build->module, build->options.optimize, &build->log);
    }
    if (result == ZE_RESULT_SUCCESS) {
        geo_print_check(build->module, &build->log);
        geo_dump_module(build->module);
        result = geo_codegen_target_create(request->target_cpu, &build->target, &build->log);
    }
    if (result == ZE_RESULT_SUCCESS) {
        result = build_lower(build, lanes);
    }
    if (result == ZE_RESULT_SUCCESS) {
        geo_dump_llvm(build->lowered.module, "lowered");
        result = geo_codegen_emit(build->target, build->module, &build->lowered, options,
                                  build->options.optimize, &build->object, &build->object_bytes,
                                  &build->log);
    }
    if (build->lowered.module) {
        geo_dump_llvm(build->lowered.module, "final");
    }
    if (build->object) {
        geo_dump_object(build->object, build->object_bytes);
    }
    return result;
}

static void build_finish(struct build *build)
{
    if (build->lowered.module) {
        LLVMDisposeModule(build->lowered.module);
    }
    if (build->context) {
        LLVMContextDispose(build->context);
    }
    geo_codegen_target_destroy(build->target);
    geo_ir_module_destroy(build->module);
    geo_strbuf_finish(&build->log);
}

static ze_result_t compiler_build(const struct geo_compiler_request *request,
                                  struct geo_compiler_output *output)
{
    struct build build = {.request = request};
    ze_result_t result;
    memset(output, 0, sizeof(*output));
    geo_strbuf_init(&build.log, LOG_LIMIT);
    if (request->source_count == 0 || !request->sources) {
        result = ZE_RESULT_ERROR_INVALID_ARGUMENT;
    } else {
        result = build_run(&build, request);
    }
    output->object = build.object;
    output->object_bytes = build.object_bytes;
    output->log = geo_strbuf_take(&build.log, &output->log_bytes);
    output->log_bytes += output->log != NULL;
    build_finish(&build);
    return result;
}

static void compiler_release(struct geo_compiler_output *output)
{
    free(output->object);
    free(output->log);
    memset(output, 0, sizeof(*output));
}

__attribute__((visibility("default"))) const struct geo_compiler_ops *
geo_compiler_open(uint32_t interface_version)
{
    static const struct geo_compiler_ops ops = {
        .interface_version = GEO_COMPILER_INTERFACE,
        .identity = GEO_CODEGEN_IDENTITY,
        .build = compiler_build,
        .release = compiler_release,
    };
    return interface_version == GEO_COMPILER_INTERFACE ? &ops : NULL;
}
