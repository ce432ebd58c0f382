/* Members of structures. In a file of its own: only who prints or checks calls links this much
 * data. */
#include "ddi/geo_ddi_internal.h"

const struct geo_ddi_param *geo_ddi_struct_members(const struct geo_ddi_struct *s)
{
    return &geo_ddi_members[s->member_first];
}
