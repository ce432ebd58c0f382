/* The kernels of the random programs, as a native binary: compiled to an object and loaded as it is
 * (native/native.h), so that no compiler is needed.
 *
 *     step(dst, src, multiply, add, spin) dst[i] = dst[i] * multiply + src[i] + add: group i
 *     wild(unused)                          writes through null */
#include "native/abi.h"
#include "native/native.h"

#include "program.h"

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
    struct geo_native_kernel kernels[2];
    struct geo_native_argument arguments[6];
    struct strings strings;
};

#define STRING(member) ((uint32_t)offsetof(struct strings, member))
#define AT(member)     ((uint32_t)offsetof(struct descriptor, member))
#define GLOBAL(place)                                                                              \
    {.kind = GEO_ARGUMENT_GLOBAL, .offset = (place), .size = 8, .align = 4, .name = STRING(name)}
#define VALUE(place)                                                                               \
    {.kind = GEO_ARGUMENT_VALUE, .offset = (place), .size = 4, .align = 4, .name = STRING(name)}

__attribute__((section(".note.geoid"), used)) static const struct {
    _Alignas(8) uint32_t name_bytes;
    uint32_t descriptor_bytes, type;
    char name[sizeof(GEO_NATIVE_NOTE_NAME)];
    struct descriptor descriptor;
} kernels_note = {
    .name_bytes = sizeof(GEO_NATIVE_NOTE_NAME),
    .descriptor_bytes = sizeof(struct descriptor),
    .type = GEO_NATIVE_NOTE_TYPE,
    .name = GEO_NATIVE_NOTE_NAME,
    .descriptor =
        {
            .header =
                {
                    .magic = GEO_NATIVE_MAGIC,
                    .version = GEO_NATIVE_VERSION,
                    .abi_version = GEO_ABI_VERSION,
                    .target = GEO_TARGET_X86_64,
                    .total_bytes = sizeof(struct descriptor),
                    .kernel_count = 2,
                    .kernel_offset = AT(kernels),
                    .argument_count = 6,
                    .argument_offset = AT(arguments),
                    .global_offset = AT(strings),
                    .symbol_offset = AT(strings),
                    .source_offset = AT(strings),
                    .string_bytes = sizeof(struct strings),
                    .string_offset = AT(strings),
                },
            .kernels =
                {
                    {.name = STRING(step),
                     .symbol = STRING(symbol_step),
                     .lanes = 1,
                     .subgroup_size = 8,
                     .first_argument = 0,
                     .argument_count = 5,
                     .argument_bytes = sizeof(struct step_arguments)},
                    {.name = STRING(wild),
                     .symbol = STRING(symbol_wild),
                     .lanes = 1,
                     .subgroup_size = 8,
                     .first_argument = 5,
                     .argument_count = 1,
                     .argument_bytes = 8},
                },
            .arguments = {GLOBAL(0), GLOBAL(8), VALUE(16), VALUE(20), VALUE(24), GLOBAL(0)},
            .strings = {.step = "step",
                        .wild = "wild",
                        .symbol_step = "kernel_step",
                        .symbol_wild = "kernel_wild",
                        .name = "argument"},
        },
};
