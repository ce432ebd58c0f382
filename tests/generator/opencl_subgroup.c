/* Operations of sub-groups as text, for people: the names are those of OpenCL C and SYCL's headers,
 * signed minimum and maximum and the guards are said in words. See opencl_text.h. */
#include "opencl_text.h"

void gen_print_subgroup(struct gen_text *text, const struct gen_stmt *stmt)
{
    static const char *const operations[] = {"reduce", "scan_inclusive", "scan_exclusive",
                                             "clustered_reduce"};
    static const char *const guards[] = {"", ", the own value when that item is beyond the end",
                                         ", the own value when that item is not here"};
    const struct gen_subgroup *subgroup = stmt->subgroup;
    bool up = subgroup->op == GEN_SG_INTEL_UP, more = false;
    const struct gen_expr *operands[] = {up ? subgroup->second : stmt->value,
                                         up ? stmt->value : subgroup->second, subgroup->number};
    if (stmt->place) {
        gen_print_place(text, stmt->place);
        gen_print(text, " = ");
    }
    gen_print(text, subgroup->of_group ? "work" : "");
    for (const char *c = gen_subgroups[subgroup->op].c + (subgroup->of_group ? 3 : 0); *c; c++) {
        if (*c == '%') {
            gen_print(text, "%s", operations[subgroup->operation]);
            c++;
        } else {
            gen_print(text, "%c", *c);
        }
    }
    gen_print(text, "(");
    if (subgroup->block) {
        gen_print(text, "&");
        gen_print_place(text, subgroup->block);
        more = true;
    }
    for (uint32_t i = 0; i < 3; i++) {
        if (operands[i]) {
            gen_print(text, more ? ", " : "");
            gen_print_expr(text, operands[i]);
            more = true;
        }
    }
    if (subgroup->cluster) {
        gen_print(text, ", %uu", subgroup->cluster);
    }
    gen_print(text, "); /* %s%s */\n",
              subgroup->of_group                  ? "the group"
              : gen_subgroups[subgroup->op].whole ? "whole sub-groups"
                                                  : "whoever is here",
              guards[subgroup->guard]);
}
