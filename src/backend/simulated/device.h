/* A simulated device: the part of its description that concerns the whole device, and its
 * components.
 *
 * Each component class is a file. It has a struct for a component (description for the interface,
 * scripts, and `now`, the settings that a reset restores), a table of its keys, and its operations.
 * A device reads its description at the first query, class by class, into an arena of its own. A
 * value is computed when it is queried.
 *
 * Order of the files; each may use those before it:
 *
 *     json < script, words < read, clock < component, part < the classes, whole, event < device
 *          < file < simulated
 *     read, check < metric (metric.h has the order of its files) < file
 */
#ifndef GEO_BACKEND_SIMULATED_DEVICE_H
#define GEO_BACKEND_SIMULATED_DEVICE_H

#include "backend/simulated/clock.h"
#include "backend/simulated/read.h"

#include "backend/backend.h"
#include "backend/sysman.h"

#define SIM_DEVICES    4096u /* maximum root devices of a description */
#define SIM_TILES      16u   /* maximum sub-devices of a device */
#define SIM_COMPONENTS 64u   /* maximum per class */
#define SIM_EVENTS     256u
#define SIM_FAULTS     64u
#define SIM_PROCESSES  256u

/* A component class, listed in classes.c. */
struct sim_class {
    const char *key; /* of the class's array in a device's description */
    enum geo_sysman_class kind;
    const struct sim_table *table;
    uint32_t now_offset, now_bytes; /* the part that a reset restores */
    /* Called before a reset, so that counters keep their values. NULL: no counter depends on
     * `now`. */
    void (*settle)(void *part, double t);
};
extern const struct sim_class *const sim_classes[GEO_SYSMAN_CLASS_COUNT];

struct sim_event {
    double at_s, every_s; /* every_s 0: once */
    zes_event_type_flags_t event;
};

struct sim_fault {
    double at_s, until_s;         /* until_s 0: for ever */
    const char *component, *text; /* component NULL: the whole device */
    ze_result_t result;
    bool until_reset;
};

struct sim_process {
    zes_process_state_t state; /* without sizes */
    double from_s, until_s;    /* until_s 0: for ever */
    const struct sim_script *memory_bytes, *shared_bytes;
};

struct sim_pci {
    bool there;
    zes_pci_properties_t properties;
    struct sim_list bars; /* zes_pci_bar_properties_1_2_t */
    bool downgrade;       /* downgrade is supported */
    const struct sim_script *status, *quality, *stability, *gen, *width, *bandwidth;
    const struct sim_script *replays, *packets, *rx, *tx;
};

struct sim_ecc {
    bool there, configurable;
    zes_device_ecc_state_t current, initial;
    zes_device_action_t action;
};

/* Properties of the whole device. */
struct sim_whole {
    const char *name;
    uint32_t count, tiles;
    ze_device_type_t type;
    bool integrated;
    uint32_t vendor_id, device_id, core_clock_mhz;
    uint64_t memory_bytes;
    struct geo_sysman_device about; /* texts; other members are filled from the members below */
    struct sim_pci pci;
    struct sim_ecc ecc;
    const struct sim_script *reset_reasons, *repair, *state_flags;
    struct sim_list processes, events, faults;
    zes_overclock_mode_t overclock_mode;
    const struct sim_json *classes[GEO_SYSMAN_CLASS_COUNT];
    const struct sim_json *metric_groups, *programmable_metrics; /* metric.h */
};
extern const struct sim_table sim_whole_table;

struct geo_backend_device {
    struct geo_device_info info;
    const struct sim_json *json; /* the entry in the description */
    uint32_t index;              /* index among the devices of `json` */
    uint32_t number;             /* number of its root among all root devices */
    uint32_t part;               /* number of a tile, from 1; 0: a root device */
    struct geo_sysman *sysman;   /* root devices: NULL until opened; protected by the lock */
    struct sim_metrics *metrics; /* NULL until opened; protected by the lock */
};

/* The components of a class that were read. */
struct sim_components {
    bool read;
    void *items;
    const void *initial; /* initial `now` of each component */
    const struct geo_sysman_component **list;
    uint32_t count;
};

struct geo_sysman {
    struct geo_backend_device *device;
    struct geo_arena arena;
    struct sim_whole whole;
    struct sim_components components[GEO_SYSMAN_CLASS_COUNT];
    double reset_s; /* time of the last reset; -1: none */
    /* Settings of the whole device. */
    zes_device_ecc_state_t ecc_current, ecc_pending;
    bool downgraded, downgrade_pending, waived;
    /* Events (event.c). */
    zes_event_type_flags_t watched;
    double taken_s; /* time up to which events were reported */
    struct geo_sysman_watch watch;
};

/* Returns the components of a class and reads them at the first call. NULL
 * and 0 when the class is empty or memory ran out. The lock is held. */
const struct sim_components *sim_components_of(struct geo_sysman *sysman,
                                               enum geo_sysman_class kind);

/* Returns a reader at the start of a device's description. */
struct sim_reader sim_reader_of(const struct geo_backend_device *device, struct geo_arena *arena,
                                struct geo_strbuf *problem);

/* Restores the initial settings of all components. Counters keep their values. The lock is held. */
void sim_components_reset(struct geo_sysman *sysman, double t);

extern const struct geo_sysman_device_ops sim_device_ops;
extern const struct geo_sysman_ops sim_sysman_ops;

/* ---- events (event.c); the lock is held ---- */

/* Returns the watched events after `after`, up to and including `until`. */
zes_event_type_flags_t sim_events_between(const struct geo_sysman *sysman, double after,
                                          double until);
void sim_watch_begin(struct geo_sysman *sysman, zes_event_type_flags_t events,
                     struct geo_sysman_watch *watch);
zes_event_type_flags_t sim_watch_take(struct geo_sysman *sysman);
uint64_t sim_watch_next(const struct geo_sysman *sysman);
void sim_watch_end(struct geo_sysman *sysman);
/* Returns whether there is an event to report. */
bool sim_watch_is_due(const struct geo_sysman *sysman);

#endif
