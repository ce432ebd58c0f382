/* What the devices of the described backend consist of. */
#include "internal.h"

#include <string.h>

static const double clocks[] = {300, 600, 900, 1200, 1500};
static const zes_ras_error_category_exp_t correctable[] = {
    ZES_RAS_ERROR_CATEGORY_EXP_COMPUTE_ERRORS, ZES_RAS_ERROR_CATEGORY_EXP_NON_COMPUTE_ERRORS,
    ZES_RAS_ERROR_CATEGORY_EXP_CACHE_ERRORS, ZES_RAS_ERROR_CATEGORY_EXP_MEMORY_ERRORS,
    ZES_RAS_ERROR_CATEGORY_EXP_RESET};
static const zes_ras_error_category_exp_t uncorrectable[] = {
    ZES_RAS_ERROR_CATEGORY_EXP_RESET, ZES_RAS_ERROR_CATEGORY_EXP_COMPUTE_ERRORS,
    ZES_RAS_ERROR_CATEGORY_EXP_PCIE_ERRORS};
static const zes_diag_test_t tests[] = {{2, "scan 2"}, {5, "scan 5"}, {9, "scan 9"}};
static const struct geo_sysman_control controls[] = {
    {ZES_OVERCLOCK_CONTROL_FREQ_OFFSET, {-100, 300, 50, 0, 0}},
    {ZES_OVERCLOCK_CONTROL_TEMP_LIMIT, {60, 110, 1, 100, 100}}};

#define ADD(part, CLASS, place, text, ...)                                                         \
    do {                                                                                           \
        const uint32_t at_ = sysman->count[GEO_SYSMAN_##CLASS]++;                                  \
        sysman->part[at_] =                                                                        \
            (struct geo_sysman_##part){__VA_ARGS__, .ops = &described_##part##_ops};               \
        sysman->part[at_].base = (struct geo_sysman_component){                                    \
            .kind = GEO_SYSMAN_##CLASS,                                                            \
            .subdevice = (place),                                                                  \
            .name = (text),                                                                        \
            .sysman = sysman,                                                                      \
            .opaque = (void *)(uintptr_t)at_,                                                      \
        };                                                                                         \
        sysman->list[GEO_SYSMAN_##CLASS][at_] = &sysman->part[at_].base;                           \
    } while (0)

static void parts_power(struct geo_sysman *sysman)
{
    ADD(power, POWER, -1, "card",
        .properties = {.canControl = 1,
                       .isEnergyThresholdSupported = 1,
                       .defaultLimit = 300000,
                       .minLimit = 100000,
                       .maxLimit = 350000},
        .domain = ZES_POWER_DOMAIN_CARD,
        .default_limit = {.level = ZES_POWER_LEVEL_SUSTAINED,
                          .source = ZES_POWER_SOURCE_MAINS,
                          .limitUnit = ZES_LIMIT_UNIT_POWER,
                          .enabled = 1,
                          .interval = 28,
                          .limit = 300000});
    ADD(power, POWER, 1, "package-1",
        .properties = {.defaultLimit = -1, .minLimit = -1, .maxLimit = -1},
        .domain = ZES_POWER_DOMAIN_PACKAGE);
    ADD(frequency, FREQUENCY, 0, "gpu-0",
        .properties = {.type = ZES_FREQ_DOMAIN_GPU,
                       .canControl = 1,
                       .isThrottleEventSupported = 1,
                       .min = 300,
                       .max = 1500},
        .clocks = clocks, .clock_count = 5);
    ADD(frequency, FREQUENCY, 1, "memory-1",
        .properties = {.type = ZES_FREQ_DOMAIN_MEMORY, .min = 1000, .max = 2000});
    ADD(temperature, TEMPERATURE, -1, "hottest",
        .properties = {.type = ZES_TEMP_SENSORS_GLOBAL,
                       .maxTemperature = 105,
                       .isCriticalTempSupported = 1,
                       .isThreshold1Supported = 1,
                       .isThreshold2Supported = 1});
    ADD(temperature, TEMPERATURE, 1, "memory-1",
        .properties = {.type = ZES_TEMP_SENSORS_MEMORY, .maxTemperature = 95});
    ADD(temperature, TEMPERATURE, 0, "gpu-0",
        .properties = {
            .type = ZES_TEMP_SENSORS_GPU, .maxTemperature = 100, .isThreshold1Supported = 1});
}

static void parts_work(struct geo_sysman *sysman)
{
    const uint32_t modes = 1u << ZES_SCHED_MODE_TIMEOUT | 1u << ZES_SCHED_MODE_TIMESLICE |
                           1u << ZES_SCHED_MODE_EXCLUSIVE;
    ADD(engine, ENGINE, -1, "all", .properties = {.type = ZES_ENGINE_GROUP_ALL},
        .virtual_functions = 2);
    ADD(engine, ENGINE, 1, "compute-1", .properties = {.type = ZES_ENGINE_GROUP_COMPUTE_SINGLE});
    ADD(scheduler, SCHEDULER, 0, "compute-0",
        .properties = {.canControl = 1,
                       .engines = ZES_ENGINE_TYPE_FLAG_COMPUTE,
                       .supportedModes = modes},
        .defaults = {.mode = ZES_SCHED_MODE_TIMESLICE,
                     .watchdog_us = 640000,
                     .interval_us = 5000,
                     .yield_out_us = 64000});
    ADD(scheduler, SCHEDULER, 1, "copy-1",
        .properties = {.engines = ZES_ENGINE_TYPE_FLAG_DMA,
                       .supportedModes = 1u << ZES_SCHED_MODE_TIMEOUT});
    ADD(standby, STANDBY, 0, "standby-0", .properties = {.type = ZES_STANDBY_TYPE_GLOBAL});
    ADD(performance, PERFORMANCE, 1, "media-1",
        .properties = {.engines = ZES_ENGINE_TYPE_FLAG_MEDIA});
    ADD(memory, MEMORY, 0, "hbm-0",
        .properties = {.type = ZES_MEM_TYPE_HBM2E,
                       .location = ZES_MEM_LOC_DEVICE,
                       .physicalSize = UINT64_C(1) << 36,
                       .busWidth = 1024,
                       .numChannels = 8},
        .counter_bits = 32);
    ADD(memory, MEMORY, -1, "ddr",
        .properties = {.type = ZES_MEM_TYPE_DDR5,
                       .location = ZES_MEM_LOC_SYSTEM,
                       .busWidth = -1,
                       .numChannels = -1},
        .counter_bits = 64);
}

static void parts_board(struct geo_sysman *sysman)
{
    const uint32_t modes = 1u << ZES_FAN_SPEED_MODE_DEFAULT | 1u << ZES_FAN_SPEED_MODE_FIXED |
                           1u << ZES_FAN_SPEED_MODE_TABLE;
    const uint32_t both = 1u << ZES_FAN_SPEED_UNITS_RPM | 1u << ZES_FAN_SPEED_UNITS_PERCENT;
    ADD(fabric_port, FABRIC_PORT, 0, "port-0",
        .properties = {.model = "XL",
                       .portId = {7, 1, 3},
                       .maxRxSpeed = {53125000000, 4},
                       .maxTxSpeed = {53125000000, 2}},
        .link_type = {"copper"});
    ADD(fabric_port, FABRIC_PORT, 1, "port-1", .properties = {.model = "XL", .portId = {7, 1, 4}},
        .link_type = {"optical"});
    ADD(psu, PSU, -1, "psu", .properties = {.haveFan = 1, .ampLimit = 30000});
    ADD(fan, FAN, -1, "fan-a",
        .properties = {.canControl = 1,
                       .supportedModes = modes,
                       .supportedUnits = both,
                       .maxRPM = 3000,
                       .maxPoints = 4});
    ADD(fan, FAN, -1, "fan-b",
        .properties = {.supportedModes = 1u << ZES_FAN_SPEED_MODE_DEFAULT,
                       .supportedUnits = 1u << ZES_FAN_SPEED_UNITS_RPM,
                       .maxRPM = -1,
                       .maxPoints = -1});
    ADD(fan, FAN, 1, "fan-c",
        .properties = {.canControl = 1,
                       .supportedModes = 1u << ZES_FAN_SPEED_MODE_FIXED,
                       .supportedUnits = 1u << ZES_FAN_SPEED_UNITS_RPM,
                       .maxRPM = -1,
                       .maxPoints = -1});
    ADD(led, LED, -1, "logo", .properties = {.canControl = 1, .haveRGB = 1});
    ADD(led, LED, -1, "power", .properties = {.canControl = 1});
    ADD(led, LED, 0, "status", .properties = {.haveRGB = 1});
}

static void parts_health(struct geo_sysman *sysman)
{
    ADD(firmware, FIRMWARE, -1, "gsc", .properties = {.canControl = 1, .name = "GSC"});
    ADD(firmware, FIRMWARE, 0, "oprom",
        .properties = {.name = "OptionROM of a maker who likes names that are long, very long"});
    ADD(ras, RAS, 0, "correctable-0", .properties = {.type = ZES_RAS_ERROR_TYPE_CORRECTABLE},
        .categories = correctable, .category_count = 5);
    ADD(ras, RAS, 0, "uncorrectable-0", .properties = {.type = ZES_RAS_ERROR_TYPE_UNCORRECTABLE},
        .categories = uncorrectable, .category_count = 3);
    ADD(diagnostics, DIAGNOSTICS, -1, "scan", .properties = {.name = "SCAN", .haveTests = 1},
        .tests = tests, .test_count = 3);
    ADD(diagnostics, DIAGNOSTICS, 1, "array", .properties = {.name = "ARRAY"});
}

static void parts_special(struct geo_sysman *sysman)
{
    ADD(overclock, OVERCLOCK, -1, "gpu",
        .properties = {.domainType = ZES_OVERCLOCK_DOMAIN_GPU_ALL,
                       .AvailableControls =
                           ZES_OVERCLOCK_CONTROL_FREQ_OFFSET | ZES_OVERCLOCK_CONTROL_TEMP_LIMIT,
                       .VFProgramType = ZES_VF_PROGRAM_TYPE_VF_ARBITRARY,
                       .NumberOfVFPoints = DESCRIBED_POINTS},
        .curve = {300, 2000, 50, 500, 1200, 5}, .controls = controls, .control_count = 2);
    ADD(overclock, OVERCLOCK, -1, "vram",
        .properties = {.domainType = ZES_OVERCLOCK_DOMAIN_VRAM,
                       .AvailableControls = ZES_OVERCLOCK_CONTROL_FREQ_OFFSET},
        .controls = controls, .control_count = 1);
    ADD(overclock, OVERCLOCK, -1, "media",
        .properties = {.domainType = ZES_OVERCLOCK_DOMAIN_GPU_MEDIA,
                       .VFProgramType = ZES_VF_PROGRAM_TYPE_VF_VOLT_FIXED,
                       .NumberOfVFPoints = DESCRIBED_POINTS});
    for (uint8_t i = 1; i <= 2; i++) {
        ADD(virtual_function, VIRTUAL_FUNCTION, -1, i == 1 ? "vf-1" : "vf-2",
            .capabilities = {.address = {0, 3, 0, i},
                             .vfDeviceMemSize = UINT64_C(1) << (30 + i),
                             .vfID = i},
            .uuid = {{'v', 'f', i}},
            .telemetry =
                ZES_VF_INFO_UTIL_EXP_FLAG_INFO_MEM_GPU | ZES_VF_INFO_UTIL_EXP_FLAG_INFO_ENGINE);
    }
}

void described_parts(struct geo_sysman *sysman)
{
    parts_power(sysman);
    parts_work(sysman);
    parts_board(sysman);
    parts_health(sysman);
    parts_special(sysman);
}
