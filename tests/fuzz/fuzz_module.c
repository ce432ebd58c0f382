/* SPIR-V to kernels through the API, as an application does that does not trust it: builds in
 * children (GEOID_BUILD=process), 10 seconds and 2 GiB for each, from a thread with a stack of
 * 64 KiB. What a child contains is a death all the same: it is in the log. Widths, levels of the
 * CPU and options change from block to block and with the bytes. */
#include "seeds_spirv.h"
#include "spirv_edit.h"

#include <level_zero/ze_api.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOG_BYTES 65536u

enum { READING, VALIDATION, LINKING, PASSES, CODE, IMPORTS, KERNEL, BUILT, STOPPED, GAVE_UP };

static ze_driver_handle_t driver;
static ze_device_handle_t device;
static ze_context_handle_t context;

static bool module_open(uint64_t number)
{
    /* Wide code takes LLVM ten times as long, and again where a value takes many registers: with
     * registers of 128 bits the width is what the compiler chooses. */
    static const char *const lanes[] = {"1", "8", "1", "16", "1", "8", "1", "0"};
    static const char *const lanes_narrow[] = {"1", "0"};
    static const char *const cpus[] = {"x86-64", "x86-64-v2", "x86-64-v3", ""};
    const ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    uint64_t block = number / fuzz_target.block;
    uint64_t level = block / 8 % 4;
    const char *cpu = cpus[level];
    uint32_t one = 1;
    setenv("GEOID_BUILD", "process", 0); /* who looks into one may want it in this process */
    setenv("GEOID_BUILD_TIME", "10", 0);
    setenv("GEOID_BUILD_MEMORY", "2048", 0);
    setenv("GEOID_LANES", level < 2 ? lanes_narrow[block % 2] : lanes[block % 8], 1);
    if (*cpu) {
        setenv("GEOID_CPU", cpu, 1);
    }
    return zeInit(0) == ZE_RESULT_SUCCESS && zeDriverGet(&one, &driver) == ZE_RESULT_SUCCESS &&
           zeDeviceGet(driver, &one, &device) == ZE_RESULT_SUCCESS &&
           zeContextCreate(driver, &desc, &context) == ZE_RESULT_SUCCESS;
}

static const char *log_read(ze_module_build_log_handle_t log)
{
    static char text[LOG_BYTES];
    size_t size = sizeof(text);
    text[0] = '\0';
    if (log) {
        (void)zeModuleBuildLogGetString(log, &size, text);
        text[sizeof(text) - 1] = '\0';
        (void)zeModuleBuildLogDestroy(log);
    }
    return text;
}

/* The log's first error, or all of it. */
static const char *error_of(const char *log)
{
    const char *error = strncmp(log, "error: ", 7) == 0 ? log : strstr(log, "\nerror: ");
    return error ? error + (*error == '\n') : log;
}

/* What must not be in a log, whatever came of the build; true: there was something. */
static bool log_judge(const char *log, const char *error)
{
    if (strstr(log, "an invariant of Geoid does not hold")) {
        fuzz_found(FUZZ_DEATH, "%s", error);
    } else if (strstr(log, "note: the compiler crashed") ||
               strstr(log, "the compiler's process ended")) {
        fuzz_found(FUZZ_DEATH, "%s", strstr(log, "compiler"));
    } else if (strstr(log, "error: the build was stopped")) {
        fuzz_found(FUZZ_OVER, "%s", error);
    } else if (strncmp(error, "error: internal", 15) == 0 ||
               (strncmp(error, "error: after ", 13) == 0 &&
                strncmp(error, "error: after reading:", 21) != 0)) {
        fuzz_found(FUZZ_WRONG, "%s", error);
    } else {
        return false;
    }
    return true;
}

static unsigned refusal_end(ze_result_t result, const char *error)
{
    if (result != ZE_RESULT_ERROR_MODULE_BUILD_FAILURE || !*error) {
        fuzz_found(result == ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY ? FUZZ_OVER : FUZZ_WRONG,
                   "refused with 0x%x: %s", (unsigned)result, error);
    }
    size_t line = strcspn(error, "\n");
    char text[256];
    snprintf(text, sizeof(text), "%.*s", (int)(line < 200 ? line : 200), error);
    return strncmp(text, "error: after ", 13) == 0 ? VALIDATION
           : strncmp(text, "error: link", 11) == 0 ? LINKING
           : strncmp(text, "error: code generation", 22) == 0 ||
                   strncmp(text, "error: optimisation", 19) == 0
               ? CODE
           : strstr(text, " at word ") ? READING
                                       : PASSES;
}

/* Every kernel of it can be made, but one that asks for more than the device has. */
static unsigned kernels_make(ze_module_handle_t module)
{
    ze_module_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_MODULE_PROPERTIES};
    const char *names[64];
    uint32_t count = 64;
    if (zeModuleGetProperties(module, &properties) == ZE_RESULT_SUCCESS &&
        properties.flags & ZE_MODULE_PROPERTY_FLAG_IMPORTS) {
        return IMPORTS;
    }
    ze_result_t result = zeModuleGetKernelNames(module, &count, names);
    for (uint32_t i = 0; i < count && result == ZE_RESULT_SUCCESS; i++) {
        const ze_kernel_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC,
                                       .pKernelName = names[i]};
        ze_kernel_handle_t kernel;
        result = zeKernelCreate(module, &desc, &kernel);
        if (result == ZE_RESULT_SUCCESS) {
            result = zeKernelDestroy(kernel);
        }
    }
    if (result == ZE_RESULT_ERROR_UNSUPPORTED_FEATURE ||
        result == ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY) {
        return KERNEL;
    }
    if (result != ZE_RESULT_SUCCESS) {
        fuzz_found(FUZZ_WRONG, "a kernel of a built module: 0x%x", (unsigned)result);
    }
    return BUILT;
}

static unsigned module_run(const uint8_t *data, size_t size)
{
    static const char *const flags[] = {"", "-ze-opt-disable", "-cl-mad-enable",
                                        "-ze-opt-greater-than-4GB-buffer-required"};
    const ze_module_desc_t desc = {
        .stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
        .format = ZE_MODULE_FORMAT_IL_SPIRV,
        .inputSize = size,
        .pInputModule = data,
        .pBuildFlags = flags[size / 4 % 16 < 4 ? size / 4 % 16 : 0],
    };
    ze_module_handle_t module;
    ze_module_build_log_handle_t handle = NULL;
    ze_result_t result = zeModuleCreate(context, device, &desc, &module, &handle);
    const char *log = log_read(handle), *error = error_of(log);
    bool gave_up = strstr(log, "LLVM gave up") != NULL;
    unsigned end = STOPPED;
    if (!log_judge(log, error)) {
        end = result != ZE_RESULT_SUCCESS ? refusal_end(result, error) : BUILT;
    }
    if (result == ZE_RESULT_SUCCESS) {
        end = kernels_make(module);
        (void)zeModuleDestroy(module);
    }
    return gave_up && end == BUILT ? GAVE_UP : end;
}

const struct fuzz_target fuzz_target = {
    .name = "module",
    .ends = {"reading", "validation", "linking", "passes", "code", "imports", "kernel", "built",
             "stopped", "another-effort"},
    .block = 200,
    .max_bytes = SPIRV_BYTES_MAX,
    .stack_bytes = 65536,
    .open = module_open,
    .prepare = spirv_seeds_generate,
    .take = spirv_seeds_take,
    .seed = spirv_seeds_pick,
    .mutate = spirv_mutate,
    .run = module_run,
};
