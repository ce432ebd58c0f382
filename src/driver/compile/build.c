/* Makes a build: finds it in the cache, or compiles and stores it. See build.h.
 *
 * Stored are builds that succeeded at the first attempt and would do so again (compiler.h), with
 * their log, so that a later look-up reports the same. With GEOID_DUMP everything is compiled,
 * because its files are wanted. */
#include "driver/compile/build.h"

#include "base/assert.h"
#include "base/build_id.h"
#include "base/option.h"
#include "driver/compile/compiler_library.h"
#include "driver/compile/key.h"
#include "native/native.h"
#include "native/select.h"

#include <stdlib.h>
#include <string.h>

/* Returns whether the binary has exactly one owner, the compiler's output or the cache, and a
 * failed build has none. */
static bool build_is_valid(const struct geo_build *build)
{
    const void *owned = build->compiler ? build->output.binary : build->kept.bytes;
    return build->binary == owned && (!build->compiler || !build->kept.bytes) && build->log;
}

static bool build_find(const struct geo_build_key *key, struct geo_build *build)
{
    struct geo_native_view view;
    const char *reason;
    GEO_ASSERT(key->bytes && key->count > 0 && !build->kept.bytes);
    if (!geo_cache_find((struct geo_cache_bytes){key->bytes, key->count}, &build->kept)) {
        return false;
    }
    if (geo_native_parse(build->kept.bytes, build->kept.count, &view, &reason) !=
        ZE_RESULT_SUCCESS) {
        geo_cache_release(&build->kept);
        return false;
    }
    build->binary = build->kept.bytes;
    build->binary_bytes = build->kept.count;
    build->log = build->kept.text;
    return true;
}

/* Stores the build, unless the library file was replaced between computing its identity and loading
 * it. */
static void build_keep(const struct geo_build_key *key, const char *identity,
                       const struct geo_build *build)
{
    if (strcmp(identity, build->compiler->build_id) == 0) {
        const struct geo_cache_value value = {
            .bytes = build->binary, .count = build->binary_bytes, .text = build->log};
        geo_cache_store((struct geo_cache_bytes){key->bytes, key->count}, &value);
    }
}

static ze_result_t build_compile(const struct geo_compiler_request *request, struct geo_strbuf *log,
                                 struct geo_build *build)
{
    const struct geo_compiler_ops *compiler = geo_compiler_library_open(log);
    if (!compiler) {
        return geo_fail(ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE,
                        "the compiler library did not load; the log says why");
    }
    build->compiler = compiler;
    ze_result_t result = compiler->build(request, &build->output);
    build->binary = build->output.binary;
    build->binary_bytes = build->output.binary_bytes;
    build->log = build->output.log;
    return result;
}

/* Makes a build of a complete request. */
static ze_result_t build_make(const struct geo_compiler_request *request, struct geo_strbuf *log,
                              struct geo_build *build)
{
    char identity[GEO_COMPILER_BUILD_ID];
    struct geo_build_key key = {0};
    ze_result_t result = ZE_RESULT_SUCCESS;
    *build = (struct geo_build){0};
    bool keep = geo_cache_is_on() && !geo_option_string("GEOID_DUMP") &&
                geo_compiler_library_identity(identity) &&
                geo_build_key_make(request, identity, &key);
    if (!keep || !build_find(&key, build)) {
        result = build_compile(request, log, build);
        if (keep && result == ZE_RESULT_SUCCESS && build->output.repeatable) {
            build_keep(&key, identity, build);
        }
    }
    geo_build_key_finish(&key);
    build->log = build->log ? build->log : "";
    GEO_ASSERT(build_is_valid(build) && (result != ZE_RESULT_SUCCESS || build->binary));
    geo_strbuf_add(log, build->log, strlen(build->log));
    return result;
}

static void sources_free(struct geo_compiler_source *sources, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        free((void *)(uintptr_t)sources[i].spirv);
    }
    free(sources);
}

/* Copies the sources of a request for kernels, each reduced to what they may need. Returns
 * NULL when memory runs out. */
static struct geo_compiler_source *sources_select(const struct geo_compiler_request *request)
{
    uint32_t done = 0;
    bool good = true;
    struct geo_compiler_source *sources = calloc(request->source_count, sizeof(*sources));
    while (sources && good && done < request->source_count) {
        const struct geo_compiler_source *source = &request->sources[done];
        uint32_t *words;
        GEO_ASSERT(source->constant_count == 0);
        sources[done] = *source;
        good = geo_spirv_select(
            source->spirv, source->bytes, source->unit == 0 ? request->kernel_count : 0,
            request->kernel_names, request->source_count > 1, &words, &sources[done].bytes, NULL);
        if (good) {
            sources[done++].spirv = words;
        }
    }
    if (sources && !good) {
        sources_free(sources, done);
    }
    return good ? sources : NULL;
}

size_t geo_build_measure(const struct geo_compiler_source *source, uint32_t kernel_count,
                         const char *const *kernel_names, size_t *called_bytes)
{
    uint32_t *words;
    size_t bytes;
    if (!geo_spirv_select(source->spirv, source->bytes, kernel_count, kernel_names, false, &words,
                          &bytes, called_bytes)) {
        return SIZE_MAX;
    }
    free(words);
    return bytes;
}

ze_result_t geo_build_make(const struct geo_compiler_request *request, struct geo_strbuf *log,
                           struct geo_build *build)
{
    if (!request->kernel_count) {
        return build_make(request, log, build);
    }
    struct geo_compiler_request selected = *request;
    struct geo_compiler_source *sources = sources_select(request);
    *build = (struct geo_build){.log = ""};
    if (!sources) {
        return geo_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no memory for the SPIR-V of a kernel");
    }
    selected.sources = sources;
    ze_result_t result = build_make(&selected, log, build);
    sources_free(sources, request->source_count);
    return result;
}

enum geo_compiler_kernels geo_build_kernels(void)
{
    const char *wanted = geo_option_string("GEOID_BUILD_KERNELS");
    return wanted && strcmp(wanted, "all") == 0        ? GEO_COMPILER_KERNELS_ALL
           : wanted && strcmp(wanted, "needed") == 0   ? GEO_COMPILER_KERNELS_NEEDED
           : wanted && strcmp(wanted, "parallel") == 0 ? GEO_COMPILER_KERNELS_APART
                                                       : GEO_COMPILER_KERNELS_AUTO;
}

bool geo_build_kernels_restricted(void)
{
    enum geo_compiler_kernels kernels = geo_build_kernels();
    return kernels != GEO_COMPILER_KERNELS_ALL && kernels != GEO_COMPILER_KERNELS_APART;
}

bool geo_build_kernels_ahead(void)
{
    const char *wanted = geo_option_string("GEOID_BUILD_KERNELS");
    return wanted && strcmp(wanted, "ahead") == 0;
}

bool geo_build_near_null(void)
{
    return strcmp(geo_option_string("GEOID_FAULTS"), "zero") == 0;
}

void geo_build_finish(struct geo_build *build)
{
    if (build->compiler) {
        build->compiler->release(&build->output);
    }
    geo_cache_release(&build->kept);
    *build = (struct geo_build){0};
}
