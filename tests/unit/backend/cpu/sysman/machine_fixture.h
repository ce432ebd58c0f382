/* Machines as folders: tests/fixtures/sysman/NAME.tree (machine_tree.c has the format) is written
 * into a folder below /tmp, which is what sysman is opened with. Tests change files there, and read
 * them by themselves to know what must come out. */
#ifndef GEO_TESTS_MACHINE_FIXTURE_H
#define GEO_TESTS_MACHINE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backend/cpu/sysman/machine.h"
#include "backend/host/device.h"

#define MACHINE_PARTS      2 /* of a machine that is opened with parts */
#define MACHINE_MOST_PARTS 32
#define MACHINE_MOST_CPUS  1024

struct machine {
    char root[128];
    struct geo_backend_device devices[1 + MACHINE_MOST_PARTS];
    int32_t places[1 + MACHINE_MOST_PARTS][MACHINE_MOST_CPUS];
    struct geo_sysman *sysman;
    struct geo_strbuf why;
};

/* Opens a machine with CPUs 0 to cpus - 1; with parts, each has an equal share of them and a node
 * of its own. */
void machine_open(struct machine *machine, const char *name, uint32_t cpus, uint32_t parts);
void machine_close(struct machine *machine);

/* The same of a folder that is there already, and stays: a device of all CPUs that its files name,
 * with a part for each node that has some, where there are several. False: none are named, or too
 * many. */
bool machine_adopt(struct machine *machine, const char *root);
void machine_leave(struct machine *machine);

/* Opens a tree's machine with the CPUs and parts that its files name; for machine_close. */
void machine_open_whole(struct machine *machine, const char *name);

/* Opens sysman anew: descriptions are as the folder now is. */
void machine_reopen(struct machine *machine);

/* Writes the files of a tree (machine_tree.c): a fixture's name, or the path of a file. */
void machine_tree_read(const struct machine *machine, const char *name);

/* Files of the machine. `path` begins with "/" and may be printf's. */
void machine_write(const struct machine *machine, const char *path, const char *text);
void machine_bytes(const struct machine *machine, const char *path, const void *bytes, size_t size);
void machine_remove(const struct machine *machine, const char *path);
void machine_mode(const struct machine *machine, const char *path, unsigned mode);
const char *machine_text(const struct machine *machine, const char *path); /* without newline */
long long machine_number(const struct machine *machine, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
const char *machine_path(const struct machine *machine, const char *path);
void machine_folders(const char *full); /* makes those that a file lies in */

/* The component of a class at an index, which must be there; how many there are. */
const void *machine_component(const struct machine *machine, enum geo_sysman_class kind,
                              uint32_t index);
uint32_t machine_count(const struct machine *machine, enum geo_sysman_class kind);

/* A result of `expected`, and a reason that names what is given exactly if it is a failure. */
#define assert_result(machine, call, expected, reason)                                             \
    machine_check(machine, call, expected, reason, #call, __FILE__, __LINE__)
void machine_check(struct machine *machine, ze_result_t result, ze_result_t expected,
                   const char *reason, const char *call, const char *file, int line);
#define assert_works(machine, call) assert_result(machine, call, ZE_RESULT_SUCCESS, NULL)

/* Runs `run` as somebody who owns nothing, in a process of its own; false where that cannot be. */
bool machine_as_nobody(struct machine *machine, void (*run)(struct machine *machine));

#endif
