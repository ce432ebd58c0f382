/* Opens layers and installs them. See layers.h. */
#include "loader/layers/layers.h"

#include "base/assert.h"
#include "base/log.h"
#include "base/option.h"
#include "loader/state/state.h"

#include <stdlib.h>
#include <string.h>

/* Number of slots for a table of a layer that knows more functions than we do. */
#define TABLE_ROOM_SLOTS 256

typedef void (*any_fn)(void);
typedef ze_result_t(ZE_APICALL *table_getter)(ze_api_version_t version, void *table);
typedef ze_result_t(ZE_APICALL *version_getter)(zel_component_version_t *version);
typedef void(ZE_APICALL *end_fn)(void);

struct layer {
    char *file;                                 /* NULL: not in use */
    const char *variables[2];                   /* each of them requests the layer */
    struct geo_library *library;                /* NULL: not searched yet */
    _Atomic(struct geo_ddi_table_set *) tables; /* NULL: not installed */
};

/* Ordered from the drivers upwards. Layers of tools lie from TOOLS to TRACING. */
enum { TOOL_COUNT = 8, VALIDATION = 0, TOOLS, TRACING = TOOLS + TOOL_COUNT, LAYER_COUNT };

static struct layer layers[LAYER_COUNT] = {
    [VALIDATION] = {.file = "libze_validation_layer.so.1",
                    .variables = {"ZE_ENABLE_VALIDATION_LAYER"}},
    [TRACING] = {.file = "libze_tracing_layer.so.1",
                 .variables = {"ZE_ENABLE_TRACING_LAYER", "ZET_ENABLE_API_TRACING_EXP"}},
};

static atomic_bool begun;              /* the layers that the environment requests are loaded */
static atomic_bool tracing_by_default; /* the environment enables tracing */
/* Calls of zelEnableTracingLayer minus calls of zelDisableTracingLayer. */
static atomic_uint tracing_wishes;

/* ---- opening ---- */

static bool layer_is_asked_for(const struct layer *layer)
{
    bool asked = false;
    for (size_t i = 0; i < sizeof(layer->variables) / sizeof(layer->variables[0]); i++) {
        asked |= layer->variables[i] && geo_discovery_switch(layer->variables[i]);
    }
    return asked;
}

/* Lets the layer replace one table, at the newest version that it accepts. All getters are called
 * through one function type, because they differ only in the type that their pointer refers to. */
#if defined(__clang__)
__attribute__((no_sanitize("function")))
#endif
static void table_wrap(const struct layer *layer, const struct geo_ddi_table *info, any_fn *slots)
{
    any_fn room[TABLE_ROOM_SLOTS] = {NULL};
    const size_t size = info->slot_count * sizeof(any_fn);
    GEO_ASSERT(size <= sizeof(room));
    table_getter get = (table_getter)geo_library_tables_symbol(layer->library, info->getter);
    ze_result_t result = ZE_RESULT_ERROR_UNSUPPORTED_VERSION;
    for (uint32_t version = ZE_API_VERSION_CURRENT;
         get && result == ZE_RESULT_ERROR_UNSUPPORTED_VERSION && version >= ZE_API_VERSION_1_0;
         version--) {
        memcpy(room, slots, size);
        result = get((ze_api_version_t)version, room);
    }
    if (result == ZE_RESULT_SUCCESS) {
        memcpy(slots, room, size);
    } else if (get) {
        geo_log("loader", GEO_LOG_WARN,
                "%s: %s returned %s: the layer does not see calls of these functions",
                layer->library->path, info->getter, geo_ddi_result_name(result));
    }
}

static const struct geo_ddi_table_set *tables_below(size_t index)
{
    for (size_t i = index; i-- > 0;) {
        const struct geo_ddi_table_set *tables = atomic_load(&layers[i].tables);
        if (tables) {
            return tables;
        }
    }
    return &geo_loader_relays;
}

static bool layer_wrap(size_t index)
{
    struct layer *layer = &layers[index];
    const struct geo_ddi_table_set *below = tables_below(index);
    struct geo_ddi_table_set *tables = malloc(sizeof(*tables));
    if (!tables) {
        geo_library_explain(layer->library, "out of memory");
        return false;
    }
    *tables = *below;
    for (size_t i = 0; i < GEO_DDI_TABLE_COUNT; i++) {
        table_wrap(layer, &geo_ddi_tables[i], geo_ddi_table_of(tables, (enum geo_ddi_table_id)i));
    }
    geo_ddi_loader_tables_complete(tables, below);
    GEO_ASSERT(geo_library_tables_are_full(tables));
    atomic_store(&layer->tables, tables);
    return true;
}

/* Searches for the layer once. Returns true when it is installed. */
static bool layer_open(size_t index)
{
    struct layer *layer = &layers[index];
    GEO_ASSERT(geo_loader_lock_held());
    if (layer->library) {
        return atomic_load(&layer->tables) != NULL;
    }
    layer->library =
        geo_library_create(&(struct geo_candidate){.name = layer->file, .from = GEO_FROM_LAYER});
    if (!layer->library) {
        return false;
    }
    if (geo_loader_state.cannot_open) {
        geo_library_explain(layer->library, "the dynamic linker cannot be called in this process");
        return false;
    }
    bool open = geo_library_open_layer(layer->library) && layer_wrap(index);
    geo_log("loader", open ? GEO_LOG_DEBUG : GEO_LOG_WARN, "%s: %s", layer->file,
            open ? layer->library->path : layer->library->reason);
    layer->library->open = open;
    GEO_ASSERT(geo_library_is_valid(layer->library));
    return open;
}

/* ---- installed tables ---- */

static const struct geo_ddi_table_set *tables_on_top(const struct geo_ddi_table_set *base)
{
    const bool tracing = atomic_load(&tracing_by_default) || atomic_load(&tracing_wishes);
    const struct geo_ddi_table_set *tables = tables_below(tracing ? LAYER_COUNT : TRACING);
    return tables == &geo_loader_relays ? base : tables;
}

void geo_layers_publish(const struct geo_ddi_table_set *base)
{
    GEO_ASSERT(geo_loader_lock_held() && base);
    if (atomic_load(&geo_loader_state.torn_down)) {
        return;
    }
    atomic_store(&geo_loader_base, base);
    atomic_store(&geo_loader, tables_on_top(base));
    /* Teardown does not take the lock. If it ran since the check above, restore its tables. */
    if (atomic_load(&geo_loader_state.torn_down)) {
        atomic_store(&geo_loader, &geo_loader_start);
        atomic_store(&geo_loader_base, &geo_loader_start);
    }
}

/* Opens the layers that GEOID_LAYERS lists. The first is the uppermost. */
static void tools_open(void)
{
    size_t index = TRACING;
    const char *listed = geo_option_string("GEOID_LAYERS");
    while (listed && *listed) {
        size_t length = strcspn(listed, ",");
        if (length > 0 && index == TOOLS) {
            geo_log("loader", GEO_LOG_WARN, "GEOID_LAYERS: only %d layers can be used, not %s",
                    TOOL_COUNT, listed);
            break;
        }
        if (length > 0) {
            layers[--index].file = strndup(listed, length); /* never freed, as layers are not */
        }
        listed += length + (listed[length] == ',');
    }
    for (index = TOOLS; index < TRACING; index++) {
        if (layers[index].file) {
            layer_open(index);
        }
    }
}

static void layers_begin_locked(void)
{
    GEO_ASSERT(geo_loader_lock_held());
    if (atomic_load(&begun)) {
        return;
    }
    if (layer_is_asked_for(&layers[VALIDATION])) {
        layer_open(VALIDATION);
    }
    tools_open();
    if (layer_is_asked_for(&layers[TRACING])) {
        atomic_store(&tracing_by_default, layer_open(TRACING));
    }
    geo_layers_publish(geo_ddi_loader_base_active());
    GEO_ASSERT(!atomic_load(&begun));
    atomic_store(&begun, true);
}

bool geo_layers_begin(void)
{
    if (atomic_load(&begun) || !geo_loader_lock()) {
        return false;
    }
    const struct geo_ddi_table_set *before = geo_ddi_loader_active();
    layers_begin_locked();
    const bool moved = geo_ddi_loader_active() != before;
    geo_loader_unlock();
    return moved;
}

void geo_layers_end(void)
{
    static atomic_flag ended = ATOMIC_FLAG_INIT;
    if (atomic_flag_test_and_set(&ended)) {
        return;
    }
    for (size_t i = LAYER_COUNT; i-- > 0;) {
        if (atomic_load(&layers[i].tables)) {
            end_fn end = (end_fn)geo_library_tables_symbol(layers[i].library, "geoidLayerEnd");
            if (end) {
                end();
            }
        }
    }
}

/* ---- tracing ---- */

const struct geo_ddi_table_set *geo_layers_tracing_tables(void)
{
    struct geo_ddi_table_set *tables = atomic_load(&layers[TRACING].tables);
    if (tables || !geo_loader_lock()) {
        return tables;
    }
    layers_begin_locked();
    layer_open(TRACING);
    geo_loader_unlock();
    return atomic_load(&layers[TRACING].tables);
}

void *geo_layers_tracing_symbol(const char *name)
{
    return geo_layers_tracing_tables() ? geo_library_tables_symbol(layers[TRACING].library, name)
                                       : NULL;
}

/* Counts one request for tracing more or less, and installs or removes the layer accordingly. */
static void tracing_switch(bool on)
{
    GEO_ASSERT(geo_loader_lock_held() && atomic_load(&layers[TRACING].tables));
    const unsigned wishes = atomic_load(&tracing_wishes);
    if (on || wishes > 0) {
        atomic_store(&tracing_wishes, on ? wishes + 1 : wishes - 1);
    }
    geo_layers_publish(geo_ddi_loader_base_active());
}

static ze_result_t tracing_wish(bool on)
{
    if (atomic_load(&geo_loader_state.torn_down)) {
        return ZE_RESULT_ERROR_UNINITIALIZED;
    }
    if (!geo_layers_tracing_tables()) {
        return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
    }
    if (!geo_loader_lock()) {
        return ZE_RESULT_ERROR_UNINITIALIZED;
    }
    tracing_switch(on);
    geo_loader_unlock();
    return ZE_RESULT_SUCCESS;
}

ZE_APIEXPORT ze_result_t ZE_APICALL zelEnableTracingLayer(void)
{
    return tracing_wish(true);
}

ZE_APIEXPORT ze_result_t ZE_APICALL zelDisableTracingLayer(void)
{
    return tracing_wish(false);
}

ZE_APIEXPORT ze_result_t ZE_APICALL zelGetTracingLayerState(bool *enabled)
{
    if (!enabled) {
        return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    }
    *enabled = atomic_load(&layers[TRACING].tables) &&
               (atomic_load(&tracing_by_default) || atomic_load(&tracing_wishes));
    return ZE_RESULT_SUCCESS;
}

/* ---- queries ---- */

size_t geo_layers_versions(zel_component_version_t *versions, size_t room)
{
    size_t count = 0;
    for (size_t i = 0; i < LAYER_COUNT; i++) {
        version_getter get = atomic_load(&layers[i].tables)
                                 ? (version_getter)geo_library_tables_symbol(layers[i].library,
                                                                             "zelLoaderGetVersion")
                                 : NULL;
        zel_component_version_t version;
        if (get && get(&version) == ZE_RESULT_SUCCESS) {
            if (count < room) {
                versions[count] = version;
            }
            count++;
        }
    }
    return count;
}

const struct geo_library *geo_layers_record(size_t index)
{
    GEO_ASSERT(geo_loader_lock_held());
    for (size_t i = 0; i < LAYER_COUNT; i++) {
        if (layers[i].library && index-- == 0) {
            return layers[i].library;
        }
    }
    return NULL;
}
