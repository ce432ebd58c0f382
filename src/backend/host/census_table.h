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
#include "exec/limit.h"

#include <sys/types.h>

#define GEO_CENSUS_FOLDER "/dev/shm"
/* The layout's number is part of the name: processes of another one have a file of their own. */
#define GEO_CENSUS_NAME   "geoid-3-"
#define GEO_CENSUS_FORMAT UINT32_C(0x67636e33) /* changes with the structures below */
#define GEO_CENSUS_PAGE   4096u

struct geo_census_head {
    _Atomic uint32_t format; /* GEO_CENSUS_FORMAT, or 0 in a new file */
    uint32_t unused;
    struct geo_busy_watch watch;
    _Atomic uint64_t limits_us[GEO_LIMITS]; /* exec/limit.h; watchdog.h says whose is which */
};

struct geo_census_row {
    uint8_t uuid[ZE_MAX_DEVICE_UUID_SIZE];
    _Atomic uint64_t memory_bytes, shared_bytes;
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

/* The user's file below a folder is there afterwards, if it can be: who looks or sets something
 * before anybody has used a device needs a place to say so. */
void geo_census_make(const char *folder);

/* Process numbers mean something in one space of them only. 0: unknown. */
uint64_t geo_census_pid_space(void);

/* A file of somebody's, open, and the places in it that are held. */
struct geo_census_table {
    int fd;
    bool writable;
    unsigned long user;
    uint32_t held[GEO_CENSUS_PLACES], count;
};

bool geo_census_table_read(const struct geo_census_table *table, void *to, size_t bytes,
                           off_t from);

/* Writes into the file of a census. A limit on file sizes is an error, not a signal. */
bool geo_census_write(int fd, const void *from, size_t bytes, off_t to);

/* Calls `look` with each file below a folder that may be believed. writable: opened so where that
 * may be. False: memory or descriptors ran out, and some may be missing. */
bool geo_census_tables(const char *folder, bool writable,
                       void (*look)(struct geo_census_table *table, void *data), void *data);

#endif
