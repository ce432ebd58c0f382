/* The metric groups of the CPU. All of them are constant data, so values can be calculated from
 * reports of other machines too. Which of them a device offers is decided in metric.c.
 *
 * A family is a set of counters. It has two groups of one name, one for queries and one for
 * streamers, because a group has one sampling type. The tracer is a family with one group. */
#ifndef GEO_BACKEND_CPU_METRIC_GROUP_H
#define GEO_BACKEND_CPU_METRIC_GROUP_H

#include "backend/metric.h"
#include "exec/record/meter.h"

/* The families, in the order of the groups. The numbers are part of reports and identities: new
 * ones are added at the end. */
enum geo_cpu_metric_family {
    GEO_CPU_METRIC_EXECUTOR,   /* counters of the executor */
    GEO_CPU_METRIC_SYSTEM,     /* counters of the operating system for threads */
    GEO_CPU_METRIC_TRACE,      /* events of the executor */
    GEO_CPU_METRIC_CORE,       /* counters of the processor: instructions */
    GEO_CPU_METRIC_CACHE,      /* counters of the processor: caches */
    GEO_CPU_METRIC_OPERATIONS, /* counters in kernels */
    GEO_CPU_METRIC_FAMILIES,
    /* those of the processor's counters */
    GEO_CPU_METRIC_PERF_BEGIN = GEO_CPU_METRIC_CORE,
    GEO_CPU_METRIC_PERF_END = GEO_CPU_METRIC_CACHE + 1,
};

/* Counters of threads (struct geo_meter_source), relative to GEO_COUNT_THREAD. */
enum geo_cpu_metric_thread_count {
    GEO_CPU_METRIC_THREAD_NS,
    GEO_CPU_METRIC_THREAD_MINOR_FAULTS,
    GEO_CPU_METRIC_THREAD_MAJOR_FAULTS,
    GEO_CPU_METRIC_THREAD_SWITCHES,
    GEO_CPU_METRIC_THREAD_PREEMPTIONS,
    GEO_CPU_METRIC_THREAD_SYSTEM_END,
    /* of the processor: time for which they ran, then one for each event of the family (perf.h) */
    GEO_CPU_METRIC_PERF_NS = GEO_CPU_METRIC_THREAD_SYSTEM_END,
    GEO_CPU_METRIC_PERF_FIRST,
};

/* How the value of a metric follows from a report. a, b: indexes of the report's values. */
enum geo_cpu_metric_formula {
    GEO_CPU_METRIC_BEGIN,      /* device ticks */
    GEO_CPU_METRIC_SPAN,       /* ns between begin and end */
    GEO_CPU_METRIC_VALUE,      /* a */
    GEO_CPU_METRIC_SUM,        /* the values from a to b */
    GEO_CPU_METRIC_RATE,       /* (a + b) per second; b: GEO_CPU_METRIC_NO_VALUE: a alone */
    GEO_CPU_METRIC_SUM_RATE,   /* the values from a to b, per second */
    GEO_CPU_METRIC_RATIO,      /* a / b; 0 if b is 0 */
    GEO_CPU_METRIC_PERCENT,    /* 100 a / b; 0 if b is 0 */
    GEO_CPU_METRIC_COMPLEMENT, /* 100 - 100 a / b; 0 if b is 0 */
    GEO_CPU_METRIC_USE,        /* a (ns) as percentage of the span of all workers */
    GEO_CPU_METRIC_MISSED,
    GEO_CPU_METRIC_MARKER,
    GEO_CPU_METRIC_EVENT_OF, /* a: event of the tracer; has no value in reports */
};
#define GEO_CPU_METRIC_NO_VALUE UINT8_MAX

/* A metric. `base.opaque` is not used: the structure begins with the description. */
struct geo_cpu_metric {
    struct geo_metric base;
    uint8_t formula; /* enum geo_cpu_metric_formula */
    uint8_t a, b;
};

/* A group, which begins with its description. */
struct geo_cpu_metric_group {
    struct geo_metric_group base;
    uint32_t family; /* enum geo_cpu_metric_family */
    /* its counters: `count` from enum geo_count number `first` on */
    uint32_t first, count;
    uint32_t bit; /* in masks of active groups */
};

#define GEO_CPU_METRIC_GROUPS (2 * GEO_CPU_METRIC_FAMILIES - 1)

/* Returns the groups, in the order of families; of each, the one for queries is first. */
const struct geo_cpu_metric_group *geo_cpu_metric_groups(void);

/* Returns the group that this description is part of, or a group made from it. NULL if it is of
 * another backend. */
const struct geo_cpu_metric_group *geo_cpu_metric_group_of(const struct geo_metric_group *group);

/* Returns the family of a metric, or GEO_CPU_METRIC_FAMILIES if it is of another backend. */
enum geo_cpu_metric_family geo_cpu_metric_group_family(const struct geo_metric *metric);

/* Returns the group of an identity, or NULL. */
const struct geo_cpu_metric_group *geo_cpu_metric_group_find(const uint8_t identity[16]);

#endif
