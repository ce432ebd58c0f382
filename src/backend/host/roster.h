/* Which devices a backend of this machine presents: one, one with parts, or several.
 *
 * What there is is described as one device (`geo_roster_desc`). GEOID_DEVICES divides it on any
 * machine: "2" into two devices, "2x4" into two of four parts (tiles) each, "1" into one without
 * any. All are equal then, and have cores of their own as far as there are enough; beyond that they
 * share them. Without the option there is one device, and its parts are those of the machine
 * (memory nodes, else last-level caches) when there are several.
 *
 * A device with parts is all of them together: work on it runs on every core, its memory, slices
 * and execution units are the sums of theirs. */
#ifndef GEO_BACKEND_HOST_ROSTER_H
#define GEO_BACKEND_HOST_ROSTER_H

#include "backend/host/device.h"

/* Devices and parts together: as many executors may share a core. */
#define GEO_ROSTER_DEVICES GEO_CREW_CREWS

/* The byte in which identifiers of devices differ, by their numbers. */
#define GEO_ROSTER_UUID_ROOT (ZE_MAX_DEVICE_UUID_SIZE - 2)

struct geo_roster_shape {
    uint32_t roots; /* 0: as the machine is */
    uint32_t parts; /* of each; 0: none, never 1 */
};

/* A part of the machine. */
struct geo_roster_part {
    int32_t node;   /* of its memory; -1: it has none of its own */
    uint64_t bytes; /* of that memory */
};

struct geo_roster_desc {
    struct geo_roster_shape shape;
    const struct geo_device_info *info; /* of everything as one device */
    const struct geo_record_ops *ops;
    struct geo_crew_desc crew; /* of everything */
    /* The machine's parts: which each of the crew's places is in, below part_count. */
    const uint32_t *part_of; /* [place_count] */
    const struct geo_roster_part *machine_parts;
    uint32_t part_count; /* 0: it has none that count */
};

/* "N" or "NxM". False: it is neither, or more than GEO_ROSTER_DEVICES. */
bool geo_roster_parse(const char *text, struct geo_roster_shape *out);

/* What GEOID_DEVICES says; all 0 when it is not set, or says nothing that can be (logged). */
struct geo_roster_shape geo_roster_asked(void);

/* Fills devices[GEO_ROSTER_DEVICES], zeroed, each root before its parts, and counts them. They live
 * for ever, and so do their places. 0: memory ran out. */
uint32_t geo_roster_build(const struct geo_roster_desc *desc, struct geo_backend_device *devices);

/* The seam's `narrow`. */
void geo_roster_narrow(struct geo_backend_device *root, struct geo_backend_device *const *parts,
                       uint32_t count);

#endif
