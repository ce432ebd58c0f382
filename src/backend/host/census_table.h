/* The layout of a census file, and functions to open it. See census.h.
 *
 *     [ head ][ CPUs ]  [ place 0 | cells ][ place 1 | cells ] ... [ place 255 | cells ]
 *       4 KiB   64 KiB     4 KiB    64 KiB
 *
 * The file is sparse: pages exist only for places of processes, cells of their possible threads,
 * and existing CPUs. */
#ifndef GEO_BACKEND_HOST_CENSUS_TABLE_H
#define GEO_BACKEND_HOST_CENSUS_TABLE_H

#include "backend/host/census.h"
#include "exec/job/limit.h"
#include "exec/thread/busy.h"

#include <sys/types.h>

#define GEO_CENSUS_FOLDER "/dev/shm"
/* The name contains the layout's number, so processes with another layout use another file. */
#define GEO_CENSUS_NAME   "geoid-3-"
#define GEO_CENSUS_FORMAT UINT32_C(0x67636e33) /* changes with the structures below */
#define GEO_CENSUS_PAGE   4096u

struct geo_census_head {
    _Atomic uint32_t format; /* GEO_CENSUS_FORMAT, or 0 in a new file */
    uint32_t unused;
    struct geo_busy_watch watch;
    /* See exec/job/limit.h; watchdog.h assigns them to devices. */
    _Atomic uint64_t limits_us[GEO_LIMITS];
};

struct geo_census_row {
    uint8_t uuid[ZE_MAX_DEVICE_UUID_SIZE];
    _Atomic uint64_t memory_bytes, shared_bytes;
    _Atomic uint32_t engines;
    _Atomic uint32_t used; /* 1: the row is filled */
};

struct geo_census_place {
    _Atomic uint32_t format; /* GEO_CENSUS_FORMAT: the place is filled */
    uint32_t pid;
    uint64_t pid_space; /* PID namespace of `pid` */
    _Atomic uint32_t cells_used;
    struct geo_census_row devices[GEO_CREW_CREWS];
};

#define GEO_CENSUS_CPUS_AT     GEO_CENSUS_PAGE
#define GEO_CENSUS_PLACES_AT   (GEO_CENSUS_CPUS_AT + GEO_BUSY_CPUS * sizeof(struct geo_busy_cpu))
#define GEO_CENSUS_CELLS_AT    GEO_CENSUS_PAGE /* offset in a place */
#define GEO_CENSUS_PLACE_BYTES (GEO_CENSUS_PAGE + GEO_BUSY_CELLS * sizeof(struct geo_busy_cell))
#define GEO_CENSUS_BYTES       (GEO_CENSUS_PLACES_AT + GEO_CENSUS_PLACES * GEO_CENSUS_PLACE_BYTES)

_Static_assert(sizeof(struct geo_census_head) <= GEO_CENSUS_PAGE, "the head is a page");
_Static_assert(sizeof(struct geo_census_place) <= GEO_CENSUS_PAGE, "a place is a page");

static inline off_t geo_census_table_place_at(uint32_t index)
{
    return (off_t)(GEO_CENSUS_PLACES_AT + index * GEO_CENSUS_PLACE_BYTES);
}

/* Creates the user's file below a folder if possible. A process that queries or sets something
 * before any device was used needs the file. */
void geo_census_make(const char *folder);

/* Returns an identifier of the PID namespace; 0: unknown. */
uint64_t geo_census_pid_space(void);

/* An open census file and its locked places. */
struct geo_census_table {
    int fd;
    bool writable;
    unsigned long user;
    uint32_t held[GEO_CENSUS_PLACES], count;
};

bool geo_census_read_table(const struct geo_census_table *table, void *to, size_t bytes,
                           off_t from);

/* Writes to a census file. Exceeding the file size limit is an error, not a signal. */
bool geo_census_write(int fd, const void *from, size_t bytes, off_t to);

/* Calls `look` for each valid file below a folder. writable: opened for writing if permitted.
 * Returns false when memory or descriptors ran out, so that files may be missing. */
bool geo_census_read_tables(const char *folder, bool writable,
                            void (*look)(struct geo_census_table *table, void *data), void *data);

#endif
