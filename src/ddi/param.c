/* Function parameters. This is a file of its own so that only libraries that print or check calls
 * link the parameter data. */
#include "ddi/geo_ddi_internal.h"

const struct geo_ddi_param *geo_ddi_function_params(const struct geo_ddi_function *function)
{
    return &geo_ddi_params[function->param_first];
}
