/* Starts the loader: opens libraries and publishes their tables and drivers. See loader.h. */
#include "loader/loader.h"

#include "base/array.h"
#include "base/assert.h"
#include "base/log.h"
#include "base/option.h"
#include "ddi/geo_ddi_loader.h"
#include "loader/driver_order.h"
#include "loader/handle/translate.h"
#include "loader/layers/layers.h"

#include <stdlib.h>
#include <string.h>

/* ---- records ---- */

/* State of one discovery: the earlier records sorted by name, and the libraries that are open. */
struct round {
    struct geo_library **known;
    size_t known_count;
    struct geo_library **open;
    size_t open_count;
};

static int compare_names(const void *a, const void *b)
{
    const struct geo_library *const *one = a, *const *other = b;
    return strcmp(geo_library_key(*one), geo_library_key(*other));
}

static int compare_name(const void *name, const void *library)
{
    return strcmp(name, geo_library_key(*(const struct geo_library *const *)library));
}

static void round_finish(struct round *round)
{
    free(round->known);
    free(round->open);
}

/* Prepares a round with space for `more` additional libraries. */
static bool round_init(struct round *round, size_t more)
{
    size_t count = geo_loader_state.libraries.count;
    *round = (struct round){.known = calloc(count + 1, sizeof(*round->known)),
                            .open = calloc(count + more + 1, sizeof(*round->open))};
    if (!round->known || !round->open) {
        round_finish(round);
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        struct geo_library *library = geo_loader_state.libraries.items[i];
        round->known[round->known_count++] = library;
        if (library->open) {
            round->open[round->open_count++] = library;
        }
    }
    qsort(round->known, count, sizeof(*round->known), compare_names);
    return true;
}

static struct geo_library *library_find(const struct round *round, const char *name)
{
    struct geo_library **found =
        bsearch(name, round->known, round->known_count, sizeof(*round->known), compare_name);
    return found ? *found : NULL;
}

static struct geo_library *library_add(const struct geo_candidate *candidate)
{
    GEO_ASSERT(geo_loader_lock_held());
    if (!geo_array_reserve(&geo_loader_state.libraries, 1)) {
        return NULL;
    }
    struct geo_library *library = geo_library_create(candidate);
    if (library) {
        geo_loader_state.libraries.items[geo_loader_state.libraries.count++] = library;
    }
    return library;
}

static void library_open(struct round *round, struct geo_library *library)
{
    if (library->open || library->abandoned) {
        return;
    }
    if (geo_loader_state.cannot_open) {
        geo_library_explain(library, "when this process was forked, a thread of its parent was "
                                     "inside the dynamic linker: it cannot be called");
        return;
    }
    geo_loader_visit_begin(library, true);
    bool open = geo_library_open(library, round->open, round->open_count);
    geo_loader_visit_end();
    GEO_ASSERT(open == library->open && geo_library_is_valid(library));
    if (open) {
        round->open[round->open_count++] = library;
    }
}

static bool candidates_try(const struct geo_candidates *candidates)
{
    struct round round;
    bool complete = round_init(&round, candidates->count), lacking = false;
    if (!complete) {
        return false;
    }
    /* The records are kept in this order. */
    for (size_t i = 0; complete && i < candidates->count; i++) {
        const struct geo_candidate *candidate = &candidates->items[i];
        struct geo_library *library = library_find(&round, geo_candidate_key(candidate));
        complete = !library || geo_library_renew(library, candidate);
        library = library ? library : library_add(candidate);
        complete = complete && library;
        if (complete) {
            library_open(&round, library);
            lacking |= library->lacked_memory;
        }
    }
    round_finish(&round);
    return complete && !lacking;
}

bool geo_loader_discover(void)
{
    struct geo_candidates candidates;
    GEO_ASSERT(geo_loader_lock_held());
    atomic_store(&geo_loader_state.attempted, true);
    if (!geo_discovery_list(&candidates)) {
        return false;
    }
    bool complete = candidates_try(&candidates);
    geo_candidates_finish(&candidates);
    return complete;
}

/* ---- choice of libraries ---- */

static bool is_usable(const struct geo_library *library)
{
    return library->open && geo_library_serves(library);
}

/* Returns the library whose untranslated handles without dispatch tables are in use, or NULL. It
 * was the only library when the handles were given. Such handles cannot be told from others, so no
 * other library can be added. Only the core side shows whether handles have tables. */
static const struct geo_library *library_alone(void)
{
    const struct geo_library *alone = geo_loader_state.alone;
    for (size_t i = 0; !alone && i < geo_loader_state.libraries.count; i++) {
        const struct geo_library *library = geo_loader_state.libraries.items[i];
        bool bare =
            library->given && library->core.result != ZE_RESULT_NOT_READY && !library->ddi_handles;
        alone = bare ? library : NULL;
    }
    return alone;
}

static void library_refuse(struct geo_library *library, bool refused)
{
    bool before = library->refused;
    GEO_ASSERT(!refused || library->open);
    library->refused = refused;
    if (!refused || before) {
        return;
    }
    geo_library_explain(library,
                        "another library was in use alone when this one came, and its "
                        "handles carry no dispatch tables (ZE_extension_driver_ddi_handles)"
                        ", so no second one can work beside it in this process");
    geo_log("loader", GEO_LOG_WARN, "%s is left out: %s", library->path, library->reason);
}

/* Decides which usable libraries are used, and returns their number. */
static size_t libraries_choose(void)
{
    const struct geo_library *alone = geo_loader_state.alone = library_alone();
    size_t used = 0;
    for (size_t i = 0; i < geo_loader_state.libraries.count; i++) {
        struct geo_library *library = geo_loader_state.libraries.items[i];
        library_refuse(library, is_usable(library) && alone && library != alone);
        used += is_usable(library) && !library->refused;
    }
    return used;
}

static bool lacks_tables(const struct geo_library *library)
{
    return is_usable(library) && !library->ddi_handles;
}

/* Returns whether a library lacks tables, and would therefore exclude all others once its handles
 * are given to programs. */
static bool any_lacks_tables(void)
{
    bool any = false;
    for (size_t i = 0; i < geo_loader_state.libraries.count; i++) {
        any |= lacks_tables(geo_loader_state.libraries.items[i]);
    }
    return any;
}

/* Decides whether calls are dispatched by handles from now on. That is the case with several
 * libraries, and also once there were several, because their handles still exist. It is also the
 * case when a library is missing for lack of memory, so that the library can be added later. */
static bool is_dispatched(size_t used, bool complete)
{
    bool forced = geo_discovery_switch("ZE_ENABLE_LOADER_INTERCEPT");
    if (forced && geo_loader_state.alone) {
        geo_log("loader", GEO_LOG_WARN,
                "ZE_ENABLE_LOADER_INTERCEPT comes too late: %s has given handles without dispatch "
                "tables",
                geo_loader_state.alone->path);
    }
    bool several = used > 1 || forced || geo_ddi_loader_base_active() == &geo_loader_dispatch ||
                   (used && !complete && any_lacks_tables());
    return several && !geo_loader_state.alone;
}

/* Creates a translation for each library whose handles lack dispatch tables. A library keeps its
 * translation. Returns false when memory ran out. */
static bool libraries_translate(void)
{
    bool complete = true;
    for (size_t i = 0; i < geo_loader_state.libraries.count; i++) {
        struct geo_library *library = geo_loader_state.libraries.items[i];
        if (lacks_tables(library) && !library->translation) {
            library->translation = geo_translation_create(library->tables, &geo_translate_tables);
            complete &= library->translation != NULL;
        }
    }
    return complete;
}

static const struct geo_drivers *drivers_of(const struct geo_library *library, bool sysman)
{
    return sysman ? &library->sysman : &library->core;
}

static bool lists_equal(const struct geo_driver_list *a, const struct geo_driver_list *b)
{
    return a && a->count == b->count &&
           memcmp(a->entries, b->entries, a->count * sizeof(a->entries[0])) == 0;
}

/* Returns the handle that programs get for a driver, or NULL when memory ran out. */
static void *driver_handle(const struct geo_library *library,
                           const struct geo_loader_driver *driver)
{
    return library->translation ? geo_handle_get(library->translation,
                                                 GEO_DDI_HANDLE_ze_driver_handle_t, driver->handle)
                                : driver->handle;
}

/* Lists the drivers of all used libraries in the order of discovery. Core drivers are then ordered
 * by kind and by the variables (driver_order.h). Returns NULL when memory ran out. */
static struct geo_driver_list *list_make(bool sysman)
{
    size_t count = 0;
    bool complete = true;
    for (size_t i = 0; i < geo_loader_state.libraries.count; i++) {
        count += drivers_of(geo_loader_state.libraries.items[i], sysman)->count;
    }
    struct geo_driver_list *list = calloc(1, sizeof(*list) + count * sizeof(list->entries[0]));
    for (size_t i = 0; list && i < geo_loader_state.libraries.count; i++) {
        const struct geo_library *library = geo_loader_state.libraries.items[i];
        const struct geo_drivers *drivers = drivers_of(library, sysman);
        for (size_t j = 0; !library->refused && j < drivers->count; j++) {
            struct geo_driver_entry *entry = &list->entries[list->count++];
            entry->handle = driver_handle(library, &drivers->items[j]);
            complete &= entry->handle != NULL;
            entry->types = drivers->items[j].types;
            entry->library = library;
        }
    }
    if (list && !sysman) {
        geo_driver_order_by_kind(list->entries, list->count,
                                 geo_discovery_switch("ZE_ENABLE_PCI_ID_DEVICE_ORDER"));
    }
    GEO_ASSERT(!list || list->count <= count);
    const char *order = sysman ? NULL : geo_option_environment("ZEL_DRIVERS_ORDER");
    if (list && (!complete || !geo_driver_order_apply(order, list->entries, list->count))) {
        free(list);
        return NULL;
    }
    return list;
}

/* Publishes a side's list of drivers unless it equals the published one. */
static void list_publish(_Atomic(const struct geo_driver_list *) *slot,
                         struct geo_driver_list *list)
{
    const struct geo_driver_list *before = atomic_load(slot);
    if (list->count == 0 || lists_equal(before, list)) {
        free(list);
        return;
    }
    GEO_ASSERT(!list->previous && list != before);
    list->previous = before;
    atomic_store(slot, list);
}

/* Publishes the lists of both sides, or none of them. Returns false when memory ran out. */
static bool lists_publish(void)
{
    struct geo_driver_list *core = list_make(false), *sysman = list_make(true);
    if (!core || !sysman) {
        free(core);
        free(sysman);
        return false;
    }
    list_publish(&geo_loader_state.core_list, core);
    list_publish(&geo_loader_state.sysman_list, sysman);
    return true;
}

static const struct geo_ddi_table_set *tables_choose(size_t used, bool dispatched)
{
    struct geo_library *library = NULL;
    for (size_t i = 0; used && i < geo_loader_state.libraries.count && !library; i++) {
        struct geo_library *item = geo_loader_state.libraries.items[i];
        library = is_usable(item) && !item->refused ? item : NULL;
    }
    if (!library || dispatched) {
        return library ? &geo_loader_dispatch : &geo_loader_start;
    }
    GEO_ASSERT(geo_library_is_valid(library) && used == 1);
    library->given |= library->core.count || library->sysman.count;
    return library->direct;
}

bool geo_loader_publish(bool complete)
{
    GEO_ASSERT(geo_loader_lock_held());
    size_t used = libraries_choose();
    bool dispatched = is_dispatched(used, complete);
    if ((dispatched && !libraries_translate()) || !lists_publish()) {
        return false;
    }
    const struct geo_ddi_table_set *tables = tables_choose(used, dispatched);
    if (used && !atomic_load(&geo_loader_state.torn_down)) {
        geo_loader_teardown_at_exit();
        geo_layers_publish(tables);
    }
    geo_log("loader", GEO_LOG_DEBUG, "%zu driver librar%s in use, %s", used,
            used == 1 ? "y" : "ies",
            tables == &geo_loader_dispatch ? "called through their handles" : "called directly");
    return true;
}
