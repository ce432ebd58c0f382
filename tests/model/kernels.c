/* The kernels of the random programs, as a native binary: compiled to an object and loaded as it is
 * (native/native.h), so that no compiler is needed.
 *
 *     step(dst, src, multiply, add, spin) dst[i] = dst[i] * multiply + src[i] + add: group i
 *     wild(unused)                          writes through null */
#include "program.h"

#include "native_note.h"

void kernel_step(const struct geo_launch *launch, struct geo_worker *worker, uint64_t first,
                 uint64_t count);
void kernel_wild(const struct geo_launch *launch, struct geo_worker *worker, uint64_t first,
                 uint64_t count);

struct step_arguments {
    uint32_t *destination;
    const uint32_t *source;
    uint32_t multiply, add, spin;
};

void kernel_step(const struct geo_launch *launch, struct geo_worker *worker, uint64_t first,
                 uint64_t count)
{
    const struct step_arguments *arguments = (const void *)launch->arguments;
    (void)worker;
    for (uint64_t group = first; group < first + count; group++) {
        for (volatile uint32_t i = 0; i < arguments->spin; i++) {
        }
        arguments->destination[group] =
            step_word(arguments->destination[group], arguments->source[group], arguments->multiply,
                      arguments->add);
    }
}

void kernel_wild(const struct geo_launch *launch, struct geo_worker *worker, uint64_t first,
                 uint64_t count)
{
    uint32_t *volatile nowhere = NULL;
    (void)launch;
    (void)worker;
    (void)first;
    (void)count;
    *(volatile uint32_t *)nowhere = 1;
}

/* ---- the note ---- */

struct strings {
    char empty[1];
    char step[5], wild[5];
    char symbol_step[12], symbol_wild[12];
    char name[9];
};

struct descriptor {
    struct geo_native_header header;
    struct geo_native_payload payloads[1];
    struct geo_native_cpu_kernel records[2];
    struct geo_native_kernel kernels[2];
    struct geo_native_argument arguments[6];
    struct strings strings;
};

NOTE_SECTION static const struct {
    _Alignas(8) NOTE_FIELDS;
} kernels_note = {
    NOTE_HEAD,
    .descriptor =
        {
            .header = {NOTE_HEADER, NOTE_NO_MORE_TABLES},
            .payloads = {NOTE_PAYLOAD(0)},
            .records = {{NOTE_RECORD(symbol_step)}, {NOTE_RECORD(symbol_wild)}},
            .kernels =
                {
                    {NOTE_KERNEL(step, 0, 5, sizeof(struct step_arguments))},
                    {NOTE_KERNEL(wild, 5, 1, 8)},
                },
            .arguments = {NOTE_GLOBAL(0, name), NOTE_GLOBAL(8, name), NOTE_VALUE(16, name),
                          NOTE_VALUE(20, name), NOTE_VALUE(24, name), NOTE_GLOBAL(0, name)},
            .strings = {.step = "step",
                        .wild = "wild",
                        .symbol_step = "kernel_step",
                        .symbol_wild = "kernel_wild",
                        .name = "argument"},
        },
};
