/* Records notes in one table without a lock; they become text only at the end. See timeline.h.
 *
 * A job runs with a callback around its own, which records each range of units. */
#include "exec/job/timeline.h"

#include "base/assert.h"
#include "base/file_limit.h"
#include "base/option.h"
#include "base/output.h"
#include "base/path.h"
#include "base/room.h"

#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define NOTES         (1u << 21) /* further notes are dropped */
#define NOTES_AT_ONCE 64u
#define NAME_SIZE     24

/* A range of units that a thread ran, or a whole job. */
struct note {
    uint64_t begin, end; /* ticks */
    uint64_t first, count;
    uint32_t job;
    int32_t thread, cpu;
    char name[NAME_SIZE]; /* name of the job; empty for a range of units */
};

/* The data of a recorded job's callback. */
struct watched {
    const struct geo_job_desc *inner;
    uint32_t job;
};

bool geo_timeline_on;
/* [NOTES], for the life of the process; pages take memory when written */
static struct note *notes;
static _Atomic uint32_t note_count, job_count;
static uint64_t opened;

void geo_timeline_open(void)
{
    const char *file = geo_option_string("GEOID_TIMELINE");
    if (geo_timeline_on || !file || !*file) {
        return;
    }
    void *memory = mmap(NULL, NOTES * sizeof(*notes), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory != MAP_FAILED) {
        notes = memory;
        opened = geo_machine_ticks();
        geo_timeline_on = true;
    }
}

static void note_add(uint32_t job, const char *name, uint64_t first, uint64_t count, uint64_t begin)
{
    static _Thread_local uint32_t next; /* a thread reserves several notes at once */
    static _Thread_local int32_t thread;
    GEO_ASSERT(notes && job < atomic_load(&job_count));
    uint64_t end = geo_machine_ticks();
    if (next % NOTES_AT_ONCE == 0) {
        next = atomic_fetch_add_explicit(&note_count, NOTES_AT_ONCE, memory_order_relaxed);
        thread = (int32_t)gettid();
    }
    if (next >= NOTES) {
        next = NOTES;
        atomic_store_explicit(&note_count, NOTES, memory_order_relaxed);
        return;
    }
    struct note *note = &notes[next++];
    *note = (struct note){.begin = begin,
                          .end = end,
                          .first = first,
                          .count = count,
                          .job = job,
                          .thread = thread,
                          .cpu = sched_getcpu()};
    for (size_t i = 0; name[i] && i + 1 < NAME_SIZE; i++) {
        note->name[i] = name[i] > ' ' && name[i] < 127 ? name[i] : '_';
    }
}

static void watched_run(const void *data, struct geo_exec_worker *worker, uint64_t first,
                        uint64_t count)
{
    const struct watched *watched = data;
    uint64_t begin = geo_machine_ticks();
    watched->inner->run(watched->inner->data, worker, first, count);
    note_add(watched->job, "", first, count, begin);
}

static void watched_fault(const struct geo_job_desc *desc, const struct geo_fault_scope *scope,
                          uint64_t first, uint64_t count)
{
    const struct watched *watched = desc->data;
    watched->inner->fault(watched->inner, scope, first, count);
}

ze_result_t geo_timeline_run(geo_timeline_job run, struct geo_job_board *board,
                             const struct geo_job_desc *desc, struct geo_exec_worker *worker)
{
    struct watched watched = {desc, atomic_fetch_add(&job_count, 1)};
    struct geo_job_desc outer = *desc;
    outer.run = watched_run;
    outer.fault = desc->fault ? watched_fault : NULL;
    outer.data = &watched;
    uint64_t begin = geo_machine_ticks();
    ze_result_t result = run(board, &outer, worker);
    note_add(watched.job, desc->name && *desc->name ? desc->name : "?", 0, desc->units, begin);
    return result;
}

/* Writes all notes, one a line, with times in nanoseconds: "job NUMBER NAME UNITS BEGIN END THREAD
 * CPU" or "ran NUMBER FIRST COUNT BEGIN END THREAD CPU". */
static void notes_write(FILE *file)
{
    uint32_t count = atomic_load(&note_count);
    for (uint32_t i = 0; i < count && i < NOTES; i++) {
        const struct note *note = &notes[i];
        if (note->thread == 0) { /* reserved but not used */
            continue;
        }
        uint64_t begin = geo_ticks_to_ns(note->begin - opened);
        uint64_t end = geo_ticks_to_ns(note->end - opened);
        if (note->name[0]) {
            fprintf(file, "job %" PRIu32 " %s", note->job, note->name);
        } else {
            fprintf(file, "ran %" PRIu32 " %" PRIu64, note->job, note->first);
        }
        fprintf(file, " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRId32 " %" PRId32 "\n", note->count,
                begin, end, note->thread, note->cpu);
    }
}

__attribute__((destructor)) static void timeline_end(void)
{
    const char *wanted = geo_timeline_on ? geo_option_string("GEOID_TIMELINE") : NULL;
    GEO_ROOM_TEXT(path, wanted ? geo_path_copy(wanted, strlen(wanted)) : NULL);
    int fd = path ? geo_output_create(path) : -1;
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (file) {
        struct geo_file_limit limit;
        geo_file_limit_hold(&limit);
        notes_write(file);
        (void)fclose(file);
        geo_file_limit_release(&limit);
    }
}
