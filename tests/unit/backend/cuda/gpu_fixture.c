/* The fixture of the tests of NVIDIA's GPUs. See gpu_fixture.h. */
#include "gpu_fixture.h"

#include <dlfcn.h>

/* A library of the right name that is loaded already is what dlopen finds. */
void gpus_library(struct gpus *gpus, enum gpu_library library)
{
    static const char *const files[] = {
        [GPU_LIBRARY_NEW] = FAKE_NVML,
        [GPU_LIBRARY_OLD] = FAKE_NVML_OLD,
    };
    struct fake_nvml *(*state)(void);
    void (*reset)(void);
    memset(gpus, 0, sizeof(*gpus));
    geo_strbuf_init(&gpus->why, 400);
    setenv("GEOID_NVIDIA", "on", 1);
    if (library == GPU_LIBRARY_NONE) {
        return;
    }
    gpus->library = dlopen(files[library], RTLD_NOW | RTLD_LOCAL);
    assert_non_null(gpus->library);
    void *found = dlsym(gpus->library, "fake_nvml_state");
    memcpy(&state, &found, sizeof(found));
    found = dlsym(gpus->library, "fake_nvml_reset");
    memcpy(&reset, &found, sizeof(found));
    reset();
    gpus->fake = state();
}

ze_result_t gpus_backend(struct gpus *gpus)
{
    return geo_backend_cuda_ops.open(&gpus->backend);
}

void gpus_sysman(struct gpus *gpus, uint32_t gpu, const char *root)
{
    const struct geo_backend_ops *ops = &geo_backend_cuda_ops;
    ops->sysman->close(gpus->sysman);
    gpus->sysman = NULL;
    assert_int_equal(
        ops->sysman->open(ops->device(gpus->backend, gpu), root ? root : "/nowhere", &gpus->sysman),
        ZE_RESULT_SUCCESS);
}

void gpus_open(struct gpus *gpus, enum gpu_library library, uint32_t gpu)
{
    gpus_library(gpus, library);
    assert_int_equal(gpus_backend(gpus), ZE_RESULT_SUCCESS);
    gpus_sysman(gpus, gpu, NULL);
}

void gpus_close(struct gpus *gpus)
{
    geo_backend_cuda_ops.sysman->close(gpus->sysman);
    if (gpus->backend) {
        geo_backend_cuda_ops.close(gpus->backend);
    }
    if (gpus->library) {
        dlclose(gpus->library);
    }
    geo_strbuf_finish(&gpus->why);
}

const struct geo_sysman_device *gpus_about(const struct gpus *gpus)
{
    return geo_backend_cuda_ops.sysman->device(gpus->sysman);
}

const void *gpus_component(const struct gpus *gpus, enum geo_sysman_class kind, uint32_t index)
{
    uint32_t count = 0;
    const struct geo_sysman_component *const *items =
        geo_backend_cuda_ops.sysman->components(gpus->sysman, kind, &count);
    assert_in_range(index, 0, count - 1);
    assert_int_equal(items[index]->kind, kind);
    assert_ptr_equal(items[index]->sysman, gpus->sysman);
    assert_non_null(items[index]->name);
    return items[index];
}

uint32_t gpus_count(const struct gpus *gpus, enum geo_sysman_class kind)
{
    uint32_t count = 1234;
    (void)geo_backend_cuda_ops.sysman->components(gpus->sysman, kind, &count);
    return count;
}

void gpus_check(struct gpus *gpus, ze_result_t result, ze_result_t expected, const char *reason,
                const char *call, const char *file, int line)
{
    const char *why = geo_strbuf_text(&gpus->why);
    if (result != expected || (expected == ZE_RESULT_SUCCESS) != (why[0] == '\0') ||
        (reason && !strstr(why, reason))) {
        print_error("%s:%d: %s: 0x%x instead of 0x%x, \"%s\"\n", file, line, call, (unsigned)result,
                    (unsigned)expected, why);
        fail();
    }
    geo_strbuf_finish(&gpus->why);
    geo_strbuf_init(&gpus->why, 400);
}
