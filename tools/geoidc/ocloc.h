/* The command line of ocloc, the offline compiler of Intel's driver, for builds that call it. */
#ifndef GEOIDC_OCLOC_H
#define GEOIDC_OCLOC_H

#include "file.h"

/* Runs the program under the name ocloc. Returns the exit status, which is ocloc's error code. */
int ocloc_main(int argc, char **argv);

/* A device that -device may name. */
struct ocloc_device {
    const char *acronym; /* "acm-g10" */
    const char *version; /* "12.55.8" */
    const char *suffix;  /* of output files: "dg2" */
};

/* Returns the device of an acronym or a version, NULL if it is unknown. Letters may have either
 * case, and "_" counts as "-". */
const struct ocloc_device *ocloc_device_find(const char *name);

/* Makes an archive that has the native binary once for each device. *out belongs to the caller.
 * Returns false when memory runs out. */
bool ocloc_archive_make(const struct ocloc_device *const *devices, size_t count,
                        const struct file *binary, struct file *out);

#endif
