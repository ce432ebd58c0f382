/* API test of kernels that access memory near null. With GEOID_FAULTS=zero they read zeros and
 * write nothing, and a line of the log tells it once for each kernel. Otherwise the context is
 * lost. The test runs with and without the option, and at several widths. */
#include "fault_support.h"

#include <string.h>

enum { ITEMS = 77, OUT_BYTES = 8 * ITEMS };

static bool zero(void)
{
    const char *value = getenv("GEOID_FAULTS");
    return value && strcmp(value, "zero") == 0;
}

/* Each case builds this module once. The processes in which it runs kernels inherit it. */
static ze_module_handle_t module;
static FILE *errors; /* what a run writes to standard error */

/* Runs a part of a case in a process of its own. If it fails, prints what it wrote. */
static void part_run(struct api *api, void (*run)(struct api *, const void *), const void *data)
{
    static char text[1 << 12];
    errors = tmpfile();
    assert_non_null(errors);
    if (!run_apart(api, run, data)) {
        ssize_t bytes = pread(fileno(errors), text, sizeof(text) - 1, 0);
        fail_msg("%.*s", (int)bytes, text);
    }
    fclose(errors);
}

/* A kernel and its results. */
struct run {
    struct api *api;
    ze_kernel_handle_t kernel;
    ze_command_list_handle_t list;
    int32_t *out;
    uint32_t argument, items;
};

static void run_open(struct run *run, struct api *api)
{
    ze_command_queue_desc_t queue = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                     .ordinal = api->ordinal,
                                     .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    *run = (struct run){.api = api, .out = calloc(1, OUT_BYTES), .items = ITEMS};
    MUST(dup2(fileno(errors), 2) == 2);
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
    MUST_WORK(zeKernelCreate(module, &desc, &run->kernel));
    MUST_WORK(zeKernelSetGroupSize(run->kernel, run->items % 11 ? 1 : 11, 1, 1));
    run->argument = 0;
    memset(run->out, 0xff, OUT_BYTES);
}

static ze_result_t kernel_run(struct run *run)
{
    ze_group_count_t groups = {run->items % 11 ? run->items : run->items / 11, 1, 1};
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

/* Returns what the process has written to standard error. */
static const char *errors_read(void)
{
    static char written[1 << 16];
    ssize_t bytes = pread(fileno(errors), written, sizeof(written) - 1, 0);
    MUST(bytes >= 0);
    written[bytes] = '\0';
    return written;
}

/* Returns how often a text is in it. */
static uint32_t told(const char *text)
{
    uint32_t count = 0;
    for (const char *at = errors_read(); (at = strstr(at, text)); at++) {
        count++;
    }
    return count;
}

/* Returns the address behind a text: that of the item that was the first. */
static uint64_t address_told(const char *text)
{
    const char *at = strstr(errors_read(), text);
    MUST(at);
    return strtoull(at + strlen(text), NULL, 16);
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
    module = api_spirv_module(api, "null");
    for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
        part_run(api, runs[i], NULL);
    }
    assert_success(zeModuleDestroy(module));
}

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
        MUST(run.out[0] == 8 && told("near a null pointer") == 0);
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
    MUST(told("near a null pointer") == 4);
    MUST(told("kernel reads read zeros at address 0x") == 1);
    uint64_t address = address_told("kernel reads read zeros at address ");
    MUST(address >= 16 * 4 && address < (16 + ITEMS) * 4 && address % 4 == 0);
    MUST(told("kernel writes wrote nothing at address 0x") == 1);
    MUST(told("kernel writes read zeros at address 0x") == 1);
    MUST(told("kernel vectors read zeros at address 0x") == 1);
}

static void each_kernel_is_reported_once(void **state)
{
    if (!zero()) {
        skip();
    }
    module = api_spirv_module(*state, "null");
    part_run(*state, report_run, NULL);
    assert_success(zeModuleDestroy(module));
}

/* ---- what stays a fault ---- */

static void lost_run(struct run *run, const char *address)
{
    const char *text = "";
    MUST_LOSE(kernel_run(run));
    MUST_WORK(zeDriverGetLastErrorDescription(run->api->driver, &text));
    if (!strstr(text, address) || told("near a null pointer") != 0) {
        fprintf(stderr, "\"%s\" does not say \"%s\"\n", text, address);
        _exit(1);
    }
}

static void far_run(struct api *api, const void *data)
{
    const uint64_t *first = data;
    char address[64];
    struct run run;
    run_open(&run, api);
    run.items = 1;
    snprintf(address, sizeof(address), " at 0x%llx", (unsigned long long)*first * 4);
    kernel_choose(&run, "reads");
    pointer(&run, NULL);
    pointer(&run, run.out);
    argument(&run, first, 8);
    /* the processor does not tell an address at the upper end */
    lost_run(&run, zero() || *first < UINT64_C(1) << 40 ? address : "invalid memory access");
}

static void wild_run(struct api *api, const void *data)
{
    struct run run;
    char address[64];
    (void)data;
    run_open(&run, api);
    run.items = 1;
    uint64_t wall = (uint64_t)(uintptr_t)wall_make();
    snprintf(address, sizeof(address), " at 0x%llx", (unsigned long long)wall);
    kernel_choose(&run, "wild");
    argument(&run, &wall, 8);
    pointer(&run, run.out);
    lost_run(&run, address);
}

/* Offsets beyond a gibibyte, to both sides, and addresses that are not near null. */
static void other_invalid_addresses_stay_faults(void **state)
{
    static const uint64_t beyond[] = {UINT64_C(1) << 28, UINT64_C(1) << 31, UINT64_C(5) << 28,
                                      UINT64_MAX / 4 - 1};
    module = api_spirv_module(*state, "null");
    for (uint32_t i = 0; i < sizeof(beyond) / sizeof(beyond[0]); i++) {
        part_run(*state, far_run, &beyond[i]);
    }
    part_run(*state, wild_run, NULL);
    assert_success(zeModuleDestroy(module));
}

static const struct api_case cases[] = {
    {"accesses_near_null_are_zeros_if_asked_for", accesses_near_null_are_zeros_if_asked_for,
     API_EXECUTES},
    {"each_kernel_is_reported_once", each_kernel_is_reported_once, API_EXECUTES},
    {"other_invalid_addresses_stay_faults", other_invalid_addresses_stay_faults, API_EXECUTES},
};
API_MAIN("spirv_null", cases)
