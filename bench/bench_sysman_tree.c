/* Measures readings of a recorded machine (tests/fixtures/sysman), which has components that this
 * machine may lack. The CPU's sysman is opened with a folder as its root. Prints the lines of
 * reading.h. */
#include "reading.h"

#include "machine_fixture.h"

#include <stdio.h>

static struct machine machine;

static bool answers(ze_result_t result)
{
    geo_strbuf_finish(&machine.why);
    geo_strbuf_init(&machine.why, 0);
    return result == ZE_RESULT_SUCCESS;
}

#define READ(name, type, call)                                                                     \
    static bool name(void *data)                                                                   \
    {                                                                                              \
        const struct geo_sysman_##type *component = data;                                          \
        return answers(call);                                                                      \
    }

static union {
    zes_mem_state_t memory;
    zes_engine_stats_t engine;
    double celsius;
    zes_freq_state_t frequency;
    zes_power_energy_counter_t energy;
    int32_t speed;
    uint64_t errors[2];
    zes_led_state_t led;
    zes_psu_state_t psu;
    char version[ZES_STRING_PROPERTY_SIZE];
} out;

READ(memory_read, memory, component->ops->state(component, &out.memory, &machine.why))
READ(engine_read, engine, component->ops->activity(component, 1, &out.engine, &machine.why))
READ(temperature_read, temperature, component->ops->state(component, &out.celsius, &machine.why))
READ(frequency_read, frequency, component->ops->state(component, &out.frequency, &machine.why))
READ(energy_read, power, component->ops->energy(component, &out.energy, &machine.why))
READ(fan_read, fan,
     component->ops->speed(component, ZES_FAN_SPEED_UNITS_RPM, &out.speed, &machine.why))
READ(errors_read, ras, component->ops->counters(component, out.errors, &machine.why))
READ(led_read, led, component->ops->state(component, &out.led, &machine.why))
READ(psu_read, psu, component->ops->state(component, &out.psu, &machine.why))
READ(firmware_read, firmware, component->ops->version(component, out.version, &machine.why))

static const struct {
    const char *name;
    enum geo_sysman_class kind;
    reading_fn read;
} kinds[] = {
    {"memory", GEO_SYSMAN_MEMORY, memory_read},
    {"engine", GEO_SYSMAN_ENGINE, engine_read},
    {"temperature", GEO_SYSMAN_TEMPERATURE, temperature_read},
    {"frequency", GEO_SYSMAN_FREQUENCY, frequency_read},
    {"energy", GEO_SYSMAN_POWER, energy_read},
    {"fan", GEO_SYSMAN_FAN, fan_read},
    {"errors", GEO_SYSMAN_RAS, errors_read},
    {"light", GEO_SYSMAN_LED, led_read},
    {"supply", GEO_SYSMAN_PSU, psu_read},
    {"firmware", GEO_SYSMAN_FIRMWARE, firmware_read},
};

/* Measures the first component of each class. */
static void readings(const char *name, uint32_t cpus)
{
    machine_open(&machine, name, cpus, 0);
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (machine_count(&machine, kinds[i].kind) != 0) {
            void *component = (void *)(uintptr_t)machine_component(&machine, kinds[i].kind, 0);
            (void)reading_measure(name, kinds[i].name, kinds[i].read, component);
        }
    }
    machine_close(&machine);
}

int main(void)
{
    readings("laptop", 4);
    readings("server2s", 8);
    return 0;
}
