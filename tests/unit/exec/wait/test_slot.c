/* Event slots: sleeping on them, parking on them, from threads and from other processes. */
#include "apart.h"

#include "exec/thread/sync.h"
#include "exec/wait/slot.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MS UINT64_C(1000000)

static struct fixture cpu;

static int group_setup(void **state)
{
    (void)state;
    fixture_open(&cpu, &geo_backend_cpu_ops);
    return 0;
}

struct sleeper {
    pthread_t thread;
    struct geo_event_ref ref;
    uint64_t timeout;
    ze_result_t result;
};

static void *sleeper_main(void *argument)
{
    struct sleeper *sleeper = argument;
    sleeper->result = geo_slot_wait(&sleeper->ref, sleeper->timeout, 0, NULL);
    return NULL;
}

/* SYN-5 */
static void raising_wakes_every_sleeper(void **state)
{
    (void)state;
    enum { SLEEPERS = 8 };
    struct sleeper sleepers[SLEEPERS];
    struct geo_event_slot slot = {0};
    for (int round = 1; round <= 20; round++) {
        for (int i = 0; i < SLEEPERS; i++) {
            sleepers[i] = (struct sleeper){.ref = {&slot, (uint64_t)round},
                                           .timeout = i % 2 ? UINT64_MAX : PATIENCE_NS};
            pthread_create(&sleepers[i].thread, NULL, sleeper_main, &sleepers[i]);
        }
        if (round % 2) {
            struct timespec pause = {.tv_nsec = 500000};
            nanosleep(&pause, NULL);
        }
        geo_slot_raise((struct geo_event_ref){&slot, (uint64_t)round});
        for (int i = 0; i < SLEEPERS; i++) {
            pthread_join(sleepers[i].thread, NULL);
            assert_int_equal(sleepers[i].result, ZE_RESULT_SUCCESS);
        }
    }
    assert_int_equal(slot.sleepers, 0);
}

static void a_bounded_sleep_ends_in_time(void **state)
{
    (void)state;
    struct geo_event_slot slot = {0};
    struct geo_event_ref ref = {&slot, 1};
    uint64_t start = geo_now_ns();
    assert_int_equal(geo_slot_wait(&ref, 5 * MS, 0, NULL), ZE_RESULT_NOT_READY);
    assert_int_equal(geo_slot_wait(&ref, 5 * MS, UINT64_MAX, NULL), ZE_RESULT_NOT_READY);
    uint64_t took = geo_now_ns() - start;
    assert_true(took >= 10 * MS); /* and how much later it came back is the machine's */
    assert_int_equal(slot.sleepers, 0);
}

struct slacker {
    struct geo_event_slot slot;
    _Atomic uint32_t thread;
    int slack; /* after its wait */
};

static void *slacker_main(void *argument)
{
    struct slacker *slacker = argument;
    struct geo_event_ref ref = {&slacker->slot, 1};
    prctl(PR_SET_TIMERSLACK, 200 * MS, 0, 0, 0);
    atomic_store(&slacker->thread, (uint32_t)gettid());
    geo_slot_wait(&ref, PATIENCE_NS, 0, NULL);
    slacker->slack = prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0);
    return NULL;
}

/* What the kernel adds to the end of a thread's sleeps. */
static uint64_t thread_slack(uint32_t thread)
{
    char path[64];
    unsigned long long slack = 0;
    snprintf(path, sizeof(path), "/proc/%u/timerslack_ns", thread);
    FILE *file = fopen(path, "re");
    if (!file || fscanf(file, "%llu", &slack) != 1) {
        slack = UINT64_MAX;
    }
    if (file) {
        fclose(file);
    }
    return slack;
}

/* CMQ-10: a thread's timer slack delays the end of its sleeps, but not of its waits with a limit.
 * Seen from outside while it waits. */
static void a_bounded_sleep_is_as_exact_as_the_kernel_can(void **state)
{
    (void)state;
    struct slacker slacker = {0};
    pthread_t thread;
    if (thread_slack((uint32_t)getpid()) == UINT64_MAX) {
        skip();
    }
    assert_int_equal(pthread_create(&thread, NULL, slacker_main, &slacker), 0);
    wait_for(&slacker.thread, 1);
    wait_for(&slacker.slot.sleepers, 1); /* from here on it sleeps, or is about to */
    uint64_t asleep = thread_slack(atomic_load(&slacker.thread));
    geo_slot_raise((struct geo_event_ref){&slacker.slot, 1});
    pthread_join(thread, NULL);
    assert_int_equal(asleep, 1);
    assert_int_equal(slacker.slack, 200 * MS); /* the thread keeps its own */
}

/* A slot may be raised past the value that is waited for. */
static void a_counter_completes_all_values_up_to_its_own(void **state)
{
    (void)state;
    struct geo_event_slot slot = {0};
    struct geo_event_ref three = {&slot, 3}, seven = {&slot, 7}, eight = {&slot, 8};
    geo_slot_raise(seven);
    assert_true(geo_command_event_complete(&three) && geo_command_event_complete(&seven));
    assert_false(geo_command_event_complete(&eight));
    geo_slot_clear(&slot);
    assert_false(geo_command_event_complete(&three));
}

/* ---- parking ---- */

struct parked {
    struct geo_park park;
    _Atomic uint32_t woken;
};

static void parked_wake(struct geo_park *park)
{
    atomic_fetch_add(&((struct parked *)(void *)park)->woken, 1);
}

static void parked_nodes_are_unparked_once_and_only_when_complete(void **state)
{
    (void)state;
    enum { COUNT = 1000 };
    static struct parked parked[COUNT];
    static struct geo_event_slot slots[100];
    memset(parked, 0, sizeof(parked));
    memset(slots, 0, sizeof(slots));
    for (int i = 0; i < COUNT; i++) {
        parked[i].park.ref = (struct geo_event_ref){&slots[i % 100], (uint64_t)(i / 100) + 1};
        parked[i].park.unpark = parked_wake;
        assert_true(geo_slot_park(&parked[i].park));
    }
    for (uint64_t value = 1; value <= 10; value++) {
        for (int s = 0; s < 100; s++) {
            geo_slot_raise((struct geo_event_ref){&slots[s], value});
        }
        for (int i = 0; i < COUNT; i++) {
            assert_int_equal(parked[i].woken, (uint64_t)(i / 100) < value);
        }
    }
    assert_false(geo_slot_park(&parked[0].park)); /* complete already */
    for (int s = 0; s < 100; s++) {
        assert_int_equal(slots[s].sleepers, 0);
    }
}

static _Atomic uint32_t race_turn;

static void *race_main(void *argument)
{
    struct geo_event_slot *slot = argument;
    for (uint32_t i = 1; i <= 3000; i++) {
        while (atomic_load(&race_turn) < i) {
            sched_yield();
        }
        geo_slot_raise((struct geo_event_ref){slot, i});
    }
    return NULL;
}

/* Parking and raising at the same time never loses a wake. */
static void a_wake_is_never_lost(void **state)
{
    (void)state;
    struct geo_event_slot slot = {0};
    pthread_t thread;
    atomic_store(&race_turn, 0);
    pthread_create(&thread, NULL, race_main, &slot);
    for (uint32_t i = 1; i <= 3000; i++) {
        struct parked parked = {.park = {.ref = {&slot, i}, .unpark = parked_wake}};
        atomic_store(&race_turn, i);
        if (geo_slot_park(&parked.park)) {
            wait_for(&parked.woken, 1);
        }
    }
    pthread_join(thread, NULL);
    assert_int_equal(slot.sleepers, 0);
}

/* ---- numbers of the application ---- */

static _Atomic uint32_t unparked;

static void number_unpark(struct geo_park *park)
{
    (void)park;
    atomic_store(&unparked, 1);
}

static void nothing_prepare(void) {}

/* Parks on a number at the end of a page. The next page, where the other members of a slot would
 * be, cannot be read. */
static int number_park(void)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uint8_t *pages =
        mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    NEED(pages != MAP_FAILED && mprotect(pages + page, page, PROT_NONE) == 0);
    void *number = pages + page - sizeof(uint64_t);
    static struct geo_park park;
    park = (struct geo_park){.ref = {number, 3 | GEO_EVENT_EXTERNAL}, .unpark = number_unpark};
    NEED(geo_slot_park(&park));
    atomic_store((_Atomic uint64_t *)number, 3);
    const uint64_t end = geo_deadline_ns(PATIENCE_NS);
    while (!atomic_load(&unparked) && geo_now_ns() < end) {
        usleep(1000);
    }
    NEED(atomic_load(&unparked));
    return 0;
}

static void only_the_value_of_a_number_is_read(void **state)
{
    (void)state;
    assert_int_equal(apart_run(nothing_prepare, number_park), 0);
}

/* ---- processes ---- */

/* IPC-6, SYN-6 */
static void another_process_wakes_sleepers_and_parked_streams(void **state)
{
    (void)state;
    struct geo_event_slot *slots =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(slots != MAP_FAILED);
    for (int i = 0; i < 4; i++) {
        slots[i].flags = GEO_EVENT_SHARED;
    }
    pid_t child = fork();
    if (child == 0) {
        struct geo_event_ref go = {&slots[0], 1};
        if (geo_slot_wait(&go, PATIENCE_NS, 0, NULL) != ZE_RESULT_SUCCESS) {
            _exit(1);
        }
        usleep(3000);
        for (int i = 1; i < 4; i++) {
            geo_slot_raise((struct geo_event_ref){&slots[i], 1});
        }
        _exit(0);
    }
    struct test_batch batches[2];
    struct geo_backend_stream *streams[2];
    for (int i = 0; i < 2; i++) {
        struct geo_event_ref wait = {&slots[1 + i], 1};
        uint64_t ticket;
        streams[i] = stream_open(&cpu);
        batch_init(&batches[i]);
        batch_add_waiting(&batches[i], GEO_COMMAND_NOP, sizeof(struct geo_command), &wait, 1);
        cpu.ops->stream->submit(streams[i], &batches[i].batch, (struct geo_event_ref){0}, &ticket);
    }
    assert_int_equal(cpu.ops->stream->wait(streams[0], UINT64_MAX, 2 * MS), ZE_RESULT_NOT_READY);
    geo_slot_raise((struct geo_event_ref){&slots[0], 1});
    struct geo_event_ref third = {&slots[3], 1};
    assert_int_equal(geo_slot_wait(&third, PATIENCE_NS, 0, NULL), ZE_RESULT_SUCCESS);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(cpu.ops->stream->wait(streams[i], UINT64_MAX, PATIENCE_NS),
                         ZE_RESULT_SUCCESS);
        cpu.ops->stream->destroy(streams[i]);
        batch_finish(&batches[i]);
    }
    int status = -1;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    munmap(slots, 4096);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(raising_wakes_every_sleeper),
        cmocka_unit_test(a_bounded_sleep_ends_in_time),
        cmocka_unit_test(a_bounded_sleep_is_as_exact_as_the_kernel_can),
        cmocka_unit_test(a_counter_completes_all_values_up_to_its_own),
        cmocka_unit_test(parked_nodes_are_unparked_once_and_only_when_complete),
        cmocka_unit_test(a_wake_is_never_lost),
        cmocka_unit_test(only_the_value_of_a_number_is_read),
        cmocka_unit_test(another_process_wakes_sleepers_and_parked_streams),
    };
    return cmocka_run_group_tests(tests, group_setup, NULL);
}
