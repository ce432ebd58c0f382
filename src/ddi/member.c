/* Structure members. This is a file of its own so that only libraries that print or check calls
 * link the member data. */
#include "ddi/geo_ddi_internal.h"

const struct geo_ddi_param *geo_ddi_struct_members(const struct geo_ddi_struct *s)
{
    return &geo_ddi_members[s->member_first];
}
