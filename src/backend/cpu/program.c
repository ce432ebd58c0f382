/* Programs of the CPU backend: loads native binaries and looks up their kernels and symbols. */
#include "backend/cpu/program.h"

#include "backend/cpu/debug/debug.h"
#include "backend/cpu/elf_register.h"
#include "backend/cpu/kernel.h"
#include "backend/cpu/launch.h"
#include "backend/host/host.h"
#include "backend/host/usage.h"
#include "base/assert.h"
#include "exec/job/contention.h"
#include "native/native.h"
#include "native/registers.h"

#include <stdlib.h>
#include <string.h>

struct program_symbol {
    char *name;
    void *address;
};

struct geo_backend_program {
    struct geo_backend_device *device; /* whose memory the image is charged to */
    uint64_t charged_bytes;            /* size of the image (usage.h) */
    struct geo_elf_image image;
    struct geo_elf_object object; /* valid until the program is bound */
    struct geo_elf_loading *loading;
    struct geo_elf_external *externals;
    uint32_t external_count;
    struct geo_elf_registration *registration;
    struct geo_cpu_debug_code *debugged; /* what debuggers know of it; NULL: nothing */
    struct geo_backend_kernel *kernels;
    uint32_t kernel_count;
    _Atomic uint32_t *costs; /* one per kernel */
    struct program_symbol *symbols;
    uint32_t symbol_count;
};

static void program_unload(struct geo_backend_program *program)
{
    if (!program) {
        return;
    }
    geo_cpu_debug_unload(program->debugged);
    geo_elf_unregister(program->registration);
    geo_elf_image_loading_end(program->loading);
    geo_elf_object_finish(&program->object);
    geo_elf_image_unload(&program->image);
    geo_usage_discharge(program->device, program->charged_bytes);
    free(program->externals);
    for (uint32_t i = 0; i < program->symbol_count; i++) {
        free(program->symbols[i].name);
    }
    free(program->symbols);
    for (uint32_t i = 0; program->kernels && i < program->kernel_count; i++) {
        geo_host_arguments_finish(&program->kernels[i].arguments);
        free((void *)(uintptr_t)program->kernels[i].name);
        free(program->kernels[i].contention);
        free(program->kernels[i].near_null);
    }
    free(program->costs);
    free(program->kernels);
    free(program);
}

static ze_result_t refuse(struct geo_strbuf *log, const char *what, const char *name)
{
    geo_strbuf_printf(log, "native binary refused: %s %s\n", what, name);
    return ZE_RESULT_ERROR_INVALID_NATIVE_BINARY;
}

static ze_result_t kernels_find(struct geo_backend_program *program,
                                const struct geo_native_view *view,
                                const struct geo_native_payload *payload,
                                const struct geo_elf_object *object, struct geo_strbuf *log)
{
    uint32_t count = view->header->kernel_count;
    program->kernels = calloc(count ? count : 1, sizeof(*program->kernels));
    program->costs = calloc(count ? count : 1, sizeof(*program->costs));
    if (!program->kernels || !program->costs) {
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    program->kernel_count = count;
    for (uint32_t i = 0; i < count; i++) {
        const struct geo_native_kernel *native = &view->kernels[i];
        const struct geo_native_cpu_kernel *record =
            (const void *)geo_native_payload_entry(view, payload, i);
        const char *symbol = geo_native_string(view, record->symbol);
        if (native->flags & GEO_KERNEL_DEFERRED) {
            continue; /* its code is another program, so nobody asks for it here */
        }
        void *entry = geo_elf_image_symbol_find(object, &program->image, symbol, true);
        if (!entry) {
            return refuse(log, "no code for kernel", geo_native_string(view, native->name));
        }
        GEO_ASSERT(record->lanes != 0); /* geo_native_parse has checked it */
        program->kernels[i] = (struct geo_backend_kernel){
            .needs =
                {
                    .lanes = record->lanes,
                    .linear = (record->flags & GEO_KERNEL_LINEAR) != 0,
                    .local_bytes = record->local_bytes,
                    .frame_bytes = record->frame_bytes,
                    .chunk_bytes = record->chunk_bytes,
                },
            .flags = native->flags | record->flags,
            .profile_flags = record->profile_flags,
            .free_registers = record->free_registers,
            .target = payload->target,
            .features = payload->features,
            .constants = program->image.base,
            .constants_bytes = program->image.code_bytes + program->image.constant_bytes,
            .name = strdup(geo_native_string(view, native->name)),
            .cost_ps = &program->costs[i],
        };
        memcpy(&program->kernels[i].entry, &entry, sizeof(entry));
        if (record->flags & GEO_KERNEL_CONTENDS) {
            program->kernels[i].contention = calloc(1, sizeof(struct geo_contention));
            if (!program->kernels[i].contention) {
                return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
            }
        }
        if (record->flags & GEO_KERNEL_NEAR_NULL) {
            program->kernels[i].near_null = calloc(1, sizeof(struct geo_cpu_near_null));
            if (!program->kernels[i].near_null) {
                return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
            }
        }
        if (!program->kernels[i].name ||
            !geo_host_arguments_init(&program->kernels[i].arguments, view, native,
                                     record->local_bytes)) {
            return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
        }
    }
    return ZE_RESULT_SUCCESS;
}

static ze_result_t symbol_add(struct geo_backend_program *program,
                              const struct geo_elf_object *object, const char *name, bool code,
                              struct geo_strbuf *log)
{
    void *address = geo_elf_image_symbol_find(object, &program->image, name, code);
    if (!address) {
        return refuse(log, "no definition of symbol", name);
    }
    char *copy = strdup(name);
    if (!copy) {
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    program->symbols[program->symbol_count++] =
        (struct program_symbol){.name = copy, .address = address};
    return ZE_RESULT_SUCCESS;
}

static bool is_import(const struct geo_native_symbol *symbol)
{
    return symbol->kind == GEO_SYMBOL_IMPORT_FUNCTION || symbol->kind == GEO_SYMBOL_IMPORT_VARIABLE;
}

static ze_result_t symbols_find(struct geo_backend_program *program,
                                const struct geo_native_view *view,
                                const struct geo_elf_object *object, struct geo_strbuf *log)
{
    const struct geo_native_header *header = view->header;
    ze_result_t result = ZE_RESULT_SUCCESS;
    program->symbols =
        calloc((size_t)header->global_count + header->symbol_count + 1, sizeof(*program->symbols));
    if (!program->symbols) {
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    for (uint32_t i = 0; i < header->global_count && result == ZE_RESULT_SUCCESS; i++) {
        result = symbol_add(program, object, geo_native_string(view, view->globals[i].symbol),
                            false, log);
    }
    for (uint32_t i = 0; i < header->symbol_count && result == ZE_RESULT_SUCCESS; i++) {
        const char *symbol = geo_native_string(view, view->symbols[i].symbol);
        if (!is_import(&view->symbols[i]) && symbol[0]) {
            result = symbol_add(program, object, symbol, false, log); /* descriptors are data */
        }
    }
    return result;
}

static int external_compare(const void *a, const void *b)
{
    return strcmp(((const struct geo_elf_external *)a)->symbol,
                  ((const struct geo_elf_external *)b)->symbol);
}

static ze_result_t externals_list(struct geo_backend_program *program,
                                  const struct geo_native_view *view)
{
    uint32_t count = view->header->symbol_count;
    program->externals = calloc(count + 1, sizeof(*program->externals));
    if (!program->externals) {
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (is_import(&view->symbols[i])) {
            program->externals[program->external_count++].symbol =
                geo_native_string(view, view->symbols[i].symbol);
        }
    }
    qsort(program->externals, program->external_count, sizeof(*program->externals),
          external_compare);
    return ZE_RESULT_SUCCESS;
}

/* Charges the placed image to the device: code, constants and variables, up to 1 GiB. */
static ze_result_t image_charge(struct geo_backend_program *program, struct geo_strbuf *log)
{
    if (!geo_usage_charge(program->device, program->image.bytes)) {
        geo_strbuf_printf(log, "the module needs %llu bytes of device memory, more than are left\n",
                          (unsigned long long)program->image.bytes);
        return ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY;
    }
    program->charged_bytes = program->image.bytes;
    return ZE_RESULT_SUCCESS;
}

/* Completes a program when all addresses are known. */
static ze_result_t program_finish(struct geo_backend_program *program, struct geo_strbuf *log)
{
    ze_result_t result = geo_elf_image_relocate(program->loading, log);
    program->loading = NULL;
    if (result == ZE_RESULT_SUCCESS) {
        program->registration = geo_elf_register(&program->object, &program->image);
    }
    if (program->registration) {
        size_t bytes;
        const void *binary = geo_elf_register_object(program->registration, &bytes);
        program->debugged = geo_cpu_debug_load(program->device, program->image.base,
                                               program->image.code_bytes, binary, bytes);
    }
    geo_elf_object_finish(&program->object);
    return result;
}

static ze_result_t program_fill(struct geo_backend_program *program,
                                const struct geo_native_view *view,
                                const struct geo_native_payload *payload, struct geo_strbuf *log)
{
    bool memory;
    size_t bytes;
    const uint8_t *code = geo_native_payload_code(view, payload, &bytes);
    if (!geo_elf_object_parse(code, bytes, &program->object, log, &memory)) {
        return memory ? ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY : ZE_RESULT_ERROR_INVALID_NATIVE_BINARY;
    }
    ze_result_t result = externals_list(program, view);
    if (result == ZE_RESULT_SUCCESS) {
        result = geo_elf_image_place(&program->object, program->externals, program->external_count,
                                     &program->image, &program->loading, log);
    }
    if (result == ZE_RESULT_SUCCESS) {
        result = image_charge(program, log);
    }
    if (result == ZE_RESULT_SUCCESS) {
        result = kernels_find(program, view, payload, &program->object, log);
    }
    if (result == ZE_RESULT_SUCCESS) {
        result = symbols_find(program, view, &program->object, log);
    }
    if (result == ZE_RESULT_SUCCESS && program->external_count == 0) {
        result = program_finish(program, log);
    }
    return result;
}

static ze_result_t program_bind(struct geo_backend_program *program,
                                const struct geo_backend_import *imports, uint32_t count,
                                struct geo_strbuf *log)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct geo_elf_external wanted = {.symbol = imports[i].symbol};
        struct geo_elf_external *found =
            bsearch(&wanted, program->externals, program->external_count,
                    sizeof(*program->externals), external_compare);
        if (found) {
            found->address = imports[i].address;
        }
    }
    for (uint32_t i = 0; i < program->external_count; i++) {
        if (!program->externals[i].address) {
            return refuse(log, "no address for", program->externals[i].symbol);
        }
    }
    return program_finish(program, log);
}

static ze_result_t program_load(struct geo_backend_device *device,
                                const struct geo_native_view *view,
                                struct geo_backend_program **out, struct geo_strbuf *log)
{
    char reason[GEO_NATIVE_REASON_BYTES];
    const struct geo_native_payload *payload =
        geo_native_choose(view, &device->info.native, reason);
    if (!payload) {
        geo_strbuf_printf(log, "native binary refused: %s\n", reason);
        return ZE_RESULT_ERROR_INVALID_NATIVE_BINARY;
    }
    struct geo_backend_program *program = calloc(1, sizeof(*program));
    if (!program) {
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    program->device = device;
    ze_result_t result = program_fill(program, view, payload, log);
    if (result != ZE_RESULT_SUCCESS) {
        program_unload(program);
        return result;
    }
    *out = program;
    return ZE_RESULT_SUCCESS;
}

static const struct geo_backend_kernel *program_kernel(struct geo_backend_program *program,
                                                       uint32_t index)
{
    return &program->kernels[index];
}

static ze_result_t program_symbol(struct geo_backend_program *program, const char *symbol,
                                  void **address)
{
    for (uint32_t i = 0; i < program->symbol_count; i++) {
        if (strcmp(program->symbols[i].name, symbol) == 0) {
            *address = program->symbols[i].address;
            return ZE_RESULT_SUCCESS;
        }
    }
    return ZE_RESULT_ERROR_INVALID_GLOBAL_NAME;
}

/* ---- launches ---- */

_Static_assert(GEO_HOST_LOCAL_ALIGN == GEO_ABI_SCRATCH_ALIGN,
               "local arguments lie in scratch behind the local variables");

static uint32_t kernel_argument_bytes(const struct geo_backend_kernel *kernel)
{
    return kernel->arguments.bytes;
}

static uint64_t kernel_local_bytes(const struct geo_backend_kernel *kernel, const uint64_t *sizes)
{
    return geo_host_arguments_local(&kernel->arguments, sizes);
}

static bool kernel_encode(const struct geo_backend_kernel *kernel, const void *arguments,
                          const uint64_t *local_bytes, struct geo_command_launch *launch,
                          void *block)
{
    if (kernel->flags & GEO_KERNEL_RESTRICTED && !geo_cpu_launch_fits(kernel, launch)) {
        return false;
    }
    launch->kernel = kernel;
    geo_host_arguments_encode(&kernel->arguments, arguments, local_bytes, launch, block);
    return true;
}

/* Limits of scratch memory and groups for launches with device barriers, where each group has its
 * own scratch. */
#define MEETING_BYTES  (UINT64_C(1) << 30)
#define MEETING_GROUPS (UINT64_C(1) << 16)

static uint32_t kernel_cooperative_groups(struct geo_backend_device *device,
                                          const struct geo_backend_kernel *kernel,
                                          const uint32_t group_size[3], const uint64_t *local_bytes)
{
    struct geo_scratch_layout layout;
    if ((kernel->flags & (GEO_KERNEL_DEVICE_BARRIER | GEO_KERNEL_WAITS)) !=
        GEO_KERNEL_DEVICE_BARRIER) {
        /* Groups that wait for each other outside of barriers need a worker each. */
        return geo_host_cooperative_groups(&device->info);
    }
    uint64_t arguments =
        geo_host_arguments_local(&kernel->arguments, local_bytes) - kernel->needs.local_bytes;
    if (!geo_abi_scratch(&kernel->needs, group_size, arguments, &layout) ||
        layout.total_bytes > MEETING_BYTES) {
        return 1;
    }
    uint64_t most = MEETING_BYTES / (layout.total_bytes ? layout.total_bytes : 1);
    return (uint32_t)(most < MEETING_GROUPS ? most : MEETING_GROUPS);
}

_Static_assert(GEO_NATIVE_REGISTERS_SEQUENCES == GEO_PROFILE_SEQUENCES,
               "room for the sequences of a kernel");

static uint32_t kernel_profile(const struct geo_backend_kernel *kernel,
                               zet_profile_register_sequence_t *sequences, uint32_t *count)
{
    *count = geo_native_registers_list(kernel->target, kernel->features, kernel->free_registers,
                                       sequences);
    return kernel->profile_flags;
}

const struct geo_program_ops geo_cpu_program_ops = {
    .load = program_load,
    .bind = program_bind,
    .unload = program_unload,
    .kernel = program_kernel,
    .symbol = program_symbol,
    .argument_bytes = kernel_argument_bytes,
    .local_bytes = kernel_local_bytes,
    .encode = kernel_encode,
    .cooperative_groups = kernel_cooperative_groups,
    .profile = kernel_profile,
};
