/* Memory hints on this machine: the node of the pages. */
#ifndef GEO_BACKEND_HOST_HINT_H
#define GEO_BACKEND_HOST_HINT_H

#include "backend/backend.h"

/* Implement geo_record_ops.place and .room (exec/record/runner.h). */
void geo_host_hint_place(const struct geo_command_range *range);
bool geo_host_hint_room(const struct geo_command_range *range);

#endif
