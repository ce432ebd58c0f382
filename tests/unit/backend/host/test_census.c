/* The census: who uses a device, told between processes. Others use this machine's devices at the
 * same time: only processes of the test are looked at. */
#include "support.h"

#include "backend/host/census_table.h"
#include "exec/thread/sync.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define MIB (UINT64_C(1) << 20)

static struct fixture cpu;

static int group_setup(void **state)
{
    (void)state;
    fixture_open(&cpu, &geo_backend_cpu_ops);
    return 0;
}

static const uint8_t *uuid(void)
{
    return cpu.device->info.uuid;
}

/* What the process with this number uses; false: it is not in the census. */
static bool user_find(pid_t pid, struct geo_census_user *out)
{
    static struct geo_census_user users[1024];
    uint32_t found = geo_census_read_list("", uuid(), users, 1024);
    bool there = false;
    for (uint32_t i = 0; i < found && i < 1024; i++) {
        if (users[i].pid == (uint32_t)pid) {
            assert_false(there); /* once */
            there = true;
            *out = users[i];
        }
    }
    return there;
}

static struct geo_allocation allocate(uint64_t bytes)
{
    struct geo_allocation allocation;
    assert_int_equal(cpu.ops->memory->allocate(cpu.backend, cpu.device, GEO_MEMORY_DEVICE, bytes, 0,
                                               0, &allocation),
                     ZE_RESULT_SUCCESS);
    return allocation;
}

static int keep; /* the descriptor by which a child tells that it has run */

/* A child does not outlive a test that has failed. */
static pid_t test_fork(void)
{
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
    }
    return child;
}

/* A process of its own that runs `run` and then waits to be ended; returns when it has run. */
static pid_t child_start(void (*run)(void))
{
    int ready[2];
    char byte;
    assert_int_equal(pipe(ready), 0);
    pid_t child = test_fork();
    if (child == 0) {
        close(ready[0]);
        keep = ready[1];
        run();
        (void)!write(ready[1], "x", 1);
        close(ready[1]);
        for (;;) {
            pause();
        }
    }
    close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    return child;
}

static void child_end(pid_t child)
{
    int status;
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
}

static void nothing(void) {}

static void five_mebibytes(void)
{
    (void)allocate(5 * MIB);
}

/* ---- one process ---- */

/* SYS-7 */
static void memory_in_use_is_told_and_what_is_given_back_is_not(void **state)
{
    (void)state;
    struct geo_census_user user = {0};
    struct geo_allocation first = allocate(3 * MIB), second = allocate(2 * MIB);
    assert_true(user_find(getpid(), &user));
    assert_int_equal(user.memory_bytes, cpu.device->used_bytes);
    assert_true(user.memory_bytes >= 5 * MIB);
    uint64_t before = user.memory_bytes;
    cpu.ops->memory->release(cpu.backend, &first);
    assert_true(user_find(getpid(), &user));
    assert_int_equal(user.memory_bytes, before - 3 * MIB);
    cpu.ops->memory->release(cpu.backend, &second);
    assert_true(user_find(getpid(), &user));
    assert_int_equal(user.memory_bytes, before - 5 * MIB);
}

/* SYS-7: physical memory counts, and what others allocated is told apart. */
static void memory_of_every_origin_is_told(void **state)
{
    (void)state;
    struct geo_census_user user = {0}, before = {0};
    struct geo_allocation some = allocate(2 * MIB), theirs;
    struct geo_physical *physical;
    assert_true(user_find(getpid(), &before));
    assert_int_equal(cpu.ops->memory->physical_create(cpu.backend, cpu.device, 3 * MIB, &physical),
                     ZE_RESULT_SUCCESS);
    assert_true(user_find(getpid(), &user));
    assert_int_equal(user.memory_bytes, before.memory_bytes + 3 * MIB);
    assert_int_equal(user.shared_bytes, before.shared_bytes);
    assert_int_equal(
        cpu.ops->memory->import(cpu.backend, cpu.device, some.fd.number, 0, MIB, false, &theirs),
        ZE_RESULT_SUCCESS);
    assert_true(user_find(getpid(), &user));
    assert_int_equal(user.memory_bytes, before.memory_bytes + 3 * MIB);
    assert_int_equal(user.shared_bytes, before.shared_bytes + MIB);
    cpu.ops->memory->release(cpu.backend, &theirs);
    cpu.ops->memory->physical_destroy(physical);
    assert_true(user_find(getpid(), &user));
    assert_int_equal(user.memory_bytes, before.memory_bytes);
    assert_int_equal(user.shared_bytes, before.shared_bytes);
    cpu.ops->memory->release(cpu.backend, &some);
}

static void engines_are_those_of_its_streams(void **state)
{
    (void)state;
    struct geo_census_user user = {0};
    struct geo_allocation some = allocate(MIB);
    assert_true(user_find(getpid(), &user));
    assert_int_equal(user.engines, 0);
    struct geo_backend_stream *stream = NULL;
    const struct geo_stream_desc copies = {.ordinal = 1}, computes = {.ordinal = 0};
    assert_int_equal(cpu.ops->stream->create(cpu.device, &computes, &stream), ZE_RESULT_SUCCESS);
    cpu.ops->stream->destroy(stream);
    assert_true(user_find(getpid(), &user));
    assert_int_equal(user.engines, ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE);
    assert_int_equal(cpu.ops->stream->create(cpu.device, &copies, &stream), ZE_RESULT_SUCCESS);
    cpu.ops->stream->destroy(stream);
    assert_true(user_find(getpid(), &user));
    assert_int_equal(user.engines, ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE |
                                       ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY);
    cpu.ops->memory->release(cpu.backend, &some);
}

static void devices_have_users_of_their_own(void **state)
{
    (void)state;
    struct geo_allocation some = allocate(MIB);
    uint8_t other[ZE_MAX_DEVICE_UUID_SIZE];
    struct geo_census_user users[4];
    memcpy(other, uuid(), sizeof(other));
    other[3] ^= 0x55;
    assert_int_equal(geo_census_read_list("", other, users, 4), 0);
    assert_true(geo_census_read_list("", uuid(), NULL, 0) >=
                1); /* the count is told without room */
    cpu.ops->memory->release(cpu.backend, &some);
}

/* ---- several ---- */

/* SYS-7 */
static void every_process_is_told_while_it_lives(void **state)
{
    (void)state;
    enum { CHILDREN = 12 };
    struct geo_census_user user = {0};
    struct geo_allocation some = allocate(MIB);
    const uint64_t inherited = cpu.device->used_bytes;
    pid_t children[CHILDREN];
    for (int i = 0; i < CHILDREN; i++) {
        children[i] = child_start(five_mebibytes);
    }
    for (int i = 0; i < CHILDREN; i++) {
        assert_true(user_find(children[i], &user));
        assert_int_equal(user.memory_bytes, inherited + 5 * MIB);
    }
    assert_true(user_find(getpid(), &user));
    assert_int_equal(user.memory_bytes, inherited); /* not what children have */
    for (int i = 0; i < CHILDREN; i += 2) {
        child_end(children[i]);
    }
    for (int i = 0; i < CHILDREN; i++) {
        assert_int_equal(user_find(children[i], &user), i % 2);
    }
    for (int i = 1; i < CHILDREN; i += 2) {
        child_end(children[i]);
        assert_false(user_find(children[i], &user));
    }
    cpu.ops->memory->release(cpu.backend, &some);
}

static void a_child_that_uses_nothing_is_no_user(void **state)
{
    (void)state;
    struct geo_census_user user = {0};
    struct geo_allocation some = allocate(MIB);
    pid_t child = child_start(nothing);
    assert_false(user_find(child, &user));
    assert_true(user_find(getpid(), &user));
    child_end(child);
    cpu.ops->memory->release(cpu.backend, &some);
}

/* Nor does the lock go with a descriptor that a program closes because it does not know it. */
static void closes_descriptors(void)
{
    five_mebibytes();
    for (int fd = 3; fd < 256; fd++) {
        if (fcntl(fd, F_GETFD) >= 0 && fd != keep) {
            close(fd);
        }
    }
}

static void who_closes_all_descriptors_stays_a_user(void **state)
{
    (void)state;
    struct geo_census_user user = {0};
    pid_t child = child_start(closes_descriptors);
    bool there = user_find(child, &user);
    child_end(child);
    assert_true(there);
}

/* The lock is no child's: who uses a device and ends is gone, also where children live on. */
static int orphan_pipe[2];

static void user_with_a_child(void)
{
    five_mebibytes();
    if (fork() == 0) {
        pid_t grandchild = getpid();
        (void)!write(orphan_pipe[1], &grandchild, sizeof(grandchild));
        for (;;) {
            pause();
        }
    }
}

static void who_ends_is_gone_though_children_live(void **state)
{
    (void)state;
    struct geo_census_user user = {0};
    pid_t grandchild;
    assert_int_equal(pipe(orphan_pipe), 0);
    pid_t child = child_start(user_with_a_child);
    assert_int_equal(read(orphan_pipe[0], &grandchild, sizeof(grandchild)), sizeof(grandchild));
    assert_true(user_find(child, &user));
    child_end(child);
    bool still_there = user_find(child, &user);
    assert_int_equal(kill(grandchild, SIGKILL), 0); /* it was alive */
    assert_false(still_there);
    close(orphan_pipe[0]);
    close(orphan_pipe[1]);
}

/* It has the same number, and uses nothing any more. */
static void another_program_is_no_user(void **state)
{
    (void)state;
    struct geo_census_user user = {0};
    int ready[2];
    char byte;
    assert_int_equal(pipe2(ready, O_CLOEXEC), 0); /* closed by becoming another program */
    pid_t child = test_fork();
    if (child == 0) {
        five_mebibytes();
        execlp("sleep", "sleep", "600", (char *)NULL);
        _exit(1);
    }
    close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 0);
    close(ready[0]);
    assert_int_equal(kill(child, 0), 0);
    /* the system gives up what the old program had in any order */
    const uint64_t deadline = geo_deadline_ns(PATIENCE_NS);
    while (user_find(child, &user) && geo_timer_ns() < deadline) {
        usleep(1000);
    }
    bool there = user_find(child, &user);
    child_end(child);
    assert_false(there);
}

/* ---- files ---- */

static char root[] = "/tmp/geoid-census-XXXXXX";

static const char *table_path(unsigned user)
{
    static char paths[2][128];
    static unsigned turn;
    char *path = paths[turn++ % 2];
    snprintf(path, sizeof(paths[0]), "%s" GEO_CENSUS_FOLDER "/" GEO_CENSUS_NAME "%u", root, user);
    return path;
}

static int files_setup(void **state)
{
    (void)state;
    char path[128];
    assert_non_null(mkdtemp(root));
    snprintf(path, sizeof(path), "%s/dev", root);
    assert_int_equal(mkdir(path, 0755), 0);
    snprintf(path, sizeof(path), "%s/dev/shm", root);
    return mkdir(path, 0755);
}

static int files_teardown(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof(command), "rm -rf %s", root);
    memset(root + strlen(root) - 6, 'X', 6);
    return system(command);
}

/* A file of this length whose every word is `word`, locked as a whole; its descriptor. */
static int table_make(const char *path, uint64_t bytes, uint64_t word)
{
    static uint64_t words[1 << 16];
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        words[i] = word;
    }
    for (uint64_t at = 0; word != 0 && at < bytes; at += sizeof(words)) {
        uint64_t now = bytes - at < sizeof(words) ? bytes - at : sizeof(words);
        assert_int_equal(pwrite(fd, words, now, (off_t)at), now);
    }
    assert_int_equal(ftruncate(fd, (off_t)bytes), 0);
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    assert_int_equal(fcntl(fd, F_OFD_SETLK, &lock), 0);
    return fd;
}

/* One of this layout, without a place that is filled. */
static int table_new(void)
{
    const uint32_t format = GEO_CENSUS_FORMAT;
    int fd = table_make(table_path(geteuid()), GEO_CENSUS_BYTES, 0);
    assert_int_equal(pwrite(fd, &format, sizeof(format), 0), sizeof(format));
    return fd;
}

static uint32_t listed(void)
{
    struct geo_census_user users[8];
    return geo_census_read_list(root, uuid(), users, 8);
}

static void files_that_are_no_census_tell_nothing(void **state)
{
    (void)state;
    const uint64_t table = GEO_CENSUS_BYTES;
    const uint64_t words[] = {0, UINT64_MAX, GEO_CENSUS_FORMAT * UINT64_C(0x100000001)};
    assert_int_equal(listed(), 0);
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        const uint64_t sizes[] = {0, 8, table - 8, table, table + GEO_CENSUS_PAGE};
        for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
            int fd = table_make(table_path(geteuid()), sizes[k], words[i]);
            assert_int_equal(listed(), 0);
            close(fd);
        }
    }
    assert_int_equal(unlink(table_path(geteuid())), 0);
    assert_int_equal(mkfifo(table_path(geteuid()), 0600), 0);
    assert_int_equal(listed(), 0);
}

/* What this process has written about itself, in a place of a file below the folder. */
static void own_place_copy(int fd, uint32_t to, unsigned mode)
{
    static char bytes[GEO_CENSUS_PAGE];
    char path[64];
    snprintf(path, sizeof(path), GEO_CENSUS_FOLDER "/" GEO_CENSUS_NAME "%u", (unsigned)geteuid());
    int real = open(path, O_RDONLY | O_CLOEXEC);
    assert_true(real >= 0);
    bool copied = false;
    for (uint32_t i = 0; i < GEO_CENSUS_PLACES && !copied; i++) {
        uint32_t pid;
        assert_int_equal(pread(real, bytes, sizeof(bytes), geo_census_table_place_at(i)),
                         sizeof(bytes));
        memcpy(&pid, bytes + offsetof(struct geo_census_place, pid), sizeof(pid));
        copied = pid == (uint32_t)getpid();
    }
    close(real);
    assert_true(copied);
    assert_int_equal(pwrite(fd, bytes, sizeof(bytes), geo_census_table_place_at(to)),
                     sizeof(bytes));
    assert_int_equal(fchmod(fd, mode), 0);
}

/* A place is filled when its first word says so, by a process of a space of numbers that is ours,
 * and has a number itself. */
static void places_are_believed_when_all_of_them_fits(void **state)
{
    (void)state;
    struct geo_allocation some = allocate(MIB);
    int fd = table_new();
    const size_t words[] = {offsetof(struct geo_census_place, format),
                            offsetof(struct geo_census_place, pid),
                            offsetof(struct geo_census_place, pid_space)};
    const uint32_t zero = 0;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        own_place_copy(fd, 1, 0600);
        assert_int_equal(listed(), 1);
        assert_int_equal(
            pwrite(fd, &zero, sizeof(zero), geo_census_table_place_at(1) + (off_t)words[i]),
            sizeof(zero));
        assert_int_equal(listed(), 0);
    }
    close(fd);
    cpu.ops->memory->release(cpu.backend, &some);
}

static void only_locked_places_of_the_named_user_count(void **state)
{
    (void)state;
    struct geo_allocation some = allocate(MIB);
    int fd = table_new();
    own_place_copy(fd, 7, 0600);
    own_place_copy(fd, 255, 0600);
    assert_int_equal(listed(), 1);         /* each process once */
    assert_int_equal(fchmod(fd, 0666), 0); /* anybody may have written it */
    assert_int_equal(listed(), 0);
    assert_int_equal(fchmod(fd, 0600), 0);
    assert_int_equal(rename(table_path(geteuid()), table_path(4711)), 0); /* not his */
    assert_int_equal(listed(), 0);
    assert_int_equal(symlink(table_path(4711), table_path(geteuid())), 0);
    assert_int_equal(listed(), 0);
    assert_int_equal(unlink(table_path(geteuid())), 0);
    assert_int_equal(rename(table_path(4711), table_path(geteuid())), 0);
    assert_int_equal(listed(), 1);
    struct flock lock = {
        .l_type = F_UNLCK, .l_whence = SEEK_SET, .l_len = geo_census_table_place_at(8)};
    assert_int_equal(fcntl(fd, F_OFD_SETLK, &lock), 0);
    assert_int_equal(listed(), 1);
    lock.l_len = 0; /* the other place, too */
    assert_int_equal(fcntl(fd, F_OFD_SETLK, &lock), 0);
    assert_int_equal(listed(), 0);
    close(fd);
    assert_int_equal(listed(), 0);
    cpu.ops->memory->release(cpu.backend, &some);
}

int main(void)
{
    if (access("/dev/shm", W_OK) != 0) {
        puts("no /dev/shm: there is no census here");
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_in_use_is_told_and_what_is_given_back_is_not),
        cmocka_unit_test(memory_of_every_origin_is_told),
        cmocka_unit_test(engines_are_those_of_its_streams),
        cmocka_unit_test(devices_have_users_of_their_own),
        cmocka_unit_test(every_process_is_told_while_it_lives),
        cmocka_unit_test(a_child_that_uses_nothing_is_no_user),
        cmocka_unit_test(who_closes_all_descriptors_stays_a_user),
        cmocka_unit_test(who_ends_is_gone_though_children_live),
        cmocka_unit_test(another_program_is_no_user),
        cmocka_unit_test_setup_teardown(files_that_are_no_census_tell_nothing, files_setup,
                                        files_teardown),
        cmocka_unit_test_setup_teardown(places_are_believed_when_all_of_them_fits, files_setup,
                                        files_teardown),
        cmocka_unit_test_setup_teardown(only_locked_places_of_the_named_user_count, files_setup,
                                        files_teardown),
    };
    return cmocka_run_group_tests(tests, group_setup, NULL);
}
