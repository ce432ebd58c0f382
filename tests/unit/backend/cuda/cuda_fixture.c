/* The fixture of the tests of the part that computes. See cuda_fixture.h. */
#include "cuda_fixture.h"

#include <dlfcn.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct geo_backend_ops *const ops = &geo_backend_cuda_compute_ops;

static void symbol_find(void *library, const char *name, void *function)
{
    void *found = dlsym(library, name);
    assert_non_null(found);
    memcpy(function, &found, sizeof(found));
}

void cudas_library(struct cudas *cudas, enum cuda_age age, const char *gpus)
{
    struct fake_cuda *(*state)(void);
    memset(cudas, 0, sizeof(*cudas));
    setenv("GEOID_NVIDIA", "on", 1);
    setenv("FAKE_CUDA_GPUS", gpus, 1);
    cudas->library =
        dlopen(age == CUDA_NEW ? FAKE_CUDA_NEW_FILE : FAKE_CUDA_OLD_FILE, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(cudas->library);
    symbol_find(cudas->library, "fake_cuda_state", &state);
    symbol_find(cudas->library, "fake_cuda_reset", &cudas->reset);
    cudas->reset();
    cudas->fake = state();
}

ze_result_t cudas_backend(struct cudas *cudas)
{
    return ops->open(&cudas->backend);
}

void cudas_open(struct cudas *cudas, const char *gpus)
{
    cudas_library(cudas, CUDA_NEW, gpus);
    assert_int_equal(cudas_backend(cudas), ZE_RESULT_SUCCESS);
}

void cudas_close(struct cudas *cudas)
{
    if (cudas->backend) {
        ops->close(cudas->backend);
    }
    assert_int_equal(cudas->fake->allocations, 0);
    assert_int_equal(cudas->fake->streams, 0);
    assert_int_equal(cudas->fake->events, 0);
    assert_int_equal(cudas->fake->modules, 0);
    assert_int_equal(cudas->fake->contexts, 0);
    cudas->reset(); /* frees what the library keeps to notice wrong calls */
    dlclose(cudas->library);
}

struct geo_backend_device *cudas_device(const struct cudas *cudas, uint32_t index)
{
    assert_true(index < ops->device_count(cudas->backend));
    return ops->device(cudas->backend, index);
}

const struct geo_device_info *cudas_info(const struct cudas *cudas, uint32_t index)
{
    return ops->device_info(cudas_device(cudas, index));
}

int cudas_child(int (*function)(void *data), void *data, char text[512])
{
    int ends[2], status = -1;
    size_t length = 0;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        const struct rlimit none = {0, 0};
        (void)setrlimit(RLIMIT_CORE, &none);
        (void)signal(SIGABRT, SIG_DFL);
        dup2(ends[1], STDERR_FILENO);
        _exit(function(data));
    }
    close(ends[1]);
    for (ssize_t count = 1; count > 0 && length < 511; length += count > 0 ? (size_t)count : 0) {
        count = read(ends[0], text + length, 511 - length);
    }
    text[length] = '\0';
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) ? 1000 + WTERMSIG(status) : WEXITSTATUS(status);
}
