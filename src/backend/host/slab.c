/* The page allocator. See slab.h.
 *
 *     slab:    | run: used 3 | run: free 5 | run: used 1 | run: free ... |
 *              Each page has a descriptor. That of a run's first page describes the run. That
 *              of a free run's last page repeats the length, so that both neighbours of a run
 *              are found without a search.
 */
#include "backend/host/slab.h"

#include "backend/host/tail.h"
#include "exec/thread/sync.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>

#define SLAB_PAGES ((uint32_t)(GEO_SLAB_BYTES / GEO_PAGE_BYTES))
/* Lengths 1 to 32 have a bin each, longer ones four bins per power of two. */
#define EXACT_BINS       32u
#define BINS             (EXACT_BINS + 4u * 10u)
#define DIRTY_PAGES_MAX  8192u /* limit of free pages that keep their memory */
#define EMPTY_SLABS_KEPT 1u

enum run_state {
    RUN_INSIDE = 0, /* not the first page of a run */
    RUN_FREE,
    RUN_USED,
};

struct geo_slab_run {
    struct geo_slab_run *next, *previous; /* in a bin, while free */
    struct slab *slab;
    /* In pages; valid for the first page of a run and the last page of a free run. */
    uint32_t length;
    uint32_t state;
};

struct slab {
    struct slab *next, *previous;
    uint8_t *base;
    struct geo_fd fd; /* none: pages without a file */
    bool frozen;      /* inherited by fork: nothing is allocated in it */
    bool forked;      /* a child may have inherited it */
    uint32_t used_pages;
    struct geo_slab_run runs[SLAB_PAGES];
};

static struct {
    struct geo_lock lock;
    struct geo_slab_run *bins[BINS];
    uint64_t filled[2]; /* one bit for each bin that is not empty */
    struct slab *all;
    uint32_t slabs, empty_slabs;
    uint32_t dirty_pages; /* freed since the last trim */
} arena;

/* ---- bins ---- */

/* Returns the bin of a free run with this length. */
static uint32_t bin_of(uint32_t length)
{
    if (length <= EXACT_BINS) {
        return length - 1;
    }
    uint32_t log = 31u - (uint32_t)__builtin_clz(length); /* >= 5 */
    uint32_t quarter = (length >> (log - 2)) & 3;
    return EXACT_BINS + (log - 5) * 4 + quarter;
}

/* Returns the first bin in which every run is long enough. */
static uint32_t bin_for(uint32_t length)
{
    uint32_t bin = bin_of(length);
    if (length > EXACT_BINS) {
        uint32_t log = 31u - (uint32_t)__builtin_clz(length);
        if (length & ((1u << (log - 2)) - 1)) {
            bin++; /* longer than the shortest run of its bin */
        }
    }
    return bin;
}

static void bin_insert(struct geo_slab_run *run)
{
    uint32_t bin = bin_of(run->length);
    run->previous = NULL;
    run->next = arena.bins[bin];
    if (run->next) {
        run->next->previous = run;
    }
    arena.bins[bin] = run;
    arena.filled[bin / 64] |= 1ull << (bin % 64);
}

static void bin_remove(struct geo_slab_run *run)
{
    uint32_t bin = bin_of(run->length);
    if (run->previous) {
        run->previous->next = run->next;
    } else {
        arena.bins[bin] = run->next;
        if (!run->next) {
            arena.filled[bin / 64] &= ~(1ull << (bin % 64));
        }
    }
    if (run->next) {
        run->next->previous = run->previous;
    }
}

static struct geo_slab_run *bin_search(uint32_t length)
{
    uint32_t bin = bin_for(length);
    for (uint32_t word = bin / 64; word < 2; word++) {
        uint64_t mask = arena.filled[word];
        if (word == bin / 64) {
            mask = mask >> (bin % 64) << (bin % 64);
        }
        if (mask) {
            return arena.bins[word * 64 + (uint32_t)__builtin_ctzll(mask)];
        }
    }
    return NULL;
}

/* ---- runs ---- */

static uint32_t run_page(const struct geo_slab_run *run)
{
    return (uint32_t)(run - run->slab->runs);
}

static struct geo_slab_run *run_make_free(struct slab *slab, uint32_t page, uint32_t length)
{
    struct geo_slab_run *run = &slab->runs[page];
    run->slab = slab;
    run->length = length;
    run->state = RUN_FREE;
    struct geo_slab_run *last = run + length - 1;
    if (last != run) {
        last->slab = slab;
        last->length = length;
        last->state = RUN_INSIDE;
    }
    bin_insert(run);
    return run;
}

/* Takes `length` pages at `offset` out of a free run. The rest stays free. */
static struct geo_slab_run *run_carve(struct geo_slab_run *run, uint32_t offset, uint32_t length)
{
    struct slab *slab = run->slab;
    uint32_t page = run_page(run), total = run->length;
    bin_remove(run);
    run->state = RUN_INSIDE;
    if (offset != 0) {
        run_make_free(slab, page, offset);
    }
    if (offset + length < total) {
        run_make_free(slab, page + offset + length, total - offset - length);
    }
    struct geo_slab_run *used = &slab->runs[page + offset];
    used->slab = slab;
    used->length = length;
    used->state = RUN_USED;
    if (slab->used_pages == 0) {
        arena.empty_slabs--;
    }
    slab->used_pages += length;
    return used;
}

/* Merges a run that was just freed with its free neighbours. */
static struct geo_slab_run *run_merge(struct geo_slab_run *run)
{
    struct slab *slab = run->slab;
    uint32_t page = run_page(run), length = run->length;
    run->state = RUN_INSIDE;
    if (page + length < SLAB_PAGES) {
        struct geo_slab_run *after = &slab->runs[page + length];
        if (after->state == RUN_FREE) {
            bin_remove(after);
            after->state = RUN_INSIDE;
            length += after->length;
        }
    }
    if (page > 0) {
        /* the previous page ends a used run, or a free run whose last page has its length */
        struct geo_slab_run *before = &slab->runs[page - 1];
        if (before->state == RUN_INSIDE && before->slab == slab && before->length != 0 &&
            before->length <= page) {
            before -= before->length - 1;
        }
        if (before->state == RUN_FREE && run_page(before) + before->length == page) {
            bin_remove(before);
            before->state = RUN_INSIDE;
            page -= before->length;
            length += before->length;
        }
    }
    return run_make_free(slab, page, length);
}

/* ---- slabs ---- */

/* Maps pages of the slab's file, or anonymous pages if it has none. Returns NULL also when the
 * program has closed the file's descriptor, whose number may now refer to another file. */
static void *slab_pages(const struct slab *slab, void *at, uint64_t start, uint64_t bytes)
{
    bool bare = slab->fd.number < 0;
    int fd = geo_fd_get(&slab->fd);
    if (fd < 0 && !bare) {
        return NULL;
    }
    int flags = MAP_SHARED | MAP_FIXED | (bare ? MAP_ANONYMOUS : 0);
    void *base = mmap(at, bytes, PROT_READ | PROT_WRITE, flags, fd, bare ? 0 : (off_t)start);
    return base == MAP_FAILED ? NULL : base;
}

static bool slab_map(struct slab *slab)
{
    slab->fd = geo_fd_keep(geo_memfd_create("geoid-slab", GEO_SLAB_BYTES));
    uint8_t *area = geo_tail_reserve(GEO_SLAB_BYTES + GEO_TAIL_BYTES);
    slab->base = area ? slab_pages(slab, area, 0, GEO_SLAB_BYTES) : NULL;
    if (!slab->base) {
        if (area) {
            munmap(area, GEO_SLAB_BYTES + GEO_TAIL_BYTES);
        }
        geo_fd_close(&slab->fd);
        return false;
    }
    return true;
}

static bool slab_add(void)
{
    /* only descriptors of used pages are touched */
    struct slab *slab = mmap(NULL, sizeof(*slab), PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (slab == MAP_FAILED) {
        return false;
    }
    if (!slab_map(slab)) {
        munmap(slab, sizeof(*slab));
        return false;
    }
    slab->next = arena.all;
    if (slab->next) {
        slab->next->previous = slab;
    }
    arena.all = slab;
    arena.slabs++;
    arena.empty_slabs++;
    run_make_free(slab, 0, SLAB_PAGES);
    return true;
}

static void slab_drop(struct slab *slab)
{
    bin_remove(&slab->runs[0]);
    if (slab->previous) {
        slab->previous->next = slab->next;
    } else {
        arena.all = slab->next;
    }
    if (slab->next) {
        slab->next->previous = slab->previous;
    }
    munmap(slab->base, GEO_SLAB_BYTES + GEO_TAIL_BYTES);
    geo_fd_close(&slab->fd);
    munmap(slab, sizeof(*slab));
    arena.slabs--;
    arena.empty_slabs--;
}

/* Returns the memory of a mapped run to the system. Does not need the file's descriptor. */
static void run_trim(const struct geo_slab_run *run)
{
    uint64_t start = (uint64_t)run_page(run) * GEO_PAGE_BYTES;
    madvise(run->slab->base + start, (uint64_t)run->length * GEO_PAGE_BYTES, MADV_REMOVE);
}

/* Returns the memory of a run to the system through the file's descriptor, because another file is
 * mapped over the run's addresses. */
static void run_punch(const struct geo_slab_run *run)
{
    uint64_t start = (uint64_t)run_page(run) * GEO_PAGE_BYTES;
    int fd = geo_fd_get(&run->slab->fd);
    if (fd >= 0) {
        fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)start,
                  (off_t)((uint64_t)run->length * GEO_PAGE_BYTES));
    }
}

/* Returns the memory of every free run to the system. */
static void arena_trim(void)
{
    for (uint32_t bin = 0; bin < BINS; bin++) {
        for (struct geo_slab_run *run = arena.bins[bin]; run; run = run->next) {
            run_trim(run);
        }
    }
    arena.dirty_pages = 0;
}

/* ---- interface ---- */

/* Finds a free run with space for the pages at the alignment, and the offset of the first page in
 * it. */
static struct geo_slab_run *arena_find(uint32_t pages, uint64_t alignment, uint32_t *offset)
{
    uint32_t slack = (uint32_t)(alignment / GEO_PAGE_BYTES) - 1;
    struct geo_slab_run *run = bin_search(pages + slack);
    if (run) {
        uintptr_t address = (uintptr_t)run->slab->base + (uintptr_t)run_page(run) * GEO_PAGE_BYTES;
        uintptr_t aligned = (address + alignment - 1) & ~(uintptr_t)(alignment - 1);
        *offset = (uint32_t)((aligned - address) / GEO_PAGE_BYTES);
    }
    return run;
}

bool geo_slab_allocate(uint64_t bytes, uint64_t alignment, struct geo_slab_place *place)
{
    uint32_t pages = (uint32_t)(bytes / GEO_PAGE_BYTES), offset = 0;
    geo_lock_acquire(&arena.lock);
    struct geo_slab_run *run = arena_find(pages, alignment, &offset);
    if (!run && slab_add()) {
        run = arena_find(pages, alignment, &offset);
    }
    if (run) {
        run = run_carve(run, offset, pages);
        uint64_t start = (uint64_t)run_page(run) * GEO_PAGE_BYTES;
        *place = (struct geo_slab_place){
            .base = run->slab->base + start,
            .fd = run->slab->fd,
            .fd_offset = start,
            .run = run,
        };
    }
    geo_lock_release(&arena.lock);
    return run != NULL;
}

void geo_slab_release(struct geo_slab_run *run)
{
    geo_lock_acquire(&arena.lock);
    struct slab *slab = run->slab;
    if (!slab->frozen) {
        uint32_t length = run->length;
        slab->used_pages -= length;
        arena.dirty_pages += length;
        run_merge(run);
        if (slab->used_pages == 0 && ++arena.empty_slabs > EMPTY_SLABS_KEPT) {
            slab_drop(slab);
        } else if (arena.dirty_pages > DIRTY_PAGES_MAX) {
            arena_trim();
        }
    }
    geo_lock_release(&arena.lock);
}

void geo_slab_vacate(const struct geo_slab_run *run)
{
    geo_lock_acquire(&arena.lock);
    if (!run->slab->frozen && !run->slab->forked) {
        run_punch(run);
    }
    geo_lock_release(&arena.lock);
}

bool geo_slab_restore(const struct geo_slab_run *run)
{
    uint64_t start = (uint64_t)run_page(run) * GEO_PAGE_BYTES;
    uint8_t *base = run->slab->base + start;
    return slab_pages(run->slab, base, start, (uint64_t)run->length * GEO_PAGE_BYTES) == base;
}

uint32_t geo_slab_count(void)
{
    return arena.slabs;
}

void geo_slab_before_fork(void)
{
    geo_lock_acquire(&arena.lock);
}

void geo_slab_after_fork_parent(void)
{
    for (struct slab *slab = arena.all; slab; slab = slab->next) {
        slab->forked = true;
    }
    geo_lock_release(&arena.lock);
}

void geo_slab_after_fork_child(void)
{
    for (struct slab *slab = arena.all; slab; slab = slab->next) {
        slab->frozen = true;
    }
    memset(&arena, 0, sizeof(arena));
}
