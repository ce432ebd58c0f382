/* Measures sysman through the loader.
 *
 *     bench_sysman readings    compares each kind of reading of the CPU's device with reading its
 *                              files (reading.h); "missing NAME": this machine lacks it
 *     bench_sysman rate        "rate CALLS CPU_US": the processor time of CALLS readings, of all
 *                              available kinds in turn
 *     bench_sysman start       "start INIT_MS LIST_MS DRIVERS": zesInit and the first zesDriverGet
 *                              of a process
 *     bench_sysman walk        "walk DEVICES OPEN_MS FIRST_MS AGAIN_MS VALUES", for devices of the
 *                              last driver: the time to list them; to find and read their
 *                              properties and sensors; to read these again
 */
#include "reading.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include <level_zero/ze_api.h>
#include <level_zero/zes_api.h>

enum { MOST = 16, RATE_CALLS = 10000 };

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

/* ---- kinds of readings ---- */

static bool memory_read(void *handle)
{
    zes_mem_state_t state = {.stype = ZES_STRUCTURE_TYPE_MEM_STATE};
    return zesMemoryGetState(handle, &state) == ZE_RESULT_SUCCESS;
}

static bool engine_read(void *handle)
{
    zes_engine_stats_t stats;
    return zesEngineGetActivity(handle, &stats) == ZE_RESULT_SUCCESS;
}

static bool temperature_read(void *handle)
{
    double celsius;
    return zesTemperatureGetState(handle, &celsius) == ZE_RESULT_SUCCESS;
}

static bool frequency_read(void *handle)
{
    zes_freq_state_t state = {.stype = ZES_STRUCTURE_TYPE_FREQ_STATE};
    return zesFrequencyGetState(handle, &state) == ZE_RESULT_SUCCESS;
}

static bool power_read(void *handle)
{
    zes_power_energy_counter_t counter;
    return zesPowerGetEnergyCounter(handle, &counter) == ZE_RESULT_SUCCESS;
}

static bool fan_read(void *handle)
{
    int32_t speed;
    return zesFanGetState(handle, ZES_FAN_SPEED_UNITS_RPM, &speed) == ZE_RESULT_SUCCESS;
}

static bool ras_read(void *handle)
{
    zes_ras_state_t state = {.stype = ZES_STRUCTURE_TYPE_RAS_STATE};
    return zesRasGetState(handle, 0, &state) == ZE_RESULT_SUCCESS;
}

/* The type of all functions that list components. They differ only in the type of the handles. */
typedef ze_result_t (*enumerate_fn)(zes_device_handle_t device, uint32_t *count, void **handles);
#define ENUMERATE(function) ((enumerate_fn)(void *)(function))

static const struct kind {
    const char *name;
    ze_result_t (*enumerate)(zes_device_handle_t device, uint32_t *count, void **handles);
    reading_fn read;
} kinds[] = {
    {"memory", ENUMERATE(zesDeviceEnumMemoryModules), memory_read},
    {"engine", ENUMERATE(zesDeviceEnumEngineGroups), engine_read},
    {"temperature", ENUMERATE(zesDeviceEnumTemperatureSensors), temperature_read},
    {"frequency", ENUMERATE(zesDeviceEnumFrequencyDomains), frequency_read},
    {"energy", ENUMERATE(zesDeviceEnumPowerDomains), power_read},
    {"fan", ENUMERATE(zesDeviceEnumFans), fan_read},
    {"errors", ENUMERATE(zesDeviceEnumRasErrorSets), ras_read},
};

enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

/* ---- devices ---- */

static zes_driver_handle_t driver_get(bool last)
{
    zes_driver_handle_t drivers[MOST];
    uint32_t count = MOST;
    if (zesInit(0) != ZE_RESULT_SUCCESS || zesDriverGet(&count, drivers) != ZE_RESULT_SUCCESS ||
        count == 0) {
        fprintf(stderr, "bench_sysman: no driver\n");
        exit(1);
    }
    return drivers[last ? count - 1 : 0];
}

/* Returns the first device of the first driver, which is the CPU's. */
static zes_device_handle_t device_get(void)
{
    zes_device_handle_t device;
    uint32_t one = 1;
    if (zesDeviceGet(driver_get(false), &one, &device) != ZE_RESULT_SUCCESS || one == 0) {
        fprintf(stderr, "bench_sysman: no device\n");
        exit(1);
    }
    return device;
}

/* ---- measurements ---- */

static void readings(void)
{
    const zes_device_handle_t device = device_get();
    for (unsigned i = 0; i < KINDS; i++) {
        void *handle;
        uint32_t one = 1;
        if (kinds[i].enumerate(device, &one, &handle) != ZE_RESULT_SUCCESS || one == 0 ||
            !reading_measure("machine", kinds[i].name, kinds[i].read, handle)) {
            printf("missing %s\n", kinds[i].name);
        }
    }
}

static double processor_us(void)
{
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1e6 +
           (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

static void rate(void)
{
    const zes_device_handle_t device = device_get();
    void *handles[KINDS];
    reading_fn reads[KINDS];
    uint32_t count = 0;
    for (unsigned i = 0; i < KINDS; i++) {
        uint32_t one = 1;
        if (kinds[i].enumerate(device, &one, &handles[count]) == ZE_RESULT_SUCCESS && one == 1 &&
            kinds[i].read(handles[count])) {
            reads[count++] = kinds[i].read;
        }
    }
    const double start = processor_us();
    for (uint32_t i = 0; count && i < RATE_CALLS; i++) {
        (void)reads[i % count](handles[i % count]);
    }
    printf("rate %u %.1f\n", count ? RATE_CALLS : 0, processor_us() - start);
}

static void start(void)
{
    uint32_t count = 0;
    const double begun = now_ms();
    const ze_result_t result = zesInit(0);
    const double ready = now_ms();
    if (result != ZE_RESULT_SUCCESS || zesDriverGet(&count, NULL) != ZE_RESULT_SUCCESS) {
        fprintf(stderr, "bench_sysman: no driver\n");
        exit(1);
    }
    printf("start %.4f %.4f %u\n", ready - begun, now_ms() - ready, count);
}

static uint32_t device_walk(zes_device_handle_t device)
{
    zes_device_properties_t properties = {.stype = ZES_STRUCTURE_TYPE_DEVICE_PROPERTIES};
    uint32_t values = zesDeviceGetProperties(device, &properties) == ZE_RESULT_SUCCESS;
    for (unsigned i = 0; i < KINDS; i++) {
        void *handles[MOST];
        uint32_t count = MOST;
        if (kinds[i].enumerate(device, &count, handles) == ZE_RESULT_SUCCESS) {
            for (uint32_t k = 0; k < count; k++) {
                values += kinds[i].read(handles[k]);
            }
        }
    }
    return values;
}

static uint32_t devices_walk(const zes_device_handle_t *devices, uint32_t count)
{
    uint32_t values = 0;
    for (uint32_t i = 0; i < count; i++) {
        values += device_walk(devices[i]);
    }
    return values;
}

static void walk(void)
{
    uint32_t count = 0, values = 0;
    const double begun = now_ms();
    const zes_driver_handle_t driver = driver_get(true);
    (void)zesDeviceGet(driver, &count, NULL);
    zes_device_handle_t *devices = calloc(count + 1u, sizeof(*devices));
    if (!devices || zesDeviceGet(driver, &count, devices) != ZE_RESULT_SUCCESS) {
        fprintf(stderr, "bench_sysman: no devices\n");
        exit(1);
    }
    const double opened = now_ms();
    values = devices_walk(devices, count);
    const double found = now_ms();
    if (devices_walk(devices, count) != values) {
        fprintf(stderr, "bench_sysman: a device does not answer twice\n");
        exit(1);
    }
    printf("walk %u %.4f %.4f %.4f %u\n", count, opened - begun, found - opened, now_ms() - found,
           values);
    free(devices);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*function)(void);
    } parts[] = {{"readings", readings}, {"rate", rate}, {"start", start}, {"walk", walk}};
    for (size_t i = 0; argc > 1 && i < sizeof(parts) / sizeof(parts[0]); i++) {
        if (strcmp(argv[1], parts[i].name) == 0) {
            parts[i].function();
            return 0;
        }
    }
    fprintf(stderr, "usage: bench_sysman readings|rate|start|walk\n");
    return 2;
}
