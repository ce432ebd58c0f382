/* Measures the start of a process: zeInitDrivers and the first device query, and the memory after
 * them. Prints "start MILLISECONDS RESIDENT_KIB LLVM". LLVM is 1 if it or our compiler is
 * mapped. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <level_zero/ze_api.h>

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

static int is_llvm_mapped(void)
{
    char line[512];
    int found = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof(line), maps)) {
        found |= strstr(line, "LLVM") || strstr(line, "libgeoid_compiler");
    }
    if (maps) {
        fclose(maps);
    }
    return found;
}

static long resident_kib(void)
{
    char line[256];
    long kib = -1;
    FILE *status = fopen("/proc/self/status", "r");
    while (status && fgets(line, sizeof(line), status)) {
        if (sscanf(line, "VmRSS: %ld", &kib) == 1) {
            break;
        }
    }
    if (status) {
        fclose(status);
    }
    return kib;
}

int main(void)
{
    ze_init_driver_type_desc_t types = {.stype = ZE_STRUCTURE_TYPE_INIT_DRIVER_TYPE_DESC,
                                        .flags = UINT32_MAX};
    ze_device_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES};
    ze_driver_handle_t driver = NULL;
    ze_device_handle_t device = NULL;
    uint32_t drivers = 1, devices = 1;
    double start = now_ms();
    if (zeInitDrivers(&drivers, &driver, &types) != ZE_RESULT_SUCCESS || drivers == 0 ||
        zeDeviceGet(driver, &devices, &device) != ZE_RESULT_SUCCESS || devices == 0 ||
        zeDeviceGetProperties(device, &properties) != ZE_RESULT_SUCCESS) {
        fprintf(stderr, "bench_start: no device\n");
        return 1;
    }
    double ms = now_ms() - start;
    printf("start %.4f %ld %d\n", ms, resident_kib(), is_llvm_mapped());
    return 0;
}
