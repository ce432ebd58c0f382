/* What the files of the described backend share. */
#ifndef TESTS_SYSMAN_DESCRIBED_INTERNAL_H
#define TESTS_SYSMAN_DESCRIBED_INTERNAL_H

#include "backend/sysman.h"
#include "described.h"

#define DESCRIBED_EXPORT __attribute__((visibility("default")))

extern struct described described;

/* Counts a call and takes the lock; false, and without the lock, where the test wants it to fail. */
bool described_enter(enum described_operation operation, ze_result_t *result,
                     struct geo_strbuf *why);
/* Gives the lock back; SUCCESS. */
ze_result_t described_leave(void);

/* How each operation begins. */
#define BEGIN(operation)                                                                           \
    ze_result_t result_;                                                                           \
    if (!described_enter(DESCRIBED_##operation, &result_, why)) {                                  \
        return result_;                                                                            \
    }

/* The tables of operations; an entry that is to be absent is set to NULL. */
extern struct geo_sysman_power_ops described_power_ops;
extern struct geo_sysman_frequency_ops described_frequency_ops;
extern struct geo_sysman_engine_ops described_engine_ops;
extern struct geo_sysman_scheduler_ops described_scheduler_ops;
extern struct geo_sysman_firmware_ops described_firmware_ops;
extern struct geo_sysman_memory_ops described_memory_ops;
extern struct geo_sysman_fabric_port_ops described_fabric_port_ops;
extern struct geo_sysman_temperature_ops described_temperature_ops;
extern struct geo_sysman_psu_ops described_psu_ops;
extern struct geo_sysman_fan_ops described_fan_ops;
extern struct geo_sysman_led_ops described_led_ops;
extern struct geo_sysman_ras_ops described_ras_ops;
extern struct geo_sysman_diagnostics_ops described_diagnostics_ops;
extern struct geo_sysman_standby_ops described_standby_ops;
extern struct geo_sysman_performance_ops described_performance_ops;
extern struct geo_sysman_overclock_ops described_overclock_ops;
extern struct geo_sysman_virtual_function_ops described_virtual_function_ops;
extern struct geo_sysman_device_ops described_device_ops;
extern const struct geo_sysman_device described_device;

/* The components of a device: each class has at most three. */
enum { PARTS = 3 };
struct geo_sysman {
    uint32_t index; /* of the device */
    struct geo_sysman_power power[PARTS];
    struct geo_sysman_frequency frequency[PARTS];
    struct geo_sysman_engine engine[PARTS];
    struct geo_sysman_scheduler scheduler[PARTS];
    struct geo_sysman_firmware firmware[PARTS];
    struct geo_sysman_memory memory[PARTS];
    struct geo_sysman_fabric_port fabric_port[PARTS];
    struct geo_sysman_temperature temperature[PARTS];
    struct geo_sysman_psu psu[PARTS];
    struct geo_sysman_fan fan[PARTS];
    struct geo_sysman_led led[PARTS];
    struct geo_sysman_ras ras[PARTS];
    struct geo_sysman_diagnostics diagnostics[PARTS];
    struct geo_sysman_standby standby[PARTS];
    struct geo_sysman_performance performance[PARTS];
    struct geo_sysman_overclock overclock[PARTS];
    struct geo_sysman_virtual_function virtual_function[PARTS];
    const struct geo_sysman_component *list[GEO_SYSMAN_CLASS_COUNT][PARTS];
    uint32_t count[GEO_SYSMAN_CLASS_COUNT];
};

/* Fills all of a zeroed one (parts.c). */
void described_parts(struct geo_sysman *sysman);

/* Which of its class a component is. */
static inline uintptr_t described_index(const struct geo_sysman_component *component)
{
    return (uintptr_t)component->opaque;
}

#endif
