/* Describes what happened to every driver library that was tried, and which library a driver
 * belongs to. Used by `zeinfo`, debuggers and support requests. The format is in geoid/loader.h. */
#include "loader/loader.h"

#include "base/strbuf.h"
#include "loader/layers/layers.h"

#include <geoid/loader.h>

#include <string.h>

static void drivers_describe(struct geo_strbuf *text, const char *side,
                             const struct geo_drivers *drivers)
{
    if (drivers->result == ZE_RESULT_NOT_READY) {
        return;
    }
    geo_strbuf_printf(text, ", %s: %s", side, geo_ddi_result_name(drivers->result));
    if (drivers->initialized && !drivers->listed) {
        geo_strbuf_printf(text, ", drivers not asked for");
        return;
    }
    geo_strbuf_printf(text, ", %zu driver%s", drivers->count, drivers->count == 1 ? "" : "s");
    uint32_t devices = 0;
    for (size_t i = 0; i < drivers->count; i++) {
        devices += drivers->items[i].device_count;
    }
    geo_strbuf_printf(text, " with %u device%s", devices, devices == 1 ? "" : "s");
    if (drivers->dropped) {
        geo_strbuf_printf(text, " (%u more without devices, not listed)", drivers->dropped);
    }
}

static const char *reason_of(const struct geo_library *library)
{
    const char *reason = library->abandoned ? library->abandoned : library->reason;
    return reason ? reason : "";
}

static const char *outcome_of(const struct geo_library *library)
{
    if (library->from == GEO_FROM_LAYER) {
        return library->open ? "in use" : "not loaded";
    }
    bool has_drivers = geo_library_serves(library);
    if (!library->open && !library->abandoned) {
        return library->path ? "rejected" : "not loaded";
    }
    if (library->refused || (library->abandoned && !has_drivers)) {
        return "left out";
    }
    return has_drivers ? "in use" : "failed";
}

/* Appends an untrusted name, escaped, and a tab. */
static void column_add(struct geo_strbuf *text, const char *name)
{
    geo_strbuf_add_shown(text, name, strlen(name));
    geo_strbuf_add(text, "\t", 1);
}

static void origin_add(struct geo_strbuf *text, const struct geo_library *library)
{
    const char *words = geo_candidate_origin_text(library->from);
    geo_strbuf_add(text, words, strlen(words));
    if (library->manifest) {
        geo_strbuf_add(text, " ", 1);
        geo_strbuf_add_shown(text, library->manifest, strlen(library->manifest));
    }
    geo_strbuf_add(text, "\t", 1);
}

/* Appends the facts that the library's manifest declares. */
static void declaration_add(struct geo_strbuf *text, const struct geo_library *library)
{
    if (library->label) {
        geo_strbuf_add_shown(text, library->label, strlen(library->label));
        geo_strbuf_printf(text, library->declared ? ", " : "; ");
    }
    if (library->declared) {
        geo_strbuf_printf(text, "declared version %u.%u; ", ZE_MAJOR_VERSION(library->declared),
                          ZE_MINOR_VERSION(library->declared));
    }
}

static void library_describe(struct geo_strbuf *text, const struct geo_library *library)
{
    column_add(text, library->name);
    origin_add(text, library);
    column_add(text, library->path ? library->path : "-");
    column_add(text, outcome_of(library));
    const char *outcome = outcome_of(library);
    bool is_fine = strcmp(outcome, "in use") == 0 && !library->abandoned;
    const char *reason = is_fine ? "" : reason_of(library);
    declaration_add(text, library);
    geo_strbuf_add_shown(text, reason, strlen(reason));
    if (library->open && library->tables) {
        geo_strbuf_printf(text, "%stables of version %u.%u with %u of their %u functions",
                          *reason ? "; " : "", ZE_MAJOR_VERSION(library->table_version),
                          ZE_MINOR_VERSION(library->table_version), library->filled_slots,
                          library->slots);
        drivers_describe(text, "core", &library->core);
        drivers_describe(text, "sysman", &library->sysman);
        if (library->core.count) {
            geo_strbuf_printf(text, ", handles %s dispatch tables%s",
                              library->ddi_handles ? "carry" : "without",
                              library->translation ? ", translated" : "");
        }
    }
    geo_strbuf_add(text, "\n", 1);
}

static void all_describe(struct geo_strbuf *text)
{
    const struct geo_library *layer;
    for (size_t i = 0; (layer = geo_layers_record(i)); i++) {
        library_describe(text, layer);
    }
    for (size_t i = 0; i < geo_loader_state.libraries.count; i++) {
        library_describe(text, geo_loader_state.libraries.items[i]);
    }
}

/* Copies a text of `needed` bytes to the caller's buffer, or only returns its size in *size when
 * `buffer` is NULL. */
static ze_result_t text_give(const char *text, size_t needed, char *buffer, size_t *size)
{
    const size_t room = *size;
    *size = needed;
    if (buffer && room < needed) {
        return ZE_RESULT_ERROR_INVALID_SIZE;
    }
    if (buffer) {
        memcpy(buffer, text, needed);
    }
    return ZE_RESULT_SUCCESS;
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
    ze_result_t result = text.truncated
                             ? ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY
                             : text_give(geo_strbuf_text(&text), text.length + 1, buffer, size);
    geo_strbuf_finish(&text);
    return result;
}

/* Returns the library of a driver handle in the current or an earlier list, or NULL. */
static const struct geo_library *library_of(const struct geo_driver_list *list, const void *driver)
{
    for (; list; list = list->previous) {
        for (uint32_t i = 0; i < list->count; i++) {
            if (list->entries[i].handle == driver) {
                return list->entries[i].library;
            }
        }
    }
    return NULL;
}

ZE_APIEXPORT ze_result_t ZE_APICALL geoidLoaderGetDriverPath(ze_driver_handle_t driver,
                                                             char *buffer, size_t *size)
{
    if (!size) {
        return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    }
    if (!geo_loader_lock()) {
        return ZE_RESULT_ERROR_NOT_AVAILABLE;
    }
    const struct geo_library *library =
        library_of(atomic_load(&geo_loader_state.core_list), driver);
    if (!library) {
        library = library_of(atomic_load(&geo_loader_state.sysman_list), driver);
    }
    ze_result_t result = library && library->path
                             ? text_give(library->path, strlen(library->path) + 1, buffer, size)
                             : ZE_RESULT_ERROR_INVALID_ARGUMENT;
    geo_loader_unlock();
    return result;
}
