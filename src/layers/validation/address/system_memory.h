/* Memory that was not allocated with Level Zero (system memory): whether a device may access it,
 * and whether the layer can recognise it. */
#ifndef GEO_LAYERS_VALIDATION_SYSTEM_MEMORY_H
#define GEO_LAYERS_VALIDATION_SYSTEM_MEMORY_H

#include "layers/validation/validation.h"

/* Returns whether commands of the list must not use system memory: its device cannot access such
 * memory, and the layer knows all allocations. */
bool geo_val_memory_is_unseen(ze_command_list_handle_t list);

/* Returns whether GEOID_VALIDATION_SYSTEM_MEMORY=0 is set: system memory is then reported for every
 * device. */
bool geo_val_system_memory_is_off(void);

/* Records that there may be allocations that the layer has not seen. */
void geo_val_allocations_unseen(void);
bool geo_val_allocations_are_unseen(void);

/* Records that module variables, which are not allocations, are in use. */
void geo_val_variables_given(void);

#endif
