/* A driver library: a shared object that may contain Level Zero drivers. The record has everything
 * from the name that was tried to the function tables. It remains when opening fails, so that the
 * loader can explain the failure. init.c owns the records. The loader's lock protects all fields,
 * but `tables` is constant once `open` is set.
 *
 * A library that was used is never closed. Threads of the driver, exit handlers of the program and
 * handles may still use it at any time. */
#ifndef GEO_LOADER_LIBRARY_H
#define GEO_LOADER_LIBRARY_H

#include "ddi/geo_ddi_loader.h"
#include "loader/discovery/discovery.h"
#include "loader/handle/handle.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* The kinds of devices that a driver serves. The first bits are those of
 * ze_init_driver_type_flags_t. GEO_DRIVER_OTHER stands for types that the initialisation flags do
 * not name (CPU, FPGA, MCA). The kinds of GPUs are used only to order drivers. */
enum geo_driver_type {
    GEO_DRIVER_GPU = 1,
    GEO_DRIVER_NPU = 2,
    GEO_DRIVER_OTHER = 4,
    GEO_DRIVER_ANY = 7,
    GEO_DRIVER_DISCRETE_GPU = 8,
    GEO_DRIVER_INTEGRATED_GPU = 16,
};

/* A driver handle of a library. Core and sysman handles are in separate lists. */
struct geo_loader_driver {
    void *handle; /* ze_driver_handle_t or zes_driver_handle_t, the driver's own */
    uint32_t types;
    uint32_t device_count;
    ze_api_version_t api_version;
};

struct geo_drivers {
    struct geo_loader_driver *items;
    size_t count, capacity;
    /* The library's init call succeeded in this process. If `listed` is set too, `items` is not
     * empty. */
    bool initialized;
    /* The library was asked for its drivers. Sysman drivers are listed when a program first asks
     * for them. */
    bool listed;
    ze_result_t result; /* result of the last attempt; NOT_READY: never attempted */
    uint32_t dropped;   /* number of handles without devices */
};

struct geo_library {
    char *name;                       /* name of the candidate */
    enum geo_candidate_origin from;   /* why it was tried */
    char *manifest, *label, *refusal; /* copies of the candidate's strings; each may be NULL */
    uint32_t declared;
    char *path;   /* path of the opened file; NULL: not found */
    char *reason; /* why it is not open or not used; or NULL */
    dev_t device; /* with inode: detects one file with two names */
    ino_t inode;
    void *object; /* handle from dlopen */
    bool open;
    bool lacked_memory;               /* the last attempt to open it failed for lack of memory */
    ze_api_version_t table_version;   /* version that the library accepted for its tables */
    uint32_t slots, filled_slots;     /* number of functions in our version, and in the library */
    struct geo_ddi_table_set *tables; /* no NULL slot: missing functions are unsupported */
    struct geo_ddi_table_set *direct; /* with the loader's own functions, for a sole library */
    bool ddi_handles;                 /* its handles start with dispatch tables */
    bool given;                       /* programs have its untranslated handles */
    struct geo_translation *translation; /* NULL: handles are not translated */
    bool survives_exit;                  /* may be called until the process ends */
    bool refused;                        /* usable, but not together with the other libraries */
    /* Why it is not called any more, as a thread never returned from it; or NULL. */
    const char *abandoned;
    struct geo_drivers core, sysman;
};

/* Creates a record for a candidate that is not opened yet. Returns NULL when memory ran out. */
struct geo_library *geo_library_create(const struct geo_candidate *candidate);
void geo_library_destroy(struct geo_library *library);

/* Returns whether the fields of a record agree. False while one of the functions below runs. */
bool geo_library_is_valid(const struct geo_library *library);

/* Returns the string that identifies the record, as geo_candidate_key. */
static inline const char *geo_library_key(const struct geo_library *library)
{
    return library->manifest ? library->manifest : library->name;
}

/* Updates the record of a known candidate, whose manifest may have changed. An open library is not
 * changed. Returns false and changes nothing when memory ran out. */
bool geo_library_renew(struct geo_library *library, const struct geo_candidate *candidate);

/* Opens the library, checks that it is a driver and fetches its tables. Returns whether it is open;
 * if not, `reason` says why. `known` lists the open libraries. */
bool geo_library_open(struct geo_library *library, struct geo_library *const *known,
                      size_t known_count);

/* Opens the file of a layer. Sets `object` and `path`. Returns false and sets `reason` on
 * failure. */
bool geo_library_open_layer(struct geo_library *library);

/* Returns a symbol that the library itself defines, not one of its dependencies, or NULL. */
void *geo_library_tables_symbol(const struct geo_library *library, const char *name);

/* Sets table_version to the newest version that the library accepts, tested with the table of
 * `getter`, which every driver has. Returns the library's result when it accepts none. */
ze_result_t geo_library_tables_agree(struct geo_library *library, const char *getter);

/* Returns whether no slot of a set is NULL. */
bool geo_library_tables_are_full(const struct geo_ddi_table_set *tables);

/* Fetches every table of the library. Missing functions return UNSUPPORTED_FEATURE. */
void geo_library_tables_fetch(struct geo_library *library);

/* Sets `reason` and writes it to the log. */
void geo_library_explain(struct geo_library *library, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Returns whether sysman was initialised but its drivers are not listed yet. */
static inline bool geo_library_is_unlisted(const struct geo_library *library)
{
    return library->sysman.initialized && !library->sysman.listed;
}

/* Returns whether the library has drivers or may have some. */
static inline bool geo_library_serves(const struct geo_library *library)
{
    return library->core.count || library->sysman.count || geo_library_is_unlisted(library);
}

/* Initialises the library's core side for every device type and lists its drivers. It may be
 * repeated, like the two functions below. A failure leaves the library unchanged, and the call can
 * be tried again. */
void geo_library_init_core(struct geo_library *library);

/* Initialise the sysman side, and list its drivers. These are two steps because a driver may open
 * its devices only when it lists them, which may take long. */
void geo_library_init_sysman(struct geo_library *library, zes_init_flags_t flags);
void geo_library_init_list_sysman(struct geo_library *library);

#endif
