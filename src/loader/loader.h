/* The loader's steps from the first call to the teardown, and the tables that the exported
 * functions lead to.
 *
 *     zeKernelCreate --> geo_loader ---------> start           before the first driver
 *                    (one atomic pointer)      library tables  one library: called directly
 *                                              dispatch        several: by the handle, which may be
 *                                                              the loader's own (handle.h)
 *                                              start           after the teardown
 *
 * The rooms, each of which may include those before it:
 *
 *     discovery   finds files that may be drivers, and the manifests that name them
 *     handle      the loader's own handles, and calls of drivers that are translated with them
 *     library     opens a driver's file, fetches its tables, initialises its drivers
 *     state       the state that files share, and its lock
 *     layers      opens the validation and tracing layers and puts them above the drivers
 *
 * Above them are the calls of the API that the loader answers (init.c, runtime.c, zel.c, explain.c)
 * and the steps that they take: loader.c, guard.c, driver_order.c, teardown.c. */
#ifndef GEO_LOADER_LOADER_H
#define GEO_LOADER_LOADER_H

#include "loader/state/state.h"

/* Lists candidates for the current environment, opens new ones and retries failed ones. The
 * loader's lock is held. Returns false when memory ran out. */
bool geo_loader_discover(void);

/* Decides which libraries are used together, and publishes tables and driver lists. The loader's
 * lock is held. `complete`: no library is missing because memory ran out. Returns false when memory
 * ran out, and the published state is unchanged then. */
bool geo_loader_publish(bool complete);

/* Ends the loader for good: calls the registered callbacks once. Every later API call returns
 * UNINITIALIZED. May be called at any time, from any thread. */
void geo_loader_teardown(void);

/* Registers the exit handler that tears the loader down before drivers that do not survive exit are
 * destroyed. The loader's lock is held. */
void geo_loader_teardown_at_exit(void);

/* Stores the text that zerGetLastErrorDescription returns in this thread while no driver is in
 * use. */
void geo_runtime_note(const char *text);

#endif
