/* Rules over the parameters of functions. In a file of its own, as parameters are (param.c). */
#include "ddi/geo_ddi_internal.h"

const struct geo_ddi_rule *geo_ddi_function_rules(const struct geo_ddi_function *function)
{
    return &geo_ddi_rules[function->rule_first];
}
