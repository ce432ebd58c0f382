/* The devices that a backend of this machine presents: one, one with sub-devices, or several.
 *
 * The whole machine is described as one device (`geo_roster_desc`). GEOID_DEVICES divides it: "2"
 * into two devices, "2x4" into two devices with four sub-devices (tiles) each, "1" into one without
 * sub-devices. The devices are then equal, and have separate cores if there are enough, else they
 * share cores. Without the option there is one device. Its sub-devices are the machine's parts
 * (memory nodes, else last-level caches) if there are several.
 *
 * A device with sub-devices is the combination of them: its work runs on all their cores, and its
 * memory, slices and execution units are the sums of theirs. */
#ifndef GEO_BACKEND_HOST_ROSTER_H
#define GEO_BACKEND_HOST_ROSTER_H

#include "backend/host/device.h"

/* Maximum number of devices and sub-devices together: as many executors may share a core. */
#define GEO_ROSTER_DEVICES GEO_CREW_CREWS

/* The byte in which the UUIDs of root devices differ, by their numbers. */
#define GEO_ROSTER_UUID_ROOT (ZE_MAX_DEVICE_UUID_SIZE - 2)

struct geo_roster_shape {
    uint32_t roots; /* number of root devices; 0: as the machine is */
    uint32_t parts; /* sub-devices of each; 0: none; never 1 */
};

/* A part of the machine. */
struct geo_roster_part {
    int32_t node;   /* its memory node; -1: no memory of its own */
    uint64_t bytes; /* size of that memory */
};

struct geo_roster_desc {
    struct geo_roster_shape shape;
    const struct geo_device_info *info; /* the whole machine as one device */
    const struct geo_record_ops *ops;
    struct geo_crew_desc crew; /* the whole machine */
    /* The machine's parts, and for each of the crew's places the index of its part. */
    const uint32_t *part_of; /* [place_count] */
    const struct geo_roster_part *machine_parts;
    uint32_t part_count; /* 0: no parts */
};

/* Parses "N" or "NxM". Returns false when the text is invalid or means more than
 * GEO_ROSTER_DEVICES. */
bool geo_roster_parse(const char *text, struct geo_roster_shape *out);

/* Returns the value of GEOID_DEVICES. All fields are 0 when it is not set or invalid (which is
 * logged). */
struct geo_roster_shape geo_roster_asked(void);

/* Fills devices[GEO_ROSTER_DEVICES], which are zeroed, and returns their number. Each root device
 * precedes its sub-devices. The devices and their places are never freed. Returns 0 when memory ran
 * out. */
uint32_t geo_roster_build(const struct geo_roster_desc *desc, struct geo_backend_device *devices);

/* Implements geo_backend_ops.narrow. */
void geo_roster_narrow(struct geo_backend_device *root, struct geo_backend_device *const *parts,
                       uint32_t count);

#endif
