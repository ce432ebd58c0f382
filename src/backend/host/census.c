/* The census: this process's place, and what others have written into theirs. See census.h. */
#include "backend/host/census.h"

#include "base/fork.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define FOLDER      "/dev/shm"
#define NAME        "geoid-"
#define PLACE_BYTES 4096u
#define TABLE_BYTES (GEO_CENSUS_PLACES * PLACE_BYTES)
#define FORMAT      UINT32_C(0x67636e31) /* changes with the structures below */
#define FILES       1024                 /* users whose censuses are looked at */

/* ---- what a place holds ---- */

struct device_row {
    uint8_t uuid[ZE_MAX_DEVICE_UUID_SIZE];
    _Atomic uint64_t memory_bytes;
    _Atomic uint32_t engines;
    _Atomic uint32_t used; /* 1: the row is filled */
};

struct place {
    _Atomic uint32_t format; /* FORMAT: all before is filled */
    uint32_t pid;
    uint64_t pid_space; /* the process numbers that it is one of */
    struct device_row devices[GEO_CREW_CREWS];
};

_Static_assert(sizeof(struct place) <= PLACE_BYTES, "a place is a page");

/* ---- this process's place ---- */

static pthread_mutex_t own_lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(struct place *) own_place; /* NULL: none yet, or none to be had */
static _Atomic bool own_tried;
static struct geo_backend_device *own_devices[GEO_CREW_CREWS]; /* whose rows they are */

/* Process numbers mean something in one space of them only. 0: unknown. */
static uint64_t pid_space(void)
{
    struct stat status;
    return stat("/proc/self/ns/pid", &status) == 0 ? (uint64_t)status.st_ino : 0;
}

static bool place_lock(int fd, uint32_t index)
{
    struct flock lock = {
        .l_type = F_WRLCK,
        .l_whence = SEEK_SET,
        .l_start = (off_t)index * PLACE_BYTES,
        .l_len = 1,
    };
    return fcntl(fd, F_OFD_SETLK, &lock) == 0;
}

/* Ours, nobody else's to read or write, and as long as it must be. Longer than that a file may not
 * grow where the process has a limit: it would be killed. */
static bool table_fits(int fd)
{
    struct rlimit limit;
    struct stat status;
    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) || status.st_uid != geteuid() ||
        (status.st_mode & 0077) != 0 || status.st_size > TABLE_BYTES) {
        return false;
    }
    return status.st_size == TABLE_BYTES ||
           (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur >= TABLE_BYTES &&
            ftruncate(fd, TABLE_BYTES) == 0);
}

static int table_open(void)
{
    char path[64];
    snprintf(path, sizeof(path), FOLDER "/" NAME "%u", (unsigned)geteuid());
    int fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    if (fd >= 0 && !table_fits(fd)) {
        close(fd);
        fd = -1;
    }
    return fd;
}

/* The page has to be there before it is written: a full file system would kill us then. */
static struct place *place_map(int fd, uint32_t index)
{
    const off_t start = (off_t)index * PLACE_BYTES;
    if (fallocate(fd, 0, start, PLACE_BYTES) != 0) {
        return NULL;
    }
    void *page = mmap(NULL, PLACE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, start);
    return page == MAP_FAILED ? NULL : page;
}

/* One that nobody holds. The mapping holds the lock from here on, not the descriptor: a program may
 * close what it does not know. */
static struct place *place_take(void)
{
    const uint32_t first = (uint32_t)getpid();
    struct place *place = NULL;
    int fd = table_open();
    for (uint32_t i = 0; fd >= 0 && i < GEO_CENSUS_PLACES; i++) {
        uint32_t index = (first + i) % GEO_CENSUS_PLACES;
        if (place_lock(fd, index)) {
            place = place_map(fd, index);
            break;
        }
    }
    if (fd >= 0) {
        close(fd);
    }
    return place;
}

static void row_fill(struct device_row *row, const struct geo_backend_device *device)
{
    memcpy(row->uuid, device->info.uuid, sizeof(row->uuid));
    atomic_store(&row->memory_bytes, atomic_load(&device->used_bytes));
    atomic_store(&row->engines, atomic_load(&device->census_engines));
    atomic_store(&row->used, 1);
}

/* Once in a process; devices that its parent used are filled in at once. */
static void own_place_take_locked(void)
{
    if (atomic_exchange(&own_tried, true)) {
        return;
    }
    struct place *place = place_take();
    if (!place) {
        return;
    }
    atomic_store(&place->format, 0);
    memset(place->devices, 0, sizeof(place->devices));
    place->pid = (uint32_t)getpid();
    place->pid_space = pid_space();
    for (uint32_t i = 0; i < GEO_CREW_CREWS && own_devices[i]; i++) {
        row_fill(&place->devices[i], own_devices[i]);
    }
    atomic_store(&place->format, FORMAT);
    atomic_store(&own_place, place);
}

/* The first use of a device in this process, or of any. */
static void row_make(struct geo_backend_device *root)
{
    pthread_mutex_lock(&own_lock);
    own_place_take_locked();
    struct place *place = atomic_load(&own_place);
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

/* NULL: the process has no place. */
static struct device_row *row_of(struct geo_backend_device *root)
{
    if (__builtin_expect(atomic_load_explicit(&root->census_row, memory_order_acquire) == 0 ||
                             !atomic_load_explicit(&own_tried, memory_order_acquire),
                         0)) {
        row_make(root);
    }
    uint32_t row = atomic_load_explicit(&root->census_row, memory_order_acquire);
    struct place *place = atomic_load_explicit(&own_place, memory_order_acquire);
    return place && row != 0 ? &place->devices[row - 1] : NULL;
}

/* Threads that do this at once leave what is true at the end of the last of them. */
void geo_census_memory(struct geo_backend_device *root)
{
    struct device_row *row = row_of(root);
    uint64_t bytes;
    do {
        bytes = atomic_load(&root->used_bytes);
        if (row) {
            atomic_store(&row->memory_bytes, bytes);
        }
    } while (row && atomic_load(&root->used_bytes) != bytes);
}

void geo_census_engines(struct geo_backend_device *root, uint32_t flags)
{
    if (flags &
        ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE) { /* that it copies, too, is no engine */
        flags = ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE;
    }
    atomic_fetch_or(&root->census_engines, flags);
    struct device_row *row = row_of(root);
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

/* The place is the parent's alone, and so is its lock. */
static void fork_child(void)
{
    struct place *place = atomic_exchange(&own_place, NULL);
    if (place) {
        munmap(place, PLACE_BYTES);
    }
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

/* ---- everybody's places ---- */

struct reading {
    int fd;
    uint64_t pid_space;
    const uint8_t *uuid;
    struct geo_census_user *users;
    uint32_t room, count;
};

static void user_note(struct reading *reading, const struct place *place,
                      const struct device_row *row)
{
    if (reading->count < reading->room) {
        reading->users[reading->count] = (struct geo_census_user){
            .pid = place->pid,
            .engines = atomic_load(&row->engines),
            .memory_bytes = atomic_load(&row->memory_bytes),
        };
    }
    reading->count++;
}

static void place_read(struct reading *reading, uint32_t index)
{
    struct place place;
    if (pread(reading->fd, &place, sizeof(place), (off_t)index * PLACE_BYTES) !=
            (ssize_t)sizeof(place) ||
        atomic_load(&place.format) != FORMAT || place.pid == 0 || place.pid > INT32_MAX ||
        place.pid_space != reading->pid_space) {
        return;
    }
    for (uint32_t i = 0; i < GEO_CREW_CREWS; i++) {
        const struct device_row *row = &place.devices[i];
        if (atomic_load(&row->used) == 1 &&
            memcmp(row->uuid, reading->uuid, sizeof(row->uuid)) == 0) {
            user_note(reading, &place, row);
            return;
        }
    }
}

/* Those of the places that are locked: the system names any one of them. */
static void places_read(struct reading *reading, uint32_t begin, uint32_t end)
{
    while (begin < end) {
        struct flock lock = {
            .l_type = F_RDLCK,
            .l_whence = SEEK_SET,
            .l_start = (off_t)begin * PLACE_BYTES,
            .l_len = (off_t)(end - begin) * PLACE_BYTES,
        };
        if (fcntl(reading->fd, F_OFD_GETLK, &lock) != 0 || lock.l_type == F_UNLCK) {
            return;
        }
        uint64_t held = lock.l_start > 0 ? (uint64_t)lock.l_start / PLACE_BYTES : 0;
        uint32_t index = held < begin ? begin : held >= end ? end - 1 : (uint32_t)held;
        place_read(reading, index);
        places_read(reading, begin, index);
        begin = index + 1;
    }
}

/* A file is believed that its user alone can have written, who is named by it. */
static void table_read(struct reading *reading, const char *path, unsigned long user)
{
    struct stat status;
    reading->fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (reading->fd < 0) {
        return;
    }
    if (fstat(reading->fd, &status) == 0 && S_ISREG(status.st_mode) &&
        status.st_uid == (uid_t)user && (status.st_mode & 0022) == 0 &&
        status.st_size == TABLE_BYTES) {
        places_read(reading, 0, GEO_CENSUS_PLACES);
    }
    close(reading->fd);
}

uint32_t geo_census_list(const char *folder, const uint8_t uuid[ZE_MAX_DEVICE_UUID_SIZE],
                         struct geo_census_user *users, uint32_t room)
{
    struct reading reading = {.uuid = uuid, .users = users, .room = room};
    char path[1024], *end;
    snprintf(path, sizeof(path), "%s" FOLDER, folder);
    DIR *files = opendir(path);
    if (!files) {
        return 0;
    }
    reading.pid_space = pid_space();
    uint32_t seen = 0;
    for (struct dirent *entry; seen < FILES && (entry = readdir(files)) != NULL;) {
        const char *number = entry->d_name + sizeof(NAME) - 1;
        if (strncmp(entry->d_name, NAME, sizeof(NAME) - 1) != 0 || *number < '0' || *number > '9') {
            continue;
        }
        unsigned long user = strtoul(number, &end, 10);
        if (*end == '\0') {
            snprintf(path, sizeof(path), "%s" FOLDER "/%s", folder, entry->d_name);
            table_read(&reading, path, user);
            seen++;
        }
    }
    closedir(files);
    return reading.count;
}
