/* The raw data of the CPU's metrics: reports of counters, and events of the tracer. Both are plain
 * records of fixed size per group, which programs store and give back later. So they are untrusted
 * input when values are calculated. */
#ifndef GEO_BACKEND_CPU_METRIC_REPORT_H
#define GEO_BACKEND_CPU_METRIC_REPORT_H

#include "exec/record/meter.h"

#define GEO_CPU_METRIC_REPORT 0x4d435047u /* "GPCM": magic number of a report */
#define GEO_CPU_METRIC_EVENT  0x54435047u /* "GPCT": magic number of an event */

/* The head of a report: its values, `count` numbers of 64 bits, follow. They were counted from
 * `begin` to `end`, in device ticks. */
struct geo_cpu_metric_report {
    uint32_t magic;
    uint16_t family;  /* number of the group's family (group.h) */
    uint16_t count;   /* of values */
    uint32_t workers; /* of the device */
    uint32_t missed;  /* periods that have no report of their own, because the ring was full */
    uint32_t marker;  /* value of the marker that ended the report; 0: none */
    uint32_t reserved;
    uint64_t begin, end;
};

static inline uint64_t *geo_cpu_metric_report_values(struct geo_cpu_metric_report *report)
{
    return (uint64_t *)(report + 1);
}

static inline size_t geo_cpu_metric_report_bytes(uint32_t count)
{
    return sizeof(struct geo_cpu_metric_report) + count * sizeof(uint64_t);
}

/* An event of the tracer. */
struct geo_cpu_metric_event {
    uint32_t magic;
    uint32_t what; /* enum geo_cpu_metric_trace */
    uint64_t time; /* device ticks */
    uint64_t value;
};

/* The events, which are also the metrics of the tracer's group, in this order. */
enum geo_cpu_metric_trace {
    GEO_CPU_METRIC_KERNEL_BEGIN, /* value of begins: number of the thread */
    GEO_CPU_METRIC_KERNEL_END,   /* number of the thread */
    GEO_CPU_METRIC_COPY_BEGIN,
    GEO_CPU_METRIC_COPY_END, /* bytes */
    GEO_CPU_METRIC_RANGE_BEGIN,
    GEO_CPU_METRIC_RANGE_END, /* work-groups, as the launch was divided */
    GEO_CPU_METRIC_TRACE_MARKER,
    GEO_CPU_METRIC_TRACES,
};

#endif
