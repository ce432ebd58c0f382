/* The classes of parts: how each is found, described once, and read. See sampler.h. */
#ifndef ZETOP_CLASS_H
#define ZETOP_CLASS_H

#include "sample.h"

/* A snapshot of one device that is being taken. */
struct reading {
    struct device *device;
    bool out_of_memory;
};

struct part_ops {
    const char *name, *short_name;
    /* Lists the handles of the parts of the class, by the two-call protocol of the API. NULL: the
     * device has one part of this class, whose handle is that of the device. */
    ze_result_t (*enumerate)(zes_device_handle_t device, uint32_t *count, void **handles);
    /* Called once for a part: sets its type (the name of the class if it has no types), sub-device
     * and properties. */
    ze_result_t (*describe)(struct part *part);
    /* Adds values. */
    void (*read)(struct reading *reading, struct part *part);
};

/* class.c, class_power.c, class_health.c */
extern const struct part_ops part_engine, part_memory, part_power, part_frequency, part_temperature,
    part_fan, part_errors, part_pci, part_psu, part_port;

/* Add a value to a part: an integer, a real number, or a state with only a label. (sampler.c) */
void reading_number(struct reading *reading, struct part *part, enum metric_id metric,
                    const char *label, enum value_form form, uint64_t number);
void reading_real(struct reading *reading, struct part *part, enum metric_id metric, double real);
void reading_word(struct reading *reading, struct part *part, enum metric_id metric,
                  const char *word);

/* Returns whether a call succeeded. An error other than UNSUPPORTED_FEATURE is noted in the device
 * for the user. */
bool reading_has(struct reading *reading, const struct part *part, ze_result_t result);

/* Replaces the previous reading of a counter of `bits` bits. Gives the increase and the elapsed
 * microseconds. Returns false for a first reading, for one at the same time, or if the counter was
 * reset. */
struct change {
    uint64_t first, second, time;
};
bool counter_step(struct counter *before, unsigned bits, uint64_t first, uint64_t second,
                  uint64_t time, struct change *change);

/* The two values a second of one counter. */
void reading_rates(struct reading *reading, struct part *part, enum metric_id first,
                   enum metric_id second, const struct change *change);

/* -1 without a sub-device. */
static inline int32_t subdevice_of(ze_bool_t on, uint32_t subdevice)
{
    return on ? (int32_t)subdevice : -1;
}

#endif
