/* Names of targets, features and levels of native binaries. See native.h. */
#include "native/native.h"

#include <string.h>

#define FEATURES_MAX 8u

#define V2      GEO_FEATURE_SSE4_2
#define V3      (V2 | GEO_FEATURE_AVX2)
#define V4      (V3 | GEO_FEATURE_AVX512)
#define V4_VNNI (V4 | GEO_FEATURE_VNNI)
#define V4_FP16 (V4_VNNI | GEO_FEATURE_FP16)

/* The best level of a target comes first. The last one needs no features, so that every machine has
 * a level. */
static const struct geo_native_level levels[] = {
    {"x86-64-v4-fp16", GEO_TARGET_X86_64, V4_FP16},
    {"x86-64-v4-vnni", GEO_TARGET_X86_64, V4_VNNI},
    {"x86-64-v4", GEO_TARGET_X86_64, V4},
    {"x86-64-v3", GEO_TARGET_X86_64, V3},
    {"x86-64-v2", GEO_TARGET_X86_64, V2},
    {"x86-64", GEO_TARGET_X86_64, 0},
    {"aarch64", GEO_TARGET_AARCH64, 0},
};

#define LEVEL_COUNT (sizeof(levels) / sizeof(levels[0]))

static const struct target {
    const char *name;
    struct {
        uint32_t bit;
        const char *name;
    } features[FEATURES_MAX]; /* the most advanced feature comes first */
} targets[] = {
    [GEO_TARGET_X86_64] = {"x86-64",
                           {{GEO_FEATURE_FP16, "AVX512-FP16"},
                            {GEO_FEATURE_VNNI, "AVX512-VNNI"},
                            {GEO_FEATURE_AVX512, "AVX-512"},
                            {GEO_FEATURE_AVX2, "AVX2"},
                            {GEO_FEATURE_SSE4_2, "SSE4.2"}}},
    [GEO_TARGET_AARCH64] = {"arm64", {{0, NULL}}},
    [GEO_TARGET_NVIDIA] = {"NVIDIA", {{0, NULL}}},
};

static const struct target *target_find(uint32_t target)
{
    bool known = target < sizeof(targets) / sizeof(targets[0]) && targets[target].name;
    return known ? &targets[target] : NULL;
}

const char *geo_native_target_name(uint32_t target)
{
    const struct target *found = target_find(target);
    return found ? found->name : NULL;
}

uint32_t geo_native_target_features(uint32_t target)
{
    const struct target *found = target_find(target);
    uint32_t all = 0;
    for (uint32_t i = 0; found && i < FEATURES_MAX; i++) {
        all |= found->features[i].bit;
    }
    return all;
}

const char *geo_native_target_feature_missing(uint32_t target, uint32_t needed, uint32_t there)
{
    const struct target *found = target_find(target);
    uint32_t missing = needed & ~there;
    for (uint32_t i = 0; found && i < FEATURES_MAX; i++) {
        if (missing & found->features[i].bit) {
            return found->features[i].name;
        }
    }
    return missing ? "an unknown feature" : NULL;
}

const struct geo_native_level *geo_native_target_level_find(const char *name)
{
    for (size_t i = 0; i < LEVEL_COUNT; i++) {
        if (strcmp(levels[i].name, name) == 0) {
            return &levels[i];
        }
    }
    return NULL;
}

const struct geo_native_level *geo_native_target_level_best(uint32_t target, uint32_t features)
{
    for (size_t i = 0; i < LEVEL_COUNT; i++) {
        if (levels[i].target == target && !(levels[i].features & ~features)) {
            return &levels[i];
        }
    }
    return NULL;
}
