/* Orders the list of drivers by kind of device, as ZE_ENABLE_PCI_ID_DEVICE_ORDER and
 * ZEL_DRIVERS_ORDER request. Called by loader.c, which owns the list.
 *
 * ZEL_DRIVERS_ORDER is a comma-separated list of the drivers to list first:
 *
 *     GPU:1   the second driver of a type
 *     GPU     all drivers of a type
 *     2       the third driver of all
 *
 * Indices count in the order without the variable, even after earlier items have moved drivers.
 * Drivers that no item names follow in that order. */
#ifndef GEO_LOADER_DRIVER_ORDER_H
#define GEO_LOADER_DRIVER_ORDER_H

#include "loader/state/state.h"

/* Sorts drivers by kind: discrete GPUs only, discrete and integrated GPUs, integrated GPUs only,
 * GPUs and other devices, then all others. The sort is stable. With `by_address`
 * (ZE_ENABLE_PCI_ID_DEVICE_ORDER) drivers of integrated GPUs come before drivers of discrete GPUs.
 * The order of devices within a driver is the driver's task. */
void geo_driver_order_by_kind(struct geo_driver_entry *entries, uint32_t count, bool by_address);

/* Reorders the entries by `text`, the value of ZEL_DRIVERS_ORDER. NULL or "" changes nothing.
 * Invalid items and items that name no driver are logged and ignored. Returns false and changes
 * nothing when memory ran out. */
bool geo_driver_order_apply(const char *text, struct geo_driver_entry *entries, uint32_t count);

#endif
