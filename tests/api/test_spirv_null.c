/* API test of kernels that access memory near null. With GEOID_FAULTS=zero they read zeros and
 * write nothing, and a line of the log tells it once for each kernel. Otherwise the context is lost.
 * The test runs with and without the option, and at several widths. */
#include "fault_support.h"

#include <string.h>

enum { ITEMS = 77, OUT_BYTES = 8 * ITEMS };

static bool zero(void)
{
    const char *value = getenv("GEOID_FAULTS");
    return value && strcmp(value, "zero") == 0;
}

/* A kernel, its results, and what is written to standard error. */
struct run {
    struct api *api;
    ze_module_handle_t module;
    ze_kernel_handle_t kernel;
    ze_command_list_handle_t list;
    int32_t *out;
    uint32_t argument;
    FILE *errors;
};

static void run_open(struct run *run, struct api *api)
{
    size_t bytes;
    ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                             .format = ZE_MODULE_FORMAT_IL_SPIRV,
                             .pInputModule = api_read_file("tests/null.spv", &bytes)};
    ze_command_queue_desc_t queue = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                     .ordinal = api->ordinal,
                                     .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    *run = (struct run){.api = api, .out = calloc(1, OUT_BYTES), .errors = tmpfile()};
    MUST(run->errors && dup2(fileno(run->errors), 2) == 2);
    desc.inputSize = bytes;
    MUST_WORK(zeModuleCreate(api->context, api->device, &desc, &run->module, NULL));
    MUST_WORK(zeCommandListCreateImmediate(api->context, api->device, &queue, &run->list));
}

static void argument(struct run *run, const void *value, size_t bytes)
{
    MUST_WORK(zeKernelSetArgumentValue(run->kernel, run->argument++, bytes, value));
}

static void pointer(struct run *run, const void *value)
{
    argument(run, &value, sizeof(value));
}

static void kernel_choose(struct run *run, const char *name)
{
    ze_kernel_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = name};
    MUST_WORK(zeKernelCreate(run->module, &desc, &run->kernel));
    MUST_WORK(zeKernelSetGroupSize(run->kernel, 11, 1, 1));
    run->argument = 0;
    memset(run->out, 0xff, OUT_BYTES);
}

static ze_result_t kernel_run(struct run *run)
{
    ze_group_count_t groups = {ITEMS / 11, 1, 1};
    MUST_WORK(zeCommandListAppendLaunchKernel(run->list, run->kernel, &groups, NULL, 0, NULL));
    return zeCommandListHostSynchronize(run->list, UINT64_MAX);
}

/* Every item of the kernel must have written this number. */
static void kernel_gives(struct run *run, int32_t number)
{
    MUST_RESULT(kernel_run(run), zero() ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_DEVICE_LOST);
    for (uint32_t i = 0; zero() && i < ITEMS; i++) {
        MUST(run->out[i] == number);
    }
}

/* Returns how often the process has written a text to standard error. */
static uint32_t told(const struct run *run, const char *text)
{
    static char errors[1 << 16];
    uint32_t count = 0;
    ssize_t bytes = pread(fileno(run->errors), errors, sizeof(errors) - 1, 0);
    MUST(bytes >= 0);
    errors[bytes] = '\0';
    for (const char *at = errors; (at = strstr(at, text)); at++) {
        count++;
    }
    return count;
}

/* ---- what kernels do near null ---- */

static void reads_run(struct api *api, const void *data)
{
    struct run run;
    (void)data;
    run_open(&run, api);
    kernel_choose(&run, "reads");
    pointer(&run, NULL);
    pointer(&run, run.out);
    argument(&run, &(uint64_t){1000000}, 8);
    kernel_gives(&run, 1);
}

static void writes_run(struct api *api, const void *data)
{
    struct run run;
    (void)data;
    run_open(&run, api);
    kernel_choose(&run, "writes");
    pointer(&run, NULL);
    pointer(&run, run.out);
    kernel_gives(&run, 2); /* what was written is not read */
}

static void looks_run(struct api *api, const void *data)
{
    struct run run;
    (void)data;
    run_open(&run, api);
    kernel_choose(&run, "looks");
    pointer(&run, NULL);
    pointer(&run, run.out);
    MUST_RESULT(kernel_run(&run), zero() ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_DEVICE_LOST);
    for (uint32_t i = 0; zero() && i < ITEMS; i++) {
        MUST(((uint64_t *)(void *)run.out)[i] == 10);
    }
}

static void members_run(struct api *api, const void *data)
{
    struct node {
        int32_t number;
        int32_t *values;
        struct node *next;
    } node = {0};
    struct run run;
    (void)data;
    run_open(&run, api);
    kernel_choose(&run, "members");
    pointer(&run, &node);
    pointer(&run, run.out);
    kernel_gives(&run, 3);
    MUST(node.number == 0 && !node.values && !node.next);
}

static void atomics_run(struct api *api, const void *data)
{
    struct run run;
    (void)data;
    run_open(&run, api);
    kernel_choose(&run, "atomics");
    pointer(&run, NULL);
    pointer(&run, run.out);
    kernel_gives(&run, 4);
}

static void vectors_run(struct api *api, const void *data)
{
    struct run run;
    (void)data;
    run_open(&run, api);
    kernel_choose(&run, "vectors");
    pointer(&run, NULL);
    pointer(&run, NULL);
    pointer(&run, run.out);
    kernel_gives(&run, 5);
}

static void copies_run(struct api *api, const void *data)
{
    struct run run;
    (void)data;
    run_open(&run, api);
    kernel_choose(&run, "copies");
    pointer(&run, NULL);
    pointer(&run, run.out);
    MUST_WORK(zeKernelSetArgumentValue(run.kernel, 2, 11 * sizeof(int32_t), NULL));
    kernel_gives(&run, 6);
}

/* The pointer that is not null is read at the same time as the one that is. */
static void walks_run(struct api *api, const void *data)
{
    struct run run;
    int32_t values[ITEMS];
    (void)data;
    run_open(&run, api);
    for (uint32_t i = 0; i < ITEMS; i++) {
        values[i] = (int32_t)i * 100;
    }
    kernel_choose(&run, "walks");
    pointer(&run, NULL);
    pointer(&run, values);
    pointer(&run, run.out);
    argument(&run, &(uint32_t){50}, 4);
    MUST_RESULT(kernel_run(&run), zero() ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_DEVICE_LOST);
    for (uint32_t i = 0; zero() && i < ITEMS; i++) {
        MUST(run.out[i] == 7 + (i & 1 ? 0 : (int32_t)i * 100));
    }
}

static void each_run(struct api *api)
{
    void (*const runs[])(struct api *, const void *) = {
        reads_run,   writes_run,  looks_run,  members_run,
        atomics_run, vectors_run, copies_run, walks_run,
    };
    for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
        if (!run_apart(api, runs[i], NULL)) {
            fail_msg("run %zu", i);
        }
    }
}

/* SRV-9 */
static void accesses_near_null_are_zeros_if_asked_for(void **state)
{
    each_run(*state);
}

/* ---- reports ---- */

static void report_run(struct api *api, const void *data)
{
    struct run run;
    (void)data;
    run_open(&run, api);
    for (uint32_t i = 0; i < 2; i++) {
        kernel_choose(&run, "keeps_away");
        pointer(&run, NULL);
        pointer(&run, run.out);
        MUST_WORK(kernel_run(&run));
        MUST(run.out[0] == 8 && told(&run, "near a null pointer") == 0);
    }
    for (uint32_t i = 0; i < 3; i++) {
        kernel_choose(&run, "reads");
        pointer(&run, NULL);
        pointer(&run, run.out);
        argument(&run, &(uint64_t){16}, 8);
        kernel_gives(&run, 1);
        kernel_choose(&run, "writes");
        pointer(&run, NULL);
        pointer(&run, run.out);
        kernel_gives(&run, 2);
    }
    /* a kernel whose first launches have nothing to report */
    for (uint32_t i = 0; i < 3; i++) {
        kernel_choose(&run, "vectors");
        pointer(&run, i ? NULL : (void *)run.out);
        pointer(&run, run.out);
        pointer(&run, run.out);
        MUST_WORK(kernel_run(&run));
    }
    MUST(told(&run, "near a null pointer") == 4);
    MUST(told(&run, "kernel reads read zeros at address 0x40, near a null pointer: "
                    "GEOID_FAULTS=zero permits it") == 1);
    MUST(told(&run, "kernel writes wrote nothing at address 0x") == 1);
    MUST(told(&run, "kernel writes read zeros at address 0x") == 1);
    MUST(told(&run, "kernel vectors read zeros at address 0x") == 1);
}

static void each_kernel_is_reported_once(void **state)
{
    if (!zero()) {
        skip();
    }
    if (!run_apart(*state, report_run, NULL)) {
        fail();
    }
}

/* ---- what stays a fault ---- */

static void lost_run(struct run *run, const char *address)
{
    const char *text = "";
    MUST_LOSE(kernel_run(run));
    MUST_WORK(zeDriverGetLastErrorDescription(run->api->driver, &text));
    if (!strstr(text, address) || told(run, "near a null pointer") != 0) {
        printf("\"%s\" does not say \"%s\"\n", text, address);
        fflush(stdout);
        _exit(1);
    }
}

static void far_run(struct api *api, const void *data)
{
    const uint64_t *first = data;
    char address[64];
    struct run run;
    run_open(&run, api);
    snprintf(address, sizeof(address), " at 0x%llx", (unsigned long long)*first * 4);
    kernel_choose(&run, "reads");
    MUST_WORK(zeKernelSetGroupSize(run.kernel, 1, 1, 1));
    pointer(&run, NULL);
    pointer(&run, run.out);
    argument(&run, first, 8);
    lost_run(&run, address);
}

static void wild_run(struct api *api, const void *data)
{
    struct run run;
    char address[64];
    (void)data;
    run_open(&run, api);
    uint64_t wall = (uint64_t)(uintptr_t)wall_make();
    snprintf(address, sizeof(address), " at 0x%llx", (unsigned long long)wall);
    kernel_choose(&run, "wild");
    MUST_WORK(zeKernelSetGroupSize(run.kernel, 1, 1, 1));
    argument(&run, &wall, 8);
    pointer(&run, run.out);
    lost_run(&run, address);
}

/* Offsets beyond a gibibyte, to both sides, and addresses that are not near null. */
static void other_invalid_addresses_stay_faults(void **state)
{
    static const uint64_t beyond[] = {UINT64_C(1) << 28, UINT64_C(1) << 31, UINT64_C(5) << 28};
    for (uint32_t i = 0; i < 3; i++) {
        if (!run_apart(*state, far_run, &beyond[i])) {
            fail_msg("offset %llu", (unsigned long long)beyond[i] * 4);
        }
    }
    if (!run_apart(*state, wild_run, NULL)) {
        fail();
    }
}

static const struct api_case cases[] = {
    {"accesses_near_null_are_zeros_if_asked_for", accesses_near_null_are_zeros_if_asked_for,
     API_EXECUTES},
    {"each_kernel_is_reported_once", each_kernel_is_reported_once, API_EXECUTES},
    {"other_invalid_addresses_stay_faults", other_invalid_addresses_stay_faults, API_EXECUTES},
};
API_MAIN("spirv_null", cases)
