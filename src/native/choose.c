/* Chooses the payload of a native binary that a device runs. See native.h. */
#include "native/native.h"

#include <stdarg.h>
#include <stdio.h>

/* ---- what a device can run ---- */

/* Returns whether the device can run the payload, if it has the features. */
static bool payload_is_for(const struct geo_native_payload *payload,
                           const struct geo_native_device *device)
{
    if (!(device->kinds & 1u << payload->kind) || payload->target != device->target ||
        payload->contract != device->contract) {
        return false;
    }
    /* PTX runs on all later GPUs. Machine code runs on later GPUs of the same major version. */
    return payload->architecture <= device->architecture &&
           (payload->kind != GEO_PAYLOAD_CUBIN ||
            payload->architecture / 10 == device->architecture / 10);
}

/* Returns whether `a` is better than `b` for a device that can run both. Features with higher bits
 * are more advanced (enum geo_native_feature). */
static bool payload_is_better(const struct geo_native_payload *a,
                              const struct geo_native_payload *b)
{
    bool text = a->kind == GEO_PAYLOAD_PTX, other_text = b->kind == GEO_PAYLOAD_PTX;
    return text != other_text                   ? other_text
           : a->architecture != b->architecture ? a->architecture > b->architecture
                                                : a->features > b->features;
}

/* ---- reasons ---- */

/* A text that is being written. */
struct reason {
    char *text;
    size_t length;
};

__attribute__((format(printf, 2, 3))) static void reason_add(struct reason *reason,
                                                             const char *format, ...)
{
    va_list arguments;
    size_t room = GEO_NATIVE_REASON_BYTES - reason->length;
    va_start(arguments, format);
    int length = vsnprintf(reason->text + reason->length, room, format, arguments);
    va_end(arguments);
    if (length > 0) {
        reason->length += (size_t)length < room ? (size_t)length : room - 1;
    }
}

/* Adds what code is for: "x86-64 with AVX2", "PTX of compute capability 9.0". */
static void code_add(struct reason *reason, uint32_t kind, uint32_t target, uint32_t features,
                     uint32_t architecture)
{
    if (target == GEO_TARGET_NVIDIA) {
        reason_add(reason, "%s of compute capability %u.%u",
                   kind == GEO_PAYLOAD_PTX ? "PTX" : "NVIDIA GPUs", (unsigned)architecture / 10,
                   (unsigned)architecture % 10);
        return;
    }
    const char *name = geo_native_target_name(target);
    const char *feature = geo_native_target_feature_missing(target, features, 0);
    reason_add(reason, "%s%s%s", name ? name : "another architecture", feature ? " with " : "",
               feature ? feature : "");
}

/* Writes why the device can run no payload. */
static void reason_write(const struct geo_native_view *view, const struct geo_native_device *device,
                         struct reason *reason)
{
    const struct geo_native_header *header = view->header;
    if (header->payload_count == 1 && payload_is_for(&view->payloads[0], device)) {
        reason_add(reason, "its code needs %s, which this device lacks",
                   geo_native_target_feature_missing(device->target, view->payloads[0].features,
                                                     device->features));
        return;
    }
    reason_add(reason, header->payload_count ? "it holds code for " : "it holds no code");
    for (uint32_t i = 0; i < header->payload_count; i++) {
        const struct geo_native_payload *payload = &view->payloads[i];
        reason_add(reason, "%s", i ? ", " : "");
        code_add(reason, payload->kind, payload->target, payload->features, payload->architecture);
        if (payload->target == device->target && payload->contract != device->contract) {
            reason_add(reason, " of another version of Geoid");
        }
    }
    reason_add(reason, "; this device needs code for ");
    code_add(reason, GEO_PAYLOAD_CUBIN, device->target, device->features, device->architecture);
    reason_add(reason, device->target == GEO_TARGET_NVIDIA ? "" : " at most");
}

const struct geo_native_payload *geo_native_choose(const struct geo_native_view *view,
                                                   const struct geo_native_device *device,
                                                   char reason[GEO_NATIVE_REASON_BYTES])
{
    const struct geo_native_payload *best = NULL;
    for (uint32_t i = 0; i < view->header->payload_count; i++) {
        const struct geo_native_payload *payload = &view->payloads[i];
        if (payload_is_for(payload, device) && !(payload->features & ~device->features) &&
            (!best || payload_is_better(payload, best))) {
            best = payload;
        }
    }
    reason[0] = '\0';
    if (!best) {
        reason_write(view, device, &(struct reason){.text = reason});
    }
    return best;
}
