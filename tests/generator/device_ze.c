/* Programs through Level Zero: public headers and the loader only. GEOID_LANES is set anew before
 * each build. See device_ze.h. */
#include "device_ze.h"

#include "spirv.h"

#include <level_zero/ze_api.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GUARD = 256, GUARD_BYTE = 0x5C, MAX_PARAMETERS = 64 };

typedef ze_result_t (*set_offset_fn)(ze_kernel_handle_t, uint32_t, uint32_t, uint32_t);

static struct {
    ze_driver_handle_t driver;
    ze_device_handle_t device;
    ze_context_handle_t context;
    ze_command_list_handle_t list;
    set_offset_fn set_offset;
} ze;

static bool failed(ze_result_t result, const char *what, char *text, size_t text_bytes)
{
    const char *words = NULL;
    if (result == ZE_RESULT_SUCCESS) {
        return false;
    }
    if (!ze.driver || zeDriverGetLastErrorDescription(ze.driver, &words) != ZE_RESULT_SUCCESS ||
        !words) {
        words = "";
    }
    snprintf(text, text_bytes, "%s gives 0x%x %s", what, (unsigned)result, words);
    return true;
}

#define TRY(call)                                                                                  \
    if (failed((call), #call, text, text_bytes)) {                                                 \
        return false;                                                                              \
    }

static bool ze_open(char *text, size_t text_bytes)
{
    ze_init_driver_type_desc_t types = {.stype = ZE_STRUCTURE_TYPE_INIT_DRIVER_TYPE_DESC,
                                        .flags = UINT32_MAX};
    uint32_t count = 1;
    TRY(zeInitDrivers(&count, &ze.driver, &types));
    count = 1;
    TRY(zeDeviceGet(ze.driver, &count, &ze.device));
    ze_context_desc_t context = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    TRY(zeContextCreate(ze.driver, &context, &ze.context));
    ze_command_queue_desc_t queue = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                     .mode = ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS};
    TRY(zeCommandListCreateImmediate(ze.context, ze.device, &queue, &ze.list));
    void *address = NULL;
    if (zeDriverGetExtensionFunctionAddress(ze.driver, "zeKernelSetGlobalOffsetExp", &address) ==
        ZE_RESULT_SUCCESS) {
        memcpy(&ze.set_offset, &address, sizeof(address));
    }
    return true;
}

static void ze_close(void)
{
    zeCommandListDestroy(ze.list);
    zeContextDestroy(ze.context);
}

/* ---- building ---- */

static void append_log(ze_module_build_log_handle_t log, char *text, size_t text_bytes)
{
    size_t used = strlen(text), size = 0;
    if (!log || zeModuleBuildLogGetString(log, &size, NULL) != ZE_RESULT_SUCCESS || size == 0) {
        return;
    }
    char *words = calloc(1, size + 1);
    if (words && zeModuleBuildLogGetString(log, &size, words) == ZE_RESULT_SUCCESS) {
        snprintf(text + used, text_bytes - used, "\n%s", words);
    }
    free(words);
}

/* Without optimisation W is 1, or the sub-group's size: a quarter of what runs at that anyway. */
static const char *build_flags(const struct gen_program *program, uint32_t lanes)
{
    bool plain = program->seed % 4 == 1 && (lanes == 1 || program->subgroup_size);
    return plain ? "-ze-fp32-correctly-rounded-divide-sqrt -ze-opt-disable"
                 : "-ze-fp32-correctly-rounded-divide-sqrt";
}

static bool build(const struct gen_program *program, uint32_t lanes, ze_module_handle_t *module,
                  char *text, size_t text_bytes)
{
    char number[16];
    size_t words;
    uint32_t *spirv = gen_emit_spirv(program, &words);
    ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                             .format = ZE_MODULE_FORMAT_IL_SPIRV,
                             .inputSize = words * sizeof(*spirv),
                             .pInputModule = (const uint8_t *)spirv,
                             .pBuildFlags = build_flags(program, lanes)};
    snprintf(number, sizeof(number), "%u", lanes);
    setenv("GEOID_LANES", number, 1);
    ze_module_build_log_handle_t log = NULL;
    bool good = !failed(zeModuleCreate(ze.context, ze.device, &desc, module, &log),
                        "zeModuleCreate", text, text_bytes);
    if (!good) {
        append_log(log, text, text_bytes);
    }
    if (log) {
        zeModuleBuildLogDestroy(log);
    }
    free(spirv);
    return good;
}

/* ---- running ---- */

struct launch {
    const struct gen_program *program;
    ze_kernel_handle_t kernel;
    uint8_t *base[MAX_PARAMETERS];
    uint8_t *data[MAX_PARAMETERS]; /* `bytes` with a guard on both sides */
    size_t bytes[MAX_PARAMETERS];
};

static bool set_argument(struct launch *launch, uint32_t index, const uint8_t *memory, char *text,
                         size_t text_bytes)
{
    const struct gen_variable *parameter = gen_kernel(launch->program)->parameters.items[index];
    if (parameter->role == GEN_PARAMETER) {
        uint8_t value[GEN_MAX_LEAVES * 8 * 4] = {0};
        gen_leaves_store(parameter->type, parameter->initial, value);
        TRY(zeKernelSetArgumentValue(launch->kernel, index, parameter->type->size, value));
        return true;
    }
    size_t bytes = gen_buffer_bytes(launch->program, parameter);
    if (parameter->role == GEN_SHARED) {
        TRY(zeKernelSetArgumentValue(launch->kernel, index, bytes, NULL));
        return true;
    }
    ze_device_mem_alloc_desc_t device = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    ze_host_mem_alloc_desc_t host = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    size_t before = parameter->shift * parameter->type->size;
    void *pointer = NULL;
    TRY(zeMemAllocShared(ze.context, &device, &host, before + bytes + 2 * GUARD, 128, ze.device,
                         &pointer));
    launch->base[index] = pointer;
    launch->bytes[index] = bytes;
    uint8_t *start = launch->base[index] + GUARD;
    launch->data[index] = start + before;
    memset(launch->data[index] - GUARD, GUARD_BYTE, bytes + 2 * GUARD);
    memcpy(launch->data[index], memory, bytes);
    TRY(zeKernelSetArgumentValue(launch->kernel, index, sizeof(start), &start));
    return true;
}

/* Nobody touches most of a far buffer, but there must be room for it. */
static bool fits(const struct gen_program *program)
{
    ze_device_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES};
    const struct gen_variables *parameters = &gen_kernel(program)->parameters;
    bool known = zeDeviceGetProperties(ze.device, &properties) == ZE_RESULT_SUCCESS;
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < parameters->count; i++) {
        bytes += parameters->items[i]->shift * parameters->items[i]->type->size;
    }
    return known && bytes < properties.maxMemAllocSize / 2;
}

static bool fetch(const struct launch *launch, uint32_t index, uint8_t *memory, char *text,
                  size_t text_bytes)
{
    const uint8_t *data = launch->data[index];
    const uint8_t *behind = data + launch->bytes[index], *before = data - GUARD;
    for (size_t i = 0; i < GUARD; i++) {
        if (before[i] != GUARD_BYTE || behind[i] != GUARD_BYTE) {
            snprintf(text, text_bytes, "parameter %u: written outside of the buffer", index);
            return false;
        }
    }
    memcpy(memory, data, launch->bytes[index]);
    return true;
}

/* A required size is the size, whatever GEOID_LANES says. */
static bool check_properties(const struct launch *launch, char *text, size_t text_bytes)
{
    uint32_t size = launch->program->subgroup_size;
    ze_kernel_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES};
    TRY(zeKernelGetProperties(launch->kernel, &properties));
    if (properties.requiredSubgroupSize != size || (size && properties.maxSubgroupSize != size)) {
        snprintf(text, text_bytes, "sub-groups of %u items, %u required, where %u are wanted",
                 properties.maxSubgroupSize, properties.requiredSubgroupSize, size);
        return false;
    }
    return true;
}

static bool execute(struct launch *launch, uint8_t *const *memory, bool *skipped, char *text,
                    size_t text_bytes)
{
    const struct gen_program *p = launch->program;
    uint32_t count = gen_kernel(p)->parameters.count;
    for (uint32_t i = 0; i < count; i++) {
        if (!set_argument(launch, i, memory[i], text, text_bytes)) {
            return false;
        }
    }
    TRY(zeKernelSetGroupSize(launch->kernel, p->local[0], p->local[1], p->local[2]));
    if (ze.set_offset) {
        TRY(ze.set_offset(launch->kernel, (uint32_t)p->offset[0], (uint32_t)p->offset[1],
                          (uint32_t)p->offset[2]));
    }
    ze_group_count_t groups = {p->groups[0], p->groups[1], p->groups[2]};
    if (gen_meets(p)) {
        uint32_t most = 0;
        TRY(zeKernelSuggestMaxCooperativeGroupCount(launch->kernel, &most));
        if (most < gen_group_total(p)) { /* it might wait elsewhere, too: one worker a group */
            *skipped = true;
            return true;
        }
        TRY(zeCommandListAppendLaunchCooperativeKernel(ze.list, launch->kernel, &groups, NULL, 0,
                                                       NULL));
    } else {
        TRY(zeCommandListAppendLaunchKernel(ze.list, launch->kernel, &groups, NULL, 0, NULL));
    }
    for (uint32_t i = 0; i < count; i++) {
        if (launch->base[i] && !fetch(launch, i, memory[i], text, text_bytes)) {
            return false;
        }
    }
    return true;
}

static bool ze_run(const struct gen_program *program, uint32_t lanes, uint8_t *const *memory,
                   bool *skipped, char *text, size_t text_bytes)
{
    struct launch launch = {.program = program};
    ze_module_handle_t module = NULL;
    bool moved = (program->offset[0] | program->offset[1] | program->offset[2]) != 0;
    if ((moved && !ze.set_offset) || !fits(program)) {
        *skipped = true;
        return true;
    }
    if (!build(program, lanes, &module, text, text_bytes)) {
        return false;
    }
    ze_kernel_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC,
                             .pKernelName = GEN_KERNEL_NAME};
    TRY(zeKernelCreate(module, &desc, &launch.kernel));
    bool good = check_properties(&launch, text, text_bytes) &&
                execute(&launch, memory, skipped, text, text_bytes);
    for (uint32_t i = 0; i < MAX_PARAMETERS; i++) {
        if (launch.base[i]) {
            zeMemFree(ze.context, launch.base[i]);
        }
    }
    zeKernelDestroy(launch.kernel);
    zeModuleDestroy(module);
    return good;
}

const struct gen_device gen_device_ze = {.name = "Level Zero",
                                         .has_lanes = true,
                                         .has_subgroups = true,
                                         .has_collectives = true,
                                         .has_halves = true,
                                         .has_modes = true,
                                         .has_spaces = true,
                                         .has_far = true,
                                         .has_returns = true,
                                         .open = ze_open,
                                         .close = ze_close,
                                         .run = ze_run};
