/* A driver library: one shared object that may hold Level Zero drivers, from the name that was
 * tried to the function tables that it gave. The record stays when opening fails: it is what the
 * loader can explain. init.c owns the records; all fields are guarded by its lock, except that
 * `tables` is constant once `open` is set.
 *
 * A library that was used is never closed: threads of the driver, exit handlers of the program and
 * handles may outlive every moment at which closing would be safe. */
#ifndef GEO_LOADER_LIBRARY_H
#define GEO_LOADER_LIBRARY_H

#include "ddi/geo_ddi_loader.h"
#include "loader/discovery.h"
#include "loader/handle.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* What kinds of devices a driver serves; the bits are those of ze_init_driver_type_flags_t, one
 * more for everything that the initialisation flags do not name (CPU, FPGA, MCA), and the kinds of
 * GPUs, which only the order of drivers tells apart. */
enum geo_driver_type {
    GEO_DRIVER_GPU = 1,
    GEO_DRIVER_NPU = 2,
    GEO_DRIVER_OTHER = 4,
    GEO_DRIVER_ANY = 7,
    GEO_DRIVER_DISCRETE_GPU = 8,
    GEO_DRIVER_INTEGRATED_GPU = 16,
};

/* One driver handle of a library. Core and sysman handles are kept in lists of their own. */
struct geo_driver {
    void *handle; /* ze_driver_handle_t or zes_driver_handle_t, the driver's own */
    uint32_t types;
    uint32_t device_count;
    ze_api_version_t api_version;
};

struct geo_drivers {
    struct geo_driver *items;
    size_t count, capacity;
    bool initialized;   /* the library's init call succeeded in this process, and it has drivers
                         * as far as they were asked for */
    bool listed;        /* they were: sysman's are not before somebody wants them */
    ze_result_t result; /* of the last attempt; NOT_READY: never attempted */
    uint32_t dropped;   /* handles without devices */
};

struct geo_library {
    char *name;                       /* as the candidate named it */
    enum geo_candidate_origin from;   /* why it was tried */
    char *manifest, *label, *refusal; /* as the candidate has them, each may be NULL */
    uint32_t declared;
    char *path;   /* of the file that was opened; NULL: none was found */
    char *reason; /* why it is not open, or not used; NULL: nothing to say */
    dev_t device; /* with inode: the same file under two names */
    ino_t inode;
    void *object; /* from dlopen */
    bool open;
    bool lacked_memory;             /* the last attempt to open it failed for lack of memory */
    ze_api_version_t table_version; /* that the library accepted for its tables */
    uint32_t slots, filled_slots;   /* functions our version knows, and those the library has */
    struct geo_ddi_table_set
        *tables; /* no null slot: what is missing answers UNSUPPORTED_FEATURE */
    struct geo_ddi_table_set
        *direct;      /* the same with the loader's own functions: for one library alone */
    bool ddi_handles; /* its handles begin with dispatch tables */
    bool given;       /* programs have its handles as they are */
    struct geo_translation *translation; /* NULL: handles are, or will be, given as they are */
    bool survives_exit;                  /* may be called until the last moment of the process */
    bool refused;                        /* works, but not together with the others */
    const char *abandoned; /* why it is not called any more: a thread is inside for ever; or NULL */
    struct geo_drivers core, sysman;
};

/* A record for a candidate, not yet opened. NULL when memory ran out. */
struct geo_library *geo_library_create(const struct geo_candidate *candidate);
void geo_library_destroy(struct geo_library *library);

/* What the record is known by, as geo_candidate_key. */
static inline const char *geo_library_key(const struct geo_library *library)
{
    return library->manifest ? library->manifest : library->name;
}

/* The candidate was there before; its manifest may say something else now. A library that is open
 * stays as it is. False, with nothing changed, when memory ran out. */
bool geo_library_renew(struct geo_library *library, const struct geo_candidate *candidate);

/* Opens the library, checks that it is a driver and fetches its tables. True when it is open after
 * the call; else `reason` says why not. `known` lists the libraries that are open. */
bool geo_library_open(struct geo_library *library, struct geo_library *const *known,
                      size_t known_count);

/* Opens the file of a layer: sets object, path and, when it returns false, `reason`. */
bool geo_library_open_layer(struct geo_library *library);

/* A symbol of the library itself, not of what it depends on; NULL when there is none. */
void *geo_library_symbol(const struct geo_library *library, const char *name);

/* Sets table_version to the newest that the library accepts, tried on the table of a getter that
 * every driver has; the library's answer when there is none. */
ze_result_t geo_library_agree(struct geo_library *library, const char *getter);

/* Fetches every table the library has; what is missing answers UNSUPPORTED_FEATURE. */
void geo_library_fetch(struct geo_library *library);

/* Sets `reason` and writes it to the log. */
void geo_library_explain(struct geo_library *library, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Sysman was initialised, and which drivers it has is not known yet. */
static inline bool geo_library_is_unlisted(const struct geo_library *library)
{
    return library->sysman.initialized && !library->sysman.listed;
}

/* Has drivers, or may have some. */
static inline bool geo_library_serves(const struct geo_library *library)
{
    return library->core.count || library->sysman.count || geo_library_is_unlisted(library);
}

/* Initialises the library's core side for every device type and lists its drivers. Safe to repeat,
 * as the two below; a failure leaves the library as it was and can be tried again. */
void geo_library_init_core(struct geo_library *library);

/* The sysman side in two steps: a driver may open what it needs for its devices alone only when it
 * is asked which it has, and that may take long. */
void geo_library_init_sysman(struct geo_library *library, zes_init_flags_t flags);
void geo_library_list_sysman(struct geo_library *library);

#endif
