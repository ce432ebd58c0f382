/* The part of the backend that computes, over the fake libcuda (tests/fixtures/cuda). */
#ifndef GEO_TESTS_CUDA_FIXTURE_H
#define GEO_TESTS_CUDA_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backend/cuda/cuda.h"
#include "backend/cuda/driver/library.h"

#include "fake_cuda.h"

enum cuda_age { CUDA_NEW, CUDA_OLD };

struct cudas {
    void *library;
    struct fake_cuda *fake;
    void (*reset)(void);
    struct geo_backend *backend; /* NULL: not opened */
};

/* Loads the library, which the backend then finds. `gpus`: as FAKE_CUDA_GPUS. */
void cudas_library(struct cudas *cudas, enum cuda_age age, const char *gpus);
/* Opens the backend that computes. */
ze_result_t cudas_backend(struct cudas *cudas);
/* Both, with the new library. */
void cudas_open(struct cudas *cudas, const char *gpus);
/* Closes all that is open. Fails if anything is left in the library. */
void cudas_close(struct cudas *cudas);

struct geo_backend_device *cudas_device(const struct cudas *cudas, uint32_t index);
const struct geo_device_info *cudas_info(const struct cudas *cudas, uint32_t index);

/* Runs a function in a child process and returns its exit status, or 1000 plus the signal that
 * ended it. What it prints on the standard error goes to `text`. */
int cudas_child(int (*function)(void *data), void *data, char text[512]);

#endif
