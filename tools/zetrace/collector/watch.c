/* Reading of times, as soon as they are there and never by waiting. See watch.h. */
#include "watch.h"

#include "spool.h"

#include <stdlib.h>

struct watch {
    struct watch *next;
    struct submission submission;
    struct command command;
    ze_event_handle_t event;
    struct timer *timer;
    uint64_t stale;      /* begin that the event had before; it may not have been reset */
    struct query *query; /* that measures it, or NULL */
    const struct recording *recording; /* that the query belongs to; NULL: to the watch */
    bool timed;                        /* its time is known, and only the query is waited for */
    struct measured_kernel kernel;     /* its time then */
};

struct run {
    struct run *next;
    struct submission submission;
    struct recording *recording;
    ze_command_list_handle_t list;         /* ours; NULL: appended to an immediate list */
    uint32_t ordinal;                      /* of the queue that `list` is for */
    bool superseded;                       /* a later execution overwrites its queries */
    struct timer *done;                    /* signalled when the times are in `results` */
    ze_kernel_timestamp_result_t *results; /* of each command with a timer, in order */
};

enum { PATIENCE = 4 };    /* commands that are not ready, before a short look ends */
enum { LOOK_NS = 20000 }; /* between two short looks */
#define QUERY_WAIT_NS UINT64_C(1000000000)

static struct watch *watches, **watches_end = &watches;
static struct run *runs;
static bool ended;

static __thread uint64_t stale_begins[64]; /* of a list's events of the program, for run_add */

void watch_untimed(uint32_t count)
{
    struct zetrace_record record = {0};
    if (count > 0) {
        spool_write(ZETRACE_UNTIMED, count, &record, sizeof(record));
    }
}

/* Writes a command to the trace. Returns its name and time. */
static struct measured_kernel command_tell(const struct submission *submission,
                                           const struct command *command,
                                           const ze_kernel_timestamp_data_t *times)
{
    struct zetrace_command record = {
        .name = command->name,
        .device = submission->device->id,
        .stream = submission->stream,
        .thread = submission->thread,
        .submitted = submission->at,
        .begin = device_time(submission->device, times->kernelStart),
        .end = device_time(submission->device, times->kernelEnd),
        .bytes = command->bytes,
        .from = command->from,
        .to = command->to,
    };
    if (times->kernelStart == 0 && times->kernelEnd == 0) {
        watch_untimed(1);
    } else {
        record.end = record.end < record.begin ? record.begin : record.end;
        spool_write(ZETRACE_COMMAND, command->what, &record, sizeof(record));
    }
    return (struct measured_kernel){command->name, record.begin, record.end};
}

/* --- watches --- */

static uint64_t begin_now(ze_event_handle_t event)
{
    ze_kernel_timestamp_result_t times;
    return zeEventQueryStatus(event) == ZE_RESULT_SUCCESS &&
                   zeEventQueryKernelTimestamp(event, &times) == ZE_RESULT_SUCCESS
               ? times.global.kernelStart
               : 0;
}

static void watch_append(const struct watch *values)
{
    struct watch *watch = malloc(sizeof(*watch));
    if (!watch) {
        watch_untimed(1);
        measure_unmeasured(values->query != NULL);
        return;
    }
    *watch = *values;
    *watches_end = watch;
    watches_end = &watch->next;
}

void watch_add(const struct submission *submission, const struct command *command,
               ze_event_handle_t event, struct timer *timer, struct query *query)
{
    watch_append(&(struct watch){.submission = *submission,
                                 .command = *command,
                                 .event = event,
                                 .timer = timer,
                                 .query = query});
}

/* Tells the command when its event is signalled. `last`: there will be no other time. */
static bool watch_read_time(struct watch *watch, bool last)
{
    ze_kernel_timestamp_result_t times = {.global = {0, 0}};
    if (zeEventQueryStatus(watch->event) != ZE_RESULT_SUCCESS) {
        watch_untimed(last);
        return last;
    }
    const ze_result_t result = zeEventQueryKernelTimestamp(watch->event, &times);
    if (result == ZE_RESULT_SUCCESS && watch->stale && times.global.kernelStart == watch->stale) {
        watch_untimed(last);
        return last; /* still that of an earlier time */
    }
    if (result == ZE_RESULT_SUCCESS) {
        device_compare(watch->submission.device);
        watch->kernel = command_tell(&watch->submission, &watch->command, &times.global);
    } else {
        watch_untimed(1);
    }
    return true;
}

/* Reads the time of a command, and then its metrics, which are ready a little later. Returns true
 * when both are told, or when they cannot be had. `last` is about the time alone. */
static bool watch_read(struct watch *watch, bool last)
{
    watch->timed = watch->timed || watch_read_time(watch, last);
    if (!watch->timed || !watch->query) {
        return watch->timed;
    }
    if (watch->kernel.end == 0) { /* nobody knows whether it has run */
        measure_unmeasured(1);
        return true;
    }
    if (!measure_read(watch->query, &watch->kernel)) {
        return false;
    }
    if (!watch->recording) {
        measure_release(watch->query);
    }
    return true;
}

/* Takes out what `link` points to. */
static void watch_take(struct watch **link)
{
    struct watch *watch = *link;
    *link = watch->next;
    if (!*link) {
        watches_end = link;
    }
    if (watch->timer) {
        timer_put(watch->timer);
    }
    free(watch);
}

void watch_settle(ze_event_handle_t event)
{
    for (struct watch **link = &watches; *link;) {
        if ((*link)->event == event && !(*link)->timed && !ended && watch_read(*link, true)) {
            watch_take(link);
        } else {
            link = &(*link)->next;
        }
    }
}

/* Gives up the queries of a recording that were not read. */
void watch_queries_end(const struct recording *recording)
{
    for (struct watch **link = &watches; recording->queries > 0 && *link;) {
        struct watch *watch = *link;
        if (watch->recording == recording && watch->query) {
            measure_unmeasured(1);
            watch->query = NULL;
        }
        if (watch->recording == recording && watch->timed) {
            watch_take(link);
        } else {
            link = &watch->next;
        }
    }
}

static void watches_harvest(bool thorough)
{
    int waiting = 0;
    for (struct watch **link = &watches; *link && (thorough || waiting < PATIENCE);) {
        if (watch_read(*link, false)) {
            watch_take(link);
        } else {
            waiting++;
            link = &(*link)->next;
        }
    }
}

/* --- runs --- */

static void run_destroy(struct run *run)
{
    if (run->list) {
        zeCommandListDestroy(run->list);
    }
    if (run->results) {
        zeMemFree(run->submission.timers->context, run->results);
    }
    if (run->done) {
        timer_put(run->done);
    }
    free(run);
}

void run_destroy_spare(struct recording *recording)
{
    for (struct run *run = recording->spare, *next; run; run = next) {
        next = run->next;
        run_destroy(run);
    }
    recording->spare = NULL;
}

static ze_result_t run_append(const struct run *run, ze_command_list_handle_t list)
{
    const struct recording *recording = run->recording;
    ze_event_handle_t *events = calloc(recording->timers, sizeof(*events));
    uint32_t count = 0;
    for (size_t i = 0; events && i < recording->count; i++) {
        if (recording->commands[i].timer) {
            events[count++] = recording->commands[i].event;
        }
    }
    const ze_result_t result =
        events ? zeCommandListAppendQueryKernelTimestamps(list, count, events, run->results, NULL,
                                                          run->done->event, 0, NULL)
               : ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    free(events);
    return result;
}

static struct run *run_create(const struct submission *submission, struct recording *recording)
{
    const ze_host_mem_alloc_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    struct run *run = calloc(1, sizeof(*run));
    void *results = NULL;
    if (!run) {
        return NULL;
    }
    run->submission = *submission;
    run->recording = recording;
    run->done = timer_take(submission->timers);
    if (run->done && zeMemAllocHost(submission->timers->context, &desc,
                                    recording->timers * sizeof(*run->results), 64,
                                    &results) == ZE_RESULT_SUCCESS) {
        run->results = results;
        return run;
    }
    run_destroy(run);
    return NULL;
}

/* Takes a spare run for queues of this group from the recording, or returns NULL. */
static struct run *run_reuse(const struct submission *submission, struct recording *recording,
                             uint32_t ordinal)
{
    struct run **link = &recording->spare;
    while (*link && ((*link)->ordinal != ordinal ||
                     (*link)->submission.device != submission->device || !(*link)->list)) {
        link = &(*link)->next;
    }
    struct run *run = *link;
    if (run && zeEventHostReset(run->done->event) != ZE_RESULT_SUCCESS) {
        return NULL;
    }
    if (run) {
        *link = run->next;
        run->submission = *submission;
    }
    return run;
}

/* A new one with its list. */
static struct run *run_with_list(const struct submission *submission, struct recording *recording,
                                 uint32_t ordinal)
{
    const ze_command_list_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC,
                                         .commandQueueGroupOrdinal = ordinal};
    struct run *run = run_create(submission, recording);
    if (!run) {
        return NULL;
    }
    run->ordinal = ordinal;
    if (zeCommandListCreate(submission->timers->context, submission->device->handle, &desc,
                            &run->list) == ZE_RESULT_SUCCESS &&
        zeCommandListAppendBarrier(run->list, NULL, 0, NULL) == ZE_RESULT_SUCCESS &&
        run_append(run, run->list) == ZE_RESULT_SUCCESS &&
        zeCommandListClose(run->list) == ZE_RESULT_SUCCESS) {
        return run;
    }
    run_destroy(run);
    return NULL;
}

/* Watches for the commands that signal events of the program. */
static void run_watch(const struct submission *submission, const struct recording *recording)
{
    size_t own = 0;
    for (size_t i = 0; i < recording->count; i++) {
        const struct recorded *recorded = &recording->commands[i];
        if (!recorded->timer) {
            watch_append(&(struct watch){.submission = *submission,
                                         .command = recorded->command,
                                         .event = recorded->event,
                                         .stale = own < 64 ? stale_begins[own] : 0,
                                         .query = recorded->query,
                                         .recording = recording});
            own++;
        }
    }
}

static void run_begin(struct run *run)
{
    run->recording->refs++;
    run->next = runs;
    runs = run;
}

void run_add_queue(const struct submission *submission, struct recording *recording,
                   ze_command_queue_handle_t queue, uint32_t ordinal)
{
    run_watch(submission, recording);
    if (recording->timers == 0) {
        return;
    }
    struct run *run = run_reuse(submission, recording, ordinal);
    run = run ? run : run_with_list(submission, recording, ordinal);
    if (run && zeCommandQueueExecuteCommandLists(queue, 1, &run->list, NULL) == ZE_RESULT_SUCCESS) {
        run_begin(run);
        return;
    }
    if (run) {
        run_destroy(run);
    }
    watch_untimed((uint32_t)recording->timers);
}

void run_add_list(const struct submission *submission, struct recording *recording,
                  ze_command_list_handle_t list)
{
    run_watch(submission, recording);
    if (recording->timers == 0) {
        return;
    }
    struct run *run = run_create(submission, recording);
    if (run && run_append(run, list) == ZE_RESULT_SUCCESS) {
        run_begin(run);
        return;
    }
    if (run) {
        run_destroy(run);
    }
    watch_untimed((uint32_t)recording->timers);
}

static void run_tell(const struct run *run)
{
    const struct recording *recording = run->recording;
    size_t timed = 0;
    device_compare(run->submission.device);
    for (size_t i = 0; i < recording->count; i++) {
        const struct recorded *recorded = &recording->commands[i];
        if (recorded->timer) {
            const struct measured_kernel kernel =
                command_tell(&run->submission, &recorded->command, &run->results[timed++].global);
            if (recorded->query) {
                measure_unmeasured(run->superseded || !measure_read(recorded->query, &kernel));
            }
        }
    }
}

/* Over: kept for the next execution where it has a list. */
static void run_finish(struct run *run)
{
    struct recording *recording = run->recording;
    if (run->list && recording->refs > 1) {
        run->next = recording->spare;
        recording->spare = run;
    } else {
        run_destroy(run);
    }
    recording_unref(recording);
}

/* Executions are told in the order in which they were begun, which is not that of `runs`. */
static void runs_harvest(void)
{
    for (struct run **link = &runs; *link;) {
        struct run *run = *link;
        if (zeEventQueryStatus(run->done->event) == ZE_RESULT_SUCCESS) {
            *link = run->next;
            run_tell(run);
            run_finish(run);
        } else {
            link = &run->next;
        }
    }
}

/* The queries of a list are about to be used again. Waits for the execution before, so that its
 * metrics are read. If that takes long, perhaps because it depends on this thread, its metrics are
 * lost, and no later call waits. */
static void runs_settle(const struct recording *recording)
{
    static bool impatient;
    if (recording->queries == 0) {
        return;
    }
    for (const struct run *run = runs; run; run = run->next) {
        if (run->recording == recording && !impatient) {
            impatient =
                zeEventHostSynchronize(run->done->event, QUERY_WAIT_NS) != ZE_RESULT_SUCCESS;
        }
    }
    runs_harvest();
    for (struct run *run = runs; run; run = run->next) {
        run->superseded |= run->recording == recording;
    }
}

void run_prepare(const struct recording *recording)
{
    size_t own = 0;
    runs_settle(recording);
    for (size_t i = 0; i < recording->count; i++) {
        const struct recorded *recorded = &recording->commands[i];
        if (!recorded->timer) {
            watch_settle(recorded->event);
            if (own < 64) {
                stale_begins[own++] = begin_now(recorded->event);
            }
        }
    }
    watch_queries_end(recording);
}

/* --- both --- */

void watch_harvest(bool thorough)
{
    static uint64_t last_look;
    if (ended || (!watches && !runs)) {
        return;
    }
    if (!thorough && spool_now() - last_look < LOOK_NS) {
        return;
    }
    watches_harvest(thorough);
    if (thorough) {
        runs_harvest();
    }
    last_look = spool_now();
}

void watch_context_end(struct timers *timers)
{
    watch_harvest(true);
    for (struct watch **link = &watches; *link;) {
        if ((*link)->submission.timers == timers) {
            watch_untimed(!(*link)->timed);
            measure_unmeasured((*link)->query != NULL);
            watch_take(link);
        } else {
            link = &(*link)->next;
        }
    }
    for (struct run **link = &runs; *link;) {
        struct run *run = *link;
        if (run->submission.timers == timers) {
            *link = run->next;
            watch_untimed((uint32_t)run->recording->timers);
            measure_unmeasured((uint32_t)run->recording->queries);
            run_finish(run);
        } else {
            link = &run->next;
        }
    }
}

void watch_end(void)
{
    watch_harvest(true);
    for (const struct watch *watch = watches; watch; watch = watch->next) {
        watch_untimed(!watch->timed);
        measure_unmeasured(watch->query != NULL);
    }
    for (const struct run *run = runs; run; run = run->next) {
        watch_untimed((uint32_t)run->recording->timers);
        measure_unmeasured((uint32_t)run->recording->queries);
    }
    ended = true;
}

void watch_forked(void)
{
    watches = NULL;
    watches_end = &watches;
    runs = NULL;
}
