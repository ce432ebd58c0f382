/* The processes that use a device. */
#ifndef ZETOP_PROCESS_H
#define ZETOP_PROCESS_H

#include "sample.h"

/* Replaces the device's list. Without SUCCESS the list is empty; OUT_OF_HOST_MEMORY: memory ran out
 * here. */
ze_result_t processes_read(struct device *device);

/* "compute,dma": the words of engines; "-": none. */
void process_engines(const struct process *process, char *text, size_t size);

#endif
