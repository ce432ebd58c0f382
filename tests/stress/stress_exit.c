/* Forks and exits in the middle of a storm (storm.h). A child goes on with what it inherits: the
 * objects of its parent, whichever of them threads of the parent were in. A process ends while its
 * threads are in calls, and its exit handlers call, too.
 *
 *     stress_exit [COUNT [FIRST]]    of forks, and of exits, in orders from FIRST on
 *     stress_exit --exit SEED        one process that ends */
#include "limit.h"
#include "storm.h"

#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define COUNT_USUAL 40u
#define CALLS_CHILD 150u

extern char **environ;

static uint32_t count_wanted = COUNT_USUAL, first_wanted, exit_seed;
static struct storm_shared shared;
static struct storm storms[STORM_THREADS + 1];

static void threads_prepare(struct api *api, uint64_t calls)
{
    assert_int_equal(storm_table_make(), 0);
    storm_share(&shared, api);
    for (uint32_t i = 0; i < STORM_THREADS; i++) {
        storm_prepare(&storms[i], &shared, i, calls);
    }
}

/* ---- forks ---- */

static ze_result_t child_launch(struct storm *storm)
{
    const ze_group_count_t groups = {STORM_ITEMS / 32, 1, 1};
    memset(storm->words, 0xff, STORM_ITEMS * sizeof(*storm->words));
    ze_result_t result = zeCommandListAppendLaunchKernel(storm->list, storm->kernel, &groups,
                                                         shared.counters[0], 0, NULL);
    if (result == ZE_RESULT_SUCCESS) {
        result = zeCommandListHostSynchronize(storm->list, UINT64_MAX);
    }
    bool right = storm->words[STORM_ITEMS - 1] == STORM_ITEMS - 1;
    return result != ZE_RESULT_SUCCESS || right ? result : ZE_RESULT_ERROR_UNKNOWN;
}

/* What was in flight is not there: nothing of it may be waited for. Locks that threads of the
 * parent held are free. */
static void child_run(void)
{
    ze_command_list_handle_t first = shared.objects[STORM_LIST][0];
    ze_command_list_handle_t third = shared.objects[STORM_LIST][2];
    ze_command_queue_handle_t queue = shared.objects[STORM_QUEUE][0];
    bool wrong = false;
    limit_stall();
    for (int i = 0; i < 3; i++) {
        wrong = wrong || child_launch(&storms[STORM_THREADS]) ||
                zeCommandQueueExecuteCommandLists(queue, 1, &first, NULL) ||
                zeCommandQueueSynchronize(queue, UINT64_MAX) ||
                zeCommandListImmediateAppendCommandListsExp(shared.appended, 1, &third, NULL, 0,
                                                            NULL) ||
                zeCommandListHostSynchronize(shared.appended, UINT64_MAX);
    }
    for (uint32_t i = 0; i < shared.counts[STORM_EVENT]; i++) {
        ze_result_t result = zeEventQueryStatus(shared.objects[STORM_EVENT][i]);
        wrong = wrong || (result != ZE_RESULT_SUCCESS && result != ZE_RESULT_NOT_READY);
    }
    _exit(wrong);
}

static void child_fork(uint32_t seed)
{
    int status;
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        child_run();
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    if (status != 0) {
        fail_msg("child %u: status 0x%x", seed, (unsigned)status);
    }
}

/* GEN-27 */
static void children_go_on_from_the_middle_of_everything(void **state)
{
    pthread_t keeper;
    storm_seed = first_wanted;
    threads_prepare(*state, UINT64_MAX);
    storm_prepare(&storms[STORM_THREADS], &shared, STORM_THREADS, 0);
    storm_start(&shared, storms, &keeper);
    for (uint32_t i = 0; i < count_wanted && !atomic_load(&shared.wrong); i++) {
        child_fork(i);
    }
    bool wrong = atomic_exchange(&shared.wrong, 1) != 0; /* ends the threads */
    storm_join(storms, keeper);
    assert_false(wrong);
    storm_settle(&shared);
    for (uint32_t i = 0; i <= STORM_THREADS; i++) {
        storm_leave(&storms[i]);
    }
    storm_unshare(&shared);
}

/* ---- exits ---- */

static void at_exit(void)
{
    struct storm *storm = &storms[STORM_THREADS];
    storm->calls = CALLS_CHILD / 3;
    (void)storm_run(storm);
    if (atomic_load(&shared.wrong) != 0) {
        _exit(3);
    }
}

static void process_end(void **state)
{
    pthread_t keeper;
    limit_stall();
    storm_seed = exit_seed;
    threads_prepare(*state, UINT64_MAX);
    storm_prepare(&storms[STORM_THREADS], &shared, STORM_THREADS, exit_seed * 7 % 100);
    storms[STORM_THREADS].random = exit_seed;
    atexit(at_exit);
    storm_start(&shared, storms, &keeper);
    (void)storm_run(&storms[STORM_THREADS]);
    if (atomic_load(&shared.wrong) != 0) {
        _exit(1);
    }
    exit(0);
}

static void process_spawn(uint32_t seed)
{
    char number[16];
    char *arguments[] = {"stress_exit", "--exit", number, NULL};
    int status;
    pid_t child;
    snprintf(number, sizeof(number), "%u", seed);
    assert_int_equal(posix_spawn(&child, "/proc/self/exe", NULL, NULL, arguments, environ), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    if (status != 0) {
        fail_msg("process %u: status 0x%x", seed, (unsigned)status);
    }
}

/* INI-7, GEN-27 */
static void processes_end_with_threads_in_calls(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < count_wanted; i++) {
        process_spawn(first_wanted + i);
    }
}

static const struct api_case cases[] = {
    {"children_go_on_from_the_middle_of_everything", children_go_on_from_the_middle_of_everything,
     API_EXECUTES},
    {"processes_end_with_threads_in_calls", processes_end_with_threads_in_calls, API_EXECUTES},
};

static const struct api_case ends[] = {{"process_end", process_end, API_EXECUTES}};

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--exit") == 0) {
        exit_seed = (uint32_t)strtoul(argv[2], NULL, 10);
        return 1 + api_main("exit", ends, 1); /* it does not come back */
    }
    if (argc > 1) {
        count_wanted = (uint32_t)strtoul(argv[1], NULL, 10);
        first_wanted = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 0;
    }
    int failed = api_main("exit", cases, sizeof(cases) / sizeof(cases[0]));
    printf("exit: %u forks, %u exits, %d failed\n", count_wanted, count_wanted, failed);
    return failed;
}
