/* Counts records and jobs. See meter.h. */
#include "exec/record/meter.h"

#include "base/assert.h"
#include "exec/job/observer.h"
#include "exec/record/runner.h"

_Atomic uint32_t geo_meter_users;
static _Atomic(const struct geo_meter_source *) meter_source;

_Static_assert(sizeof(((struct geo_worker_range *)NULL)->counts) ==
                   GEO_METER_THREAD_COUNTS * sizeof(uint64_t),
               "counters of a thread's source");

static const struct geo_meter_source *source_get(void)
{
    return atomic_load_explicit(&meter_source, memory_order_acquire);
}

void geo_meter_source_set(const struct geo_meter_source *source)
{
    atomic_store_explicit(&meter_source, source, memory_order_release);
}

/* ---- turns ---- */

#define RATE_TICKS  (UINT64_C(1) << 20) /* ticks that are converted to learn the rate */
#define MOST_DUE_NS UINT64_C(1000000000000)

static _Atomic uint64_t turn_due = UINT64_MAX; /* of geo_machine_ticks, which is cheap to read */
static _Atomic(void (*)(void)) turn_function;

void geo_meter_turn_set(uint64_t due_ns, void (*turn)(void))
{
    const uint64_t now_ns = geo_timer_ns(), ticks = geo_machine_ticks();
    uint64_t due = UINT64_MAX;
    if (due_ns != GEO_WAIT_FOREVER) {
        uint64_t left = due_ns > now_ns ? due_ns - now_ns : 0;
        left = left < MOST_DUE_NS ? left : MOST_DUE_NS;
        left -= left / 64; /* the rate is not exact, and a turn that is early is set again */
        due = ticks + left * RATE_TICKS / (geo_ticks_to_ns(RATE_TICKS) + 1);
    }
    atomic_store_explicit(&turn_function, turn, memory_order_relaxed);
    atomic_store_explicit(&turn_due, due, memory_order_release);
}

void geo_meter_turn(void)
{
    const uint64_t due = atomic_load_explicit(&turn_due, memory_order_acquire);
    if (due != UINT64_MAX && geo_machine_ticks() >= due) {
        void (*turn)(void) = atomic_load_explicit(&turn_function, memory_order_relaxed);
        turn();
    }
}

/* ---- counters ---- */

static uint32_t worker_number(const struct geo_exec_worker *worker)
{
    return worker->seat ? (uint32_t)worker->seat->place + 1 : 0;
}

void geo_meter_add(const struct geo_runner *runner, const struct geo_exec_worker *worker,
                   enum geo_count which, uint64_t amount)
{
    struct geo_meter *cell = &runner->executor->meters[worker_number(worker) % GEO_METER_CELLS];
    struct geo_meter *own = runner->meter;
    GEO_ASSERT((uint32_t)which < GEO_COUNTS);
    atomic_fetch_add_explicit(&cell->counts[which], amount, memory_order_relaxed);
    if (own && atomic_load_explicit(&own->queried, memory_order_relaxed)) {
        atomic_fetch_add_explicit(&own->counts[which], amount, memory_order_relaxed);
    }
}

void geo_meter_add_operations(const struct geo_runner *runner, const struct geo_exec_worker *worker,
                              const uint64_t counts[GEO_COUNTED_COUNT])
{
    geo_meter_turn();
    for (uint32_t i = 0; i < GEO_COUNTED_COUNT; i++) {
        if (counts[i] != 0) {
            geo_meter_add(runner, worker, (enum geo_count)(GEO_COUNT_OPERATIONS + i), counts[i]);
        }
    }
}

void geo_meter_sum(const struct geo_meter *meter, uint32_t first, uint32_t count,
                   uint64_t counts[GEO_COUNTS])
{
    GEO_ASSERT(first <= GEO_COUNTS && count <= GEO_COUNTS - first);
    for (uint32_t i = first; i < first + count; i++) {
        counts[i] += atomic_load_explicit(&meter->counts[i], memory_order_relaxed);
    }
}

/* ---- ranges of units ---- */

static void meter_runs(const struct geo_exec_observed_job *job, struct geo_exec_worker *worker,
                       uint64_t first, uint64_t count)
{
    const struct geo_meter_source *source = source_get();
    (void)job, (void)first, (void)count;
    worker->range.valid = source && source->read && source->read(worker->range.counts);
}

/* Adds what the thread's source has counted since the range began. */
static void source_add(const struct geo_runner *runner, const struct geo_exec_worker *worker,
                       const struct geo_meter_source *source)
{
    uint64_t now[GEO_METER_THREAD_COUNTS];
    if (!worker->range.valid || !source || !source->read || !source->read(now)) {
        return;
    }
    for (uint32_t i = 0; i < GEO_METER_THREAD_COUNTS; i++) {
        if (now[i] > worker->range.counts[i]) {
            geo_meter_add(runner, worker, (enum geo_count)(GEO_COUNT_THREAD + i),
                          now[i] - worker->range.counts[i]);
        }
    }
}

static void meter_ran(const struct geo_exec_observed_job *job, struct geo_exec_worker *worker,
                      uint64_t first, uint64_t count, uint64_t begin)
{
    const uint64_t ns = geo_ticks_to_ns(geo_machine_ticks() - begin);
    const bool kernel = job->desc->busy == GEO_BUSY_KERNEL;
    const struct geo_runner *runner = job->desc->owner;
    const struct geo_meter_source *source = source_get();
    (void)first;
    if (!runner) {
        return;
    }
    geo_meter_turn();
    source_add(runner, worker, source);
    geo_meter_add(runner, worker, kernel ? GEO_COUNT_KERNEL_NS : GEO_COUNT_COPY_NS, ns);
    if (kernel) {
        geo_meter_add(runner, worker, GEO_COUNT_CALLS, 1);
    }
    if (kernel && source && source->told) {
        const uint64_t now = geo_timer_ns();
        source->told(&(struct geo_meter_event){runner, now - ns, now, count, worker_number(worker),
                                               GEO_METER_RANGE});
    }
}

static void meter_finished(const struct geo_exec_observed_job *job)
{
    const struct geo_runner *runner = job->desc->owner;
    static const struct geo_exec_worker nobody;
    if (runner && job->steals != 0) {
        geo_meter_turn();
        geo_meter_add(runner, &nobody, GEO_COUNT_STEALS, job->steals);
    }
}

static const struct geo_exec_job_observer observer = {
    .runs = meter_runs, .ran = meter_ran, .finished = meter_finished};

void geo_meter_use(void)
{
    if (atomic_fetch_add(&geo_meter_users, 1) == 0) {
        geo_exec_job_observer_add(&observer);
    }
}

void geo_meter_release(void)
{
    uint32_t before = atomic_fetch_sub(&geo_meter_users, 1);
    GEO_ASSERT(before != 0);
    if (before == 1) {
        geo_exec_job_observer_remove(&observer);
    }
}

/* ---- records ---- */

static uint64_t copy_bytes(const struct geo_command *command)
{
    if (command->operation == GEO_COMMAND_COPY) {
        return ((const struct geo_command_copy *)command)->bytes;
    }
    const struct geo_command_copy_region *region = (const struct geo_command_copy_region *)command;
    return region->width * region->height * region->depth;
}

void geo_meter_command(const struct geo_command *command, const struct geo_runner *runner,
                       const struct geo_exec_worker *worker, uint64_t begin, uint64_t end)
{
    const struct geo_meter_source *source = source_get();
    struct geo_meter_event event = {.runner = runner,
                                    .begin = begin,
                                    .end = end,
                                    .worker = worker_number(worker),
                                    .kind = GEO_METER_COPY};
    if (command->operation != GEO_COMMAND_METRIC) {
        geo_meter_turn();
    }
    switch (command->operation) {
    case GEO_COMMAND_LAUNCH:
    case GEO_COMMAND_LAUNCH_INDIRECT:
        event.kind = GEO_METER_KERNEL;
        break;
    case GEO_COMMAND_COPY:
    case GEO_COMMAND_COPY_REGION:
        event.units = copy_bytes(command);
        geo_meter_add(runner, worker, GEO_COUNT_COPIES, 1);
        geo_meter_add(runner, worker, GEO_COUNT_COPY_BYTES, event.units);
        break;
    case GEO_COMMAND_FILL:
        event.units = ((const struct geo_command_fill *)command)->bytes;
        geo_meter_add(runner, worker, GEO_COUNT_FILLS, 1);
        geo_meter_add(runner, worker, GEO_COUNT_FILL_BYTES, event.units);
        break;
    case GEO_COMMAND_METRIC:
        return; /* it measures, and is not work of the program */
    default:
        event.runner = NULL;
        break;
    }
    geo_meter_add(runner, worker, GEO_COUNT_COMMANDS, 1);
    if (event.runner && source && source->told) {
        source->told(&event);
    }
}
