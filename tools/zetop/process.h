/* The processes that use a device. */
#ifndef ZETOP_PROCESS_H
#define ZETOP_PROCESS_H

#include "sample.h"

/* Queries the processes that use the device and replaces the device's list of them. On failure the
 * list is empty. Returns the driver's error, or OUT_OF_HOST_MEMORY if zetop has no memory. */
ze_result_t processes_read(struct device *device);

/* Writes the names of the engines that a process uses, such as "compute,dma", or "-" for none. */
void process_engines(const struct process *process, char *text, size_t size);

#endif
