/* Names of Intel's GPUs for -device, with their published IP versions. The code is for CPUs with
 * every device. The names determine the names of output files and the answers of `ocloc ids`. */
#include "ocloc.h"

#include <ctype.h>
#include <string.h>

static const struct ocloc_device devices[] = {
    {"bdw", "8.0.0", "bdw"},        {"skl", "9.0.9", "skl"},       {"kbl", "9.1.9", "kbl"},
    {"cfl", "9.2.9", "cfl"},        {"apl", "9.3.0", "bxt"},       {"bxt", "9.3.0", "bxt"},
    {"glk", "9.4.0", "glk"},        {"whl", "9.5.0", "cfl"},       {"aml", "9.6.0", "cfl"},
    {"cml", "9.7.0", "cfl"},        {"icllp", "11.0.0", "icllp"},  {"icl", "11.0.0", "icllp"},
    {"lkf", "11.1.0", "lkf"},       {"ehl", "11.2.0", "ehl"},      {"jsl", "11.2.0", "ehl"},
    {"tgllp", "12.0.0", "tgllp"},   {"tgl", "12.0.0", "tgllp"},    {"rkl", "12.1.0", "rkl"},
    {"adl-s", "12.2.0", "adls"},    {"adls", "12.2.0", "adls"},    {"rpl-s", "12.2.0", "adls"},
    {"adl-p", "12.3.0", "adlp"},    {"adlp", "12.3.0", "adlp"},    {"rpl-p", "12.3.0", "adlp"},
    {"adl-n", "12.4.0", "adln"},    {"adln", "12.4.0", "adln"},    {"dg1", "12.10.0", "dg1"},
    {"acm-g10", "12.55.8", "dg2"},  {"dg2-g10", "12.55.8", "dg2"}, {"dg2", "12.55.8", "dg2"},
    {"ats-m150", "12.55.8", "dg2"}, {"acm-g11", "12.56.5", "dg2"}, {"dg2-g11", "12.56.5", "dg2"},
    {"ats-m75", "12.56.5", "dg2"},  {"acm-g12", "12.57.0", "dg2"}, {"dg2-g12", "12.57.0", "dg2"},
    {"pvc", "12.60.7", "pvc"},      {"pvc-xt", "12.60.7", "pvc"},  {"pvc-vg", "12.61.7", "pvc"},
    {"mtl", "12.70.4", "mtl"},      {"mtl-u", "12.70.4", "mtl"},   {"mtl-s", "12.70.4", "mtl"},
    {"arl-u", "12.70.4", "mtl"},    {"arl-s", "12.70.4", "mtl"},   {"mtl-h", "12.71.4", "mtl"},
    {"mtl-p", "12.71.4", "mtl"},    {"arl", "12.74.4", "arl"},     {"arl-h", "12.74.4", "arl"},
    {"bmg", "20.1.4", "bmg"},       {"bmg-g21", "20.1.4", "bmg"},  {"bmg-g31", "20.2.0", "bmg"},
    {"lnl", "20.4.4", "lnl"},       {"lnl-m", "20.4.4", "lnl"},    {"ptl", "30.0.4", "ptl"},
    {"ptl-h", "30.0.4", "ptl"},     {"ptl-u", "30.1.1", "ptl"},
};

static int letter(char c)
{
    return c == '_' ? '-' : tolower((unsigned char)c);
}

static int equal(const char *a, const char *b)
{
    while (*a && letter(*a) == letter(*b)) {
        a++;
        b++;
    }
    return letter(*a) == letter(*b);
}

const struct ocloc_device *ocloc_device_find(const char *name)
{
    for (size_t i = 0; i < sizeof(devices) / sizeof(devices[0]); i++) {
        if (equal(devices[i].acronym, name) || equal(devices[i].version, name)) {
            return &devices[i];
        }
    }
    return NULL;
}
