/* The census: reads what all processes have written. See census.h.
 *
 * A file counts if it belongs to the user in its name and nobody else may write it. A place counts
 * while it is locked, if its process belongs to that user. Files are read, not mapped, because a
 * file that is truncated would kill a process that maps it. */
#include "backend/host/census_table.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILES 1024 /* maximum number of other users whose censuses are read */

bool geo_census_read_table(const struct geo_census_table *table, void *to, size_t bytes, off_t from)
{
    return pread(table->fd, to, bytes, from) == (ssize_t)bytes;
}

/* Returns the place that contains a lock at this byte, limited to places from begin to end. */
static uint32_t lock_place(off_t start, uint32_t begin, uint32_t end)
{
    const off_t first = geo_census_table_place_at(begin);
    uint64_t index = begin;
    if (start > first) {
        index += (uint64_t)(start - first) / GEO_CENSUS_PLACE_BYTES;
    }
    return index >= end ? end - 1 : (uint32_t)index;
}

/* Finds the locked places in a range. The system returns any one of the locks, so the range is
 * split there. */
static void table_held(struct geo_census_table *table, uint32_t begin, uint32_t end)
{
    while (begin < end) {
        struct flock lock = {
            .l_type = F_RDLCK,
            .l_whence = SEEK_SET,
            .l_start = geo_census_table_place_at(begin),
            .l_len = geo_census_table_place_at(end) - geo_census_table_place_at(begin),
        };
        if (fcntl(table->fd, F_OFD_GETLK, &lock) != 0 || lock.l_type == F_UNLCK) {
            return;
        }
        uint32_t index = lock_place(lock.l_start, begin, end);
        table->held[table->count++] = index;
        table_held(table, begin, index);
        begin = index + 1;
    }
}

/* Returns whether opening failed for lack of descriptors or memory. */
static bool starved(void)
{
    return errno == EMFILE || errno == ENFILE || errno == ENOMEM;
}

/* Opens a census file for reading, and for writing if requested and permitted. */
static bool table_open(struct geo_census_table *table, const char *path, unsigned long user,
                       bool writable)
{
    const int flags = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    struct geo_census_head head;
    struct stat status;
    table->count = 0;
    table->fd = writable ? open(path, O_RDWR | flags) : -1;
    table->writable = table->fd >= 0;
    table->user = user;
    table->fd = table->fd < 0 ? open(path, O_RDONLY | flags) : table->fd;
    if (table->fd < 0) {
        return false;
    }
    if (fstat(table->fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == (uid_t)user &&
        (status.st_mode & 0022) == 0 && status.st_size == (off_t)GEO_CENSUS_BYTES &&
        geo_census_read_table(table, &head, sizeof(head), 0) &&
        atomic_load(&head.format) == GEO_CENSUS_FORMAT) {
        table_held(table, 0, GEO_CENSUS_PLACES);
        return true;
    }
    close(table->fd);
    return false;
}

/* Returns whether a name is that of a census file, and the user in it. Each user has exactly one
 * valid name: no leading zeros, no number above the maximum. */
static bool name_read(const char *name, unsigned long *user)
{
    const size_t head = sizeof(GEO_CENSUS_NAME) - 1;
    char canonical[sizeof(GEO_CENSUS_NAME) + 24];
    if (strncmp(name, GEO_CENSUS_NAME, head) != 0) {
        return false;
    }
    *user = strtoul(name + head, NULL, 10);
    snprintf(canonical, sizeof(canonical), GEO_CENSUS_NAME "%lu", *user);
    return *user < (uid_t)-1 && strcmp(name, canonical) == 0;
}

/* State of the iteration over the files below a folder. */
struct walk {
    const char *folder;
    bool writable, all; /* all: no file was skipped for lack of memory or descriptors */
    uint32_t seen;      /* number of valid files */
    void (*look)(struct geo_census_table *table, void *data);
    void *data;
};

static void walk_visit(struct walk *walk, unsigned long user)
{
    struct geo_census_table table;
    char path[1024];
    snprintf(path, sizeof(path), "%s" GEO_CENSUS_FOLDER "/" GEO_CENSUS_NAME "%lu", walk->folder,
             user);
    errno = 0;
    if (table_open(&table, path, user, walk->writable)) {
        walk->look(&table, walk->data);
        close(table.fd);
        walk->seen++;
    } else {
        walk->all = walk->all && !starved();
    }
}

/* Visits the file of this user first, whatever other users put into the folder. Invalid files do
 * not count towards FILES, so nobody can hide other users with them. */
bool geo_census_read_tables(const char *folder, bool writable,
                            void (*look)(struct geo_census_table *table, void *data), void *data)
{
    struct walk walk = {folder, writable, true, 0, look, data};
    unsigned long user;
    char path[1024];
    snprintf(path, sizeof(path), "%s" GEO_CENSUS_FOLDER, folder);
    DIR *files = opendir(path);
    if (!files) {
        return !starved();
    }
    walk_visit(&walk, geteuid());
    for (struct dirent *entry; walk.seen < FILES && (entry = readdir(files)) != NULL;) {
        if (name_read(entry->d_name, &user) && user != geteuid()) {
            walk_visit(&walk, user);
        }
    }
    closedir(files);
    return walk.all;
}

bool geo_census_read_possible(const char *folder)
{
    struct stat status;
    char path[1024];
    snprintf(path, sizeof(path), "%s" GEO_CENSUS_FOLDER, folder);
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* ---- users of a device ---- */

struct listing {
    uint64_t pid_space;
    const uint8_t *uuid;
    struct geo_census_user *users;
    uint32_t room, count;
    /* processes in the current file */
    uint32_t pids[GEO_CENSUS_PLACES], pid_count;
};

/* Returns whether a process belongs to a user, because any user can write any number into his own
 * file. Root's file is trusted: a process that dropped its privileges remains in it. */
static bool pid_is_of(uint32_t pid, unsigned long user)
{
    char path[32], line[128];
    unsigned long effective = 0;
    bool found = false;
    if (user == 0 || (pid == (uint32_t)getpid() && user == geteuid())) {
        return true;
    }
    snprintf(path, sizeof(path), "/proc/%u/status", pid);
    FILE *status = fopen(path, "re");
    while (status && !found && fgets(line, sizeof(line), status)) {
        found = sscanf(line, "Uid: %*u %lu", &effective) == 1;
    }
    if (status) {
        fclose(status);
    }
    return found && effective == user;
}

/* Returns whether a process is new in this file: each process has one place. */
static bool pid_is_new(struct listing *listing, uint32_t pid)
{
    for (uint32_t i = 0; i < listing->pid_count; i++) {
        if (listing->pids[i] == pid) {
            return false;
        }
    }
    listing->pids[listing->pid_count++] = pid;
    return true;
}

static void user_note(struct listing *listing, const struct geo_census_place *place,
                      const struct geo_census_row *row)
{
    if (listing->count < listing->room) {
        listing->users[listing->count] = (struct geo_census_user){
            .pid = place->pid,
            .engines = atomic_load(&row->engines),
            .memory_bytes = atomic_load(&row->memory_bytes),
            .shared_bytes = atomic_load(&row->shared_bytes),
        };
    }
    listing->count++;
}

static void place_list(struct listing *listing, const struct geo_census_table *table,
                       uint32_t index)
{
    struct geo_census_place place;
    if (!geo_census_read_table(table, &place, sizeof(place), geo_census_table_place_at(index)) ||
        atomic_load(&place.format) != GEO_CENSUS_FORMAT || place.pid == 0 ||
        place.pid > INT32_MAX || place.pid_space != listing->pid_space) {
        return;
    }
    for (uint32_t i = 0; i < GEO_CREW_CREWS; i++) {
        const struct geo_census_row *row = &place.devices[i];
        if (atomic_load(&row->used) == 1 &&
            memcmp(row->uuid, listing->uuid, sizeof(row->uuid)) == 0) {
            if (pid_is_new(listing, place.pid) && pid_is_of(place.pid, table->user)) {
                user_note(listing, &place, row);
            }
            return;
        }
    }
}

static void table_list(struct geo_census_table *table, void *data)
{
    struct listing *listing = data;
    listing->pid_count = 0;
    for (uint32_t i = 0; i < table->count; i++) {
        place_list(listing, table, table->held[i]);
    }
}

uint32_t geo_census_read_list(const char *folder, const uint8_t uuid[ZE_MAX_DEVICE_UUID_SIZE],
                              struct geo_census_user *users, uint32_t room)
{
    struct listing listing = {
        .pid_space = geo_census_pid_space(), .uuid = uuid, .users = users, .room = room};
    (void)geo_census_read_tables(folder, false, table_list, &listing);
    return listing.count;
}

/* ---- busy times ---- */

#define OPEN_MAX_CELLS 1024u  /* per file; more would mean more threads than CPUs */
#define LOOKS          8      /* attempts to get a consistent result */
#define LONG_NS        100000 /* shorter work is ignored: it changes often and has little effect */

struct open_cell {
    uint64_t begin_ns;
    uint32_t what;
};

struct open_cells {
    struct open_cell cells[OPEN_MAX_CELLS];
    uint32_t count;
};

struct busy_look {
    enum geo_busy_kind kind;
    uint64_t now_ns;
    const uint16_t *cpus; /* [count], ascending */
    uint64_t *ns;
    uint32_t count;
    uint64_t since_ns; /* start of counting in this file */
    struct open_cells before, after;
    struct geo_busy_cell cells[GEO_BUSY_CELLS];
    struct geo_busy_cpu lines[GEO_BUSY_CPUS];
};

static void place_open_cells(struct busy_look *look, const struct geo_census_table *table,
                             uint32_t index, struct open_cells *out)
{
    struct geo_census_place place;
    const off_t at = geo_census_table_place_at(index);
    if (!geo_census_read_table(table, &place, offsetof(struct geo_census_place, devices), at) ||
        atomic_load(&place.format) != GEO_CENSUS_FORMAT) {
        return;
    }
    uint32_t used = atomic_load(&place.cells_used);
    used = used < GEO_BUSY_CELLS ? used : GEO_BUSY_CELLS;
    if (!geo_census_read_table(table, look->cells, used * sizeof(look->cells[0]),
                               at + (off_t)GEO_CENSUS_CELLS_AT)) {
        return;
    }
    for (uint32_t i = 0; i < used && out->count < OPEN_MAX_CELLS; i++) {
        uint32_t what = atomic_load(&look->cells[i].what);
        uint64_t begin = atomic_load(&look->cells[i].begin_ns);
        begin = begin > look->since_ns ? begin : look->since_ns;
        if ((what & ~GEO_BUSY_CLOSING) >> GEO_BUSY_KIND_SHIFT == (uint32_t)look->kind &&
            begin < look->now_ns && look->now_ns - begin > LONG_NS) {
            out->cells[out->count++] = (struct open_cell){begin, what};
        }
    }
}

/* Reads the cells of work that has been running for more than a moment. Returns false when one of
 * them was just being closed. */
static bool open_cells_read(struct busy_look *look, const struct geo_census_table *table,
                            struct open_cells *out)
{
    bool settled = true;
    out->count = 0;
    for (uint32_t i = 0; i < table->count; i++) {
        place_open_cells(look, table, table->held[i], out);
    }
    for (uint32_t i = 0; i < out->count; i++) {
        settled = settled && !(out->cells[i].what & GEO_BUSY_CLOSING);
    }
    return settled;
}

static bool open_cells_equal(const struct open_cells *a, const struct open_cells *b)
{
    bool equal = a->count == b->count;
    for (uint32_t i = 0; equal && i < a->count; i++) {
        equal =
            a->cells[i].begin_ns == b->cells[i].begin_ns && a->cells[i].what == b->cells[i].what;
    }
    return equal;
}

/* Asks the processes of a census to count their work for another GEO_CENSUS_WATCH_NS, by writing
 * the end of that time to the file. */
static void watch_prolong(struct busy_look *look, const struct geo_census_table *table)
{
    struct geo_census_head head;
    const off_t at = (off_t)offsetof(struct geo_census_head, watch);
    const uint64_t until = look->now_ns + GEO_CENSUS_WATCH_NS;
    look->since_ns = look->now_ns;
    if (!geo_census_read_table(table, &head, sizeof(head), 0)) {
        return;
    }
    const uint64_t since = atomic_load(&head.watch.since_ns);
    const uint64_t before = atomic_load(&head.watch.until_ns);
    if (before > until || until - before > GEO_CENSUS_WATCH_NS / 16) {
        (void)geo_census_write(table->fd, &until, sizeof(until),
                               at + (off_t)offsetof(struct geo_busy_watch, until_ns));
    }
    if (since == 0) {
        (void)geo_census_write(table->fd, &look->now_ns, sizeof(look->now_ns),
                               at + (off_t)offsetof(struct geo_busy_watch, since_ns));
    } else {
        look->since_ns = since;
    }
}

static void busy_add(struct busy_look *look)
{
    for (uint32_t i = 0; i < look->count; i++) {
        look->ns[i] += atomic_load(&look->lines[look->cpus[i]].ns[look->kind - 1]);
    }
    for (uint32_t k = 0; k < look->after.count; k++) {
        const struct open_cell *cell = &look->after.cells[k];
        uint32_t cpu = cell->what % (1u << GEO_BUSY_KIND_SHIFT);
        for (uint32_t i = 0; i < look->count; i++) {
            look->ns[i] += look->cpus[i] == cpu ? look->now_ns - cell->begin_ns : 0;
        }
    }
}

static void table_busy(struct geo_census_table *table, void *data)
{
    struct busy_look *look = data;
    const size_t lines = (look->cpus[look->count - 1] + 1u) * sizeof(look->lines[0]);
    watch_prolong(look, table);
    for (int i = 0; i < LOOKS; i++) {
        bool settled = open_cells_read(look, table, &look->before);
        if (!geo_census_read_table(table, look->lines, lines, GEO_CENSUS_CPUS_AT)) {
            return;
        }
        settled = open_cells_read(look, table, &look->after) && settled;
        if (settled && open_cells_equal(&look->before, &look->after)) {
            break;
        }
    }
    busy_add(look);
}

bool geo_census_read_busy(const char *folder, enum geo_busy_kind kind, uint64_t now_ns,
                          const uint16_t *cpus, uint64_t *ns, uint32_t count)
{
    struct busy_look *look = malloc(sizeof(*look));
    bool all = false;
    memset(ns, 0, count * sizeof(*ns));
    geo_census_make(folder);
    if (look && count != 0) {
        look->kind = kind;
        look->now_ns = now_ns;
        look->cpus = cpus;
        look->ns = ns;
        look->count = count;
        all = geo_census_read_tables(folder, true, table_busy, look);
    }
    free(look);
    return all;
}
