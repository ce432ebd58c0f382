/* The backend of NVIDIA's GPUs over a libnvidia-ml.so.1 that the test writes (fake_nvml.h). */
#ifndef GEO_TESTS_GPU_FIXTURE_H
#define GEO_TESTS_GPU_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backend/cuda/cuda.h"
#include "backend/sysman.h"

#include "fake_nvml.h"

enum gpu_library { GPU_LIBRARY_NEW, GPU_LIBRARY_OLD, GPU_LIBRARY_NONE };

struct gpus {
    void *library;
    struct fake_nvml *fake; /* NULL without a library */
    struct geo_backend *backend;
    struct geo_sysman *sysman; /* of the GPU that gpus_open was told */
    struct geo_strbuf why;
};

/* Loads the library, which is then what the backend finds, with everything as it begins with. */
void gpus_library(struct gpus *gpus, enum gpu_library library);
ze_result_t gpus_backend(struct gpus *gpus);

/* All of it: the library, the backend, and sysman of a GPU. */
void gpus_open(struct gpus *gpus, enum gpu_library library, uint32_t gpu);
/* Sysman of another GPU, or of the same anew; root as for the seam. */
void gpus_sysman(struct gpus *gpus, uint32_t gpu, const char *root);
void gpus_close(struct gpus *gpus);

/* The state of the GPU at an index. */
static inline struct fake_gpu *gpus_state(struct gpus *gpus, uint32_t gpu)
{
    return &gpus->fake->gpus[gpu];
}

/* What the function returns from now on, of every device; 0: as before. */
#define gpus_fail(gpus, function, result)                                                          \
    ((void)((gpus)->fake->results[FAKE_##function] = (result)))

const struct geo_sysman_device *gpus_about(const struct gpus *gpus);

/* The component of a class at an index, which must be there; how many there are. */
const void *gpus_component(const struct gpus *gpus, enum geo_sysman_class kind, uint32_t index);
uint32_t gpus_count(const struct gpus *gpus, enum geo_sysman_class kind);

/* A result of `expected`, and a reason that has what is given exactly if it is a failure. */
#define assert_result(gpus, call, expected, reason)                                                \
    gpus_check(gpus, call, expected, reason, #call, __FILE__, __LINE__)
void gpus_check(struct gpus *gpus, ze_result_t result, ze_result_t expected, const char *reason,
                const char *call, const char *file, int line);
#define assert_works(gpus, call) assert_result(gpus, call, ZE_RESULT_SUCCESS, NULL)
#define assert_unsupported(gpus, call, reason)                                                     \
    assert_result(gpus, call, ZE_RESULT_ERROR_UNSUPPORTED_FEATURE, reason)

#endif
