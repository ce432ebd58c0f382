/* Executes BEGIN, END and MARKER records. See query.h.
 *
 * A stream runs its records one after the other, and all work of a record is counted by the
 * stream's meter when the record ends. So a query is the difference of two readings of this meter,
 * and other streams do not disturb it. Until END the slot has the first reading. */
#include "backend/cpu/metric/query.h"

#include "backend/cpu/metric/active.h"
#include "backend/cpu/metric/collect.h"
#include "backend/cpu/metric/report.h"
#include "base/assert.h"
#include "exec/record/execute.h"

#include <string.h>

/* The content of a slot between BEGIN and END. Slots have room for the counters of the group. */
struct opened {
    const struct geo_runner *runner; /* identifies the stream; NULL: nothing is measured */
    uint64_t begin;
    uint64_t counts[GEO_COUNTS];
};
_Static_assert(offsetof(struct opened, counts) <= sizeof(struct geo_cpu_metric_report),
               "a reading is not larger than a report");

static size_t opened_bytes(const struct geo_cpu_metric_group *group)
{
    GEO_ASSERT(group->count <= GEO_COUNTS);
    return offsetof(struct opened, counts) + group->count * sizeof(uint64_t);
}

uint32_t geo_cpu_metric_query_bytes(struct geo_backend_device *device,
                                    const struct geo_metric_group *group,
                                    zet_metric_query_pool_type_t pool)
{
    const struct geo_cpu_metric_group *own = geo_cpu_metric_group_of(group);
    (void)device, (void)pool;
    return own ? (uint32_t)geo_cpu_metric_report_bytes(own->count) : 0;
}

/* Reads the counters of a group from a stream's meter. */
static void meter_read(const struct geo_cpu_metric_group *group, const struct geo_meter *meter,
                       uint64_t *counts)
{
    for (uint32_t i = 0; i < group->count; i++) {
        counts[i] = atomic_load_explicit(&meter->counts[group->first + i], memory_order_relaxed);
    }
}

static void query_begin(const struct geo_cpu_metric_group *group, struct geo_metric_slot *slot,
                        const struct geo_runner *runner)
{
    struct opened opened = {.runner = NULL};
    if (geo_meter_on() && runner->meter) {
        opened.runner = runner;
        atomic_store_explicit(&runner->meter->queried, true, memory_order_relaxed);
        meter_read(group, runner->meter, opened.counts);
        opened.begin = geo_ticks_now();
    }
    memcpy(slot->data, &opened, opened_bytes(group));
    atomic_store_explicit(&slot->state, 1, memory_order_release);
}

/* Replaces the first reading by the difference of the second one. */
static void report_write(const struct geo_cpu_metric_group *group, struct geo_metric_slot *slot,
                         const struct opened *opened)
{
    const struct geo_runner *runner = opened->runner;
    const uint64_t end = geo_ticks_now();
    uint64_t counts[GEO_COUNTS];
    meter_read(group, runner->meter, counts);
    for (uint32_t i = 0; i < group->count; i++) {
        /* another stream that has the address of the first one may have counted less */
        counts[i] = counts[i] > opened->counts[i] ? counts[i] - opened->counts[i] : 0;
    }
    const struct geo_cpu_metric_report head = {
        .magic = GEO_CPU_METRIC_REPORT,
        .family = (uint16_t)group->family,
        .count = (uint16_t)group->count,
        .workers = runner->executor->crew.members,
        .begin = opened->begin,
        .end = end > opened->begin ? end : opened->begin,
    };
    memcpy(slot->data, &head, sizeof(head));
    memcpy(slot->data + sizeof(head), counts, group->count * sizeof(*counts));
}

/* Completes a query. It has no report if it began in another stream, or while no group was
 * active. */
static void query_end(const struct geo_cpu_metric_group *group, struct geo_metric_slot *slot,
                      const struct geo_runner *runner)
{
    struct opened opened = {.runner = NULL};
    if (atomic_load_explicit(&slot->state, memory_order_acquire) == 1) {
        memcpy(&opened, slot->data, opened_bytes(group));
    }
    slot->bytes = 0;
    if (opened.runner == runner) {
        report_write(group, slot, &opened);
        slot->bytes = (uint32_t)geo_cpu_metric_report_bytes(group->count);
    }
    atomic_store_explicit(&slot->state, 2, memory_order_release);
}

ze_result_t geo_cpu_metric_query_record(const struct geo_command_metric *command,
                                        const struct geo_runner *runner,
                                        struct geo_exec_worker *worker)
{
    const struct geo_cpu_metric_group *group = geo_cpu_metric_group_of(command->group);
    (void)worker;
    GEO_ASSERT(command->what == GEO_METRIC_MARKER || (group && command->slot));
    switch ((enum geo_metric_record)command->what) {
    case GEO_METRIC_BEGIN:
        query_begin(group, command->slot, runner);
        break;
    case GEO_METRIC_END:
        query_end(group, command->slot, runner);
        break;
    case GEO_METRIC_MARKER:
        geo_cpu_metric_collect_mark(command->collection, group, runner, command->value);
        break;
    }
    return ZE_RESULT_SUCCESS;
}
