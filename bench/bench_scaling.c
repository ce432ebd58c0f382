/* Measures launches per second of threads that share nothing. Each launches an empty kernel on an
 * immediate list of its own and waits for it. Prints "scale THREADS LAUNCHES_PER_SECOND" for one
 * thread and for THREADS, each the best of several rounds. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "common.h"
#include "table.h"

enum { ROUNDS = 5, ROUND_MS = 200, THREADS_MAX = 1024, BATCH = 64 };

struct thread {
    _Alignas(128) const struct example *ze;
    ze_kernel_handle_t kernel;
    ze_command_list_handle_t list;
    pthread_t thread;
    double per_second;
};

static atomic_int waiting; /* threads that have not started yet */
static atomic_bool over;

static void *launches(void *data)
{
    struct thread *own = data;
    const ze_group_count_t one = {1, 1, 1};
    long done = 0;
    atomic_fetch_sub(&waiting, 1);
    while (atomic_load(&waiting) > 0) {
    }
    double start = bench_now_ms();
    while (!atomic_load_explicit(&over, memory_order_relaxed)) {
        for (int i = 0; i < BATCH; i++) {
            CHECK(own->ze,
                  zeCommandListAppendLaunchKernel(own->list, own->kernel, &one, NULL, 0, NULL));
            CHECK(own->ze, zeCommandListHostSynchronize(own->list, UINT64_MAX));
        }
        done += BATCH;
    }
    own->per_second = (double)done * 1e3 / (bench_now_ms() - start);
    return NULL;
}

static double measure(struct thread *threads, int count)
{
    const struct timespec round = {.tv_nsec = ROUND_MS * 1000000L};
    double sum = 0;
    atomic_store(&waiting, count);
    atomic_store(&over, false);
    for (int i = 0; i < count; i++) {
        if (pthread_create(&threads[i].thread, NULL, launches, &threads[i]) != 0) {
            fprintf(stderr, "bench_scaling: no thread %d\n", i);
            exit(1);
        }
    }
    nanosleep(&round, NULL);
    atomic_store(&over, true);
    for (int i = 0; i < count; i++) {
        pthread_join(threads[i].thread, NULL);
        sum += threads[i].per_second;
    }
    return sum;
}

int main(int argc, char **argv)
{
    static struct thread threads[THREADS_MAX];
    const ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                          .flags = ZE_COMMAND_QUEUE_FLAG_IN_ORDER,
                                          .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    struct example ze;
    int count = argc == 2 ? atoi(argv[1]) : 0;
    if (count < 1 || count > THREADS_MAX) {
        fprintf(stderr, "usage: bench_scaling THREADS\n");
        return 2;
    }
    example_open(&ze, "bench");
    ze_module_handle_t module = example_module(&ze, "kernels.spv");
    for (int i = 0; i < count; i++) {
        threads[i].ze = &ze;
        threads[i].kernel = example_kernel(&ze, module, "empty");
        CHECK(&ze, zeKernelSetGroupSize(threads[i].kernel, 1, 1, 1));
        CHECK(&ze, zeCommandListCreateImmediate(ze.context, ze.device, &desc, &threads[i].list));
    }
    double one = 0, all = 0;
    for (int round = 0; round < ROUNDS; round++) {
        double alone = measure(threads, 1), together = measure(threads, count);
        one = alone > one ? alone : one;
        all = together > all ? together : all;
    }
    printf("scale 1 %.0f\nscale %d %.0f\n", one, count, all);
    for (int i = 0; i < count; i++) {
        CHECK(&ze, zeCommandListDestroy(threads[i].list));
        CHECK(&ze, zeKernelDestroy(threads[i].kernel));
    }
    CHECK(&ze, zeModuleDestroy(module));
    example_close(&ze);
    return 0;
}
