/* Executes hints. See hint.h.
 *
 * A prefetch reads the pages to make them resident. Memory of the driver gets writable pages that
 * way. Pages of the application that were never written stay the shared zero page. */
#include "exec/record/hint.h"

#include "base/assert.h"

#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22 /* Linux 5.14 */
#endif

#define PIECE_BYTES (UINT64_C(2) << 20) /* unit of a shared prefetch: a huge page */
#define LOOKS       8u                  /* pages of a range that are checked for residency */

/* The range of a prefetch. */
struct prefetch {
    uintptr_t begin, end; /* page aligned */
};

static struct prefetch pages_of(const struct geo_command_range *range)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), start = (uintptr_t)range->start;
    if (range->bytes == 0 || start > UINTPTR_MAX - page ||
        range->bytes > UINTPTR_MAX - page - start) {
        return (struct prefetch){0, 0};
    }
    return (struct prefetch){start & ~(page - 1), (start + range->bytes + page - 1) & ~(page - 1)};
}

/* Guesses by a few pages whether the range is resident, so that repeating a prefetch is cheap. */
static bool seems_present(const struct prefetch *prefetch)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uint64_t pages = (prefetch->end - prefetch->begin) / page;
    for (uint64_t i = 0; i < LOOKS; i++) {
        uintptr_t at = prefetch->begin + (pages - 1) * i / (LOOKS - 1) * page;
        unsigned char present = 0;
        if (mincore((void *)at, page, &present) != 0 || !(present & 1)) {
            return false;
        }
    }
    return true;
}

static void pieces_read(const void *data, struct geo_exec_worker *worker, uint64_t first,
                        uint64_t count)
{
    const struct prefetch *prefetch = data;
    uintptr_t begin = prefetch->begin + first * PIECE_BYTES;
    GEO_ASSERT(begin < prefetch->end && count != 0);
    uintptr_t end =
        prefetch->end - begin < count * PIECE_BYTES ? prefetch->end : begin + count * PIECE_BYTES;
    (void)worker;
    if (madvise((void *)begin, end - begin, MADV_POPULATE_READ) != 0) {
        (void)madvise((void *)begin, end - begin, MADV_WILLNEED);
    }
}

ze_result_t geo_hint(const struct geo_command_range *range, const struct geo_runner *runner,
                     struct geo_exec_worker *worker)
{
    static _Atomic uint32_t cost_ps; /* learnt cost of a piece */
    const struct prefetch prefetch = pages_of(range);
    if (prefetch.begin == prefetch.end || !runner->ops->place) {
        return ZE_RESULT_SUCCESS;
    }
    runner->ops->place(range);
    if (range->header.operation != GEO_COMMAND_PREFETCH || seems_present(&prefetch) ||
        !runner->ops->room(range)) {
        return ZE_RESULT_SUCCESS;
    }
    const struct geo_exec_job_desc desc = {
        .run = pieces_read,
        .data = &prefetch,
        .units = (prefetch.end - prefetch.begin + PIECE_BYTES - 1) / PIECE_BYTES,
        .owner = runner,
        .cost_ps = &cost_ps,
        .busy = GEO_BUSY_COPY,
        .name = "prefetch",
    };
    return geo_runner_job(runner, &desc, worker);
}
