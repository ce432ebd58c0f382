/* Exported data: raw data with the description of its group in front, for calculations in other
 * processes and on other machines.
 *
 *     0      magic number    "GEOX", and the version of the format
 *     8      identity        16 bytes, of the group
 *     24     bytes           u64, of everything
 *     32     metrics         u32, and 4 bytes: the size of the description
 *     40     description     name of the group; of each metric its type, the type of its values
 *                            (u32 each) and its name; texts end with a zero
 *     ...    raw data        frames (frame.h)
 *
 * The description serves to find out whether the group that has the identity here is the same. */
#ifndef GEO_DRIVER_TOOLS_METRIC_EXPORT_H
#define GEO_DRIVER_TOOLS_METRIC_EXPORT_H

#include "driver/tools/metric/group.h"

/* Writes exported data, by the protocol of zetMetricGroupGetExportDataExp. The raw data is checked
 * as for a calculation. Returns INVALID_SIZE if the memory is too small. */
GEO_MUST_CHECK ze_result_t geo_metric_export_write(const struct geo_metric_group_object *group,
                                                   const uint8_t *raw, size_t raw_bytes,
                                                   size_t *bytes, uint8_t *data);

/* Finds the group and the raw data of exported data, which is untrusted. Returns INVALID_SIZE if it
 * is cut, INVALID_ARGUMENT if it is something else or the driver does not know the group. */
GEO_MUST_CHECK ze_result_t geo_metric_export_read(const struct geo_driver *driver,
                                                  const uint8_t *data, size_t bytes,
                                                  const struct geo_metric_group **group,
                                                  const uint8_t **raw, size_t *raw_bytes);

#endif
