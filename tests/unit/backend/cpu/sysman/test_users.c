/* Which processes of the census are believed. Users write files of their own by hand, as somebody
 * would who wants to invent processes or to hide those of others. Only root can be several users,
 * and only root reads other users' files: as anybody else nothing is tested. */
#include "machine_fixture.h"

#include "backend/host/census_table.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define USER   4711u       /* the first of those that own nothing */
#define NOBODY 0x3ffffff0u /* a number above those that the system gives to processes */

static void folders_make(const struct machine *machine)
{
    chmod(machine->root, 0755);
    assert_true(mkdir(machine_path(machine, "/dev"), 0755) == 0 ||
                access(machine_path(machine, "/dev"), F_OK) == 0);
    assert_int_equal(mkdir(machine_path(machine, GEO_CENSUS_FOLDER), 0777), 0);
    chmod(machine_path(machine, GEO_CENSUS_FOLDER), 01777);
}

/* Makes the file of this name, as the calling user; returns its descriptor. */
static int table_make(const struct machine *machine, const char *name)
{
    const uint32_t format = GEO_CENSUS_FORMAT;
    char path[64];
    snprintf(path, sizeof(path), GEO_CENSUS_FOLDER "/%s", name);
    int fd = open(machine_path(machine, path), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    return fd >= 0 && ftruncate(fd, (off_t)GEO_CENSUS_BYTES) == 0 &&
                   pwrite(fd, &format, sizeof(format), 0) == sizeof(format)
               ? fd
               : -1;
}

static int table_of_user(const struct machine *machine, unsigned user)
{
    char name[32];
    snprintf(name, sizeof(name), GEO_CENSUS_NAME "%u", user);
    return table_make(machine, name);
}

/* Says in a place, and locks it, that a process uses the device. */
static void place_put(const struct machine *machine, int fd, uint32_t index, uint32_t pid)
{
    struct geo_census_place place;
    struct flock lock = {.l_type = F_WRLCK,
                         .l_whence = SEEK_SET,
                         .l_start = geo_census_table_place_at(index),
                         .l_len = 1};
    memset(&place, 0, sizeof(place));
    place.format = GEO_CENSUS_FORMAT;
    place.pid = pid;
    place.pid_space = geo_census_pid_space();
    memcpy(place.devices[0].uuid, machine->devices[0].info.uuid, sizeof(place.devices[0].uuid));
    place.devices[0].memory_bytes = pid;
    place.devices[0].used = 1;
    if (pwrite(fd, &place, sizeof(place), geo_census_table_place_at(index)) != sizeof(place) ||
        fcntl(fd, F_OFD_SETLK, &lock) != 0) {
        abort();
    }
}

/* A process of another user that has run `fill` and stays; -1: there can be none here. */
static pid_t user_start(const struct machine *machine, unsigned user,
                        void (*fill)(const struct machine *machine, unsigned user))
{
    int ready[2];
    char byte;
    assert_int_equal(pipe(ready), 0);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (setgid(user) != 0 || setuid(user) != 0) {
            _exit(1);
        }
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        fill(machine, user);
        (void)!write(ready[1], "x", 1);
        for (;;) {
            pause();
        }
    }
    close(ready[1]);
    bool runs = read(ready[0], &byte, 1) == 1;
    close(ready[0]);
    return runs ? child : -1;
}

static void user_end(pid_t child)
{
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
}

/* How many processes the device tells of, and how often this one is among them. */
static uint32_t told(struct machine *machine, uint32_t pid, uint32_t *times)
{
    static zes_process_state_t processes[1024];
    const struct geo_sysman_device *device = geo_cpu_sysman_device(machine->sysman);
    uint32_t count = 1024;
    assert_works(machine,
                 device->ops->processes(machine->sysman, &count, processes, &machine->why));
    *times = 0;
    for (uint32_t i = 0; i < count && i < 1024; i++) {
        *times += processes[i].processId == pid;
    }
    return count;
}

static bool is_root(void)
{
    if (geteuid() != 0) {
        print_message("not root: there is one user only\n");
    }
    return geteuid() == 0;
}

/* ---- cases ---- */

static void own_and_others_fill(const struct machine *machine, unsigned user)
{
    int fd = table_of_user(machine, user);
    const uint32_t pids[] = {1, (uint32_t)getppid(), NOBODY, (uint32_t)getpid(),
                             (uint32_t)getpid()};
    for (uint32_t i = 0; i < 5; i++) {
        place_put(machine, fd, i, pids[i]);
    }
}

/* SYS-7 */
static void nobody_invents_processes_of_others(void **state)
{
    (void)state;
    struct machine machine;
    uint32_t times;
    if (!is_root()) {
        return;
    }
    machine_open(&machine, "laptop", 4, 0);
    folders_make(&machine);
    pid_t child = user_start(&machine, USER, own_and_others_fill);
    assert_true(child > 0);
    assert_int_equal(told(&machine, (uint32_t)child, &times), 1);
    assert_int_equal(times, 1);
    user_end(child);
    machine_close(&machine);
}

static void own_fill(const struct machine *machine, unsigned user)
{
    place_put(machine, table_of_user(machine, user), 0, (uint32_t)getpid());
}

/* SYS-7: root is believed, which makes many processes without starting them. */
static void many_processes_of_one_user_hide_no_others(void **state)
{
    (void)state;
    struct machine machine;
    uint32_t times;
    if (!is_root()) {
        return;
    }
    machine_open(&machine, "laptop", 4, 0);
    folders_make(&machine);
    int fd = table_of_user(&machine, 0);
    for (uint32_t i = 0; i < GEO_CENSUS_PLACES; i++) {
        place_put(&machine, fd, i, NOBODY + i);
    }
    pid_t child = user_start(&machine, USER, own_fill);
    assert_true(child > 0);
    assert_int_equal(told(&machine, (uint32_t)child, &times), GEO_CENSUS_PLACES + 1);
    assert_int_equal(times, 1);
    user_end(child);
    close(fd);
    machine_close(&machine);
}

static void files_refused(const struct machine *machine, unsigned first, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        char path[64];
        snprintf(path, sizeof(path), GEO_CENSUS_FOLDER "/" GEO_CENSUS_NAME "%u", first + i);
        machine_write(machine, path, "");
    }
}

/* The folder gives files in any order: of several users one at least would come too late. */
static void refused_files_hide_no_others(void **state)
{
    (void)state;
    enum { USERS = 8, FILES = 1100 };
    struct machine machine;
    pid_t children[USERS];
    uint32_t times;
    if (!is_root()) {
        return;
    }
    machine_open(&machine, "laptop", 4, 0);
    folders_make(&machine);
    files_refused(&machine, 70000, FILES);
    for (unsigned i = 0; i < USERS; i++) {
        children[i] = user_start(&machine, USER + i, own_fill);
        assert_true(children[i] > 0);
    }
    files_refused(&machine, 90000, FILES);
    for (unsigned i = 0; i < USERS; i++) {
        assert_int_equal(told(&machine, (uint32_t)children[i], &times), USERS);
        assert_int_equal(times, 1);
    }
    for (unsigned i = 0; i < USERS; i++) {
        user_end(children[i]);
    }
    machine_close(&machine);
}

static const char *const aliases[] = {"04711", "+4711", " 4711", "4711 ", "0x1267", "4294972007"};

static void aliases_fill(const struct machine *machine, unsigned user)
{
    own_fill(machine, user);
    for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++) {
        char name[64];
        snprintf(name, sizeof(name), GEO_CENSUS_NAME "%s", aliases[i]);
        place_put(machine, table_make(machine, name), 0, (uint32_t)getpid());
    }
}

/* SYS-7: whatever else may be read as a user's number. */
static void a_user_has_one_file(void **state)
{
    (void)state;
    struct machine machine;
    uint32_t times;
    if (!is_root()) {
        return;
    }
    machine_open(&machine, "laptop", 4, 0);
    folders_make(&machine);
    pid_t child = user_start(&machine, USER, aliases_fill);
    assert_true(child > 0);
    assert_int_equal(told(&machine, (uint32_t)child, &times), 1);
    assert_int_equal(times, 1);
    user_end(child);
    machine_close(&machine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nobody_invents_processes_of_others),
        cmocka_unit_test(many_processes_of_one_user_hide_no_others),
        cmocka_unit_test(refused_files_hide_no_others),
        cmocka_unit_test(a_user_has_one_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
