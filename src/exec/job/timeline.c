/* Records notes in one table without a lock; they become text only at the end. See timeline.h. */
#include "exec/job/timeline.h"

#include "base/assert.h"
#include "base/file_limit.h"
#include "base/option.h"
#include "base/output.h"
#include "base/path.h"
#include "base/room.h"
#include "exec/job/observer.h"

#include <inttypes.h>
#include <pthread.h>
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

static pthread_once_t open_once = PTHREAD_ONCE_INIT;
/* [NOTES], for the life of the process; pages take memory when written */
static struct note *notes;
static _Atomic uint32_t note_count;
static uint64_t opened;

static void note_add(uint32_t job, const char *name, uint64_t first, uint64_t count, uint64_t begin)
{
    static _Thread_local uint32_t next; /* a thread reserves several notes at once */
    static _Thread_local int32_t thread;
    GEO_ASSERT(notes);
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

static void timeline_ran(const struct geo_exec_observed_job *job, struct geo_exec_worker *worker,
                         uint64_t first, uint64_t count, uint64_t begin)
{
    (void)worker;
    note_add(job->number, "", first, count, begin);
}

static void timeline_finished(const struct geo_exec_observed_job *job)
{
    const char *name = job->desc->name;
    note_add(job->number, name && *name ? name : "?", 0, job->desc->units, job->begin);
}

static void timeline_open(void)
{
    static const struct geo_exec_job_observer observer = {.ran = timeline_ran,
                                                          .finished = timeline_finished};
    const char *file = geo_option_string("GEOID_TIMELINE");
    if (!file || !*file) {
        return;
    }
    void *memory = mmap(NULL, NOTES * sizeof(*notes), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory != MAP_FAILED) {
        notes = memory;
        opened = geo_machine_ticks();
        geo_exec_job_observer_add(&observer);
    }
}

void geo_timeline_open(void)
{
    pthread_once(&open_once, timeline_open);
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
    const char *wanted = notes ? geo_option_string("GEOID_TIMELINE") : NULL;
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
