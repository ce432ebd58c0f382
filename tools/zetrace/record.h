/* The records that the collector writes and zetrace reads: one file for each process, in the folder
 * that ZETRACE_SPOOL names. A file is made of chunks; one thread at a time maps a chunk.
 *
 *     file:   chunk chunk chunk ...                  each ZETRACE_CHUNK bytes
 *     chunk:  struct zetrace_chunk, records          `used` counts the bytes of whole records
 *     record: struct zetrace_record, its own fields  a multiple of 8 bytes
 *
 * The memory is the file's, so what is written is there however the process ends. `used` is stored
 * after the record, so a record is there or is not. Times are nanoseconds of CLOCK_MONOTONIC_RAW:
 * devices have clocks that nobody corrects, either. */
#ifndef TOOLS_ZETRACE_RECORD_H
#define TOOLS_ZETRACE_RECORD_H

#include <stdatomic.h>
#include <stdint.h>

#define ZETRACE_SPOOL "ZETRACE_SPOOL" /* the variable */

/* The group of metrics to collect, and the interval between samples in ns. Without an interval each
 * kernel is measured. */
#define ZETRACE_METRICS  "ZETRACE_METRICS"
#define ZETRACE_INTERVAL "ZETRACE_INTERVAL"

#define ZETRACE_ROOM ".room" /* a file in the folder */

/* How many bytes the processes of a trace may still record together. */
struct zetrace_room {
    _Atomic uint64_t left;
    uint64_t limit;           /* at the beginning; UINT64_MAX: none */
    _Atomic uint64_t refused; /* chunks that were not to be had, for this or another reason */
};

enum { ZETRACE_CHUNK = 1 << 16, ZETRACE_MAGIC = 0x7a740001 };

struct zetrace_chunk {
    uint32_t magic;
    uint32_t pid;
    _Atomic uint32_t used;
    uint32_t zero;
};

enum zetrace_type {
    ZETRACE_THREAD = 1, /* id: what follows in this chunk is of this thread */
    ZETRACE_NAME,       /* of a function, kernel, device or metric: struct zetrace_name */
    ZETRACE_CALL,
    ZETRACE_COMMAND,
    ZETRACE_UNTIMED,    /* id commands whose times were not to be had */
    ZETRACE_VALUES,     /* of the metrics of a kernel or a sample: struct zetrace_values */
    ZETRACE_UNMEASURED, /* id kernels whose metrics were not to be had */
    ZETRACE_LOST,       /* id times that a device had to drop samples */
};

struct zetrace_record {
    uint16_t type;
    uint16_t size; /* of all of it */
    uint32_t id;
};

/* The text of a metric has its enum zetrace_how as a character, its unit, a tab, and its name. */
enum zetrace_kind { ZETRACE_FUNCTION, ZETRACE_KERNEL, ZETRACE_DEVICE, ZETRACE_METRIC };

/* How several values of a metric become one. */
enum zetrace_how {
    ZETRACE_SUM = 's',  /* their sum: numbers of events, bytes, times */
    ZETRACE_MEAN = 'm', /* their mean, weighted by time: shares, rates */
};

struct zetrace_name {
    struct zetrace_record head; /* id: what later records name it by, in this process */
    uint32_t kind;
    uint32_t length;
    char text[]; /* not terminated */
};

struct zetrace_call {
    struct zetrace_record head; /* id: the function */
    uint64_t begin, end;
    uint32_t result;
    uint32_t zero;
};

enum zetrace_what {
    ZETRACE_LAUNCH, /* of the kernel `name` */
    ZETRACE_COPY,
    ZETRACE_FILL,
    ZETRACE_IMAGE,
    ZETRACE_OTHER, /* of what the function `name` appends */
};

/* Kinds of memory, for the direction of a copy. */
enum zetrace_memory { ZETRACE_SYSTEM, ZETRACE_HOST, ZETRACE_DEVICE_MEMORY, ZETRACE_SHARED };

struct zetrace_command {
    struct zetrace_record head; /* id: what */
    uint32_t name;
    uint32_t device;
    uint32_t stream;     /* a number for the list or queue that ran it */
    uint32_t thread;     /* that submitted it */
    uint64_t submitted;  /* when, on the host */
    uint64_t begin, end; /* on the device */
    uint64_t bytes;      /* copied or filled */
    uint8_t from, to;    /* enum zetrace_memory */
    uint8_t zero[6];
};

/* Values of some metrics for the time from `begin` to `end`. The record's size tells how many. */
struct zetrace_values {
    struct zetrace_record head; /* id: the first metric; the others have the next numbers */
    uint32_t kernel;            /* its name; 0: a sample of the device */
    uint32_t device;
    uint32_t part; /* of the device, which has several if its sub-devices are measured */
    uint32_t zero;
    uint64_t begin, end;
    double values[];
};

#endif
