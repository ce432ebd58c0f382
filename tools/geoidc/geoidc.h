/* geoidc, the offline compiler: SPIR-V or OpenCL C in; native binaries, SPIR-V, PTX, assembly,
 * intermediate forms and reports out. Its files, from the lowest to the highest:
 *
 *     file.c      reads inputs, and writes outputs such that nothing half-written is left
 *     library.c   opens the compiler's library
 *     spirv.c     looks into SPIR-V: is it SPIR-V, which specialisation constants has it
 *     clang.c     OpenCL C to SPIR-V, by a clang that is found at run time
 *     report.c    the report as JSON, report_text.c as text
 *     job.c       one compilation, from input to outputs
 *     options.c   the command line of geoidc
 *     ocloc.c     the command line of ocloc, ocloc_device.c its names of devices
 *     main.c      chooses between the two by the name of the program */
#ifndef GEOIDC_GEOIDC_H
#define GEOIDC_GEOIDC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Exit statuses of geoidc. */
enum geoidc_exit {
    GEOIDC_OK = 0,
    GEOIDC_FAILED = 1,  /* the input does not compile */
    GEOIDC_USAGE = 2,   /* wrong usage */
    GEOIDC_FILE = 3,    /* a file cannot be read or written */
    GEOIDC_MISSING = 4, /* a program or library that is needed is missing */
    GEOIDC_MEMORY = 5,  /* no memory is left */
};

/* Prints "geoidc: " (or the name under which it runs) and a message to standard error. */
void geoidc_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Sets the name for messages. */
void geoidc_set_name(const char *name);
/* Returns the name for messages. */
const char *geoidc_name(void);

#endif
