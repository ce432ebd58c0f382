/* Snapshots of devices: plain structures that the sampler fills (sampler.h) and everything else
 * reads. A device has parts (components of sysman, also of its sub-devices), and a part has values.
 * A value that the driver does not support or does not know is absent. */
#ifndef ZETOP_SAMPLE_H
#define ZETOP_SAMPLE_H

#include <level_zero/zes_api.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum part_class {
    PART_ENGINE,
    PART_MEMORY,
    PART_POWER,
    PART_FREQUENCY,
    PART_TEMPERATURE,
    PART_FAN,
    PART_ERRORS,
    PART_PCI,
    PART_PSU,
    PART_PORT,
    PART_CLASSES,
};

enum metric_kind { METRIC_GAUGE, METRIC_COUNTER, METRIC_STATE };

struct metric {
    enum part_class part;
    const char *name; /* with its unit at the end */
    enum metric_kind kind;
    const char *label; /* "": there is one value of it */
    const char *help;
};

enum metric_id {
#define METRIC(id, part, name, kind, label, help) M_##id,
#include "metrics.def"
#undef METRIC
    METRICS,
};
extern const struct metric metrics[METRICS];

/* How a value is held, so that counters are written exactly. */
enum value_form {
    VALUE_INTEGER, /* number */
    VALUE_MILLI,   /* number, in thousandths */
    VALUE_MICRO,   /* number, in millionths */
    VALUE_REAL,    /* real */
    VALUE_WORD,    /* a state: the label is all */
};

struct value {
    enum metric_id metric;
    enum value_form form;
    const char *label; /* a static text that tells values of one metric apart; NULL: none */
    uint64_t number;
    double real; /* with every form but a word's */
};

/* The last values of a metric, in a ring. NAN: the snapshot had no value. */
enum { HISTORY_LENGTH = 160 };
struct history {
    float values[HISTORY_LENGTH];
    uint32_t next, count;
};

/* A counter as it was last read; time in microseconds of its own clock. */
struct counter {
    bool known;
    uint64_t first, second, time;
};

union part_properties {
    struct {
        uint64_t size;         /* bytes; 0: unknown */
        uint32_t counter_bits; /* of the bandwidth's counters */
    } memory;
    struct {
        double min, max; /* MHz */
    } frequency;
    struct {
        double max; /* degrees Celsius; 0: unknown */
    } temperature;
    struct {
        uint32_t units;  /* bits of zes_fan_speed_units_t */
        int32_t max_rpm; /* -1: unknown */
    } fan;
};

struct part {
    enum part_class kind;
    uint32_t index;    /* in its class */
    int32_t subdevice; /* -1: the whole device */
    const char *type;  /* a static word */
    void *handle;      /* of sysman; a PCI link has the device's */
    union part_properties properties;
    struct counter before;
    struct value *values; /* in the order of metrics */
    size_t value_count, value_room;
    struct history *history; /* of the first value; NULL: none yet */
};

enum { PROCESS_NAME = 64 };
struct process {
    uint32_t pid;
    uint64_t memory, shared; /* bytes */
    zes_engine_type_flags_t engines;
    char name[PROCESS_NAME]; /* "-": the system does not say */
};

enum { DEVICE_TEXT = ZES_STRING_PROPERTY_SIZE, DEVICE_FAILURE = 512 };
struct device {
    zes_device_handle_t handle;
    struct driver *driver;
    uint32_t index;
    uint32_t subdevice_count;
    char uuid[40];
    /* Printable UTF-8, without the driver's mark of simulated devices. */
    char name[DEVICE_TEXT], vendor[DEVICE_TEXT], serial[DEVICE_TEXT], version[DEVICE_TEXT];
    bool simulated;
    bool lost;
    bool described;     /* its parts were looked for */
    struct part *parts; /* by class */
    size_t part_count, part_room;
    struct process *processes;
    size_t process_count;
    bool processes_known;
    /* The first function that the driver refused in the last snapshot: what was asked, the result
     * and the driver's reason. Empty if none was refused. */
    char failure[DEVICE_FAILURE];
};

/* Returns the first value of a part with the metric, or NULL. */
const struct value *part_value(const struct part *part, enum metric_id metric);

/* Return the name of a class, such as "temperature", and a short one, such as "temp". */
const char *part_class_name(enum part_class kind);
const char *part_class_short_name(enum part_class kind);

/* The numbers that the overview shows for a device; NAN if unknown. */
struct headline {
    double utilization;              /* of all engines, or of the busiest group */
    double memory_used, memory_size; /* bytes, of the device's modules */
    double watts, celsius, hertz;    /* of the card or all packages; the hottest; the fastest */
    double fan_ratio;
};
struct headline device_headline(const struct device *device);

/* Returns the history of the part from which headline.utilization is; NULL: none. */
const struct history *device_history(const struct device *device);

#endif
