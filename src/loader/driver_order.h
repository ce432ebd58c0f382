/* The order in which drivers are listed: by kinds of devices, as ZE_ENABLE_PCI_ID_DEVICE_ORDER and
 * ZEL_DRIVERS_ORDER ask for it. Called by loader.c, which owns the list.
 *
 * The latter is a comma list of what comes first:
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

/* The order by kinds of devices: drivers of discrete GPUs alone come first, then those of both
 * kinds, of integrated ones alone, of GPUs and other devices, and the rest; among equals the order
 * stays. `by_address`: as far as that order goes across drivers, integrated GPUs lie before
 * discrete ones. (Within a driver it is the driver's business.) */
void geo_driver_order_by_kind(struct geo_driver_entry *entries, uint32_t count, bool by_address);

/* Puts the entries into the order of `text`, a value of the variable; NULL or empty: as they are.
 * Items that cannot be read or name no driver are logged and left out. False, with the entries as
 * they were, when memory ran out. */
bool geo_driver_order_apply(const char *text, struct geo_driver_entry *entries, uint32_t count);

#endif
