/* The census: this process's place. See census.h. */
#include "backend/host/census.h"

#include "backend/host/census_table.h"
#include "base/file_limit.h"
#include "base/fork.h"
#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define GUEST_CELLS 64u /* for threads without a CPU: callers, spare workers */

/* The mapped parts of the file. The place's lock is held until the process ends. */
struct own {
    struct geo_census_head *head;   /* the file's head, followed by the CPU counts */
    struct geo_census_place *place; /* this process's place, followed by its cells */
    size_t head_bytes, place_bytes;
    uint32_t cpus, cells;
};

static pthread_mutex_t own_lock = PTHREAD_MUTEX_INITIALIZER;
static struct own own;
static _Atomic(struct geo_census_place *) own_place; /* NULL: no place yet, or none available */
static _Atomic bool own_tried;
static struct geo_backend_device *own_devices[GEO_CREW_CREWS]; /* the devices of the place's rows */

uint64_t geo_census_pid_space(void)
{
    struct stat status;
    return stat("/proc/self/ns/pid", &status) == 0 ? (uint64_t)status.st_ino : 0;
}

/* ---- the file ---- */

static bool place_lock(int fd, uint32_t index)
{
    struct flock lock = {
        .l_type = F_WRLCK,
        .l_whence = SEEK_SET,
        .l_start = geo_census_table_place_at(index),
        .l_len = 1,
    };
    return fcntl(fd, F_OFD_SETLK, &lock) == 0;
}

/* Returns whether the file is usable: it belongs to this user, nobody else may access it, and it
 * can have the required size. The process's file size limit is checked first, because extending the
 * file beyond it would kill the process. */
static bool table_fits(int fd)
{
    struct rlimit limit;
    struct stat status;
    const off_t bytes = (off_t)GEO_CENSUS_BYTES;
    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) || status.st_uid != geteuid() ||
        (status.st_mode & 0077) != 0 || status.st_size > bytes) {
        return false;
    }
    return status.st_size == bytes ||
           (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur >= (rlim_t)bytes &&
            ftruncate(fd, bytes) == 0);
}

static int table_open(const char *folder)
{
    char path[1024];
    snprintf(path, sizeof(path), "%s" GEO_CENSUS_FOLDER "/" GEO_CENSUS_NAME "%u", folder,
             (unsigned)geteuid());
    int fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    if (fd >= 0 && !table_fits(fd)) {
        static _Atomic bool told;
        if (!atomic_exchange(&told, true)) {
            geo_log("cpu", GEO_LOG_WARN,
                    "%s belongs to others too, or has a wrong size: sysman does not "
                    "tell of this process. Remove the file",
                    path);
        }
        close(fd);
        fd = -1;
    }
    return fd;
}

bool geo_census_write(int fd, const void *from, size_t bytes, off_t to)
{
    struct geo_file_limit limit;
    geo_file_limit_hold(&limit);
    bool written = pwrite(fd, from, bytes, to) == (ssize_t)bytes;
    geo_file_limit_release(&limit);
    return written;
}

void geo_census_make(const char *folder)
{
    uint32_t format = 0;
    int fd = table_open(folder);
    if (fd >= 0 && pread(fd, &format, sizeof(format), 0) == (ssize_t)sizeof(format) &&
        format == 0) {
        format = GEO_CENSUS_FORMAT;
        (void)geo_census_write(fd, &format, sizeof(format), 0);
    }
    if (fd >= 0) {
        close(fd);
    }
}

/* Maps a part of the file. The pages are allocated first, because a write to a hole in a full file
 * system would kill the process. */
static void *pages_map(int fd, off_t start, size_t bytes)
{
    if (fallocate(fd, 0, start, (off_t)bytes) != 0) {
        return NULL;
    }
    void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, start);
    return pages == MAP_FAILED ? NULL : pages;
}

static size_t whole_pages(size_t bytes)
{
    return (bytes + GEO_CENSUS_PAGE - 1) / GEO_CENSUS_PAGE * GEO_CENSUS_PAGE;
}

static void own_unmap(void)
{
    if (own.head) {
        munmap(own.head, own.head_bytes);
    }
    if (own.place) {
        munmap(own.place, own.place_bytes);
    }
    own = (struct own){.head = NULL};
}

/* Sets the format of a new file. Returns false when the file has another layout, and must not be
 * written. */
static bool head_agrees(struct geo_census_head *head)
{
    uint32_t format = 0;
    return atomic_compare_exchange_strong(&head->format, &format, GEO_CENSUS_FORMAT) ||
           format == GEO_CENSUS_FORMAT;
}

static bool own_map(int fd, uint32_t index)
{
    const long configured = sysconf(_SC_NPROCESSORS_CONF);
    own.cpus = configured > 0 && configured < GEO_BUSY_CPUS ? (uint32_t)configured : GEO_BUSY_CPUS;
    own.cells = own.cpus + GUEST_CELLS < GEO_BUSY_CELLS ? own.cpus + GUEST_CELLS : GEO_BUSY_CELLS;
    own.head_bytes = GEO_CENSUS_CPUS_AT + whole_pages(own.cpus * sizeof(struct geo_busy_cpu));
    own.place_bytes = GEO_CENSUS_CELLS_AT + whole_pages(own.cells * sizeof(struct geo_busy_cell));
    own.head = pages_map(fd, 0, own.head_bytes);
    own.place = pages_map(fd, geo_census_table_place_at(index), own.place_bytes);
    if (own.head && own.place && head_agrees(own.head)) {
        return true;
    }
    own_unmap();
    return false;
}

/* Takes a place that no process has locked. The mapping keeps the lock alive from here on, so that
 * it survives when the program closes descriptors that it does not know. */
static bool place_take(void)
{
    const uint32_t first = (uint32_t)getpid();
    bool taken = false;
    int fd = table_open("");
    for (uint32_t i = 0; fd >= 0 && i < GEO_CENSUS_PLACES; i++) {
        uint32_t index = (first + i) % GEO_CENSUS_PLACES;
        if (place_lock(fd, index)) {
            taken = own_map(fd, index);
            break;
        }
    }
    if (fd >= 0) {
        close(fd);
    }
    return taken;
}

/* ---- the place ---- */

static void row_fill(struct geo_census_row *row, const struct geo_backend_device *device)
{
    memcpy(row->uuid, device->info.uuid, sizeof(row->uuid));
    atomic_store(&row->memory_bytes, atomic_load(&device->used_bytes));
    atomic_store(&row->shared_bytes, atomic_load(&device->shared_bytes));
    atomic_store(&row->engines, atomic_load(&device->census_engines));
    atomic_store(&row->used, 1);
}

static void own_place_fill(struct geo_census_place *place)
{
    uint8_t *bytes = (uint8_t *)place;
    atomic_store(&place->format, 0);
    memset(place->devices, 0, sizeof(place->devices));
    memset(bytes + GEO_CENSUS_CELLS_AT, 0, own.place_bytes - GEO_CENSUS_CELLS_AT);
    atomic_store(&place->cells_used, 0);
    place->pid = (uint32_t)getpid();
    place->pid_space = geo_census_pid_space();
    for (uint32_t i = 0; i < GEO_CREW_CREWS && own_devices[i]; i++) {
        row_fill(&place->devices[i], own_devices[i]);
    }
    atomic_store(&place->format, GEO_CENSUS_FORMAT);
}

static void own_want(void);

/* Takes a place once per process, and fills in the devices that its parent used. The lock is
 * held. */
static void own_place_take_locked(void)
{
    if (atomic_exchange(&own_tried, true) || !place_take()) {
        return;
    }
    own_place_fill(own.place);
    const struct geo_busy_board board = {
        .watch = &own.head->watch,
        .cpus = (struct geo_busy_cpu *)(void *)((uint8_t *)own.head + GEO_CENSUS_CPUS_AT),
        .cells = (struct geo_busy_cell *)(void *)((uint8_t *)own.place + GEO_CENSUS_CELLS_AT),
        .cpu_count = own.cpus,
        .cell_count = own.cells,
        .cells_used = &own.place->cells_used,
    };
    geo_busy_open(&board, own_want);
    geo_limit_set_by(own.head->limits_us);
    atomic_store(&own_place, own.place);
}

/* Takes a place for this process. Called in a child when it executes work of devices that its
 * parent opened. */
static void own_want(void)
{
    pthread_mutex_lock(&own_lock);
    own_place_take_locked();
    pthread_mutex_unlock(&own_lock);
}

/* Creates a device's row at its first use in this process, and takes the place if needed. */
static void row_make(struct geo_backend_device *root)
{
    pthread_mutex_lock(&own_lock);
    own_place_take_locked();
    struct geo_census_place *place = atomic_load(&own_place);
    uint32_t index = 0;
    while (index < GEO_CREW_CREWS && own_devices[index] && own_devices[index] != root) {
        index++;
    }
    if (index < GEO_CREW_CREWS && !own_devices[index]) {
        own_devices[index] = root;
        if (place) {
            row_fill(&place->devices[index], root);
        }
        atomic_store(&root->census_row, index + 1);
    }
    pthread_mutex_unlock(&own_lock);
}

/* Returns the device's row, or NULL when the process has no place. */
static struct geo_census_row *row_of(struct geo_backend_device *root)
{
    if (__builtin_expect(atomic_load_explicit(&root->census_row, memory_order_acquire) == 0 ||
                             !atomic_load_explicit(&own_tried, memory_order_acquire),
                         0)) {
        row_make(root);
    }
    uint32_t row = atomic_load_explicit(&root->census_row, memory_order_acquire);
    struct geo_census_place *place = atomic_load_explicit(&own_place, memory_order_acquire);
    return place && row != 0 ? &place->devices[row - 1] : NULL;
}

/* Copies a device's counter to its row. When several threads do this at once, the last one stores
 * the final value. */
static void count_tell(_Atomic uint64_t *told, const _Atomic uint64_t *count)
{
    uint64_t value;
    do {
        value = atomic_load(count);
        atomic_store(told, value);
    } while (atomic_load(count) != value);
}

void geo_census_memory(struct geo_backend_device *root)
{
    struct geo_census_row *row = row_of(root);
    if (row) {
        count_tell(&row->memory_bytes, &root->used_bytes);
        count_tell(&row->shared_bytes, &root->shared_bytes);
    }
}

void geo_census_engines(struct geo_backend_device *root, uint32_t flags)
{
    if (flags &
        ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE) { /* copying does not count separately */
        flags = ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE;
    }
    atomic_fetch_or(&root->census_engines, flags);
    struct geo_census_row *row = row_of(root);
    if (row) {
        atomic_fetch_or(&row->engines, flags);
    }
}

/* ---- fork ---- */

static void fork_prepare(void)
{
    pthread_mutex_lock(&own_lock);
}

static void fork_parent(void)
{
    pthread_mutex_unlock(&own_lock);
}

/* Runs in the child: gives up the parent's place, whose file lock a child does not inherit. */
static void fork_child(void)
{
    atomic_store(&own_place, NULL);
    own_unmap();
    atomic_store(&own_tried, false);
    pthread_mutex_unlock(&own_lock);
}

static struct geo_fork_handler fork_handler = {
    .order = GEO_FORK_CENSUS,
    .prepare = fork_prepare,
    .parent = fork_parent,
    .child = fork_child,
};
GEO_FORK_AT_LOAD(fork_handler)
