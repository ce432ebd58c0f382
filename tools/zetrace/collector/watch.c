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
    uint64_t stale; /* begin that the event had before; it may not have been reset */
};

struct run {
    struct run *next;
    struct submission submission;
    struct recording *recording;
    ze_command_list_handle_t list;         /* ours; NULL: appended to an immediate list */
    uint32_t ordinal;                      /* of the queue that `list` is for */
    struct timer *done;                    /* signalled when the times are in `results` */
    ze_kernel_timestamp_result_t *results; /* of each command with a timer, in order */
};

enum { PATIENCE = 4 };    /* commands that are not ready, before a short look ends */
enum { LOOK_NS = 20000 }; /* between two short looks */

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

static void command_tell(const struct submission *submission, const struct command *command,
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
        return;
    }
    record.end = record.end < record.begin ? record.begin : record.end;
    spool_write(ZETRACE_COMMAND, command->what, &record, sizeof(record));
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

static void watch_append(const struct submission *submission, const struct command *command,
                         ze_event_handle_t event, struct timer *timer, uint64_t stale)
{
    struct watch *watch = malloc(sizeof(*watch));
    if (!watch) {
        watch_untimed(1);
        return;
    }
    *watch = (struct watch){NULL, *submission, *command, event, timer, stale};
    *watches_end = watch;
    watches_end = &watch->next;
}

void watch_add(const struct submission *submission, const struct command *command,
               ze_event_handle_t event, struct timer *timer)
{
    watch_append(submission, command, event, timer, 0);
}

/* Tells the command when its event is signalled. `last`: there will be no other time. */
static bool watch_read(const struct watch *watch, bool last)
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
        command_tell(&watch->submission, &watch->command, &times.global);
    } else {
        watch_untimed(1);
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
        if ((*link)->event == event && !ended) {
            watch_read(*link, true);
            watch_take(link);
        } else {
            link = &(*link)->next;
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
            const uint64_t stale = own < 64 ? stale_begins[own] : 0;
            watch_append(submission, &recorded->command, recorded->event, NULL, stale);
            own++;
        }
    }
}

void run_prepare(const struct recording *recording)
{
    size_t own = 0;
    for (size_t i = 0; i < recording->count; i++) {
        const struct recorded *recorded = &recording->commands[i];
        if (!recorded->timer) {
            watch_settle(recorded->event);
            if (own < 64) {
                stale_begins[own++] = begin_now(recorded->event);
            }
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
        if (recording->commands[i].timer) {
            command_tell(&run->submission, &recording->commands[i].command,
                         &run->results[timed++].global);
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
            watch_untimed(1);
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
        watch_untimed(1);
    }
    for (const struct run *run = runs; run; run = run->next) {
        watch_untimed((uint32_t)run->recording->timers);
    }
    ended = true;
}

void watch_forked(void)
{
    watches = NULL;
    watches_end = &watches;
    runs = NULL;
}
