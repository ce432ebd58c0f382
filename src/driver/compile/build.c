/* One build: looked up, else made and kept. See build.h.
 *
 * Kept is what succeeded at the first effort and would again (compiler.h), with its log, so that
 * who looks it up is told the same. Who wants to see a build (GEOID_DUMP) gets one. */
#include "driver/compile/build.h"

#include "base/build_id.h"
#include "base/option.h"
#include "driver/compile/compiler_library.h"
#include "driver/compile/key.h"
#include "native/native.h"

#include <string.h>

static bool build_find(const struct geo_build_key *key, struct geo_build *build)
{
    struct geo_native_view view;
    const char *reason;
    if (!geo_cache_find((struct geo_cache_bytes){key->bytes, key->count}, &build->kept)) {
        return false;
    }
    if (geo_native_parse(build->kept.bytes, build->kept.count, &view, &reason) !=
        ZE_RESULT_SUCCESS) {
        geo_cache_release(&build->kept);
        return false;
    }
    build->object = build->kept.bytes;
    build->object_bytes = build->kept.count;
    build->log = build->kept.text;
    return true;
}

/* The library may have been another one by the time it was loaded. */
static void build_keep(const struct geo_build_key *key, const char *identity,
                       const struct geo_build *build)
{
    if (strcmp(identity, build->compiler->build_id) == 0) {
        const struct geo_cache_value value = {
            .bytes = build->object, .count = build->object_bytes, .text = build->log};
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
    build->object = build->output.object;
    build->object_bytes = build->output.object_bytes;
    build->log = build->output.log;
    return result;
}

ze_result_t geo_build_make(const struct geo_compiler_request *request, struct geo_strbuf *log,
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
    geo_strbuf_add(log, build->log, strlen(build->log));
    return result;
}

void geo_build_finish(struct geo_build *build)
{
    if (build->compiler) {
        build->compiler->release(&build->output);
    }
    geo_cache_release(&build->kept);
    *build = (struct geo_build){0};
}
