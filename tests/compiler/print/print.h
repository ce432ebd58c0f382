/* What kernels print: the cases, and what each work-item of them has to print, line by line.
 *
 *     cases.c        the table, and the text again in C
 *     run.c          runs cases in a child process whose output goes through a pipe
 *     test_print.c   compares: every line is the next one of its work-item, all are there, in one
 *                    piece */
#ifndef TESTS_COMPILER_PRINT_H
#define TESTS_COMPILER_PRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* One work-item and its input. */
struct print_item {
    int index; /* its number, at the start of its lines; also of its element of in and out */
    int value; /* in[index] */
    uint32_t global[3], local[3];
    uint32_t group_size;  /* along x */
    uint32_t group_first; /* index of the group's first item (one dimension) */
    uint32_t subgroup_size;
};

struct print_case {
    const char *kernel;
    uint32_t groups[3], size[3];
    /* Prints what the item prints; NULL: whatever it prints is right. Returns out[index]. */
    int (*expect)(FILE *out, const struct print_item *item);
};

extern const struct print_case print_many_case; /* a million lines */
extern const struct print_case print_cases[], hostile_cases[], subgroup_cases[], pointer_cases[];
extern const size_t print_case_count, hostile_case_count, subgroup_case_count, pointer_case_count;

int print_input(uint32_t index);
struct print_item print_item_at(const struct print_case *test, uint32_t index);
static inline uint32_t print_item_count(const struct print_case *test)
{
    uint32_t count = 1;
    for (int i = 0; i < 3; i++) {
        count *= test->groups[i] * test->size[i];
    }
    return count;
}

/* ---- run.c ---- */

enum print_mode {
    PRINT_SPIRV,
    PRINT_NATIVE, /* by way of the native binary */
};

/* Kernels of one file, one after the other in one process. */
struct print_batch {
    const char *file;
    const struct print_case *cases;
    size_t count;
    enum print_mode mode;
    bool is_lost; /* the launch is expected to end in DEVICE_LOST */
};

struct print_output {
    char *text; /* terminated; what it wrote to standard output, and to standard error */
    size_t length;
    char *errors;
    int status;    /* as waitpid gives it */
    long peak_kib; /* of the child's memory */
};

/* Exit status 0 when everything was right, out[] included (unless expect is NULL). Behind what a
 * kernel printed comes a line "done". False: there is no process. */
bool print_run(const struct print_batch *batch, struct print_output *output);
void print_output_free(struct print_output *output);

#endif
