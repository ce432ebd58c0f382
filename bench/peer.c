/* The code that all programs of peer.h share. */
#include "peer.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SAMPLES = 4096, ALONE_LEAST = 7, ALONE_MS = 150 };

/* Returns the processor time of all threads of the process. */
static double processor_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

static size_t measure(const struct bench_peer *peer, double *samples, size_t least, double ms)
{
    const char *clock = getenv("GEOID_BENCH_CLOCK");
    bool processor = clock && strcmp(clock, "cpu") == 0;
    size_t count = 0;
    double end = bench_now_ms() + ms;
    do {
        double start = processor_ms(), wall = peer->launch(peer->self);
        samples[count++] = processor ? processor_ms() - start : wall;
    } while (count < SAMPLES && (count < least || bench_now_ms() < end));
    return count;
}

static void digests(const struct bench_peer *peer, const struct bench_row *row)
{
    for (size_t i = 0; i < bench_arg_count(row); i++) {
        if (row->args[i].check == CHECK_NONE) {
            continue;
        }
        void *memory = malloc(row->args[i].bytes);
        if (!memory) {
            exit(1);
        }
        peer->read(peer->self, i, memory, row->args[i].bytes);
        bench_digest(&row->args[i], memory);
        free(memory);
    }
}

static const struct {
    const char *name;
    const struct bench_table *table;
} tables[] = {{"kernels", &bench_kernels}, {"second", &bench_second}, {"maths", &bench_maths}};
enum { TABLES = sizeof(tables) / sizeof(tables[0]) };

static const struct bench_row *find(const char *name)
{
    for (size_t t = 0; t < TABLES; t++) {
        const struct bench_table *table = tables[t].table;
        for (size_t i = 0; i < table->count; i++) {
            if (strcmp(table->rows[i].name, name) == 0) {
                return &table->rows[i];
            }
        }
    }
    return NULL;
}

static void serve_open(const struct bench_peer *peer, const char *name)
{
    const struct bench_row *row = find(name);
    if (!row || !peer->open(peer->self, row)) {
        printf("none\n");
        return;
    }
    printf("opened %.3f", peer->launch(peer->self));
    digests(peer, row);
    printf("\n");
}

static int serve(const struct bench_peer *peer)
{
    static double samples[SAMPLES];
    char line[256], name[128];
    unsigned least;
    double ms;
    while (fgets(line, sizeof(line), stdin)) {
        if (sscanf(line, "open %127s", name) == 1) {
            serve_open(peer, name);
        } else if (sscanf(line, "time %u %lf", &least, &ms) == 2) {
            size_t count = measure(peer, samples, least, ms);
            printf("times");
            for (size_t i = 0; i < count; i++) {
                printf(" %.6f", samples[i]);
            }
            printf("\n");
        } else {
            peer->close(peer->self);
            printf("closed\n");
        }
        fflush(stdout);
    }
    return 0;
}

static bool wanted(const char *name, int count, char **patterns)
{
    for (int i = 0; i < count; i++) {
        if (fnmatch(patterns[i], name, 0) == 0) {
            return true;
        }
    }
    return count == 0;
}

static int alone(const struct bench_peer *peer, const struct bench_table *table, int count,
                 char **patterns)
{
    static double samples[SAMPLES];
    for (size_t i = 0; i < table->count; i++) {
        const struct bench_row *row = &table->rows[i];
        if (!wanted(row->name, count, patterns) || !peer->open(peer->self, row)) {
            continue;
        }
        peer->launch(peer->self);
        size_t taken = measure(peer, samples, ALONE_LEAST, ALONE_MS);
        double median = bench_median(samples, taken);
        printf("kernel %s %.4f %.4f\n", row->name, median, samples[0]);
        fflush(stdout);
        peer->close(peer->self);
    }
    return 0;
}

static int list(void)
{
    for (size_t t = 0; t < TABLES; t++) {
        for (size_t i = 0; i < tables[t].table->count; i++) {
            printf("%s %s\n", tables[t].name, tables[t].table->rows[i].name);
        }
    }
    return 0;
}

int bench_peer_main(const struct bench_peer *peer, int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "list") == 0) {
        return list();
    }
    if (strcmp(what, "serve") == 0) {
        return serve(peer);
    }
    for (size_t t = 0; t < TABLES; t++) {
        if (strcmp(what, tables[t].name) == 0) {
            return alone(peer, tables[t].table, argc - 2, argv + 2);
        }
    }
    fprintf(stderr, "usage: %s kernels|second|maths [PATTERN...] | list | serve\n", argv[0]);
    return 2;
}

void bench_beside_program(const char *file, char *path, size_t size)
{
    ssize_t length = readlink("/proc/self/exe", path, size - 1);
    path[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(path, '/');
    size_t folder = slash ? (size_t)(slash - path) + 1 : 0;
    if ((size_t)snprintf(path + folder, size - folder, "%s", file) >= size - folder) {
        fprintf(stderr, "bench: the path of %s is too long\n", file);
        exit(1);
    }
}
