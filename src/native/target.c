/* The targets of native binaries and their features, by name. See native.h. */
#include "native/native.h"

#define FEATURES_MAX 8u

static const struct target {
    const char *name;
    struct {
        uint32_t bit;
        const char *name;
    } features[FEATURES_MAX]; /* what needs more comes first */
} targets[] = {
    [GEO_TARGET_X86_64] = {"x86-64",
                           {{GEO_FEATURE_FP16, "AVX512-FP16"},
                            {GEO_FEATURE_VNNI, "AVX512-VNNI"},
                            {GEO_FEATURE_AVX512, "AVX-512"},
                            {GEO_FEATURE_AVX2, "AVX2"},
                            {GEO_FEATURE_SSE4_2, "SSE4.2"}}},
    [GEO_TARGET_AARCH64] = {"arm64", {{0, NULL}}},
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

uint32_t geo_native_features(uint32_t target)
{
    const struct target *found = target_find(target);
    uint32_t all = 0;
    for (uint32_t i = 0; found && i < FEATURES_MAX; i++) {
        all |= found->features[i].bit;
    }
    return all;
}

const char *geo_native_feature_missing(uint32_t target, uint32_t needed, uint32_t there)
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
