/* The timeline of jobs: every unit stands in it, between the job's beginning and end. */
#include "support.h"

#include "exec/job/job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define UNITS 1000u

static void units_spin(const void *data, struct geo_exec_worker *worker, uint64_t first,
                       uint64_t count)
{
    (void)data, (void)worker, (void)first;
    for (volatile uint64_t spin = 0; spin < 300 * count; spin++) {
    }
}

/* In a process of its own, which writes it when it ends. */
static void job_in_child(const char *path)
{
    struct fixture cpu;
    _Atomic uint32_t cost = 0;
    const struct geo_exec_job_desc desc = {
        .run = units_spin, .units = UNITS, .cost_ps = &cost, .name = "a kernel"};
    setenv("GEOID_TIMELINE", path, 1);
    setenv("GEOID_THREADS", "2", 1);
    fixture_open(&cpu, &geo_backend_cpu_ops);
    struct geo_exec_worker *guest = geo_guest_acquire();
    bool done = guest && geo_exec_job_run(&geo_host_executor(cpu.device)->jobs, &desc, guest) ==
                             ZE_RESULT_SUCCESS;
    exit(done ? 0 : 1);
}

static void file_check(FILE *file)
{
    unsigned long long job[4] = {0}, ran[4], sum = 0;
    char line[256], name[64];
    bool told = false;
    while (fgets(line, sizeof(line), file)) {
        if (sscanf(line, "job 0 %63s %llu %llu %llu", name, &job[1], &job[2], &job[3]) == 4) {
            assert_string_equal(name, "a_kernel");
            assert_int_equal(job[1], UNITS);
            told = true;
        }
    }
    assert_true(told);
    rewind(file);
    while (fgets(line, sizeof(line), file)) {
        if (sscanf(line, "ran 0 %llu %llu %llu %llu", &ran[0], &ran[1], &ran[2], &ran[3]) == 4) {
            assert_true(ran[0] + ran[1] <= UNITS);
            assert_true(job[2] <= ran[2] && ran[2] <= ran[3]);
            sum += ran[1];
        }
    }
    assert_int_equal(sum, UNITS);
}

static void every_unit_is_told(void **state)
{
    (void)state;
    char path[] = "/tmp/geoid-timeline-XXXXXX";
    int status, fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        job_in_child(path);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    FILE *file = fopen(path, "re");
    assert_non_null(file);
    file_check(file);
    (void)fclose(file);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_unit_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
