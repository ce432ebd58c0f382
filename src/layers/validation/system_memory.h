/* Memory that is no allocation: whether a device may use it, and whether it can be told at all. */
#ifndef GEO_LAYERS_VALIDATION_SYSTEM_MEMORY_H
#define GEO_LAYERS_VALIDATION_SYSTEM_MEMORY_H

#include "layers/validation/validation.h"

/* Returns whether memory that is no allocation is a fault in commands of the list: its device does
 * not see such memory, and everything that devices see is known. */
bool geo_val_memory_is_unseen(ze_command_list_handle_t list);

/* As if no device saw it: GEOID_VALIDATION_SYSTEM_MEMORY=0. */
bool geo_val_system_memory_is_off(void);

/* From now on there may be allocations that nobody saw being made. */
void geo_val_allocations_unseen(void);
bool geo_val_allocations_are_unseen(void);

/* From now on there are variables of modules, which are no allocations. */
void geo_val_variables_given(void);

#endif
