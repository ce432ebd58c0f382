/* Memory, its errors, temperatures, fans. */
#include "gpu_fixture.h"

/* ---- memory ---- */

static zes_mem_state_t memory_read(struct gpus *gpus, uint32_t index)
{
    const struct geo_sysman_memory *memory = gpus_component(gpus, GEO_SYSMAN_MEMORY, index);
    zes_mem_state_t state = {.health = ZES_MEM_HEALTH_FORCE_UINT32};
    assert_works(gpus, memory->ops->state(memory, &state, &gpus->why));
    return state;
}

static void memory_is_described(void **unused)
{
    (void)unused;
    struct gpus gpus;
    gpus_open(&gpus, GPU_LIBRARY_NEW, 0);
    assert_int_equal(gpus_count(&gpus, GEO_SYSMAN_MEMORY), 1);
    const struct geo_sysman_memory *memory = gpus_component(&gpus, GEO_SYSMAN_MEMORY, 0);
    assert_int_equal(memory->properties.type, ZES_MEM_TYPE_HBM3); /* by the GPU's name */
    assert_int_equal(memory->properties.location, ZES_MEM_LOC_DEVICE);
    assert_int_equal(memory->properties.physicalSize, 80ull << 30);
    assert_int_equal(memory->properties.busWidth, 5120);
    assert_int_equal(memory->properties.numChannels, -1);
    assert_null(memory->ops->bandwidth); /* NVML has a share of time, and no bytes */
    gpus_close(&gpus);
}

/* What the driver keeps for itself is neither free nor in use. */
static void free_memory_is_free(void **unused)
{
    (void)unused;
    struct gpus gpus;
    gpus_open(&gpus, GPU_LIBRARY_NEW, 0);
    gpus_state(&gpus, 0)->memory_used = 5ull << 30;
    assert_int_equal(memory_read(&gpus, 0).size, 80ull << 30);
    assert_int_equal(memory_read(&gpus, 0).free, (75ull << 30) - (1ull << 29));
    gpus_close(&gpus);
    gpus_open(&gpus, GPU_LIBRARY_OLD, 0); /* has the older structure alone */
    assert_int_equal(memory_read(&gpus, 0).free, (79ull << 30) - (1ull << 29));
    gpus_close(&gpus);
}

static void mig_devices_have_their_shares(void **unused)
{
    (void)unused;
    struct gpus gpus;
    gpus_open(&gpus, GPU_LIBRARY_NEW, 2);
    assert_int_equal(gpus_count(&gpus, GEO_SYSMAN_MEMORY), 1 + FAKE_MIGS);
    for (uint32_t i = 0; i < FAKE_MIGS; i++) {
        const struct geo_sysman_memory *memory = gpus_component(&gpus, GEO_SYSMAN_MEMORY, 1 + i);
        assert_int_equal(memory->base.subdevice, i);
        assert_int_equal(memory->properties.physicalSize, 20ull << 30);
        assert_int_equal(memory_read(&gpus, 1 + i).size, 20ull << 30);
    }
    assert_int_equal(memory_read(&gpus, 0).size, 80ull << 30);
    assert_int_equal(((const struct geo_sysman_memory *)gpus_component(&gpus, GEO_SYSMAN_MEMORY, 0))
                         ->properties.type,
                     ZES_MEM_TYPE_FORCE_UINT32); /* nothing says it */
    gpus_close(&gpus);
}

/* SYC-15 */
static void health_is_what_became_of_faulty_rows(void **unused)
{
    (void)unused;
    static const struct {
        unsigned rows[4];
        zes_mem_health_t health;
    } table[] = {
        {{0, 0, 0, 0}, ZES_MEM_HEALTH_OK},
        {{3, 2, 0, 0}, ZES_MEM_HEALTH_OK}, /* replaced */
        {{0, 1, 1, 0}, ZES_MEM_HEALTH_DEGRADED},
        {{0, 1, 1, 1}, ZES_MEM_HEALTH_REPLACE},
    };
    struct gpus gpus;
    gpus_open(&gpus, GPU_LIBRARY_NEW, 0);
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        memcpy(gpus_state(&gpus, 0)->remapped, table[i].rows, sizeof(table[i].rows));
        assert_int_equal(memory_read(&gpus, 0).health, table[i].health);
    }
    gpus_fail(&gpus, DeviceGetRemappedRows, GEO_NVML_UNKNOWN);
    assert_int_equal(memory_read(&gpus, 0).health, ZES_MEM_HEALTH_UNKNOWN);
    gpus_close(&gpus);
}

static void health_is_what_became_of_faulty_pages(void **unused)
{
    (void)unused;
    static const struct {
        unsigned single, doubles;
        int pending;
        zes_mem_health_t health;
    } table[] = {
        {0, 0, 0, ZES_MEM_HEALTH_OK},        {5, 0, 0, ZES_MEM_HEALTH_OK},
        {0, 1, 0, ZES_MEM_HEALTH_CRITICAL},  {1, 0, 1, ZES_MEM_HEALTH_DEGRADED},
        {40, 20, 0, ZES_MEM_HEALTH_REPLACE}, {70, 70, 1, ZES_MEM_HEALTH_REPLACE},
    };
    struct gpus gpus;
    gpus_open(&gpus, GPU_LIBRARY_NEW, 2);
    const struct geo_sysman_memory *memory = gpus_component(&gpus, GEO_SYSMAN_MEMORY, 0);
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        struct fake_gpu *gpu = gpus_state(&gpus, 2);
        uint32_t pages = 0, most = 0;
        gpu->retired[0] = table[i].single;
        gpu->retired[1] = table[i].doubles;
        gpu->retired_pending = table[i].pending;
        assert_int_equal(memory_read(&gpus, 0).health, table[i].health);
        assert_works(&gpus, memory->ops->pages_offline(memory, &pages, &most, &gpus.why));
        assert_int_equal(pages, table[i].single + table[i].doubles);
        assert_int_equal(most, 64);
    }
    gpus_fail(&gpus, DeviceGetRetiredPages, GEO_NVML_NOT_SUPPORTED);
    assert_int_equal(memory_read(&gpus, 0).health, ZES_MEM_HEALTH_UNKNOWN);
    gpus_close(&gpus);
}

static void rows_are_no_pages(void **unused)
{
    (void)unused;
    struct gpus gpus;
    uint32_t pages, most;
    gpus_open(&gpus, GPU_LIBRARY_NEW, 0);
    const struct geo_sysman_memory *memory = gpus_component(&gpus, GEO_SYSMAN_MEMORY, 0);
    assert_unsupported(&gpus, memory->ops->pages_offline(memory, &pages, &most, &gpus.why),
                       "nvmlDeviceGetRetiredPages: ");
    gpus_close(&gpus);
}

/* ---- errors ---- */

static void errors_are_counted_by_kind_and_place(void **unused)
{
    (void)unused;
    struct gpus gpus;
    uint64_t counters[2];
    gpus_open(&gpus, GPU_LIBRARY_NEW, 0);
    assert_int_equal(gpus_count(&gpus, GEO_SYSMAN_RAS), 2);
    gpus_state(&gpus, 0)->errors[GEO_NVML_CORRECTED][GEO_NVML_PLACE_SRAM] = 1;
    gpus_state(&gpus, 0)->errors[GEO_NVML_CORRECTED][GEO_NVML_PLACE_DRAM] = 2;
    gpus_state(&gpus, 0)->errors[GEO_NVML_UNCORRECTED][GEO_NVML_PLACE_SRAM] = 3;
    gpus_state(&gpus, 0)->errors[GEO_NVML_UNCORRECTED][GEO_NVML_PLACE_DRAM] = 4;
    for (uint32_t i = 0; i < 2; i++) {
        const struct geo_sysman_ras *ras = gpus_component(&gpus, GEO_SYSMAN_RAS, i);
        assert_int_equal(ras->properties.type,
                         i ? ZES_RAS_ERROR_TYPE_UNCORRECTABLE : ZES_RAS_ERROR_TYPE_CORRECTABLE);
        assert_int_equal(ras->category_count, 2);
        assert_int_equal(ras->categories[0], ZES_RAS_ERROR_CATEGORY_EXP_CACHE_ERRORS);
        assert_int_equal(ras->categories[1], ZES_RAS_ERROR_CATEGORY_EXP_MEMORY_ERRORS);
        assert_works(&gpus, ras->ops->counters(ras, counters, &gpus.why));
        assert_int_equal(counters[0], 1 + 2 * i);
        assert_int_equal(counters[1], 2 + 2 * i);
    }
    gpus_close(&gpus);
}

/* SYC-23 */
static void older_gpus_count_by_place_and_clearing_is_of_all(void **unused)
{
    (void)unused;
    struct gpus gpus;
    uint64_t counters[2];
    gpus_open(&gpus, GPU_LIBRARY_NEW, 2);
    const struct geo_sysman_ras *ras = gpus_component(&gpus, GEO_SYSMAN_RAS, 1);
    unsigned long long *errors = gpus_state(&gpus, 2)->errors[GEO_NVML_UNCORRECTED];
    errors[GEO_NVML_PLACE_L1] = 1;
    errors[GEO_NVML_PLACE_L2] = 10;
    errors[GEO_NVML_PLACE_REGISTERS] = 100;
    errors[GEO_NVML_PLACE_TEXTURE] = 1000;
    errors[GEO_NVML_PLACE_DRAM] = 5;
    assert_works(&gpus, ras->ops->counters(ras, counters, &gpus.why));
    assert_int_equal(counters[0], 1111);
    assert_int_equal(counters[1], 5);
    assert_works(&gpus, ras->ops->clear(ras, 1, &gpus.why));
    assert_works(&gpus, ras->ops->counters(ras, counters, &gpus.why));
    assert_int_equal(counters[0] + counters[1], 0);
    gpus_fail(&gpus, DeviceClearEccErrorCounts, GEO_NVML_NO_PERMISSION);
    assert_result(&gpus, ras->ops->clear(ras, 0, &gpus.why),
                  ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS, "nvmlDeviceClearEccErrorCounts: ");
    gpus_close(&gpus);
}

static void without_error_correction_nothing_is_counted(void **unused)
{
    (void)unused;
    struct gpus gpus;
    gpus_open(&gpus, GPU_LIBRARY_NEW, 0);
    gpus_fail(&gpus, DeviceGetMemoryErrorCounter, GEO_NVML_NOT_SUPPORTED);
    assert_int_equal(gpus_count(&gpus, GEO_SYSMAN_RAS), 0);
    gpus_close(&gpus);
}

/* ---- temperatures ---- */

static double celsius_read(struct gpus *gpus, uint32_t index)
{
    const struct geo_sysman_temperature *sensor =
        gpus_component(gpus, GEO_SYSMAN_TEMPERATURE, index);
    double celsius = -300;
    assert_works(gpus, sensor->ops->state(sensor, &celsius, &gpus->why));
    return celsius;
}

static const zes_temp_properties_t *sensor_properties(struct gpus *gpus, uint32_t index)
{
    const struct geo_sysman_temperature *sensor =
        gpus_component(gpus, GEO_SYSMAN_TEMPERATURE, index);
    return &sensor->properties;
}

/* SYC-18 */
static void the_gpu_and_its_memory_have_temperatures(void **unused)
{
    (void)unused;
    struct gpus gpus;
    gpus_open(&gpus, GPU_LIBRARY_NEW, 0);
    assert_int_equal(gpus_count(&gpus, GEO_SYSMAN_TEMPERATURE), 2);
    assert_int_equal(sensor_properties(&gpus, 0)->type, ZES_TEMP_SENSORS_GPU);
    assert_true(sensor_properties(&gpus, 0)->maxTemperature == 87);
    assert_true(sensor_properties(&gpus, 0)->isCriticalTempSupported);
    assert_true(sensor_properties(&gpus, 0)->isThreshold1Supported);
    assert_true(sensor_properties(&gpus, 0)->isThreshold2Supported);
    assert_int_equal(sensor_properties(&gpus, 1)->type, ZES_TEMP_SENSORS_MEMORY);
    assert_true(sensor_properties(&gpus, 1)->maxTemperature == 95);
    assert_true(celsius_read(&gpus, 0) == 31);
    assert_true(celsius_read(&gpus, 1) == 41);
    gpus_close(&gpus);
}

static void a_gpu_without_the_sensor_has_none(void **unused)
{
    (void)unused;
    struct gpus gpus;
    gpus_open(&gpus, GPU_LIBRARY_NEW, 2); /* of which the older threshold is known */
    assert_int_equal(gpus_count(&gpus, GEO_SYSMAN_TEMPERATURE), 1);
    assert_true(sensor_properties(&gpus, 0)->maxTemperature == 89);
    gpus_sysman(&gpus, 0, NULL);
    gpus_state(&gpus, 0)->memory_celsius = 0;
    gpus_fail(&gpus, DeviceGetTemperatureThreshold, GEO_NVML_NOT_SUPPORTED);
    assert_int_equal(gpus_count(&gpus, GEO_SYSMAN_TEMPERATURE), 1);
    assert_true(sensor_properties(&gpus, 0)->maxTemperature == -1);
    assert_false(sensor_properties(&gpus, 0)->isCriticalTempSupported);
    gpus_close(&gpus);
}

/* ---- fans ---- */

static const struct geo_sysman_fan *fan_at(const struct gpus *gpus, uint32_t index)
{
    return gpus_component(gpus, GEO_SYSMAN_FAN, index);
}

static void fans_are_described(void **unused)
{
    (void)unused;
    struct gpus gpus;
    int32_t speed = 0;
    gpus_open(&gpus, GPU_LIBRARY_NEW, 0);
    assert_int_equal(gpus_count(&gpus, GEO_SYSMAN_FAN), 0);
    gpus_sysman(&gpus, 2, NULL);
    assert_int_equal(gpus_count(&gpus, GEO_SYSMAN_FAN), FAKE_FANS);
    const struct geo_sysman_fan *fan = fan_at(&gpus, 1);
    assert_string_equal(fan->base.name, "fan-1");
    assert_true(fan->properties.canControl);
    assert_int_equal(fan->properties.supportedModes,
                     1 << ZES_FAN_SPEED_MODE_DEFAULT | 1 << ZES_FAN_SPEED_MODE_FIXED);
    assert_int_equal(fan->properties.supportedUnits,
                     1 << ZES_FAN_SPEED_UNITS_RPM | 1 << ZES_FAN_SPEED_UNITS_PERCENT);
    assert_int_equal(fan->properties.maxRPM, -1);
    assert_int_equal(fan->properties.maxPoints, -1);
    assert_works(&gpus, fan->ops->speed(fan, ZES_FAN_SPEED_UNITS_PERCENT, &speed, &gpus.why));
    assert_int_equal(speed, 40);
    assert_works(&gpus, fan->ops->speed(fan, ZES_FAN_SPEED_UNITS_RPM, &speed, &gpus.why));
    assert_int_equal(speed, 2000);
    gpus_close(&gpus);
}

/* SYC-21 */
static void fans_are_set(void **unused)
{
    (void)unused;
    struct gpus gpus;
    zes_fan_config_t config = {0};
    gpus_open(&gpus, GPU_LIBRARY_NEW, 2);
    const struct geo_sysman_fan *fan = fan_at(&gpus, 0);
    assert_works(&gpus, fan->ops->config(fan, &config, &gpus.why));
    assert_int_equal(config.mode, ZES_FAN_SPEED_MODE_DEFAULT);
    config.mode = ZES_FAN_SPEED_MODE_FIXED;
    config.speedFixed = (zes_fan_speed_t){.speed = 77, .units = ZES_FAN_SPEED_UNITS_PERCENT};
    assert_works(&gpus, fan->ops->set_config(fan, &config, &gpus.why));
    assert_int_equal(gpus_state(&gpus, 2)->fans[0].target, 77);
    memset(&config, 0, sizeof(config));
    assert_works(&gpus, fan->ops->config(fan, &config, &gpus.why));
    assert_int_equal(config.mode, ZES_FAN_SPEED_MODE_FIXED);
    assert_int_equal(config.speedFixed.speed, 77);
    assert_int_equal(config.speedFixed.units, ZES_FAN_SPEED_UNITS_PERCENT);
    for (int32_t speed = 19; speed <= 96; speed += 77) {
        config.speedFixed.speed = speed;
        assert_result(&gpus, fan->ops->set_config(fan, &config, &gpus.why),
                      ZE_RESULT_ERROR_INVALID_ARGUMENT, "20 % to 95 %");
    }
    config.speedFixed = (zes_fan_speed_t){.speed = 50, .units = ZES_FAN_SPEED_UNITS_RPM};
    assert_unsupported(&gpus, fan->ops->set_config(fan, &config, &gpus.why), "percent");
    assert_int_equal(gpus_state(&gpus, 2)->fans[0].target, 77);
    config.mode = ZES_FAN_SPEED_MODE_DEFAULT;
    assert_works(&gpus, fan->ops->set_config(fan, &config, &gpus.why));
    assert_int_equal(gpus_state(&gpus, 2)->fans[0].policy, GEO_NVML_FAN_AUTOMATIC);
    gpus_close(&gpus);
}

static void an_older_library_reads_fans_only(void **unused)
{
    (void)unused;
    struct gpus gpus;
    zes_fan_config_t config = {0};
    gpus_open(&gpus, GPU_LIBRARY_OLD, 2);
    const struct geo_sysman_fan *fan = fan_at(&gpus, 0);
    assert_false(fan->properties.canControl);
    assert_int_equal(fan->properties.supportedModes, 1 << ZES_FAN_SPEED_MODE_DEFAULT);
    assert_int_equal(fan->properties.supportedUnits, 1 << ZES_FAN_SPEED_UNITS_PERCENT);
    assert_unsupported(&gpus, fan->ops->config(fan, &config, &gpus.why),
                       "nvmlDeviceGetFanControlPolicy: ");
    gpus_close(&gpus);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_described),
        cmocka_unit_test(free_memory_is_free),
        cmocka_unit_test(mig_devices_have_their_shares),
        cmocka_unit_test(health_is_what_became_of_faulty_rows),
        cmocka_unit_test(health_is_what_became_of_faulty_pages),
        cmocka_unit_test(rows_are_no_pages),
        cmocka_unit_test(errors_are_counted_by_kind_and_place),
        cmocka_unit_test(older_gpus_count_by_place_and_clearing_is_of_all),
        cmocka_unit_test(without_error_correction_nothing_is_counted),
        cmocka_unit_test(the_gpu_and_its_memory_have_temperatures),
        cmocka_unit_test(a_gpu_without_the_sensor_has_none),
        cmocka_unit_test(fans_are_described),
        cmocka_unit_test(fans_are_set),
        cmocka_unit_test(an_older_library_reads_fans_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
