/* Programs as objects, and what can be asked of them. */
#include "opencl/program.h"

#include "opencl/info.h"
#include "opencl/result.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

bool geo_ocl_program_is(cl_program program)
{
    return geo_ocl_object_is(program, GEO_OCL_PROGRAM);
}

void geo_ocl_program_build_reset(struct geo_ocl_build *build, bool keeps_binary)
{
    uint8_t *binary = keeps_binary ? build->binary : NULL;
    size_t bytes = keeps_binary ? build->binary_bytes : 0;
    if (!keeps_binary) {
        free(build->binary);
    }
    if (build->module) {
        zeModuleDestroy(build->module);
    }
    geo_ocl_spirv_finish(&build->functions);
    geo_ocl_binary_modules_finish(&build->modules);
    free(build->options);
    free(build->log);
    free(build->flags);
    *build =
        (struct geo_ocl_build){.status = CL_BUILD_NONE, .binary = binary, .binary_bytes = bytes};
}

static void program_destroy(void *object)
{
    cl_program program = object;
    for (cl_uint i = 0; i < program->device_count && program->builds; i++) {
        geo_ocl_program_build_reset(&program->builds[i], false);
    }
    geo_array_finish(&program->constants);
    pthread_mutex_destroy(&program->lock);
    geo_ocl_object_drop(program->context);
    free(program->devices);
    free(program->builds);
    free(program->source);
    free(program->il);
    free(program);
}

cl_program geo_ocl_program_create(cl_context context, cl_uint count, const cl_device_id *devices)
{
    cl_program program = calloc(1, sizeof(*program));
    if (!program) {
        return NULL;
    }
    geo_ocl_object_init(program, GEO_OCL_PROGRAM, program_destroy);
    pthread_mutex_init(&program->lock, NULL);
    program->context = geo_ocl_object_hold(context);
    program->devices = calloc(count, sizeof(*program->devices));
    program->builds = calloc(count, sizeof(*program->builds));
    if (!program->devices || !program->builds) {
        geo_ocl_object_drop(program);
        return NULL;
    }
    memcpy(program->devices, devices, count * sizeof(*devices));
    program->device_count = count;
    for (cl_uint i = 0; i < count; i++) {
        program->builds[i].status = CL_BUILD_NONE;
    }
    return program;
}

struct geo_ocl_build *geo_ocl_program_build(cl_program program, cl_device_id device)
{
    for (cl_uint i = 0; i < program->device_count; i++) {
        if (program->devices[i] == device) {
            return &program->builds[i];
        }
    }
    return NULL;
}

struct geo_ocl_build *geo_ocl_program_executable(cl_program program)
{
    for (cl_uint i = 0; i < program->device_count; i++) {
        if (program->builds[i].module) {
            return &program->builds[i];
        }
    }
    return NULL;
}

/* ---- creation ---- */

CL_API_ENTRY cl_program CL_API_CALL clCreateProgramWithSource(cl_context context, cl_uint count,
                                                              const char **strings,
                                                              const size_t *lengths, cl_int *error)
{
    struct geo_strbuf text;
    cl_int result = geo_ocl_context_is(context) ? CL_SUCCESS : CL_INVALID_CONTEXT;
    if (result == CL_SUCCESS && (count == 0 || !strings)) {
        result = CL_INVALID_VALUE;
    }
    geo_strbuf_init(&text, 0);
    geo_strbuf_add(&text, "", 0);
    for (cl_uint i = 0; i < count && result == CL_SUCCESS; i++) {
        if (!strings[i]) {
            result = CL_INVALID_VALUE;
            break;
        }
        size_t length = lengths && lengths[i] ? lengths[i] : strlen(strings[i]);
        geo_strbuf_add(&text, strings[i], length);
    }
    cl_program program = NULL;
    if (result == CL_SUCCESS) {
        program = geo_ocl_program_create(context, context->device_count, context->devices);
        if (program) {
            program->source = text.length ? geo_strbuf_take(&text, &(size_t){0}) : strdup("");
        }
        if (!program || !program->source) {
            geo_ocl_object_drop(program);
            program = NULL;
            result = CL_OUT_OF_HOST_MEMORY;
        }
    }
    geo_strbuf_finish(&text);
    geo_ocl_object_error(error, result);
    return program;
}

CL_API_ENTRY cl_program CL_API_CALL clCreateProgramWithIL(cl_context context, const void *il,
                                                          size_t bytes, cl_int *error)
{
    struct geo_ocl_functions functions = {0};
    cl_program program = NULL;
    cl_int result = CL_SUCCESS;
    if (!geo_ocl_context_is(context)) {
        result = CL_INVALID_CONTEXT;
    } else if (!il || bytes == 0 || bytes % sizeof(uint32_t)) {
        result = CL_INVALID_VALUE;
    } else {
        program = geo_ocl_program_create(context, context->device_count, context->devices);
        if (program) {
            program->il = malloc(bytes);
            program->il_bytes = bytes;
        }
        result = program && program->il ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    }
    if (result == CL_SUCCESS) {
        memcpy(program->il, il, bytes);
        if (!geo_ocl_spirv_read(program->il, bytes, &functions)) {
            result = CL_INVALID_VALUE;
        }
        geo_ocl_spirv_finish(&functions);
    }
    if (result != CL_SUCCESS) {
        geo_ocl_object_drop(program);
        program = NULL;
    }
    geo_ocl_object_error(error, result);
    return program;
}

CL_API_ENTRY cl_program CL_API_CALL clCreateProgramWithILKHR(cl_context context, const void *il,
                                                             size_t bytes, cl_int *error)
{
    return clCreateProgramWithIL(context, il, bytes, error);
}

/* Returns whether bytes are a binary of ours, or an ELF file that zeModuleCreate may take. */
static bool is_binary(const unsigned char *bytes, size_t count)
{
    struct geo_ocl_binary binary;
    return geo_ocl_binary_parse(bytes, count, &binary) ||
           (count > 16 && memcmp(bytes, "\177ELF", 4) == 0);
}

static cl_int binaries_check(cl_context context, cl_uint count, const cl_device_id *devices,
                             const size_t *lengths, const unsigned char **binaries)
{
    if (!geo_ocl_context_is(context)) {
        return CL_INVALID_CONTEXT;
    }
    if (count == 0 || !devices || !lengths || !binaries) {
        return CL_INVALID_VALUE;
    }
    for (cl_uint i = 0; i < count; i++) {
        if (!geo_ocl_device_is(devices[i]) || !geo_ocl_context_has(context, devices[i])) {
            return CL_INVALID_DEVICE;
        }
    }
    return CL_SUCCESS;
}

CL_API_ENTRY cl_program CL_API_CALL clCreateProgramWithBinary(cl_context context, cl_uint count,
                                                              const cl_device_id *devices,
                                                              const size_t *lengths,
                                                              const unsigned char **binaries,
                                                              cl_int *statuses, cl_int *error)
{
    cl_program program = NULL;
    cl_int result = binaries_check(context, count, devices, lengths, binaries);
    for (cl_uint i = 0; i < count && (result == CL_SUCCESS || result == CL_INVALID_BINARY); i++) {
        cl_int status = !binaries[i] || lengths[i] == 0       ? CL_INVALID_VALUE
                        : !is_binary(binaries[i], lengths[i]) ? CL_INVALID_BINARY
                                                              : CL_SUCCESS;
        if (statuses) {
            statuses[i] = status;
        }
        result = status == CL_SUCCESS ? result : status;
    }
    if (result == CL_SUCCESS) {
        program = geo_ocl_program_create(context, count, devices);
        result = program ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    }
    for (cl_uint i = 0; i < count && result == CL_SUCCESS; i++) {
        struct geo_ocl_build *build = &program->builds[i];
        build->binary = malloc(lengths[i]);
        if (!build->binary) {
            result = CL_OUT_OF_HOST_MEMORY;
            break;
        }
        memcpy(build->binary, binaries[i], lengths[i]);
        build->binary_bytes = lengths[i];
        struct geo_ocl_binary binary;
        if (geo_ocl_binary_parse(build->binary, lengths[i], &binary) &&
            binary.type != CL_PROGRAM_BINARY_TYPE_EXECUTABLE) {
            build->type = binary.type; /* ready to be linked */
            result = geo_ocl_binary_modules(&binary, &build->modules) ? CL_SUCCESS
                                                                      : CL_OUT_OF_HOST_MEMORY;
        }
    }
    if (program && result == CL_SUCCESS) {
        program->has_binaries = true;
    } else {
        geo_ocl_object_drop(program);
        program = NULL;
    }
    geo_ocl_object_error(error, result);
    return program;
}

CL_API_ENTRY cl_program CL_API_CALL clCreateProgramWithBuiltInKernels(cl_context context,
                                                                      cl_uint count,
                                                                      const cl_device_id *devices,
                                                                      const char *names,
                                                                      cl_int *error)
{
    cl_int result = CL_INVALID_VALUE; /* devices have no kernels of their own */
    if (!geo_ocl_context_is(context)) {
        result = CL_INVALID_CONTEXT;
    } else if (count && devices && names) {
        for (cl_uint i = 0; i < count; i++) {
            if (!geo_ocl_device_is(devices[i]) || !geo_ocl_context_has(context, devices[i])) {
                result = CL_INVALID_DEVICE;
            }
        }
    }
    geo_ocl_object_error(error, result);
    return NULL;
}

CL_API_ENTRY cl_int CL_API_CALL clRetainProgram(cl_program program)
{
    return geo_ocl_object_retain(program, GEO_OCL_PROGRAM, CL_INVALID_PROGRAM);
}

CL_API_ENTRY cl_int CL_API_CALL clReleaseProgram(cl_program program)
{
    return geo_ocl_object_release(program, GEO_OCL_PROGRAM, CL_INVALID_PROGRAM);
}

CL_API_ENTRY cl_int CL_API_CALL clSetProgramReleaseCallback(
    cl_program program, void(CL_CALLBACK *function)(cl_program, void *), void *data)
{
    (void)function;
    (void)data;
    /* It was for programs with global constructors, which OpenCL 3.0 does not have. */
    return geo_ocl_program_is(program) ? CL_INVALID_OPERATION : CL_INVALID_PROGRAM;
}

CL_API_ENTRY cl_int CL_API_CALL clSetProgramSpecializationConstant(cl_program program, cl_uint id,
                                                                   size_t bytes, const void *value)
{
    if (!geo_ocl_program_is(program) || !program->il) {
        return CL_INVALID_PROGRAM;
    }
    uint32_t bits = geo_ocl_spirv_constant(program->il, program->il_bytes, id);
    if (bits == 0) {
        return CL_INVALID_SPEC_ID;
    }
    if (!value || bytes != bits / 8) {
        return CL_INVALID_VALUE;
    }
    cl_int result = CL_SUCCESS;
    pthread_mutex_lock(&program->lock);
    size_t i = 0;
    while (i < program->constants.count && program->constants.items[i].id != id) {
        i++;
    }
    if (i == program->constants.count && !geo_array_reserve(&program->constants, 1)) {
        result = CL_OUT_OF_HOST_MEMORY;
    } else {
        program->constants.count += i == program->constants.count;
        program->constants.items[i] = (struct geo_ocl_constant){.id = id};
        memcpy(&program->constants.items[i].value, value, bytes);
    }
    pthread_mutex_unlock(&program->lock);
    return result;
}

/* ---- questions ---- */

/* Makes the binary of a build. The lock is held. */
static cl_int binary_make_locked(struct geo_ocl_build *build)
{
    uint8_t *native = NULL;
    size_t bytes = 0;
    if (build->binary || build->type == CL_PROGRAM_BINARY_TYPE_NONE) {
        return CL_SUCCESS;
    }
    if (build->module) {
        ze_result_t result = zeModuleGetNativeBinary(build->module, &bytes, NULL);
        native = result == ZE_RESULT_SUCCESS ? malloc(bytes ? bytes : 1) : NULL;
        if (!native ||
            zeModuleGetNativeBinary(build->module, &bytes, native) != ZE_RESULT_SUCCESS) {
            free(native);
            return native ? CL_OUT_OF_RESOURCES : CL_OUT_OF_HOST_MEMORY;
        }
    }
    build->binary =
        geo_ocl_binary_make(build->type, native, bytes, build->flags ? build->flags : "",
                            &build->modules, &build->binary_bytes);
    free(native);
    return build->binary ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
}

/* Answers CL_PROGRAM_BINARY_SIZES and CL_PROGRAM_BINARIES. */
static cl_int binaries_info(cl_program program, bool sizes, const struct geo_ocl_info *info)
{
    size_t bytes = program->device_count * (sizes ? sizeof(size_t) : sizeof(unsigned char *));
    if (info->value && info->size < bytes) {
        return CL_INVALID_VALUE;
    }
    for (cl_uint i = 0; i < program->device_count && info->value; i++) {
        struct geo_ocl_build *build = &program->builds[i];
        pthread_mutex_lock(&program->lock);
        cl_int result = binary_make_locked(build);
        pthread_mutex_unlock(&program->lock);
        if (result != CL_SUCCESS) {
            return result;
        }
        if (sizes) {
            ((size_t *)info->value)[i] = build->binary_bytes;
        } else if (((unsigned char **)info->value)[i] && build->binary) {
            memcpy(((unsigned char **)info->value)[i], build->binary, build->binary_bytes);
        }
    }
    if (info->size_ret) {
        *info->size_ret = bytes;
    }
    return CL_SUCCESS;
}

/* Answers CL_PROGRAM_KERNEL_NAMES. */
static cl_int names_info(const struct geo_ocl_build *build, const struct geo_ocl_info *info)
{
    struct geo_strbuf text;
    geo_strbuf_init(&text, 0);
    for (size_t i = 0; i < build->functions.count; i++) {
        geo_strbuf_printf(&text, "%s%s", i ? ";" : "", build->functions.items[i].name);
    }
    cl_int result =
        text.truncated ? CL_OUT_OF_HOST_MEMORY : geo_ocl_info_text(info, geo_strbuf_text(&text));
    geo_strbuf_finish(&text);
    return result;
}

CL_API_ENTRY cl_int CL_API_CALL clGetProgramInfo(cl_program program, cl_program_info name,
                                                 size_t size, void *value, size_t *size_ret)
{
    const struct geo_ocl_info info = {size, value, size_ret};
    if (!geo_ocl_program_is(program)) {
        return CL_INVALID_PROGRAM;
    }
    struct geo_ocl_build *build = geo_ocl_program_executable(program);
    switch (name) {
    case CL_PROGRAM_REFERENCE_COUNT:
        return geo_ocl_info_value(&info, cl_uint, geo_ocl_object_references(program));
    case CL_PROGRAM_CONTEXT:
        return geo_ocl_info_value(&info, cl_context, program->context);
    case CL_PROGRAM_NUM_DEVICES:
        return geo_ocl_info_value(&info, cl_uint, program->device_count);
    case CL_PROGRAM_DEVICES:
        return geo_ocl_info_bytes(&info, program->devices,
                                  program->device_count * sizeof(cl_device_id));
    case CL_PROGRAM_SOURCE:
        return geo_ocl_info_text(&info, program->source);
    case CL_PROGRAM_IL:
        return geo_ocl_info_bytes(&info, program->il, program->il_bytes);
    case CL_PROGRAM_BINARY_SIZES:
        return binaries_info(program, true, &info);
    case CL_PROGRAM_BINARIES:
        return binaries_info(program, false, &info);
    case CL_PROGRAM_NUM_KERNELS:
        return build ? geo_ocl_info_value(&info, size_t, build->functions.count)
                     : CL_INVALID_PROGRAM_EXECUTABLE;
    case CL_PROGRAM_KERNEL_NAMES:
        return build ? names_info(build, &info) : CL_INVALID_PROGRAM_EXECUTABLE;
    case CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT:
    case CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT:
        return geo_ocl_info_value(&info, cl_bool, CL_FALSE);
    default:
        return CL_INVALID_VALUE;
    }
}

/* A binary that is not built yet is an executable, unless it is a part to be linked. */
static cl_program_binary_type binary_type(const struct geo_ocl_build *build)
{
    return build->binary && build->type == CL_PROGRAM_BINARY_TYPE_NONE
               ? CL_PROGRAM_BINARY_TYPE_EXECUTABLE
               : build->type;
}

CL_API_ENTRY cl_int CL_API_CALL clGetProgramBuildInfo(cl_program program, cl_device_id device,
                                                      cl_program_build_info name, size_t size,
                                                      void *value, size_t *size_ret)
{
    const struct geo_ocl_info info = {size, value, size_ret};
    if (!geo_ocl_program_is(program)) {
        return CL_INVALID_PROGRAM;
    }
    const struct geo_ocl_build *build =
        geo_ocl_device_is(device) ? geo_ocl_program_build(program, device) : NULL;
    if (!build) {
        return CL_INVALID_DEVICE;
    }
    switch (name) {
    case CL_PROGRAM_BUILD_STATUS:
        return geo_ocl_info_value(&info, cl_build_status, build->status);
    case CL_PROGRAM_BUILD_OPTIONS:
        return geo_ocl_info_text(&info, build->options);
    case CL_PROGRAM_BUILD_LOG:
        return geo_ocl_info_text(&info, build->log);
    case CL_PROGRAM_BINARY_TYPE:
        return geo_ocl_info_value(&info, cl_program_binary_type, binary_type(build));
    case CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE:
        return geo_ocl_info_value(&info, size_t, 0);
    default:
        return CL_INVALID_VALUE;
    }
}
