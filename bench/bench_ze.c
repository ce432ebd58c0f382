/* Runs the rows of peer.h through Level Zero, with Geoid or another driver. "bench_ze launch"
 * measures an empty kernel. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "peer.h"

enum { MODULES_MAX = 32 };

struct ze_peer {
    struct example ze;
    struct {
        const char *file;
        ze_module_handle_t module;
    } modules[MODULES_MAX];
    size_t module_count;
    const struct bench_row *row; /* the open row, or NULL */
    ze_kernel_handle_t kernel;
    void *buffers[BENCH_ARGS];
};

/* Returns the module of a source, which is built for its first row. */
static ze_module_handle_t module_of(struct ze_peer *peer, const char *file)
{
    char name[64];
    for (size_t i = 0; i < peer->module_count; i++) {
        if (strcmp(peer->modules[i].file, file) == 0) {
            return peer->modules[i].module;
        }
    }
    if (peer->module_count == MODULES_MAX) {
        fprintf(stderr, "bench_ze: more than %d files\n", MODULES_MAX);
        exit(1);
    }
    snprintf(name, sizeof(name), "%s.spv", file);
    ze_module_handle_t module = example_module(&peer->ze, name);
    peer->modules[peer->module_count].file = file;
    peer->modules[peer->module_count++].module = module;
    return module;
}

static bool ze_open(void *self, const struct bench_row *row)
{
    struct ze_peer *peer = self;
    struct example *ze = &peer->ze;
    peer->row = row;
    peer->kernel = example_kernel(ze, module_of(peer, row->file), row->kernel);
    CHECK(ze, zeKernelSetGroupSize(peer->kernel, row->local[0], row->local[1], row->local[2]));
    for (uint32_t i = 0; i < bench_arg_count(row); i++) {
        const struct bench_arg *arg = &row->args[i];
        if (arg->fill == FILL_VALUE) {
            example_arg(ze, peer->kernel, i, sizeof(arg->value), &arg->value);
            continue;
        }
        peer->buffers[i] = example_alloc(ze, arg->bytes);
        bench_fill(arg, peer->buffers[i]);
        example_arg(ze, peer->kernel, i, sizeof(peer->buffers[i]), &peer->buffers[i]);
    }
    return true;
}

static double ze_launch(void *self)
{
    struct ze_peer *peer = self;
    const uint32_t *groups = peer->row->groups;
    ze_group_count_t count = {groups[0], groups[1], groups[2]};
    double start = bench_now_ms();
    CHECK(&peer->ze,
          zeCommandListAppendLaunchKernel(peer->ze.list, peer->kernel, &count, NULL, 0, NULL));
    return bench_now_ms() - start;
}

static void ze_read(void *self, size_t arg, void *to, size_t bytes)
{
    struct ze_peer *peer = self;
    memcpy(to, peer->buffers[arg], bytes);
}

static void ze_close(void *self)
{
    struct ze_peer *peer = self;
    for (size_t i = 0; i < BENCH_ARGS; i++) {
        if (peer->buffers[i]) {
            example_free(&peer->ze, peer->buffers[i]);
            peer->buffers[i] = NULL;
        }
    }
    CHECK(&peer->ze, zeKernelDestroy(peer->kernel));
}

static void run_empty(struct ze_peer *peer)
{
    struct example *ze = &peer->ze;
    ze_kernel_handle_t kernel = example_kernel(ze, module_of(peer, "kernels"), "empty");
    CHECK(ze, zeKernelSetGroupSize(kernel, 1, 1, 1));
    double *samples = calloc(BENCH_LAUNCHES, sizeof(*samples));
    if (!samples) {
        exit(1);
    }
    for (int i = 0; i < BENCH_LAUNCHES_WARM; i++) {
        example_launch(ze, kernel, 1, 1);
    }
    for (int i = 0; i < BENCH_LAUNCHES; i++) {
        samples[i] = example_launch(ze, kernel, 1, 1);
    }
    bench_print_launch(samples, BENCH_LAUNCHES);
    free(samples);
    CHECK(ze, zeKernelDestroy(kernel));
}

int main(int argc, char **argv)
{
    static struct ze_peer self;
    const struct bench_peer peer = {&self, ze_open, ze_launch, ze_read, ze_close};
    int status = 0;
    example_open(&self.ze, "bench");
    if (argc == 2 && strcmp(argv[1], "launch") == 0) {
        run_empty(&self);
    } else {
        status = bench_peer_main(&peer, argc, argv);
    }
    for (size_t i = 0; i < self.module_count; i++) {
        CHECK(&self.ze, zeModuleDestroy(self.modules[i].module));
    }
    example_close(&self.ze);
    return status;
}
