/* `zeinfo --check`: whether everything works that a user needs.
 *
 *   check.c              the order of the checks, and their output
 *     check_list.c       findings, and probes: checks in a child process
 *     check_driver.c     loader, drivers, devices, compiler, cache
 *     check_kernel.c     a kernel on each device, also built in a child process of the compiler
 *     check_beside.c     validation layer, OpenCL, how programs find the loader
 *     check_system.c     debuggers, counters, memory, limits
 *
 * Everything that calls Level Zero is a probe. A driver that crashes or hangs becomes a finding,
 * and each probe has an environment of its own. */
#ifndef ZEINFO_CHECK_H
#define ZEINFO_CHECK_H

#include <stdbool.h>
#include <stddef.h>

enum check_outcome {
    CHECK_OK,
    CHECK_NOTE,   /* something that only some users need */
    CHECK_FAILED, /* zeinfo exits with 1 */
};

struct check_finding {
    enum check_outcome outcome;
    char *name;   /* of the thing: "compiler" */
    char *detail; /* what was found */
    char *remedy; /* what the user can do; "": nothing is to be done */
};

/* Findings in the order in which they were made. In a probe, they go to the parent instead. */
struct check_list {
    struct check_finding *items;
    size_t count;
    bool failed; /* memory ran out, or the parent cannot be reached */
    int pipe;    /* to the parent of a probe; -1 in zeinfo itself */
    int seconds; /* limit on a probe */
};

/* Adds a finding. `remedy` may be NULL. Control characters become blanks. */
void check_add(struct check_list *list, const char *name, enum check_outcome outcome,
               const char *remedy, const char *format, ...) __attribute__((format(printf, 5, 6)));

/* In a probe: says what it does next, for the finding that reports a crash or hang of it. */
void check_at(struct check_list *list, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A variable that a probe sets. */
struct check_variable {
    const char *name, *value;
};

/* Runs `function` in a child process with these variables (the last has no name) and adds its
 * findings. If the child crashes or exceeds the limit, adds a failure of the thing `name`. */
void check_probe(struct check_list *list, const char *name, const struct check_variable *variables,
                 void (*function)(struct check_list *list));

void check_list_finish(struct check_list *list);

/* ---- the probes and checks, in the order of the output ---- */

void check_drivers(struct check_list *list);
void check_kernels(struct check_list *list);
void check_build_process(struct check_list *list);
void check_validation(struct check_list *list);
void check_linking(struct check_list *list);
void check_opencl(struct check_list *list);
void check_system(struct check_list *list);

/* ---- drivers, as probes see them ---- */

struct check_driver {
    void *handle;      /* ze_driver_handle_t */
    char *explanation; /* of geoidDriverExplain; NULL: the driver has no such function */
    char *path;        /* of its library, "" when unknown */
};

struct check_drivers {
    struct check_driver *items;
    size_t count;
    int result; /* ze_result_t of the initialisation */
};

/* Initialises Level Zero and lists its drivers. */
void check_drivers_open(struct check_drivers *drivers);
void check_drivers_close(struct check_drivers *drivers);

/* Copies the fields of a driver's part (geoid/driver.h). Returns false if the driver says nothing
 * of it. */
struct check_part {
    char outcome[16], path[4096], detail[1024];
};
bool check_part_find(const struct check_driver *driver, const char *name, struct check_part *part);

/* main.c: prints the findings and returns the exit status. */
int check_run(bool json, int seconds);

#endif
