/* The peer of loops.h. The main thread works too; the others spin a while between launches, as
 * drivers' threads do, and then sleep. */
#include "loops.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "peer.h"

enum { THREADS_MAX = 1024, SPINS = 20000, SHARES = 8, ALIGNMENT = 64 };

struct loops {
    const struct bench_loops *families;
    size_t count;
    const struct bench_loop *loop;
    struct bench_call call;
    size_t parts, share; /* share: the number of parts that a thread takes at once */
    atomic_size_t next;
    size_t threads;
    atomic_uint launch; /* counts launches */
    atomic_size_t busy; /* threads that have not finished the launch */
    pthread_mutex_t lock;
    pthread_cond_t wake;
};

static void work(struct loops *self)
{
    for (;;) {
        size_t first = atomic_fetch_add(&self->next, self->share), end = first + self->share;
        if (first >= self->parts) {
            return;
        }
        self->loop->run(&self->call, first, end < self->parts ? end : self->parts);
    }
}

static void await_launch(struct loops *self, unsigned seen)
{
    for (int i = 0; i < SPINS; i++) {
        if (atomic_load(&self->launch) != seen) {
            return;
        }
    }
    pthread_mutex_lock(&self->lock);
    while (atomic_load(&self->launch) == seen) {
        pthread_cond_wait(&self->wake, &self->lock);
    }
    pthread_mutex_unlock(&self->lock);
}

static void *worker(void *data)
{
    struct loops *self = data;
    for (unsigned seen = 0;; seen++) {
        await_launch(self, seen);
        work(self);
        atomic_fetch_sub(&self->busy, 1);
    }
    return NULL;
}

static void start_threads(struct loops *self)
{
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    self->threads = sched_getaffinity(0, sizeof(cpus), &cpus) == 0 ? (size_t)CPU_COUNT(&cpus) : 1;
    pthread_mutex_init(&self->lock, NULL);
    pthread_cond_init(&self->wake, NULL);
    for (size_t i = 1; i < self->threads; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, worker, self) != 0) {
            fprintf(stderr, "bench: no thread %zu\n", i);
            exit(1);
        }
        pthread_detach(thread);
    }
}

static const struct bench_loop *find(const struct loops *self, const char *kernel)
{
    for (size_t f = 0; f < self->count; f++) {
        for (size_t i = 0; i < self->families[f].count; i++) {
            if (strcmp(self->families[f].loops[i].kernel, kernel) == 0) {
                return &self->families[f].loops[i];
            }
        }
    }
    return NULL;
}

static bool loops_open(void *data, const struct bench_row *row)
{
    struct loops *self = data;
    self->loop = find(self, row->kernel);
    if (!self->loop) {
        return false;
    }
    self->call = (struct bench_call){.row = row};
    for (size_t i = 0; i < bench_arg_count(row); i++) {
        const struct bench_arg *arg = &row->args[i];
        self->call.value[i] = arg->value;
        if (arg->fill == FILL_VALUE) {
            continue;
        }
        size_t bytes = (arg->bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
        self->call.memory[i] = aligned_alloc(ALIGNMENT, bytes);
        if (!self->call.memory[i]) {
            exit(1);
        }
        bench_fill(arg, self->call.memory[i]);
    }
    int d = (int)self->loop->parts;
    self->parts = d == PARTS_GROUPS ? row->groups[0] : (size_t)row->groups[d] * row->local[d];
    self->share = self->threads == 1 ? self->parts : self->parts / (SHARES * self->threads);
    self->share = self->share ? self->share : 1;
    return true;
}

static double loops_launch(void *data)
{
    struct loops *self = data;
    double start = bench_now_ms();
    atomic_store(&self->next, 0);
    if (self->threads > 1) {
        atomic_store(&self->busy, self->threads - 1);
        pthread_mutex_lock(&self->lock);
        atomic_fetch_add(&self->launch, 1);
        pthread_cond_broadcast(&self->wake);
        pthread_mutex_unlock(&self->lock);
    }
    work(self);
    while (atomic_load(&self->busy) > 0) {
    }
    return bench_now_ms() - start;
}

static void loops_read(void *data, size_t arg, void *to, size_t bytes)
{
    struct loops *self = data;
    memcpy(to, self->call.memory[arg], bytes);
}

static void loops_close(void *data)
{
    struct loops *self = data;
    for (size_t i = 0; i < BENCH_ARGS; i++) {
        free(self->call.memory[i]);
        self->call.memory[i] = NULL;
    }
}

int bench_loops_main(const struct bench_loops *families, size_t count, int argc, char **argv)
{
    static struct loops self;
    const struct bench_peer peer = {&self, loops_open, loops_launch, loops_read, loops_close};
    self.families = families;
    self.count = count;
    start_threads(&self);
    return bench_peer_main(&peer, argc, argv);
}
