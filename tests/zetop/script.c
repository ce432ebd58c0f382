/* Preloaded into zetop: writes the described backend (tests/sysman/described) when sysman begins,
 * and lets the counters of engines and memory go on with each reading, handle by handle.
 *
 * ZETOP_SCRIPT: words with blanks between them.
 *   real                      its devices are not marked as simulated
 *   devices:N                 the driver's devices, again and again until there are N
 *   fail:RESULT:CLASS.NAME    the operation gives this result, in hexadecimal; absent: it is none
 *   process:PID:MEMORY:SHARED:ENGINES
 *   ahead                     engines work more than their clock says
 *   hang:N:PATH               the N-th reading of an engine makes this file and does not come back
 *   nodriver                  zesInit gives UNINITIALIZED */
#include "described.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct described *state;
static void (*set_operation)(enum described_operation operation, int result);
static uint32_t device_count;
static uint64_t hang_at, ahead;
static bool real;
static char hang_path[4096];

static void *next(const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);
    if (!found) {
        abort();
    }
    return found;
}

#define EXPORT                   __attribute__((visibility("default")))
#define CALL_NEXT(function, ...) ((__typeof__(&function))next(#function))(__VA_ARGS__)

/* ---- the script ---- */

static void operation_set(const char *word)
{
    static const char *const names[DESCRIBED_COUNT] = {
#define NAME(kind, operation) #kind "." #operation,
        DESCRIBED_OPERATIONS(NAME)};
    char *name;
    const bool absent = strncmp(word, "absent", 6) == 0;
    const unsigned long result = strtoul(word, &name, 16);
    name = strchr(word, ':') + 1;
    for (int i = 0; i < DESCRIBED_COUNT; i++) {
        if (strcmp(names[i], name) == 0) {
            set_operation((enum described_operation)i, absent ? DESCRIBED_ABSENT : (int)result);
            return;
        }
    }
    abort(); /* the test names what there is not */
}

static void process_add(const char *word)
{
    unsigned long long values[4] = {0};
    for (int i = 0; i < 4; i++) {
        values[i] = strtoull(word, NULL, 10);
        word += strcspn(word, ":");
        word += *word == ':';
    }
    state->processes[state->process_count++] =
        (zes_process_state_t){.processId = (uint32_t)values[0],
                              .memSize = values[1],
                              .sharedSize = values[2],
                              .engines = (zes_engine_type_flags_t)values[3]};
}

static void script_follow(void)
{
    char *rest = NULL, *script = strdup(getenv("ZETOP_SCRIPT") ? getenv("ZETOP_SCRIPT") : "");
    for (char *word = strtok_r(script, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        if (strncmp(word, "devices:", 8) == 0) {
            device_count = (uint32_t)strtoul(word + 8, NULL, 10);
        } else if (strncmp(word, "fail:", 5) == 0) {
            operation_set(word + 5);
        } else if (strncmp(word, "process:", 8) == 0) {
            process_add(word + 8);
        } else if (strcmp(word, "ahead") == 0) {
            ahead = 1;
        } else if (strcmp(word, "real") == 0) {
            real = true;
        } else if (strncmp(word, "hang:", 5) == 0) {
            hang_at = strtoull(word + 5, NULL, 10);
            snprintf(hang_path, sizeof(hang_path), "%s", strchr(word + 5, ':') + 1);
        } else {
            abort();
        }
    }
    free(script);
}

/* ---- the values that do not change ---- */

static void power_write(void)
{
    static const zes_power_limit_ext_desc_t limits[] = {
        {.level = ZES_POWER_LEVEL_SUSTAINED,
         .limitUnit = ZES_LIMIT_UNIT_POWER,
         .enabled = 1,
         .limit = 300000},
        {.level = ZES_POWER_LEVEL_BURST,
         .limitUnit = ZES_LIMIT_UNIT_POWER,
         .enabled = 1,
         .limit = 350500},
        {.level = ZES_POWER_LEVEL_PEAK, .limitUnit = ZES_LIMIT_UNIT_POWER, .limit = 400000},
        {.level = ZES_POWER_LEVEL_INSTANTANEOUS,
         .limitUnit = ZES_LIMIT_UNIT_CURRENT,
         .enabled = 1,
         .limit = 9000},
    };
    memcpy(state->limits, limits, sizeof(limits));
    state->limit_count = 4;
    state->energy.energy = 1000000001; /* microjoules */
    state->energy.timestamp = 500;
    state->energy_step.energy = 60000000;
    state->energy_step.timestamp = 1000000;
    state->range = (zes_freq_range_t){400, 1400};
    state->frequency.currentVoltage = 0.85;
    state->frequency.request = 1300;
    state->frequency.tdp = -1;
    state->frequency.efficient = 600;
    state->frequency.actual = 1200.5;
    state->frequency.throttleReasons =
        ZES_FREQ_THROTTLE_REASON_FLAG_THERMAL_LIMIT | ZES_FREQ_THROTTLE_REASON_FLAG_CURRENT_LIMIT;
    state->throttled.throttleTime = 2500001;
}

static void board_write(void)
{
    state->memory.health = ZES_MEM_HEALTH_OK;
    state->memory.free = UINT64_C(48) << 30;
    state->memory.size = UINT64_C(64) << 30;
    state->celsius = 65.5;
    state->psu = (zes_psu_state_t){
        .voltStatus = ZES_PSU_VOLTAGE_STATUS_NORMAL, .temperature = -1, .current = 12500};
    state->fan.mode = ZES_FAN_SPEED_MODE_FIXED;
    state->fan_speed = 1500;
    const uint64_t errors[2][DESCRIBED_CATEGORIES] = {{1, 2, 3, 0, 5}, {0, 7, 0}};
    memcpy(state->errors, errors, sizeof(errors));
    state->pci.status = ZES_PCI_LINK_STATUS_GOOD;
    state->pci.speed = (zes_pci_speed_t){4, 16, -1};
    state->pci_stats.rxCounter = 1000;
    state->pci_stats.txCounter = 2000;
    state->pci_stats.replayCounter = 3;
    state->port_state.status = ZES_FABRIC_PORT_STATUS_HEALTHY;
    state->throughput[0] = (zes_fabric_port_throughput_t){5, 100, 200};
}

/* ---- in place of the loader's functions ---- */

EXPORT ze_result_t ZE_APICALL zesInit(zes_init_flags_t flags)
{
    const char *script = getenv("ZETOP_SCRIPT");
    if (script && strcmp(script, "nodriver") == 0) {
        return ZE_RESULT_ERROR_UNINITIALIZED;
    }
    const ze_result_t result = CALL_NEXT(zesInit, flags);
    void *library = dlopen("libze_described.so.1", RTLD_NOW | RTLD_NOLOAD);
    if (!library || state) {
        return result;
    }
    struct described *(*get)(void) =
        (struct described * (*)(void)) dlsym(library, "described_state");
    set_operation = (void (*)(enum described_operation, int))dlsym(library, "described_set");
    state = get();
    power_write();
    board_write();
    script_follow();
    return result;
}

/* The described backend's driver alone: the library has that of the null backend, too. */
EXPORT ze_result_t ZE_APICALL zesDriverGet(uint32_t *count, zes_driver_handle_t *drivers)
{
    const ze_result_t result = CALL_NEXT(zesDriverGet, count, drivers);
    *count = *count > 1 ? 1 : *count;
    return result;
}

EXPORT ze_result_t ZE_APICALL zesDeviceGet(zes_driver_handle_t driver, uint32_t *count,
                                           zes_device_handle_t *devices)
{
    if (device_count == 0 || !devices) {
        const ze_result_t result = CALL_NEXT(zesDeviceGet, driver, count, devices);
        *count = device_count && !devices ? device_count : *count;
        return result;
    }
    zes_device_handle_t found[32];
    uint32_t has = 32;
    const ze_result_t result = CALL_NEXT(zesDeviceGet, driver, &has, found);
    for (uint32_t i = 0; i < *count; i++) {
        devices[i] = found[i % has];
    }
    return result;
}

EXPORT ze_result_t ZE_APICALL zesDeviceGetProperties(zes_device_handle_t device,
                                                     zes_device_properties_t *properties)
{
    const ze_result_t result = CALL_NEXT(zesDeviceGetProperties, device, properties);
    char *mark = strstr(properties->modelName, " (simulated)");
    if (real && mark) {
        *mark = '\0';
    }
    return result;
}

/* How often a handle was read, from 1; *index: which of its kind it was, in the order of their
 * first readings. */
static uint64_t reading(const void *handle, uint32_t *index)
{
    static struct {
        const void *handle;
        uint64_t count;
    } seen[256];
    uint32_t at = 0;
    while (seen[at].handle && seen[at].handle != handle) {
        at++;
    }
    seen[at].handle = handle;
    *index = at;
    return ++seen[at].count;
}

/* A quarter of the time, half of it, three quarters, all of it, again a quarter. */
EXPORT ze_result_t ZE_APICALL zesEngineGetActivity(zes_engine_handle_t engine,
                                                   zes_engine_stats_t *stats)
{
    static uint32_t engines;
    static uint64_t readings;
    uint32_t index;
    if (++readings == hang_at) {
        close(open(hang_path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
        for (;;) {
            pause();
        }
    }
    const ze_result_t result = CALL_NEXT(zesEngineGetActivity, engine, stats);
    if (result == ZE_RESULT_SUCCESS) {
        const uint64_t count = reading(engine, &index);
        static uint32_t order[256];
        if (count == 1) {
            order[index] = engines++;
        }
        stats->activeTime = 1 + count * 250000 * (1 + order[index] % 4 + 4 * ahead);
        stats->timestamp = count * 1000000;
    }
    return result;
}

/* 3 KiB/s read and 1 KiB/s written of at most 8 KiB/s, by counters of 32 bits that wrap between the
 * first and the second reading. */
EXPORT ze_result_t ZE_APICALL zesMemoryGetBandwidth(zes_mem_handle_t memory,
                                                    zes_mem_bandwidth_t *bandwidth)
{
    uint32_t index;
    const ze_result_t result = CALL_NEXT(zesMemoryGetBandwidth, memory, bandwidth);
    if (result == ZE_RESULT_SUCCESS) {
        const uint64_t count = reading(memory, &index);
        bandwidth->readCounter = (UINT64_C(0xfffffff0) + (count - 1) * 3072) & UINT32_MAX;
        bandwidth->writeCounter = count * 1024;
        bandwidth->maxBandwidth = 8192;
        bandwidth->timestamp = count * 1000000;
    }
    return result;
}
