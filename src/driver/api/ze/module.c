/* API functions of modules and build logs. They convert the descriptor to sources for the compiler
 * or to a native binary (program/module.h). Build options are passed through unchanged. */
#include "ddi/geo_api.h"
#include "driver/core/check.h"
#include "driver/program/archive.h"
#include "driver/program/build_log.h"
#include "driver/program/module_ahead.h"
#include "driver/program/module_complete.h"
#include "driver/program/module_link.h"

#include <stdlib.h>
#include <string.h>

#define MAX_SOURCES 4096u /* modules in one program */

/* ---- creation ---- */

static ze_result_t constants_check(const ze_module_constants_t *constants)
{
    if (constants && constants->numConstants) {
        GEO_CHECK_POINTER(constants->pConstantIds);
        GEO_CHECK_POINTER(constants->pConstantValues);
        for (uint32_t i = 0; i < constants->numConstants; i++) {
            GEO_CHECK_POINTER(constants->pConstantValues[i]);
        }
    }
    return ZE_RESULT_SUCCESS;
}

static ze_result_t input_check(const uint8_t *input, size_t bytes)
{
    GEO_CHECK_POINTER(input);
    return bytes ? ZE_RESULT_SUCCESS
                 : geo_fail(ZE_RESULT_ERROR_INVALID_SIZE, "the module has 0 bytes");
}

static ze_result_t source_fill(struct geo_compiler_source *source, const uint8_t *spirv,
                               size_t bytes, const char *options,
                               const ze_module_constants_t *constants)
{
    GEO_CHECK(input_check(spirv, bytes));
    GEO_CHECK(constants_check(constants));
    *source = (struct geo_compiler_source){.spirv = spirv, .bytes = bytes, .options = options};
    if (constants && constants->numConstants) {
        source->constant_count = constants->numConstants;
        source->constant_ids = constants->pConstantIds;
        source->constant_values = (const void *const *)constants->pConstantValues;
    }
    return ZE_RESULT_SUCCESS;
}

static ze_result_t program_fill(const ze_module_program_exp_desc_t *program,
                                struct geo_compiler_source *sources)
{
    for (uint32_t i = 0; i < program->count; i++) {
        GEO_CHECK(source_fill(&sources[i], program->pInputModules[i], program->inputSizes[i],
                              program->pBuildFlags ? program->pBuildFlags[i] : NULL,
                              program->pConstants ? program->pConstants[i] : NULL));
    }
    return ZE_RESULT_SUCCESS;
}

/* Creates a module from several sources, which replace the one in the descriptor. */
static ze_result_t create_program(struct geo_context *context, struct geo_device *device,
                                  const ze_module_program_exp_desc_t *program,
                                  struct geo_strbuf *log, struct geo_module **out)
{
    if (program->count == 0 || program->count > MAX_SOURCES) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_SIZE,
                        "a program of %u modules is not possible: it must have 1 to 4096",
                        program->count);
    }
    struct geo_compiler_source *sources = calloc(program->count, sizeof(*sources));
    if (!sources) {
        return geo_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no memory for %u modules",
                        program->count);
    }
    ze_result_t result = program_fill(program, sources);
    if (result == ZE_RESULT_SUCCESS) {
        result = geo_module_create_spirv(context, device, sources, program->count, log, out);
    }
    free(sources);
    return result;
}

/* Creates a module from an archive: loads a native binary of Geoid. If the archive has only machine
 * code for other devices, builds the SPIR-V in it, with the options in the archive unless the
 * caller has options. */
static ze_result_t create_archived(struct geo_context *context, struct geo_device *device,
                                   const ze_module_desc_t *desc, struct geo_strbuf *log,
                                   struct geo_module **out)
{
    struct geo_archive_module found;
    if (!geo_archive_find(desc->pInputModule, desc->inputSize, &found)) {
        const char *reason = "an archive without SPIR-V, or with code for other devices alone";
        geo_strbuf_printf(log, "error: native binary refused: %s\n", reason);
        return geo_fail(ZE_RESULT_ERROR_INVALID_NATIVE_BINARY, "native binary refused: %s", reason);
    }
    if (found.native) {
        return geo_module_create_native(context, device, found.native, found.native_bytes, log,
                                        out);
    }
    char *options = found.options ? strndup(found.options, found.option_bytes) : NULL;
    if (found.options && !options) {
        return geo_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no memory for build options");
    }
    bool own = desc->pBuildFlags && desc->pBuildFlags[0];
    struct geo_compiler_source source = {.spirv = found.spirv,
                                         .bytes = found.spirv_bytes,
                                         .options = own ? desc->pBuildFlags : options};
    ze_result_t result = geo_module_create_spirv(context, device, &source, 1, log, out);
    free(options);
    return result;
}

static ze_result_t create_native(struct geo_context *context, struct geo_device *device,
                                 const ze_module_desc_t *desc, struct geo_strbuf *log,
                                 struct geo_module **out)
{
    GEO_CHECK(input_check(desc->pInputModule, desc->inputSize));
    if (geo_archive_is(desc->pInputModule, desc->inputSize)) {
        return create_archived(context, device, desc, log, out);
    }
    return geo_module_create_native(context, device, desc->pInputModule, desc->inputSize, log, out);
}

static ze_result_t create_from(struct geo_context *context, struct geo_device *device,
                               const ze_module_desc_t *desc, struct geo_strbuf *log,
                               struct geo_module **out)
{
    if (desc->format != ZE_MODULE_FORMAT_IL_SPIRV) {
        return create_native(context, device, desc, log, out);
    }
    const ze_module_program_exp_desc_t *program = GEO_CHAIN_FIND(
        ze_module_desc_t, ze_module_program_exp_desc_t, GEO_CHAIN_OF(ze_module_desc_t, desc));
    if (program) {
        return create_program(context, device, program, log, out);
    }
    struct geo_compiler_source source;
    GEO_CHECK(source_fill(&source, desc->pInputModule, desc->inputSize, desc->pBuildFlags,
                          desc->pConstants));
    return geo_module_create_spirv(context, device, &source, 1, log, out);
}

ze_result_t geo_zeModuleCreate(ze_context_handle_t hContext, ze_device_handle_t hDevice,
                               const ze_module_desc_t *desc, ze_module_handle_t *phModule,
                               ze_module_build_log_handle_t *phBuildLog)
{
    struct geo_context *context;
    struct geo_device *device;
    GEO_CHECK(geo_context_device_from(hContext, hDevice, &context, &device));
    struct geo_build_log *log = geo_build_log_create(device->base.driver);
    if (!log) {
        return geo_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no memory for a build log");
    }
    struct geo_module *module;
    ze_result_t result = create_from(context, device, desc, &log->text, &module);
    if (result == ZE_RESULT_SUCCESS) {
        *phModule = geo_module_handle(module);
    } else if (log->text.length == 0) { /* any other error is logged here */
        geo_strbuf_printf(&log->text, "error: %s\n", geo_error_text());
    }
    if (phBuildLog) { /* also if the build failed (MOD-5) */
        if (result == ZE_RESULT_SUCCESS) {
            geo_module_complete_set_log(module, log);
        }
        *phBuildLog = geo_build_log_handle(log);
    } else {
        geo_object_close(&log->base);
    }
    if (result == ZE_RESULT_SUCCESS && geo_module_part(module)) {
        geo_module_ahead_begin(module);
    }
    return result;
}

ze_result_t geo_zeModuleDestroy(ze_module_handle_t hModule)
{
    struct geo_module *module;
    GEO_CHECK(geo_module_from(hModule, &module));
    geo_module_ahead_end(module);
    geo_object_close(&module->base);
    return ZE_RESULT_SUCCESS;
}

/* ---- build log ---- */

ze_result_t geo_zeModuleBuildLogDestroy(ze_module_build_log_handle_t hModuleBuildLog)
{
    struct geo_build_log *log;
    GEO_CHECK(geo_build_log_from(hModuleBuildLog, &log));
    geo_object_close(&log->base);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeModuleBuildLogGetString(ze_module_build_log_handle_t hModuleBuildLog,
                                          size_t *pSize, char *pBuildLog)
{
    struct geo_build_log *log;
    GEO_CHECK(geo_build_log_from(hModuleBuildLog, &log));
    size_t length = geo_build_log_length(log); /* a kernel's build may add to it meanwhile */
    if (pBuildLog && *pSize > length) {
        geo_build_log_read(log, pBuildLog, length);
        *pSize = length + 1;
        return ZE_RESULT_SUCCESS;
    }
    return geo_blob_copy("", length + 1, pSize, pBuildLog); /* only tells the size */
}

/* ---- queries ---- */

ze_result_t geo_zeModuleGetNativeBinary(ze_module_handle_t hModule, size_t *pSize,
                                        uint8_t *pModuleNativeBinary)
{
    struct geo_module *module;
    const struct geo_module_binary *binary;
    GEO_CHECK(geo_module_from(hModule, &module));
    GEO_CHECK(geo_module_complete_binary(module, &binary));
    if (pModuleNativeBinary && *pSize == 0) { /* a size of 0 means that the size is not given */
        *pSize = binary->size;
    }
    return geo_blob_copy(binary->bytes, binary->size, pSize, pModuleNativeBinary);
}

ze_result_t geo_zeModuleGetKernelNames(ze_module_handle_t hModule, uint32_t *pCount,
                                       const char **pNames)
{
    struct geo_module *module;
    GEO_CHECK(geo_module_from(hModule, &module));
    const struct geo_native_view *view = &module->binary->view;
    uint32_t count = geo_count_protocol(pCount, view->header->kernel_count, pNames);
    for (uint32_t i = 0; i < count; i++) {
        pNames[i] = geo_native_string(view, view->kernels[i].name);
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeModuleGetProperties(ze_module_handle_t hModule,
                                      ze_module_properties_t *pModuleProperties)
{
    struct geo_module *module;
    GEO_CHECK(geo_module_from(hModule, &module));
    pModuleProperties->flags = module->import_count ? ZE_MODULE_PROPERTY_FLAG_IMPORTS : 0;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeModuleGetGlobalPointer(ze_module_handle_t hModule, const char *pGlobalName,
                                         size_t *pSize, void **pptr)
{
    struct geo_module *module;
    GEO_CHECK(geo_module_from(hModule, &module));
    GEO_CHECK(geo_module_check_linked(module));
    const struct geo_module_part *part = geo_module_part(module);
    size_t size;
    void *address;
    if (geo_module_code_global(part, pGlobalName, &size, &address) != ZE_RESULT_SUCCESS) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_GLOBAL_NAME,
                        "the module has no global \"%.100s\"%s", pGlobalName,
                        geo_module_binary_hint(part->native, pGlobalName));
    }
    if (pSize) {
        *pSize = size;
    }
    if (pptr) {
        *pptr = address;
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zeModuleGetFunctionPointer(ze_module_handle_t hModule, const char *pFunctionName,
                                           void **pfnFunction)
{
    struct geo_module *module;
    GEO_CHECK(geo_module_from(hModule, &module));
    GEO_CHECK(geo_module_check_linked(module));
    return geo_module_function(module, pFunctionName, pfnFunction);
}
