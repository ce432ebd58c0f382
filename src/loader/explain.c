/* What became of every driver library that was tried, as text: for `zeinfo --why`, for a debugger,
 * for a support request. The format is in geoid/loader.h. */
#include "loader/loader.h"

#include "base/strbuf.h"

#include <geoid/loader.h>

#include <string.h>

static void drivers_describe(struct geo_strbuf *text, const char *side,
                             const struct geo_drivers *drivers)
{
    if (drivers->result == ZE_RESULT_NOT_READY) {
        return;
    }
    geo_strbuf_printf(text, ", %s: %s, %zu driver%s", side, geo_ddi_result_name(drivers->result),
                      drivers->count, drivers->count == 1 ? "" : "s");
    uint32_t devices = 0;
    for (size_t i = 0; i < drivers->count; i++) {
        devices += drivers->items[i].device_count;
    }
    geo_strbuf_printf(text, " with %u device%s", devices, devices == 1 ? "" : "s");
    if (drivers->dropped) {
        geo_strbuf_printf(text, " (%u without devices left out)", drivers->dropped);
    }
}

static const char *outcome_of(const struct geo_library *library)
{
    if (!library->open) {
        return library->path ? "rejected" : "not loaded";
    }
    if (library->refused) {
        return "left out";
    }
    return library->core.count || library->sysman.count ? "in use" : "failed";
}

static void library_describe(struct geo_strbuf *text, const struct geo_library *library)
{
    geo_strbuf_printf(text, "%s\t%s\t%s\t%s\t", library->name,
                      geo_candidate_origin_text(library->from), library->path ? library->path : "-",
                      outcome_of(library));
    const char *outcome = outcome_of(library);
    bool reasoned = library->reason && strcmp(outcome, "in use") != 0;
    geo_strbuf_printf(text, "%s", reasoned ? library->reason : "");
    if (library->open) {
        geo_strbuf_printf(text, "%stables of version %u.%u, %u of %u functions",
                          reasoned ? "; " : "", ZE_MAJOR_VERSION(library->table_version),
                          ZE_MINOR_VERSION(library->table_version), library->filled_slots,
                          library->slots);
        drivers_describe(text, "core", &library->core);
        drivers_describe(text, "sysman", &library->sysman);
        if (library->core.count) {
            geo_strbuf_printf(text, ", handles %s dispatch tables",
                              library->ddi_handles ? "carry" : "without");
        }
    }
    geo_strbuf_add(text, "\n", 1);
}

static void all_describe(struct geo_strbuf *text)
{
    for (size_t i = 0; i < geo_loader_state.libraries.count; i++) {
        library_describe(text, geo_loader_state.libraries.items[i]);
    }
}

ZE_APIEXPORT ze_result_t ZE_APICALL geoidLoaderExplain(char *buffer, size_t *size)
{
    if (!size) {
        return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    }
    if (!geo_loader_lock()) {
        return ZE_RESULT_ERROR_NOT_AVAILABLE;
    }
    struct geo_strbuf text;
    geo_strbuf_init(&text, 0);
    all_describe(&text);
    geo_loader_unlock();
    size_t needed = text.length + 1, room = *size;
    ze_result_t result = text.truncated ? ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY : ZE_RESULT_SUCCESS;
    if (result == ZE_RESULT_SUCCESS) {
        *size = needed;
        if (buffer && room < needed) {
            result = ZE_RESULT_ERROR_INVALID_SIZE;
        } else if (buffer) {
            memcpy(buffer, geo_strbuf_text(&text), needed);
        }
    }
    geo_strbuf_finish(&text);
    return result;
}
