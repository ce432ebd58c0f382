/* Tables of metrics and groups. See group.h. docs/user/metrics.md describes each metric. */
#include "backend/cpu/metric/group.h"

#include "backend/cpu/metric/report.h"
#include "base/assert.h"
#include "exec/record/execute.h"

#include <pthread.h>
#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

#define METRIC(name_, text, component_, units_, tier_, type_, result_, formula_, a_, b_)           \
    {{.name = (name_),                                                                             \
      .description = (text),                                                                       \
      .component = (component_),                                                                   \
      .units = (units_),                                                                           \
      .tier = (tier_),                                                                             \
      .type = ZET_METRIC_TYPE_##type_,                                                             \
      .result = ZET_VALUE_TYPE_##result_},                                                         \
     GEO_CPU_METRIC_##formula_,                                                                    \
     (a_),                                                                                         \
     (b_)}

#define NONE GEO_CPU_METRIC_NO_VALUE
/* A number of events */
#define EVENTS(name, text, component, tier, count)                                                 \
    METRIC(name, text, component, "events", tier, EVENT, UINT64, VALUE, count, NONE)
#define BYTES(name, text, component, tier, count)                                                  \
    METRIC(name, text, component, "bytes", tier, EVENT, UINT64, VALUE, count, NONE)
/* A time in ns */
#define TIME(name, text, component, tier, count)                                                   \
    METRIC(name, text, component, "ns", tier, DURATION, UINT64, VALUE, count, NONE)
#define PER_CENT(name, text, component, tier, formula, a, b)                                       \
    METRIC(name, text, component, "percent", tier, RATIO, FLOAT64, formula, a, b)

/* The first metrics of each group of reports. */
#define HEAD                                                                                       \
    METRIC("QueryBeginTime", "Time at which the measurement began", "Time", "ns", 1, TIMESTAMP,    \
           UINT64, BEGIN, NONE, NONE),                                                             \
        METRIC("GpuTime", "Time that was measured", "Time", "ns", 1, DURATION, UINT64, SPAN, NONE, \
               NONE)
/* The last metrics of each group of a streamer. They are left out of the group for queries. */
#define TAIL                                                                                       \
    METRIC("MissedReports", "Periods that this report covers besides its own, as memory was full", \
           "Streamer", "events", 1, EVENT, UINT64, MISSED, NONE, NONE),                            \
        METRIC("StreamMarker", "Value of the marker that ended the report, or 0", "Streamer", "",  \
               1, RAW, UINT64, MARKER, NONE, NONE)
#define TAIL_COUNT 2u

static const struct geo_cpu_metric executor_metrics[] = {
    HEAD,
    EVENTS("Kernels", "Kernel launches that ran to their end", "Kernels", 1, GEO_COUNT_KERNELS),
    EVENTS("WorkGroups", "Work-groups of these launches", "Kernels", 1, GEO_COUNT_GROUPS),
    EVENTS("WorkItems", "Work-items of these launches", "Kernels", 1, GEO_COUNT_ITEMS),
    METRIC("WorkItemRate", "Work-items per second", "Kernels", "items/s", 1, THROUGHPUT, FLOAT64,
           RATE, GEO_COUNT_ITEMS, NONE),
    EVENTS("Chunks", "Vectors of work-items that ran together", "Lanes", 2, GEO_COUNT_CHUNKS),
    EVENTS("PartialChunks", "Vectors with inactive lanes at the end of a row of work-items",
           "Lanes", 2, GEO_COUNT_PARTIAL_CHUNKS),
    PER_CENT("ActiveLanes", "Lanes that had a work-item", "Lanes", 1, PERCENT, GEO_COUNT_ITEMS,
             GEO_COUNT_LANES),
    PER_CENT("MaskedLanes", "Lanes that had no work-item", "Lanes", 1, COMPLEMENT, GEO_COUNT_ITEMS,
             GEO_COUNT_LANES),
    EVENTS("KernelCalls", "Ranges of work-groups that a thread ran without a break", "Threads", 2,
           GEO_COUNT_CALLS),
    TIME("KernelTime", "Time of threads in kernels", "Threads", 1, GEO_COUNT_KERNEL_NS),
    PER_CENT("KernelUse", "Share of the time of all workers that was spent in kernels", "Threads",
             1, USE, GEO_COUNT_KERNEL_NS, NONE),
    EVENTS("Steals", "Takings of work from the range of another thread", "Threads", 2,
           GEO_COUNT_STEALS),
    EVENTS("Copies", "Copies that were executed", "Transfers", 1, GEO_COUNT_COPIES),
    BYTES("CopyBytes", "Bytes that copies wrote", "Transfers", 1, GEO_COUNT_COPY_BYTES),
    EVENTS("Fills", "Fills that were executed", "Transfers", 1, GEO_COUNT_FILLS),
    BYTES("FillBytes", "Bytes that fills wrote", "Transfers", 1, GEO_COUNT_FILL_BYTES),
    TIME("TransferTime", "Time of threads in copies and fills", "Transfers", 1, GEO_COUNT_COPY_NS),
    METRIC("TransferRate", "Bytes per second that copies and fills wrote", "Transfers", "bytes/s",
           1, THROUGHPUT, FLOAT64, RATE, GEO_COUNT_COPY_BYTES, GEO_COUNT_FILL_BYTES),
    EVENTS("Commands", "Commands of all kinds that were executed", "Queues", 1, GEO_COUNT_COMMANDS),
    EVENTS("Submissions", "Submissions that a thread began", "Queues", 1, GEO_COUNT_SUBMISSIONS),
    TIME("QueueTime", "Sum of the times between a submission and its begin", "Queues", 1,
         GEO_COUNT_WAIT_NS),
    METRIC("MeanQueueTime", "Time between a submission and its begin", "Queues", "ns", 2, DURATION,
           FLOAT64, RATIO, GEO_COUNT_WAIT_NS, GEO_COUNT_SUBMISSIONS),
    TAIL,
};

static const struct geo_cpu_metric system_metrics[] = {
    HEAD,
    TIME("ThreadTime", "Processor time of threads in kernels, copies and fills", "Threads", 1,
         GEO_CPU_METRIC_THREAD_NS),
    PER_CENT("ThreadUse", "Share of the time of all workers in which a processor ran them",
             "Threads", 1, USE, GEO_CPU_METRIC_THREAD_NS, NONE),
    EVENTS("PageFaults", "Page faults without input or output", "Memory", 1,
           GEO_CPU_METRIC_THREAD_MINOR_FAULTS),
    EVENTS("MajorPageFaults", "Page faults that read from a file or from swap space", "Memory", 1,
           GEO_CPU_METRIC_THREAD_MAJOR_FAULTS),
    EVENTS("ContextSwitches", "Times that a thread waited for something", "Threads", 1,
           GEO_CPU_METRIC_THREAD_SWITCHES),
    EVENTS("Preemptions", "Times that the system gave the processor to another thread", "Threads",
           1, GEO_CPU_METRIC_THREAD_PREEMPTIONS),
    TAIL,
};

/* Values of the processor's groups: 0 is the time for which they were counted. */
#define CORE_HEAD                                                                                  \
    HEAD, TIME("MeasuredTime", "Time of threads for which the processor counted", "Processor", 1, 0)

static const struct geo_cpu_metric core_metrics[] = {
    CORE_HEAD,
    EVENTS("Cycles", "PERF_COUNT_HW_CPU_CYCLES: cycles of the cores", "Processor", 1, 1),
    EVENTS("Instructions", "PERF_COUNT_HW_INSTRUCTIONS: instructions that retired", "Processor", 1,
           2),
    METRIC("InstructionsPerCycle", "Instructions per cycle", "Processor", "instructions/cycle", 1,
           RAW, FLOAT64, RATIO, 2, 1),
    METRIC("Frequency", "Cycles per nanosecond of measured time", "Processor", "GHz", 2, RAW,
           FLOAT64, RATIO, 1, 0),
    EVENTS("Branches", "PERF_COUNT_HW_BRANCH_INSTRUCTIONS: branches that retired", "Processor", 2,
           3),
    EVENTS("BranchMisses", "PERF_COUNT_HW_BRANCH_MISSES: branches that were predicted wrongly",
           "Processor", 2, 4),
    PER_CENT("BranchMissShare", "Branches that were predicted wrongly", "Processor", 2, PERCENT, 4,
             3),
    TAIL,
};

static const struct geo_cpu_metric cache_metrics[] = {
    CORE_HEAD,
    EVENTS("CacheReferences", "PERF_COUNT_HW_CACHE_REFERENCES: accesses of the last-level cache",
           "Caches", 1, 1),
    EVENTS("CacheMisses", "PERF_COUNT_HW_CACHE_MISSES: misses of the last-level cache", "Caches", 1,
           2),
    PER_CENT("CacheMissShare", "Accesses of the last-level cache that missed", "Caches", 1, PERCENT,
             2, 1),
    EVENTS("L1ReadMisses", "PERF_COUNT_HW_CACHE_L1D:READ:MISS: loads that missed the first cache",
           "Caches", 2, 3),
    EVENTS("TlbReadMisses", "PERF_COUNT_HW_CACHE_DTLB:READ:MISS: loads that missed the TLB",
           "Caches", 2, 4),
    TAIL,
};

/* Values of the group of operations: three of launches, then those that kernels count. */
#define COUNTED(which)  (GEO_COUNT_OPERATIONS - GEO_COUNT_COUNTED + GEO_COUNTED_##which)
#define LAUNCHES(which) (GEO_COUNT_##which - GEO_COUNT_COUNTED)

static const struct geo_cpu_metric operations_metrics[] = {
    HEAD,
    EVENTS("CountedKernels", "Kernel launches whose code counted", "Kernels", 1, LAUNCHES(COUNTED)),
    EVENTS("UncountedKernels", "Kernel launches whose code did not count", "Kernels", 1,
           LAUNCHES(UNCOUNTED)),
    METRIC("FloatOperations", "Operations on floats of all widths", "Operations", "events", 1,
           EVENT, UINT64, SUM, COUNTED(HALF), COUNTED(DOUBLE)),
    EVENTS("HalfOperations", "Operations on floats of 16 bits", "Operations", 2, COUNTED(HALF)),
    EVENTS("SingleOperations", "Operations on floats of 32 bits", "Operations", 2, COUNTED(FLOAT)),
    EVENTS("DoubleOperations", "Operations on floats of 64 bits", "Operations", 2, COUNTED(DOUBLE)),
    EVENTS("IntegerOperations", "Operations on integers", "Operations", 1, COUNTED(INTEGER)),
    METRIC("FloatRate", "Operations on floats per second", "Operations", "events/s", 1, THROUGHPUT,
           FLOAT64, SUM_RATE, COUNTED(HALF), COUNTED(DOUBLE)),
    BYTES("ReadBytes", "Bytes of global memory that work-items read", "Memory", 1, COUNTED(READ)),
    BYTES("WrittenBytes", "Bytes of global memory that work-items wrote", "Memory", 1,
          COUNTED(WRITE)),
    METRIC("MemoryRate", "Bytes of global memory per second", "Memory", "bytes/s", 1, THROUGHPUT,
           FLOAT64, RATE, COUNTED(READ), COUNTED(WRITE)),
    BYTES("LocalBytes", "Bytes of local memory that work-items read or wrote", "Memory", 1,
          COUNTED(LOCAL)),
    BYTES("PrivateBytes", "Bytes of private memory that work-items read or wrote", "Memory", 2,
          COUNTED(PRIVATE)),
    BYTES("UniformBytes", "Bytes of global memory at one address for neighbours", "Memory", 2,
          COUNTED(UNIFORM)),
    BYTES("ConsecutiveBytes", "Bytes of global memory that neighbours access side by side",
          "Memory", 2, COUNTED(CONSECUTIVE)),
    BYTES("StridedBytes", "Bytes of global memory that neighbours access at a fixed distance",
          "Memory", 2, COUNTED(STRIDED)),
    BYTES("ScatteredBytes", "Bytes of global memory that neighbours access anywhere", "Memory", 2,
          COUNTED(SCATTERED)),
    EVENTS("Atomics", "Atomic operations of work-items", "Memory", 1, COUNTED(ATOMICS)),
    EVENTS("Barriers", "Arrivals of work-items at barriers of their work-group", "Kernels", 1,
           COUNTED(BARRIERS)),
    BYTES("SavedBytes", "Memory for values that work-items keep across barriers", "Memory", 2,
          LAUNCHES(SAVED_BYTES)),
    EVENTS("ItemInstructions", "Instructions of work-items", "Lanes", 2, COUNTED(INSTRUCTIONS)),
    PER_CENT("InactiveLanes", "Lanes that were inactive while others could run", "Lanes", 1,
             COMPLEMENT, COUNTED(INSTRUCTIONS), COUNTED(SLOTS)),
    TAIL,
};

#define TRACED(name, text, type, what)                                                             \
    METRIC(name, text, "Trace", "", 1, type, UINT64, EVENT_OF, what, NONE)

static const struct geo_cpu_metric trace_metrics[] = {
    TRACED("KernelBegin", "Begin of a launch; the value is the thread's number", EVENT_EXP_START,
           GEO_CPU_METRIC_KERNEL_BEGIN),
    TRACED("KernelEnd", "End of a launch; the value is the thread's number", EVENT_EXP_END,
           GEO_CPU_METRIC_KERNEL_END),
    TRACED("CopyBegin", "Begin of a copy or fill; the value is the thread's number",
           EVENT_EXP_START, GEO_CPU_METRIC_COPY_BEGIN),
    TRACED("CopyEnd", "End of a copy or fill; the value is the number of bytes", EVENT_EXP_END,
           GEO_CPU_METRIC_COPY_END),
    TRACED("RangeBegin", "Begin of a range of work-groups; the value is the thread's number",
           EVENT_EXP_START, GEO_CPU_METRIC_RANGE_BEGIN),
    TRACED("RangeEnd", "End of a range of work-groups; the value is their number", EVENT_EXP_END,
           GEO_CPU_METRIC_RANGE_END),
    TRACED("Marker", "Marker of a command list; the value is the marker's", EVENT_EXP_TIMESTAMP,
           GEO_CPU_METRIC_TRACE_MARKER),
};

/* A family, from which its groups are made. */
struct family {
    const char *name, *text;
    const struct geo_cpu_metric *metrics;
    uint32_t metric_count, first, count, domain;
};

#define METRICS(table) (table), COUNT_OF(table)

/* The groups of the processor have one domain, because it has few counters. */
static const struct family families[GEO_CPU_METRIC_FAMILIES] = {
    [GEO_CPU_METRIC_EXECUTOR] = {"Executor", "Work of the device, by the driver's own counters",
                                 METRICS(executor_metrics), 0, GEO_COUNT_THREAD, 0},
    [GEO_CPU_METRIC_SYSTEM] = {"System", "Threads, by the counters of the operating system",
                               METRICS(system_metrics), GEO_COUNT_THREAD + GEO_CPU_METRIC_THREAD_NS,
                               GEO_CPU_METRIC_THREAD_SYSTEM_END, 2},
    [GEO_CPU_METRIC_TRACE] = {"Trace", "Begin and end of kernels and copies",
                              METRICS(trace_metrics), 0, 0, 4},
    [GEO_CPU_METRIC_CORE] = {"Core", "Instructions and branches, by the processor's counters",
                             METRICS(core_metrics), GEO_COUNT_THREAD + GEO_CPU_METRIC_PERF_NS, 5,
                             5},
    [GEO_CPU_METRIC_OPERATIONS] = {"Operations",
                                   "Operations and accesses of kernels, by counters in their code",
                                   METRICS(operations_metrics), GEO_COUNT_COUNTED,
                                   GEO_COUNTS - GEO_COUNT_COUNTED, 6},
    [GEO_CPU_METRIC_CACHE] = {"Cache", "Caches, by the processor's counters",
                              METRICS(cache_metrics), GEO_COUNT_THREAD + GEO_CPU_METRIC_PERF_NS, 5,
                              5},
};

#define METRICS_MAX 32u /* of a group */

static struct geo_cpu_metric_group groups[GEO_CPU_METRIC_GROUPS];
static const struct geo_metric *group_metrics[GEO_CPU_METRIC_GROUPS][METRICS_MAX];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void group_make(uint32_t index, uint32_t number,
                       zet_metric_group_sampling_type_flag_t sampling)
{
    const struct family *family = &families[number];
    const bool timed = sampling == ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_TIME_BASED;
    const bool query = sampling == ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_EVENT_BASED;
    const uint32_t metrics = family->metric_count - (query ? TAIL_COUNT : 0);
    const bool is_own = number < GEO_CPU_METRIC_TRACE || number == GEO_CPU_METRIC_OPERATIONS;
    struct geo_cpu_metric_group *group = &groups[index];
    GEO_ASSERT(metrics <= METRICS_MAX && family->count <= GEO_COUNTS - family->first);
    for (uint32_t i = 0; i < metrics; i++) {
        group_metrics[index][i] = &family->metrics[i].base;
    }
    *group = (struct geo_cpu_metric_group){
        .base = {.name = family->name,
                 .description = family->text,
                 .identity = {'G', 'e', 'o', 'i', 'd', ' ', 'c', 'p', 'u', 0, 0, 1,
                              [14] = (uint8_t)number, [15] = (uint8_t)sampling},
                 .sampling = sampling,
                 .type = query ? 0 : ZET_METRIC_GROUP_TYPE_EXP_FLAG_MARKER,
                 /* a query and a streamer of own counters do not disturb each other */
                 .domain = family->domain + (timed && is_own ? 1 : 0),
                 .source = number,
                 .metrics = group_metrics[index],
                 .metric_count = metrics,
                 .timer_hz = 1000000000u,
                 .timer_bits = GEO_TIMESTAMP_BITS,
                 .export_fd = -1,
                 .counted = number == GEO_CPU_METRIC_OPERATIONS},
        .family = number,
        .first = family->first,
        .count = family->count,
        .bit = 1u << index,
    };
    group->base.opaque = group;
}

static void groups_make(void)
{
    uint32_t index = 0;
    for (uint32_t i = 0; i < GEO_CPU_METRIC_FAMILIES; i++) {
        if (i == GEO_CPU_METRIC_TRACE) {
            group_make(index++, i, ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_EXP_TRACER_BASED);
        } else {
            group_make(index++, i, ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_EVENT_BASED);
            group_make(index++, i, ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_TIME_BASED);
        }
    }
    GEO_ASSERT(index == GEO_CPU_METRIC_GROUPS);
}

const struct geo_cpu_metric_group *geo_cpu_metric_groups(void)
{
    pthread_once(&once, groups_make);
    return groups;
}

const struct geo_cpu_metric_group *geo_cpu_metric_group_of(const struct geo_metric_group *group)
{
    const struct geo_cpu_metric_group *all = geo_cpu_metric_groups();
    const struct geo_cpu_metric_group *found = group ? group->opaque : NULL;
    return found >= all && found < all + GEO_CPU_METRIC_GROUPS ? found : NULL;
}

const struct geo_cpu_metric_group *geo_cpu_metric_group_find(const uint8_t identity[16])
{
    const struct geo_cpu_metric_group *all = geo_cpu_metric_groups();
    for (uint32_t i = 0; i < GEO_CPU_METRIC_GROUPS; i++) {
        if (memcmp(all[i].base.identity, identity, 16) == 0) {
            return &all[i];
        }
    }
    return NULL;
}

enum geo_cpu_metric_family geo_cpu_metric_group_family(const struct geo_metric *metric)
{
    uint32_t family = 0;
    for (; family < GEO_CPU_METRIC_FAMILIES; family++) {
        for (uint32_t i = 0; i < families[family].metric_count; i++) {
            if (&families[family].metrics[i].base == metric) {
                return (enum geo_cpu_metric_family)family;
            }
        }
    }
    return GEO_CPU_METRIC_FAMILIES;
}
