/* Running programs and comparing: each of the programs of this folder is gen_main with
 * another device. */
#ifndef GEOID_TESTS_GENERATOR_CHECK_H
#define GEOID_TESTS_GENERATOR_CHECK_H

#include "program.h"

struct gen_device {
    const char *name;
    bool has_lanes; /* runs at GEOID_LANES = 1, 8, 16 */
    /* Runs programs with operations of sub-groups, which have a width of their own: one lane count
     * each. */
    bool has_subgroups;
    bool has_collectives; /* programs with operations of groups */
    bool has_halves;      /* programs with floats of 16 bits */
    bool has_modes;       /* programs whose kernel has modes for floats */
    bool has_spaces;      /* programs with generic pointers to memory of several kinds */
    bool has_far;         /* programs with buffers of some GiB */
    bool has_returns;     /* programs whose items return before barriers */
    bool optional;        /* a machine without it skips: exit status 77 */
    /* Another device that runs every program too and must agree; with W = `lanes` of its own. */
    const struct gen_device *also;
    uint32_t also_lanes;
    /* Once per process. False: `text` says why. */
    bool (*open)(char *text, size_t text_bytes);
    void (*close)(void);
    /* Builds and runs the program; memory as for gen_interpret. *skipped: the device cannot run
     * this one. */
    bool (*run)(const struct gen_program *program, uint32_t lanes, uint8_t *const *memory,
                bool *skipped, char *text, size_t text_bytes);
};

int gen_main(int argc, char **argv, const struct gen_device *device);

/* ---- inside ---- */

enum { GEN_TEXT = 4000 };

/* LEFT_OUT: the device has not what the program needs. */
enum gen_verdict { GEN_PASSED, GEN_FAILED, GEN_SKIPPED, GEN_INVALID, GEN_LEFT_OUT };

/* The device and the one that must agree. False: `text` (GEN_TEXT) says why. */
bool gen_device_open(const struct gen_device *device, char *text);
void gen_device_close(const struct gen_device *device);
/* One program on the device and in the interpreter, in this process. */
enum gen_verdict gen_check(const struct gen_device *device, const struct gen_program *program,
                           uint32_t lanes, char *text);
/* The same in a child, which may crash or hang. */
enum gen_verdict gen_check_isolated(const struct gen_device *device,
                                    const struct gen_program *program, uint32_t lanes, char *text);
/* reduce.c: deletes what the failure does not need; prints what is left. */
void gen_reduce(const struct gen_device *device, struct gen_program *program, uint32_t lanes);

/* forms.c: prints how often the programs of these seeds have each form; false: one is missing. */
bool gen_count_forms(uint64_t seed, uint64_t count);

#endif
