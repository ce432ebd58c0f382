/* What kernels print: the text of kernels/print.cl and its neighbours, again in C. */
#include "print.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

int print_input(uint32_t index)
{
    return (int)(index * 7 % 23) - 5;
}

struct print_item print_item_at(const struct print_case *test, uint32_t index)
{
    struct print_item item = {.index = (int)index,
                              .value = print_input(index),
                              .group_size = test->size[0],
                              .subgroup_size = 8};
    for (int i = 0; i < 3; i++) {
        uint32_t size = test->groups[i] * test->size[i];
        item.global[i] = index % size;
        item.local[i] = item.global[i] % test->size[i];
        index /= size;
    }
    item.group_first = item.global[0] - item.local[0];
    return item;
}

static int scalars(FILE *out, const struct print_item *item)
{
    int i = item->index, v = item->value;
    fprintf(out, "%d a %d %i %u %x %X %o %c\n", i, v, v, (unsigned)v, (unsigned)v, (unsigned)v,
            (unsigned)v, 'a' + i % 26);
    fprintf(out, "%d b %hhd %hd %ld %lu %lx %#lo\n", i, (signed char)v, (short)(v * 1000),
            (long)((unsigned long)v << 33), (unsigned long)v, (unsigned long)i << 40,
            (unsigned long)i);
    fprintf(out, "%d c %f %.3f %10.2f|%-10.1f|%+e %g %G %a\n", i, v * 0.25, v * 0.125, v * 0.5,
            v * 1.5, v * 1e10, v * 1e-5, v * 1e20, v * 0.75);
    fprintf(out, "%d d %s %10s|%-6s|%.2s %% %5c|%05d|% d\n", i, "text", "right", "left", "cut", 'z',
            v, v);
    fprintf(out, "%d e\n", i);
    return 0;
}

static int vectors(FILE *out, const struct print_item *item)
{
    int i = item->index, v = item->value;
    fprintf(out, "%d %hhd,1 %hx,2,3 %d,4,5,6 %lu,1,2,3,4,5,6,7\n", i, (signed char)v,
            (unsigned short)v, v, (unsigned long)v);
    fprintf(out, "%d %f,0.500000,1.500000,2.500000 ", i, (double)v);
    for (int k = 0; k < 4; k++) {
        fprintf(out, "%s%#6.2g", k ? "," : "", v * 0.125);
    }
    for (int k = 0; k < 16; k++) {
        fprintf(out, "%s%hhu", k ? "," : " ", (unsigned char)v);
    }
    fprintf(out, " %f,0.100000\n", (double)v);
    fprintf(out, "%d %d,%d,%d|%-5hd,9    |\n", i, v, v + 1, v + 2, (short)v);
    return 0;
}

static int flow(FILE *out, const struct print_item *item)
{
    int i = item->index, v = item->value, k = 0;
    if (v % 3 == 0) {
        fprintf(out, "%d three\n", i);
        for (int turn = 0; turn < v && turn < 4; turn++) {
            fprintf(out, "%d turn %d\n", i, turn);
        }
    } else if (v & 1) {
        fprintf(out, "%d odd %d\n", i, v);
    } else if (v < 0) {
        return 0;
    }
    do {
        fprintf(out, "%d again %d\n", i, k++);
    } while (k < (v & 3));
    fprintf(out, "%d end\n", i);
    return 0;
}

static int barriers(FILE *out, const struct print_item *item)
{
    fprintf(out, "%d before\n", item->index);
    for (uint32_t round = 0; round < 3; round++) {
        uint32_t other = item->group_first + (item->local[0] + round) % item->group_size;
        fprintf(out, "%d round %u %d\n", item->index, round, print_input(other));
    }
    fprintf(out, "%d after\n", item->index);
    return 0;
}

static int calls(FILE *out, const struct print_item *item)
{
    int i = item->index, v = item->value;
    for (int k = 0; k < (i & 3); k++) {
        fprintf(out, "%d outer %s\n", i, v > 5 ? "large" : "small");
        if ((v + k) & 1) {
            fprintf(out, "%d inner %d\n", i, v + k);
        }
    }
    fprintf(out, "%d back\n", i);
    return 0;
}

static int ids(FILE *out, const struct print_item *item)
{
    fprintf(out, "%d is %u %u %u, in its group %u %u %u\n", item->index, item->global[0],
            item->global[1], item->global[2], item->local[0], item->local[1], item->local[2]);
    return 0;
}

static int choices(FILE *out, const struct print_item *item)
{
    fprintf(out, item->value > 3 ? "%d is large\n" : "%d is small\n", item->index);
    return 0;
}

/* The same line from everybody; it is counted as the first one's. */
static int uniform(FILE *out, const struct print_item *item)
{
    for (int i = 0; item->index == 0 && i < 48; i++) {
        fprintf(out, "0 everybody 1,2\n");
    }
    return 0;
}

static int wide(FILE *out, const struct print_item *item)
{
    fprintf(out, "%d %5000d %-3000s|%.200f\n", item->index, item->index, "word", 1.0 / 3);
    return 0;
}

static int many(FILE *out, const struct print_item *item)
{
    for (int k = 0; k < 300; k++) {
        fprintf(out, "%d line %d of very many, with some words to make it long\n", item->index, k);
    }
    return 0;
}

static int strings(FILE *out, const struct print_item *item)
{
    fprintf(out, "%d [(null)] [   (null)]\n", item->index);
    fprintf(out, "%d [%s] [(in]\n", item->index, item->value > 0 ? "(invalid)" : "(null)");
    return 0;
}

/* Each prints the directive's own text and returns -1: docs/decisions/builtins.md,
 * "A directive that does not fit its argument is printed as it stands". */
static int misfits(FILE *out, const struct print_item *item)
{
    int i = item->index;
    fprintf(out, "%d %%d %%s\n", i);
    fprintf(out, "%d %%n %%k %%*d\n", i);
    fprintf(out, "%d %%v4hld %%5.\n", i);
    return -6;
}

static int subgroups(FILE *out, const struct print_item *item)
{
    int lane = (int)(item->local[0] % item->subgroup_size);
    if (item->value & 1) {
        fprintf(out, "%d lane %d\n", item->index, lane);
    }
    for (int k = 0; k < lane % 3; k++) {
        fprintf(out, "%d turn %d\n", item->index, k);
    }
    return 0;
}

static int pointers(FILE *out, const struct print_item *item)
{
    int i = item->index, v = item->value;
    if (v & 1) {
        fprintf(out, "%d loud %d\n", i, v);
    } else if (v & 2) {
        fprintf(out, "%d first\n%d second %d\n", i, i, v);
    }
    if (v > 5) {
        fprintf(out, "%d large\n", i);
    }
    return v & 3 ? 0 : i + v;
}

/* Groups that vectors do not divide, groups of one, and one large one. */
const struct print_case print_cases[] = {
    {"scalars", {13, 1, 1}, {37, 1, 1}, scalars},  {"vectors", {5, 1, 1}, {33, 1, 1}, vectors},
    {"flow", {29, 1, 1}, {19, 1, 1}, flow},        {"flow", {100, 1, 1}, {1, 1, 1}, flow},
    {"barriers", {9, 1, 1}, {41, 1, 1}, barriers}, {"barriers", {3, 1, 1}, {256, 1, 1}, barriers},
    {"calls", {11, 1, 1}, {23, 1, 1}, calls},      {"ids", {3, 4, 2}, {5, 3, 2}, ids},
    {"choices", {7, 1, 1}, {17, 1, 1}, choices},   {"uniform", {2, 1, 1}, {24, 1, 1}, uniform},
    {"wide", {2, 1, 1}, {17, 1, 1}, wide},         {"strings", {3, 1, 1}, {11, 1, 1}, strings},
    {"misfits", {3, 1, 1}, {11, 1, 1}, misfits},
};
const size_t print_case_count = COUNT(print_cases);

const struct print_case print_many_case = {"many", {64, 1, 1}, {64, 1, 1}, many};

const struct print_case hostile_cases[] = {
    {"unterminated", {3, 1, 1}, {17, 1, 1}, NULL},
    {"foreign", {3, 1, 1}, {17, 1, 1}, NULL},
};
const size_t hostile_case_count = COUNT(hostile_cases);

const struct print_case subgroup_cases[] = {
    {"subgroups", {5, 1, 1}, {28, 1, 1}, subgroups},
    {"subgroups", {16, 1, 1}, {64, 1, 1}, subgroups},
};
const size_t subgroup_case_count = COUNT(subgroup_cases);

const struct print_case pointer_cases[] = {{"pointers", {7, 1, 1}, {29, 1, 1}, pointers}};
const size_t pointer_case_count = COUNT(pointer_cases);
