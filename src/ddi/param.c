/* Parameters of functions. In a file of its own: only who prints or checks calls links this much
 * data. */
#include "ddi/geo_ddi_internal.h"

const struct geo_ddi_param *geo_ddi_function_params(const struct geo_ddi_function *function)
{
    return &geo_ddi_params[function->param_first];
}
