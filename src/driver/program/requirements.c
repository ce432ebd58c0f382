/* Runtime requirements of code. See requirements.h. */
#include "driver/program/requirements.h"

#include "native/native.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "geoid native 3, calls 7, target 0, features 0x5" */
static const char *const fields[] = {"geoid native ", ", calls ", ", target ", ", features 0x"};

/* The numbers in the text. */
struct requirements {
    /* versions of the native format and of the calling convention, target, features */
    uint32_t values[4];
};

static void requirements_format(const struct requirements *of, char out[GEO_REQUIREMENTS_BYTES])
{
    int length = snprintf(out, GEO_REQUIREMENTS_BYTES, "%s%u%s%u%s%u%s%x", fields[0],
                          (unsigned)of->values[0], fields[1], (unsigned)of->values[1], fields[2],
                          (unsigned)of->values[2], fields[3], (unsigned)of->values[3]);
    GEO_ASSERT(length > 0 && length < (int)GEO_REQUIREMENTS_BYTES);
}

/* Parses the text. It is valid only if formatting the values gives the same text. */
static bool requirements_parse(const char *text, struct requirements *out)
{
    char again[GEO_REQUIREMENTS_BYTES];
    const char *at = text;
    for (uint32_t i = 0; i < 4; i++) {
        char *end;
        size_t length = strlen(fields[i]);
        if (strncmp(at, fields[i], length) != 0) {
            return false;
        }
        out->values[i] = (uint32_t)strtoul(at + length, &end, i == 3 ? 16 : 10);
        at = end;
    }
    requirements_format(out, again);
    return strcmp(text, again) == 0;
}

void geo_requirements_of_payload(const struct geo_native_payload *payload,
                                 char out[GEO_REQUIREMENTS_BYTES])
{
    static const struct geo_native_payload none;
    const struct geo_native_payload *code = payload ? payload : &none;
    const struct requirements needs = {
        {GEO_NATIVE_VERSION, code->contract, code->target, code->features}};
    requirements_format(&needs, out);
}

static struct requirements device_offers(const struct geo_device *device)
{
    const struct geo_native_device *native = &device->info->native;
    return (struct requirements){
        {GEO_NATIVE_VERSION, native->contract, native->target, native->features}};
}

ze_validate_runtime_requirements_result_t geo_requirements_check(const struct geo_device *device,
                                                                 const char *text)
{
    struct requirements needs;
    const struct requirements offers = device_offers(device);
    if (!requirements_parse(text, &needs)) {
        return ZE_VALIDATE_RUNTIME_REQUIREMENTS_RESULT_NOT_APPLICABLE;
    }
    if (memcmp(needs.values, offers.values, 3 * sizeof(needs.values[0])) != 0 ||
        (needs.values[3] & ~offers.values[3]) != 0) {
        return ZE_VALIDATE_RUNTIME_REQUIREMENTS_RESULT_REQUIREMENTS_NOT_MET;
    }
    return needs.values[3] == offers.values[3]
               ? ZE_VALIDATE_RUNTIME_REQUIREMENTS_RESULT_REQUIREMENTS_MET
               : ZE_VALIDATE_RUNTIME_REQUIREMENTS_RESULT_REQUIREMENTS_MET_RECOMPILATION_ADVISABLE;
}

const char *geo_requirements_key(struct geo_device *device)
{
    pthread_mutex_lock(&device->stream_lock);
    if (!device->key[0]) {
        const struct requirements offers = device_offers(device);
        requirements_format(&offers, device->key);
    }
    pthread_mutex_unlock(&device->stream_lock);
    return device->key;
}
