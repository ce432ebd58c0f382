/* Windows of memory for accesses near null. See near_null.h. */
#include "exec/thread/near_null.h"

#include "base/assert.h"
#include "base/memfd.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

#define WINDOW_BYTES (UINT64_C(64) << 30)
#define BASE_OFFSET  (UINT64_C(32) << 30) /* of the base in its window */
#define REACH_BYTES  (UINT64_C(1) << 30)  /* that can be accessed, from the base on */
/* The sink is one file that is mapped again and again, so it never takes more memory. */
#define SINK_BYTES (UINT64_C(16) << 20)

_Thread_local
    __attribute__((tls_model("initial-exec"))) struct geo_near_null_here geo_near_null_here;

static pthread_once_t open_once = PTHREAD_ONCE_INIT;
static _Atomic uint64_t start; /* of the first window; 0: the windows do not exist */

static const int protections[GEO_NEAR_NULL_WINDOWS] = {PROT_READ, PROT_READ | PROT_WRITE};
static _Atomic bool is_noting; /* the fault handler notes accesses */
static _Atomic bool is_open[GEO_NEAR_NULL_WINDOWS];
/* Number of times that the windows were closed, times 2. Odd while a thread closes them. */
static _Atomic uint32_t closings;

/* ---- reservation ---- */

uint64_t geo_near_null_base(enum geo_near_null_window window)
{
    uint64_t first = atomic_load_explicit(&start, memory_order_relaxed);
    return first ? first + window * WINDOW_BYTES + BASE_OFFSET : 0;
}

static void *base_pointer(uint64_t first, enum geo_near_null_window window)
{
    return (void *)(uintptr_t)(first + window * WINDOW_BYTES + BASE_OFFSET);
}

static bool sink_map(uint64_t first)
{
    uint8_t *base = base_pointer(first, GEO_NEAR_NULL_SINK);
    int fd = geo_memfd_create("geoid-sink", SINK_BYTES);
    bool good = fd >= 0;
    for (uint64_t at = 0; good && at < REACH_BYTES; at += SINK_BYTES) {
        good = mmap(base + at, SINK_BYTES, PROT_NONE, MAP_SHARED | MAP_FIXED, fd, 0) != MAP_FAILED;
    }
    if (fd >= 0) {
        close(fd);
    }
    return good;
}

static void window_open(enum geo_near_null_window window)
{
    uint64_t base = geo_near_null_base(window);
    GEO_ASSERT(base);
    (void)mprotect((void *)(uintptr_t)base, REACH_BYTES, protections[window]);
    /* Set last: a window that is open but not marked would never be closed again. */
    atomic_store(&is_open[window], true);
}

static void windows_reserve(void)
{
    const size_t bytes = GEO_NEAR_NULL_WINDOWS * WINDOW_BYTES;
    void *area = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (area == MAP_FAILED) {
        return;
    }
    if (!sink_map((uintptr_t)area)) {
        munmap(area, bytes);
        return;
    }
    atomic_store(&start, (uintptr_t)area);
    for (uint32_t i = 0; i < GEO_NEAR_NULL_WINDOWS && !atomic_load(&is_noting); i++) {
        window_open(i);
    }
}

bool geo_near_null_open(bool notes)
{
    atomic_store(&is_noting, notes);
    pthread_once(&open_once, windows_reserve);
    return atomic_load(&start) != 0;
}

/* ---- opening and closing ---- */

void geo_near_null_watch(void)
{
    uint32_t now = atomic_load(&closings);
    bool any =
        atomic_load(&is_open[GEO_NEAR_NULL_ZEROS]) || atomic_load(&is_open[GEO_NEAR_NULL_SINK]);
    /* A thread that closes them now does so for this one, too. */
    if (!any || !atomic_load(&is_noting) || now & 1 ||
        !atomic_compare_exchange_strong(&closings, &now, now + 1)) {
        return;
    }
    for (uint32_t i = 0; i < GEO_NEAR_NULL_WINDOWS; i++) {
        if (atomic_exchange(&is_open[i], false)) {
            (void)mprotect((void *)(uintptr_t)geo_near_null_base(i), REACH_BYTES, PROT_NONE);
        }
    }
    atomic_store(&closings, now + 2);
}

/* Returns the window whose open part contains an address, or GEO_NEAR_NULL_WINDOWS. */
static uint32_t window_of(uintptr_t address)
{
    uint32_t i = 0;
    while (i < GEO_NEAR_NULL_WINDOWS && (!atomic_load_explicit(&start, memory_order_relaxed) ||
                                         address - geo_near_null_base(i) >= REACH_BYTES)) {
        i++;
    }
    return i;
}

bool geo_near_null_retry(int number, const siginfo_t *info)
{
    /* closings + 2 at this thread's last retry: a second fault without a closing between them is
       no matter of ours, but a write to the zeros */
    static _Thread_local
        __attribute__((tls_model("initial-exec"))) uint32_t seen[GEO_NEAR_NULL_WINDOWS];
    uintptr_t address = (uintptr_t)info->si_addr;
    uint32_t window = number == SIGSEGV && info->si_code == SEGV_ACCERR ? window_of(address)
                                                                        : GEO_NEAR_NULL_WINDOWS;
    if (window == GEO_NEAR_NULL_WINDOWS) {
        return false;
    }
    uint32_t now = atomic_load(&closings);
    if (now & 1) {
        return true; /* it faults again until the windows are closed */
    }
    if (seen[window] == now + 2) {
        return false;
    }
    int saved = errno;
    seen[window] = now + 2;
    window_open(window);
    geo_near_null_here.address[window] = address - geo_near_null_base(window);
    geo_near_null_here.accessed[window] = true;
    errno = saved;
    return true;
}

uintptr_t geo_near_null_meant(uintptr_t address)
{
    uint64_t first = atomic_load_explicit(&start, memory_order_relaxed);
    uint64_t offset = address - first;
    return first && offset < GEO_NEAR_NULL_WINDOWS * WINDOW_BYTES
               ? offset % WINDOW_BYTES - BASE_OFFSET
               : address;
}
