/* Corpus of kernels: accuracy of OpenCL.std's maths, measured against long double functions of
 * the C library. */
#ifndef GEOID_TESTS_CORPUS_MATHS_H
#define GEOID_TESTS_CORPUS_MATHS_H

#include "corpus.h"

/* Exactly one of the functions is set. Inputs are the case's ARG_IN buffers in order, the result
 * its first ARG_OUT. */
struct corpus_maths {
    long double (*one)(long double);
    long double (*two)(long double, long double);
    long double (*three)(long double, long double, long double);
    double ulp_f32, ulp_f64; /* OpenCL's bounds */
    double floor; /* the error is never measured against less than this magnitude; 0: the result's
                     own */
    bool finite_only; /* inputs that are not finite are not judged */
};

/* Compares every element of a finished run; describes the worst in `text`. */
bool corpus_maths_check(const struct corpus_run *run, char *text, size_t text_bytes);

#endif
