/* Builds of programs: compilation, linking, and both at once. They run on the calling thread, also
 * if the application wants to be notified. */
#include "opencl/options.h"
#include "opencl/program.h"
#include "opencl/result.h"
#include "opencl/source.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

typedef void(CL_CALLBACK *notify_function)(cl_program, void *);

/* One build for one device. */
struct job {
    cl_program program;
    cl_device_id device;
    struct geo_ocl_build *build;
    struct geo_ocl_options options;
    struct geo_strbuf log;
};

/* ---- modules of Level Zero ---- */

/* Appends a build log of Level Zero. */
static void log_add(struct geo_strbuf *log, ze_module_build_log_handle_t handle)
{
    size_t bytes = 0;
    char *text = NULL;
    if (handle && zeModuleBuildLogGetString(handle, &bytes, NULL) == ZE_RESULT_SUCCESS && bytes) {
        text = calloc(1, bytes + 1);
    }
    if (text && zeModuleBuildLogGetString(handle, &bytes, text) == ZE_RESULT_SUCCESS) {
        geo_strbuf_add(log, text, strlen(text));
    }
    free(text);
    if (handle) {
        zeModuleBuildLogDestroy(handle);
    }
}

static cl_int module_create(struct job *job, const ze_module_desc_t *desc)
{
    ze_module_build_log_handle_t log = NULL;
    ze_result_t result = zeModuleCreate(job->program->context->handle, job->device->handle, desc,
                                        &job->build->module, &log);
    log_add(&job->log, log);
    if (result != ZE_RESULT_SUCCESS) {
        job->build->module = NULL;
    }
    return geo_ocl_result(result);
}

/* Builds all SPIR-V modules of the build together. */
static cl_int modules_build(struct job *job, const char *flags)
{
    const struct geo_ocl_modules *modules = &job->build->modules;
    const size_t count = modules->count;
    size_t constant_count = job->program->constants.count;
    size_t *sizes = calloc(count, sizeof(*sizes));
    const uint8_t **inputs = calloc(count, sizeof(*inputs));
    const char **all_flags = calloc(count, sizeof(*all_flags));
    uint32_t *ids = calloc(constant_count + 1, sizeof(*ids));
    const void **values = calloc(constant_count + 1, sizeof(*values));
    cl_int result = CL_OUT_OF_HOST_MEMORY;
    if (sizes && inputs && all_flags && ids && values) {
        for (size_t i = 0; i < count; i++) {
            sizes[i] = modules->items[i].count;
            inputs[i] = modules->items[i].bytes;
            all_flags[i] = flags;
        }
        for (size_t i = 0; i < constant_count; i++) {
            ids[i] = job->program->constants.items[i].id;
            values[i] = &job->program->constants.items[i].value;
        }
        const ze_module_constants_t constants = {(uint32_t)constant_count, ids, values};
        const ze_module_program_exp_desc_t several = {
            .stype = ZE_STRUCTURE_TYPE_MODULE_PROGRAM_EXP_DESC,
            .count = (uint32_t)count,
            .inputSizes = sizes,
            .pInputModules = inputs,
            .pBuildFlags = all_flags,
        };
        const ze_module_desc_t desc = {
            .stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
            .pNext = count > 1 ? &several : NULL,
            .format = ZE_MODULE_FORMAT_IL_SPIRV,
            .inputSize = sizes[0],
            .pInputModule = inputs[0],
            .pBuildFlags = flags,
            .pConstants = constant_count ? &constants : NULL,
        };
        result = module_create(job, &desc);
    }
    free(sizes);
    free(inputs);
    free(all_flags);
    free(ids);
    free(values);
    return result;
}

static cl_int functions_read(struct geo_ocl_build *build)
{
    for (size_t i = 0; i < build->modules.count; i++) {
        if (!geo_ocl_spirv_read(build->modules.items[i].bytes, build->modules.items[i].count,
                                &build->functions)) {
            return CL_INVALID_BINARY;
        }
    }
    return CL_SUCCESS;
}

/* Lists the kernels of a native binary, whose arguments are not known. */
static cl_int functions_ask(struct geo_ocl_build *build)
{
    uint32_t count = 0;
    ze_result_t asked = zeModuleGetKernelNames(build->module, &count, NULL);
    const char **names = calloc(count + 1u, sizeof(*names));
    cl_int result = names ? geo_ocl_result(asked) : CL_OUT_OF_HOST_MEMORY;
    if (result == CL_SUCCESS) {
        result = geo_ocl_result(zeModuleGetKernelNames(build->module, &count, names));
    }
    for (uint32_t i = 0; i < count && result == CL_SUCCESS; i++) {
        ze_kernel_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES};
        const ze_kernel_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC,
                                       .pKernelName = names[i]};
        ze_kernel_handle_t kernel;
        struct geo_ocl_function function = {.name = strdup(names[i])};
        result = geo_ocl_result(zeKernelCreate(build->module, &desc, &kernel));
        if (result == CL_SUCCESS) {
            result = geo_ocl_result(zeKernelGetProperties(kernel, &properties));
            zeKernelDestroy(kernel);
        }
        function.argument_count = properties.numKernelArgs;
        function.arguments = calloc(function.argument_count + 1u, sizeof(*function.arguments));
        if (!function.name || !function.arguments || !geo_array_reserve(&build->functions, 1)) {
            result = CL_OUT_OF_HOST_MEMORY;
        }
        if (result != CL_SUCCESS) {
            free(function.name);
            free(function.arguments);
            break;
        }
        for (uint32_t k = 0; k < function.argument_count; k++) {
            function.arguments[k].access = GEO_OCL_NO_ACCESS;
        }
        build->functions.items[build->functions.count++] = function;
    }
    free(names);
    return result;
}

/* Makes an executable of the build's SPIR-V. */
static cl_int executable_make(struct job *job)
{
    const char *flags = geo_strbuf_text(&job->options.module);
    struct geo_ocl_build *build = job->build;
    cl_int result = build->modules.count ? modules_build(job, flags) : CL_INVALID_OPERATION;
    if (result == CL_SUCCESS) {
        result = functions_read(build);
    }
    if (result == CL_SUCCESS) {
        build->type = CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
        build->flags = strdup(flags);
        result = build->flags ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    }
    return result;
}

/* Makes an executable of the binary that the application gave. */
static cl_int binary_load(struct job *job)
{
    struct geo_ocl_build *build = job->build;
    struct geo_ocl_binary binary;
    if (!build->binary) {
        return CL_INVALID_BINARY;
    }
    bool is_ours = geo_ocl_binary_parse(build->binary, build->binary_bytes, &binary);
    if (is_ours) {
        geo_strbuf_printf(&job->options.module, "%s", binary.flags);
        if (!geo_ocl_binary_modules(&binary, &build->modules)) {
            return CL_OUT_OF_HOST_MEMORY;
        }
    }
    const ze_module_desc_t desc = {
        .stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
        .format = ZE_MODULE_FORMAT_NATIVE,
        .inputSize = is_ours ? binary.native_bytes : build->binary_bytes,
        .pInputModule = build->binary,
    };
    cl_int result = desc.inputSize ? module_create(job, &desc) : CL_INVALID_BINARY;
    if (result != CL_SUCCESS) {
        /* A binary of another version or machine. */
        return is_ours && build->modules.count ? executable_make(job) : result;
    }
    build->type = CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
    return is_ours ? functions_read(build) : functions_ask(build);
}

/* ---- jobs ---- */

/* Begins a build. Returns CL_SUCCESS, or `bad_options`. */
static cl_int job_begin(struct job *job, cl_program program, cl_device_id device,
                        const char *options, cl_int bad_options)
{
    job->program = program;
    job->device = device;
    job->build = geo_ocl_program_build(program, device);
    geo_strbuf_init(&job->log, 0);
    geo_ocl_program_build_reset(job->build, program->has_binaries);
    job->build->status = CL_BUILD_IN_PROGRESS;
    job->build->options = strdup(options ? options : "");
    if (!geo_ocl_options_read(&job->options, options) || !job->build->options) {
        return CL_OUT_OF_HOST_MEMORY;
    }
    if (job->options.unknown) {
        geo_strbuf_printf(&job->log, "Geoid: %s: not a build option that is known\n",
                          job->options.unknown);
        return bad_options;
    }
    return CL_SUCCESS;
}

static void job_end(struct job *job, cl_int result)
{
    struct geo_ocl_build *build = job->build;
    if (result != CL_SUCCESS) {
        if (build->module) {
            zeModuleDestroy(build->module);
            build->module = NULL;
        }
        build->type = CL_PROGRAM_BINARY_TYPE_NONE;
    }
    build->log = geo_strbuf_take(&job->log, &(size_t){0});
    build->status = result == CL_SUCCESS ? CL_BUILD_SUCCESS : CL_BUILD_ERROR;
    geo_ocl_options_finish(&job->options);
    geo_strbuf_finish(&job->log);
}

/* Compiles the program's source, or takes its SPIR-V. */
static cl_int spirv_make(struct job *job, const struct geo_ocl_header *headers, size_t header_count)
{
    uint8_t *spirv;
    size_t count;
    cl_program program = job->program;
    if (program->il) {
        return geo_ocl_binary_module_add(&job->build->modules, program->il, program->il_bytes)
                   ? CL_SUCCESS
                   : CL_OUT_OF_HOST_MEMORY;
    }
    cl_int result = geo_ocl_source_compile(job->device, program->source, headers, header_count,
                                           &job->options, &job->log, &spirv, &count);
    if (result == CL_SUCCESS) {
        result = geo_ocl_binary_module_add(&job->build->modules, spirv, count)
                     ? CL_SUCCESS
                     : CL_OUT_OF_HOST_MEMORY;
        free(spirv);
    }
    return result;
}

/* Checks what all three functions have in common, and completes the list of devices. */
static cl_int arguments_check(cl_context context, cl_uint *count, const cl_device_id **devices,
                              cl_uint all_count, const cl_device_id *all, bool has_notify,
                              const void *data)
{
    if ((*count == 0) != (*devices == NULL) || (!has_notify && data)) {
        return CL_INVALID_VALUE;
    }
    for (cl_uint i = 0; i < *count; i++) {
        if (!geo_ocl_device_is((*devices)[i]) || !geo_ocl_context_has(context, (*devices)[i])) {
            return CL_INVALID_DEVICE;
        }
    }
    if (*count == 0) {
        *count = all_count;
        *devices = all;
    }
    return CL_SUCCESS;
}

static cl_int program_check(cl_program program, cl_uint *count, const cl_device_id **devices,
                            bool has_notify, const void *data)
{
    if (!geo_ocl_program_is(program)) {
        return CL_INVALID_PROGRAM;
    }
    cl_int result = arguments_check(program->context, count, devices, program->device_count,
                                    program->devices, has_notify, data);
    for (cl_uint i = 0; i < *count && result == CL_SUCCESS; i++) {
        result = geo_ocl_program_build(program, (*devices)[i]) ? CL_SUCCESS : CL_INVALID_DEVICE;
    }
    if (result == CL_SUCCESS && atomic_load(&program->kernel_count)) {
        result = CL_INVALID_OPERATION;
    }
    return result;
}

/* ---- the API ---- */

CL_API_ENTRY cl_int CL_API_CALL clBuildProgram(cl_program program, cl_uint count,
                                               const cl_device_id *devices, const char *options,
                                               notify_function notify, void *data)
{
    cl_int result = program_check(program, &count, &devices, notify != NULL, data);
    if (result == CL_SUCCESS && !program->source && !program->il && !program->has_binaries) {
        result = CL_INVALID_OPERATION;
    }
    if (result != CL_SUCCESS) {
        return result;
    }
    for (cl_uint i = 0; i < count; i++) {
        struct job job;
        cl_int one = job_begin(&job, program, devices[i], options, CL_INVALID_BUILD_OPTIONS);
        if (one == CL_SUCCESS && program->has_binaries) {
            one = binary_load(&job);
        } else if (one == CL_SUCCESS) {
            one = spirv_make(&job, NULL, 0);
            one = one == CL_SUCCESS ? executable_make(&job) : one;
        }
        job_end(&job, one);
        result = one == CL_SUCCESS ? result : one;
    }
    if (notify) {
        notify(program, data);
    }
    return result;
}

/* Collects the headers of clCompileProgram. */
static cl_int headers_find(cl_uint count, const cl_program *programs, const char **names,
                           struct geo_ocl_header **out)
{
    if ((count == 0) != (programs == NULL) || (count == 0) != (names == NULL)) {
        return CL_INVALID_VALUE;
    }
    *out = calloc(count + 1u, sizeof(**out));
    if (!*out) {
        return CL_OUT_OF_HOST_MEMORY;
    }
    for (cl_uint i = 0; i < count; i++) {
        if (!geo_ocl_program_is(programs[i]) || !programs[i]->source) {
            return CL_INVALID_PROGRAM;
        }
        if (!names[i]) {
            return CL_INVALID_VALUE;
        }
        (*out)[i] = (struct geo_ocl_header){names[i], programs[i]->source};
    }
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clCompileProgram(cl_program program, cl_uint count,
                                                 const cl_device_id *devices, const char *options,
                                                 cl_uint header_count, const cl_program *headers,
                                                 const char **names, notify_function notify,
                                                 void *data)
{
    struct geo_ocl_header *list = NULL;
    cl_int result = program_check(program, &count, &devices, notify != NULL, data);
    if (result == CL_SUCCESS && !program->source && !program->il) {
        result = CL_INVALID_OPERATION;
    }
    if (result == CL_SUCCESS) {
        result = headers_find(header_count, headers, names, &list);
    }
    if (result != CL_SUCCESS) {
        free(list);
        return result;
    }
    for (cl_uint i = 0; i < count; i++) {
        struct job job;
        cl_int one = job_begin(&job, program, devices[i], options, CL_INVALID_COMPILER_OPTIONS);
        if (one == CL_SUCCESS) {
            one = spirv_make(&job, list, header_count);
            one = one == CL_BUILD_PROGRAM_FAILURE ? CL_COMPILE_PROGRAM_FAILURE : one;
        }
        if (one == CL_SUCCESS) {
            job.build->type = CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT;
            job.build->flags = strdup(geo_strbuf_text(&job.options.module));
        }
        job_end(&job, one);
        result = one == CL_SUCCESS ? result : one;
    }
    free(list);
    if (notify) {
        notify(program, data);
    }
    return result;
}

/* Adds what was compiled of the inputs for a device. Flags of the compilation are kept. */
static cl_int inputs_add(struct job *job, cl_uint count, const cl_program *inputs)
{
    for (cl_uint i = 0; i < count; i++) {
        struct geo_ocl_build *from = geo_ocl_program_build(inputs[i], job->device);
        for (size_t k = 0; k < from->modules.count; k++) {
            if (!geo_ocl_binary_module_add(&job->build->modules, from->modules.items[k].bytes,
                                           from->modules.items[k].count)) {
                return CL_OUT_OF_HOST_MEMORY;
            }
        }
        if (i == 0 && from->flags && !job->options.makes_library) {
            geo_strbuf_printf(&job->options.module, "%s", from->flags);
        }
    }
    return CL_SUCCESS;
}

/* Checks that all inputs were compiled for a device, or that none was. */
static cl_int inputs_check(cl_device_id device, cl_uint count, const cl_program *inputs, bool *has)
{
    cl_uint found = 0;
    for (cl_uint i = 0; i < count; i++) {
        const struct geo_ocl_build *build = geo_ocl_program_build(inputs[i], device);
        found += build && (build->type == CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT ||
                           build->type == CL_PROGRAM_BINARY_TYPE_LIBRARY);
    }
    *has = found == count;
    return found == 0 || found == count ? CL_SUCCESS : CL_INVALID_OPERATION;
}

static cl_int link_check(cl_context context, cl_uint *count, const cl_device_id **devices,
                         cl_uint input_count, const cl_program *inputs, bool has_notify,
                         const void *data)
{
    if (!geo_ocl_context_is(context)) {
        return CL_INVALID_CONTEXT;
    }
    cl_int result = arguments_check(context, count, devices, context->device_count,
                                    context->devices, has_notify, data);
    if (result == CL_SUCCESS && (input_count == 0 || !inputs)) {
        result = CL_INVALID_VALUE;
    }
    for (cl_uint i = 0; i < input_count && result == CL_SUCCESS; i++) {
        result = geo_ocl_program_is(inputs[i]) ? CL_SUCCESS : CL_INVALID_PROGRAM;
    }
    bool any = false;
    for (cl_uint i = 0; i < *count && result == CL_SUCCESS; i++) {
        bool has;
        result = inputs_check((*devices)[i], input_count, inputs, &has);
        any = any || has;
    }
    return result == CL_SUCCESS && !any ? CL_INVALID_OPERATION : result;
}

CL_API_ENTRY cl_program CL_API_CALL clLinkProgram(cl_context context, cl_uint count,
                                                  const cl_device_id *devices, const char *options,
                                                  cl_uint input_count, const cl_program *inputs,
                                                  notify_function notify, void *data, cl_int *error)
{
    cl_program program = NULL;
    cl_int result =
        link_check(context, &count, &devices, input_count, inputs, notify != NULL, data);
    if (result == CL_SUCCESS) {
        program = geo_ocl_program_create(context, count, devices);
        result = program ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    }
    bool bad_options = false;
    for (cl_uint i = 0; i < count && program; i++) {
        struct job job;
        bool has;
        inputs_check(devices[i], input_count, inputs, &has);
        if (!has) {
            continue;
        }
        cl_int one = job_begin(&job, program, devices[i], options, CL_INVALID_LINKER_OPTIONS);
        one = one == CL_SUCCESS ? inputs_add(&job, input_count, inputs) : one;
        if (one == CL_SUCCESS && job.options.makes_library) {
            job.build->type = CL_PROGRAM_BINARY_TYPE_LIBRARY;
        } else if (one == CL_SUCCESS) {
            one = executable_make(&job);
            one = one == CL_BUILD_PROGRAM_FAILURE ? CL_LINK_PROGRAM_FAILURE : one;
        }
        bad_options = bad_options || one == CL_INVALID_LINKER_OPTIONS;
        job_end(&job, one);
        result = one == CL_SUCCESS ? result : one;
    }
    if (bad_options) {
        geo_ocl_object_drop(program);
        program = NULL;
    }
    if (notify && program) {
        notify(program, data);
    }
    geo_ocl_object_error(error, result);
    return program;
}
