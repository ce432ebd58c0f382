/* What C has: one line for each structure, member, enumerator and function of the API, which the
 * Python modules are compared with.
 *
 *     struct NAME BYTES
 *     member STRUCT NAME OFFSET BYTES
 *     value NAME NUMBER
 *     function NAME BYTES... of its parameters
 *
 * With arguments it becomes the test, which asks it for the table again: so one program is all that
 * has to be built. */
#include "ddi/geo_ddi.h"

#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    if (argc > 1) {
        execvp(argv[1], argv + 1);
        perror(argv[1]);
        return 127;
    }
    for (size_t i = 0; i < GEO_DDI_STRUCT_COUNT; i++) {
        const struct geo_ddi_struct *type = &geo_ddi_structs[i];
        const struct geo_ddi_param *members = geo_ddi_struct_members(type);
        printf("struct %s %u\n", type->name, type->size);
        for (size_t k = 0; k < type->member_count; k++) {
            printf("member %s %s %u %u\n", type->name, members[k].name, members[k].offset,
                   members[k].size);
        }
    }
    for (size_t i = 0; i < GEO_DDI_VALUE_COUNT; i++) {
        printf("value %s %d\n", geo_ddi_values[i].name, geo_ddi_values[i].value);
    }
    for (size_t i = 0; i < GEO_DDI_FUNCTION_COUNT; i++) {
        const struct geo_ddi_function *function = &geo_ddi_functions[i];
        printf("function %s", function->name);
        for (size_t k = 0; k < function->param_count; k++) {
            printf(" %u", geo_ddi_function_params(function)[k].size);
        }
        printf("\n");
    }
    return ferror(stdout) || fflush(stdout) != 0;
}
