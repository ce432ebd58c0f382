/* The order in which drivers are listed, as ZEL_DRIVERS_ORDER asks for it. Called by loader.c,
 * which owns the list.
 *
 * The variable is a comma list of what comes first:
 *
 *     GPU:1   the second driver of a type
 *     GPU     all drivers of a type
 *     2       the third driver of all
 *
 * Indices count in the order without the variable, wherever earlier items have put a driver. What
 * no item names follows in that order: nothing is hidden. */
#ifndef GEO_LOADER_DRIVER_ORDER_H
#define GEO_LOADER_DRIVER_ORDER_H

#include "loader/loader.h"

/* Puts the entries into the order of `text`, a value of the variable; NULL or empty: as they are.
 * Items that cannot be read or name no driver are logged and left out. False, with the entries as
 * they were, when memory ran out. */
bool geo_driver_order_apply(const char *text, struct geo_driver_entry *entries, uint32_t count);

#endif
