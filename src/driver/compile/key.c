/* Computes keys of builds. See key.h.
 *
 *     driver, compiler, machine, every option of the compiler, the request
 *
 * Each part begins with its length, so different lists of parts never give the same bytes. The
 * options are taken from the option table, so an option added later is included automatically.
 * Specialisation constants are written into copies of the modules, as the compiler does it. */
#include "driver/compile/key.h"

#include "base/array.h"
#include "base/assert.h"
#include "base/build_id.h"
#include "base/option.h"
#include "machine/identity.h"
#include "native/specialize.h"

#include <stdlib.h>
#include <string.h>

#define NO_TEXT UINT64_MAX

static bool bytes_add(struct geo_build_key *key, const void *bytes, size_t count)
{
    size_t needed;
    if (__builtin_add_overflow(key->count, count, &needed) ||
        !geo_array_grow((void **)&key->bytes, &key->capacity, needed, 1)) {
        return false;
    }
    if (count) {
        memcpy(key->bytes + key->count, bytes, count);
    }
    key->count = needed;
    GEO_ASSERT(key->count <= key->capacity);
    return true;
}

static bool word_add(struct geo_build_key *key, uint64_t word)
{
    return bytes_add(key, &word, sizeof(word));
}

static bool block_add(struct geo_build_key *key, const void *bytes, size_t count)
{
    return word_add(key, count) && bytes_add(key, bytes, count);
}

static bool text_add(struct geo_build_key *key, const char *text)
{
    return text ? block_add(key, text, strlen(text)) : word_add(key, NO_TEXT);
}

/* ---- driver, compiler, machine, options ---- */

static bool makers_add(struct geo_build_key *key, const char *compiler)
{
    char driver[GEO_BUILD_ID_TEXT];
    uint32_t machine[GEO_MACHINE_WORDS];
    uint32_t words = geo_machine_read(machine);
    return words && geo_build_id_of_address((const void *)makers_add, driver) &&
           text_add(key, driver) && text_add(key, compiler) &&
           block_add(key, machine, words * sizeof(machine[0]));
}

static bool options_add(struct geo_build_key *key)
{
    size_t count;
    const struct geo_option *options = geo_option_table(&count);
    bool good = true;
    for (size_t i = 0; i < count && good; i++) {
        if (strcmp(options[i].component, "compiler") == 0) {
            good =
                text_add(key, options[i].name) && text_add(key, geo_option_string(options[i].name));
        }
    }
    return good;
}

/* ---- request ---- */

/* Applies the constants to the source at the end of the key. The bytes in the key may be unaligned,
 * so an aligned copy is patched. */
static bool source_specialize(const struct geo_compiler_source *source, uint8_t *bytes)
{
    uint32_t count = source->constant_count;
    GEO_ASSERT(count > 0 && source->constant_ids && source->constant_values);
    void *words = malloc(source->bytes + 1);
    struct geo_spirv_constant *constants = calloc(count, sizeof(*constants));
    bool good = words && constants;
    if (good) {
        memcpy(words, bytes, source->bytes);
        for (uint32_t i = 0; i < count; i++) {
            constants[i] =
                (struct geo_spirv_constant){source->constant_ids[i], source->constant_values[i]};
        }
        good = geo_spirv_specialize(words, source->bytes, constants, count);
        memcpy(bytes, words, source->bytes);
    }
    free(constants);
    free(words);
    return good;
}

static bool source_add(struct geo_build_key *key, const struct geo_compiler_source *source)
{
    return block_add(key, source->spirv, source->bytes) &&
           (source->constant_count == 0 ||
            source_specialize(source, key->bytes + key->count - source->bytes)) &&
           text_add(key, source->options ? source->options : "") && word_add(key, source->unit);
}

static bool request_add(struct geo_build_key *key, const struct geo_compiler_request *request)
{
    bool good = word_add(key, request->source_count) && word_add(key, request->unit_count) &&
                word_add(key, request->link_count) && text_add(key, request->function) &&
                word_add(key, request->kernel_count) && word_add(key, request->kernels) &&
                word_add(key, request->restricted) && word_add(key, request->counted) &&
                word_add(key, request->instrumented) && word_add(key, request->near_null) &&
                text_add(key, request->target_cpu) && word_add(key, request->lanes) &&
                word_add(key, request->tile);
    for (uint32_t i = 0; i < request->source_count && good; i++) {
        good = source_add(key, &request->sources[i]);
    }
    for (uint32_t i = 0; i < request->link_count && good; i++) {
        good = word_add(key, request->links[i].importer) &&
               word_add(key, request->links[i].exporter) && text_add(key, request->links[i].name);
    }
    for (uint32_t i = 0; i < request->kernel_count && good; i++) {
        good = text_add(key, request->kernel_names[i]);
    }
    return good;
}

bool geo_build_key_make(const struct geo_compiler_request *request, const char *compiler,
                        struct geo_build_key *key)
{
    *key = (struct geo_build_key){0};
    return makers_add(key, compiler) && options_add(key) && request_add(key, request);
}

void geo_build_key_finish(struct geo_build_key *key)
{
    free(key->bytes);
    *key = (struct geo_build_key){0};
}
