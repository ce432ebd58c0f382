/* Loads programs and launches kernels. See program.h. */
#include "backend/cuda/compute/program.h"

#include "backend/cuda/compute/kernel.h"
#include "backend/cuda/compute/reach.h"
#include "backend/cuda/driver/result.h"
#include "backend/cuda/nvml/device.h"
#include "native/native.h"

#include <stdlib.h>
#include <string.h>

#define JIT_LOG_BYTES 8192u

/* Launches with more dynamic shared memory must be allowed for each kernel. */
#define SHARED_DEFAULT (48u << 10)

/* A variable that the host can find. */
struct variable {
    char *symbol; /* owned */
    void *address;
};

struct geo_backend_program {
    struct geo_backend_device *device;
    geo_cuda_module module;
    struct geo_backend_kernel *kernels;
    struct variable *variables;
    uint32_t kernel_count, variable_count;
};

/* ---- loading ---- */

/* (in the context) Makes a module of PTX or of machine code. The log of the PTX compiler tells what
 * it does not like. */
static ze_result_t module_load(struct geo_backend_program *program, const void *code,
                               struct geo_strbuf *log)
{
    const struct geo_cuda *cuda = program->device->compute->cuda;
    char *text = calloc(1, JIT_LOG_BYTES);
    int options[] = {GEO_CUDA_JIT_ERROR_LOG_BUFFER, GEO_CUDA_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {text, (void *)(uintptr_t)JIT_LOG_BYTES};
    if (!text) {
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    ze_result_t result =
        GEO_CUDA_ASK(cuda, log, ModuleLoadDataEx, &program->module, code, 2, options, values);
    if (result != ZE_RESULT_SUCCESS) {
        text[JIT_LOG_BYTES - 1] = '\0';
        geo_strbuf_printf(log, "\n%s\n", text);
    }
    free(text);
    return result;
}

/* (in the context) Finds a kernel's function. A kernel whose local memory may exceed the default is
 * allowed all that the GPU has. */
static ze_result_t kernel_load(struct geo_backend_program *program,
                               const struct geo_native_view *view,
                               const struct geo_native_payload *payload, uint32_t index,
                               struct geo_strbuf *log)
{
    const struct geo_cuda *cuda = program->device->compute->cuda;
    struct geo_backend_kernel *kernel = &program->kernels[index];
    const char *name =
        geo_native_string(view, geo_native_payload_entry(view, payload, index)->symbol);
    if (!geo_compute_kernel_init(kernel, view, &view->kernels[index])) {
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    program->kernel_count++;
    int code = GEO_CUDA(cuda, ModuleGetFunction, &kernel->function, program->module, name);
    if (code == GEO_CUDA_NOT_FOUND) {
        geo_strbuf_printf(log, "the code has no kernel %s\n", name);
        return ZE_RESULT_ERROR_INVALID_NATIVE_BINARY;
    }
    if (code == GEO_CUDA_SUCCESS &&
        (kernel->arguments.local_count || kernel->arguments.variable_bytes > SHARED_DEFAULT)) {
        code =
            GEO_CUDA(cuda, FuncSetAttribute, kernel->function, GEO_CUDA_FUNCTION_MAX_DYNAMIC_SHARED,
                     (int)program->device->info.max_local_bytes);
    }
    return geo_cuda_answer(cuda, code, "ModuleGetFunction", log);
}

/* (in the context) Finds a variable, and lets streams know its memory. */
static ze_result_t variable_load(struct geo_backend_program *program, const char *symbol,
                                 struct geo_strbuf *log)
{
    const struct geo_cuda *cuda = program->device->compute->cuda;
    struct variable *variable = &program->variables[program->variable_count];
    geo_cuda_address address = 0;
    size_t bytes = 0;
    int code = GEO_CUDA(cuda, ModuleGetGlobal, &address, &bytes, program->module, symbol);
    if (code == GEO_CUDA_NOT_FOUND) {
        geo_strbuf_printf(log, "the code has no variable %s\n", symbol);
        return ZE_RESULT_ERROR_INVALID_NATIVE_BINARY;
    }
    if (code != GEO_CUDA_SUCCESS) {
        return geo_cuda_answer(cuda, code, "ModuleGetGlobal", log);
    }
    variable->symbol = strdup(symbol);
    if (!variable->symbol || !geo_compute_reach_add((void *)(uintptr_t)address, bytes)) {
        free(variable->symbol);
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    variable->address = (void *)(uintptr_t)address;
    program->variable_count++;
    return ZE_RESULT_SUCCESS;
}

static bool has_imports(const struct geo_native_view *view)
{
    for (uint32_t i = 0; i < view->header->symbol_count; i++) {
        if (view->symbols[i].kind < GEO_SYMBOL_EXPORT_FUNCTION) {
            return true;
        }
    }
    return false;
}

/* (in the context) Fills a program. After a failure it must be unloaded. */
static ze_result_t program_fill(struct geo_backend_program *program,
                                const struct geo_native_view *view,
                                const struct geo_native_payload *payload, struct geo_strbuf *log)
{
    const struct geo_native_header *header = view->header;
    size_t bytes;
    program->kernels = calloc(header->kernel_count + 1u, sizeof(*program->kernels));
    program->variables = calloc(header->global_count + 1u, sizeof(*program->variables));
    if (!program->kernels || !program->variables) {
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    ze_result_t result = module_load(program, geo_native_payload_code(view, payload, &bytes), log);
    for (uint32_t i = 0; i < header->kernel_count && result == ZE_RESULT_SUCCESS; i++) {
        result = kernel_load(program, view, payload, i, log);
    }
    for (uint32_t i = 0; i < header->global_count && result == ZE_RESULT_SUCCESS; i++) {
        result = variable_load(program, geo_native_string(view, view->globals[i].symbol), log);
    }
    return result;
}

/* In a child of fork only the memory of the process is freed. */
static void program_unload(struct geo_backend_program *program)
{
    if (!program) {
        return;
    }
    struct geo_compute_device *device = program->device->compute;
    for (uint32_t i = 0; i < program->kernel_count; i++) {
        geo_compute_kernel_finish(&program->kernels[i]);
    }
    for (uint32_t i = 0; i < program->variable_count; i++) {
        if (geo_cuda_is_here(device->cuda)) {
            geo_compute_reach_remove(program->variables[i].address);
        }
        free(program->variables[i].symbol);
    }
    if (program->module && geo_compute_device_enter(device) == GEO_CUDA_SUCCESS) {
        (void)geo_compute_device_leave(device,
                                       GEO_CUDA(device->cuda, ModuleUnload, program->module));
    }
    free(program->kernels);
    free(program->variables);
    free(program);
}

static ze_result_t program_load(struct geo_backend_device *device,
                                const struct geo_native_view *view,
                                struct geo_backend_program **out, struct geo_strbuf *log)
{
    char reason[GEO_NATIVE_REASON_BYTES];
    const struct geo_native_payload *payload =
        geo_native_choose(view, &device->info.native, reason);
    if (!payload) {
        geo_strbuf_printf(log, "%s\n", reason);
        return ZE_RESULT_ERROR_INVALID_NATIVE_BINARY;
    }
    if (has_imports(view)) {
        geo_strbuf_printf(log, "modules cannot be linked on NVIDIA's GPUs yet\n");
        return ZE_RESULT_ERROR_INVALID_NATIVE_BINARY;
    }
    struct geo_backend_program *program = calloc(1, sizeof(*program));
    if (!program) {
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    program->device = device;
    int code = geo_compute_device_enter(device->compute);
    ze_result_t result = geo_cuda_answer(device->compute->cuda, code, "CtxPushCurrent", log);
    if (code == GEO_CUDA_SUCCESS) {
        result = program_fill(program, view, payload, log);
        (void)geo_compute_device_leave(device->compute, GEO_CUDA_SUCCESS);
    }
    if (result != ZE_RESULT_SUCCESS) {
        program_unload(program);
        return result;
    }
    *out = program;
    return ZE_RESULT_SUCCESS;
}

/* Programs with imports are not loaded, so there is nothing to complete. */
static ze_result_t program_bind(struct geo_backend_program *program,
                                const struct geo_backend_import *imports, uint32_t count,
                                struct geo_strbuf *log)
{
    (void)program;
    (void)imports;
    (void)count;
    geo_strbuf_printf(log, "modules cannot be linked on NVIDIA's GPUs yet\n");
    return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
}

/* ---- queries ---- */

static const struct geo_backend_kernel *program_kernel(struct geo_backend_program *program,
                                                       uint32_t index)
{
    return &program->kernels[index];
}

static ze_result_t program_symbol(struct geo_backend_program *program, const char *symbol,
                                  void **address)
{
    for (uint32_t i = 0; i < program->variable_count; i++) {
        if (strcmp(program->variables[i].symbol, symbol) == 0) {
            *address = program->variables[i].address;
            return ZE_RESULT_SUCCESS;
        }
    }
    return ZE_RESULT_ERROR_INVALID_GLOBAL_NAME;
}

/* Groups can wait for each other if all of them are on the GPU at the same time. */
static uint32_t program_cooperative_groups(struct geo_backend_device *device,
                                           const struct geo_backend_kernel *kernel,
                                           const uint32_t group_size[3],
                                           const uint64_t *local_bytes)
{
    struct geo_compute_device *gpu = device->compute;
    const uint32_t items = group_size[0] * group_size[1] * group_size[2];
    const uint64_t shared = geo_compute_kernel_local_bytes(kernel, local_bytes);
    int count = 0;
    if (geo_compute_device_enter(gpu) == GEO_CUDA_SUCCESS) {
        int code = GEO_CUDA(gpu->cuda, OccupancyMaxActiveBlocksPerMultiprocessor, &count,
                            kernel->function, (int)items, shared);
        count = geo_compute_device_leave(gpu, code) == GEO_CUDA_SUCCESS ? count : 0;
    }
    const uint32_t groups = count > 0 ? (uint32_t)count * device->info.subslices_per_slice : 1;
    return groups ? groups : 1;
}

/* ---- launches ---- */

static uint32_t dimensions(const struct geo_command_launch *launch)
{
    return launch->group_count[2] > 1 || launch->local_size[2] > 1   ? 3
           : launch->group_count[1] > 1 || launch->local_size[1] > 1 ? 2
                                                                     : 1;
}

/* CUDA copies the parameters during the call. */
int geo_compute_program_launch(struct geo_compute_queue *queue,
                               const struct geo_command_launch *launch)
{
    const struct geo_backend_kernel *kernel = launch->kernel;
    const uint32_t *groups = launch->group_count, *size = launch->local_size;
    const uint64_t shared = kernel->arguments.variable_bytes + launch->local_argument_bytes;
    uint64_t offset[3];
    uint32_t work_dim = dimensions(launch);
    void *parameters[] = {(uint8_t *)(uintptr_t)launch + launch->argument_offset, &offset[0],
                          &offset[1], &offset[2], &work_dim};
    memcpy(offset, launch->global_offset, sizeof(offset));
    if (groups[0] == 0 || groups[1] == 0 || groups[2] == 0) {
        return GEO_CUDA_SUCCESS;
    }
    return launch->cooperative ? GEO_QUEUE(queue, LaunchCooperativeKernel, kernel->function,
                                           groups[0], groups[1], groups[2], size[0], size[1],
                                           size[2], (unsigned)shared, queue->stream, parameters)
                               : GEO_QUEUE(queue, LaunchKernel, kernel->function, groups[0],
                                           groups[1], groups[2], size[0], size[1], size[2],
                                           (unsigned)shared, queue->stream, parameters, NULL);
}

const struct geo_program_ops geo_compute_program_ops = {
    .load = program_load,
    .bind = program_bind,
    .unload = program_unload,
    .kernel = program_kernel,
    .symbol = program_symbol,
    .argument_bytes = geo_compute_kernel_argument_bytes,
    .local_bytes = geo_compute_kernel_local_bytes,
    .encode = geo_compute_kernel_encode,
    .cooperative_groups = program_cooperative_groups,
};
