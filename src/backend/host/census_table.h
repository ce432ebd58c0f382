/* The census' file: what is where in it, and how it is opened. See census.h.
 *
 *     [ head ][ CPUs ]  [ place 0 | cells ][ place 1 | cells ] ... [ place 255 | cells ]
 *       4 KiB   64 KiB     4 KiB    64 KiB
 *
 * The file is sparse: a process uses its place, cells for the threads that it may have, and the
 * CPUs that the machine has. */
#ifndef GEO_BACKEND_HOST_CENSUS_TABLE_H
#define GEO_BACKEND_HOST_CENSUS_TABLE_H

#include "backend/host/census.h"
#include "exec/busy.h"

#include <sys/types.h>

#define GEO_CENSUS_FOLDER "/dev/shm"
/* The layout's number is part of the name: processes of another one have a file of their own. */
#define GEO_CENSUS_NAME   "geoid-2-"
#define GEO_CENSUS_FORMAT UINT32_C(0x67636e32) /* changes with the structures below */
#define GEO_CENSUS_PAGE   4096u

struct geo_census_head {
    _Atomic uint32_t format; /* GEO_CENSUS_FORMAT, or 0 in a new file */
    uint32_t unused;
    struct geo_busy_watch watch;
};

struct geo_census_row {
    uint8_t uuid[ZE_MAX_DEVICE_UUID_SIZE];
    _Atomic uint64_t memory_bytes;
    _Atomic uint32_t engines;
    _Atomic uint32_t used; /* 1: the row is filled */
};

struct geo_census_place {
    _Atomic uint32_t format; /* GEO_CENSUS_FORMAT: all before is filled */
    uint32_t pid;
    uint64_t pid_space; /* the process numbers that it is one of */
    _Atomic uint32_t cells_used;
    struct geo_census_row devices[GEO_CREW_CREWS];
};

#define GEO_CENSUS_CPUS_AT     GEO_CENSUS_PAGE
#define GEO_CENSUS_PLACES_AT   (GEO_CENSUS_CPUS_AT + GEO_BUSY_CPUS * sizeof(struct geo_busy_cpu))
#define GEO_CENSUS_CELLS_AT    GEO_CENSUS_PAGE /* of a place */
#define GEO_CENSUS_PLACE_BYTES (GEO_CENSUS_PAGE + GEO_BUSY_CELLS * sizeof(struct geo_busy_cell))
#define GEO_CENSUS_BYTES       (GEO_CENSUS_PLACES_AT + GEO_CENSUS_PLACES * GEO_CENSUS_PLACE_BYTES)

_Static_assert(sizeof(struct geo_census_head) <= GEO_CENSUS_PAGE, "the head is a page");
_Static_assert(sizeof(struct geo_census_place) <= GEO_CENSUS_PAGE, "a place is a page");

static inline off_t geo_census_place_at(uint32_t index)
{
    return (off_t)(GEO_CENSUS_PLACES_AT + index * GEO_CENSUS_PLACE_BYTES);
}

/* The user's file is there afterwards, if it can be: who looks before anybody has used a device
 * needs a place to say so. */
void geo_census_make(void);

/* Process numbers mean something in one space of them only. 0: unknown. */
uint64_t geo_census_pid_space(void);

#endif
