/* A target as libFuzzer wants it. See fuzz.h. */
#include "fuzz.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

void fuzz_found(enum fuzz_fault fault, const char *format, ...)
{
    static const char *const names[FUZZ_FAULTS] = {"death", "wrong", "over budget"};
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s: %s: ", fuzz_target.name, names[fault]);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    abort();
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    if (fuzz_target.open && !fuzz_target.open(0)) {
        fprintf(stderr, "%s: cannot be opened\n", fuzz_target.name);
        abort();
    }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size <= fuzz_target.max_bytes) {
        fuzz_target.run(data, size);
    }
    return 0;
}

/* Mostly the target's own changes. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    struct fuzz_random random = {seed};
    if (!fuzz_target.mutate || fuzz_one_in(&random, 8)) {
        return LLVMFuzzerMutate(data, size, max_size);
    }
    return fuzz_target.mutate(&random, data, size, max_size);
}
