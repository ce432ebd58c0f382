/* Corpus of OpenCL C kernels: functions that are not inlined. */
#include "../corpus.h"
#include "shapes.h"

static const struct corpus_case calls[] = {
    {.kernel = "call_simple",
     .args = {IN(I32, GEN_RANDOM), IN(I32, GEN_RANDOM), OUT(I32)},
     .shapes = corpus_flat},
    {.kernel = "call_chain",
     .args = {IN(I32, GEN_RANDOM), IN(I32, GEN_RANDOM), OUT(I32)},
     .shapes = corpus_short},
    {.kernel = "call_divergent", .args = {IN(I32, GEN_RANDOM), OUT(I32)}, .shapes = corpus_short},
    {.kernel = "call_vector",
     .args = {IN_N(F32, GEN_RANDOM, 4), IN(F32, GEN_RANDOM), OUT_N(F32, 4)},
     .shapes = corpus_short},
    {.kernel = "call_struct",
     .args = {IN(I32, GEN_SMALL), IN(F32, GEN_SMALL), OUT(F32)},
     .shapes = corpus_short},
    {.kernel = "call_early_return", .args = {IN(U32, GEN_RANDOM), OUT(I32)}, .shapes = corpus_flat},
    {.kernel = "call_loop", .args = {IN(U32, GEN_POSITIVE), OUT(U32)}, .shapes = corpus_short},
    {.kernel = "call_in_loop", .args = {IN(U32, GEN_POSITIVE), OUT(U32)}, .shapes = corpus_short},
    {.kernel = "call_pointer", .args = {IN(I32, GEN_SMALL), OUT(I32)}, .shapes = corpus_short},
    {.kernel = "call_array", .args = {IN(I32, GEN_RANDOM), OUT(I32)}, .shapes = corpus_short},
    {.kernel = "call_local", .args = {IN(I32, GEN_RANDOM), OUT(I32)}, .shapes = corpus_groups},
    {.kernel = "call_uniform", .args = {OUT(I32), VALUE(I32, 12)}, .shapes = corpus_short},
    {.kernel = "call_masked_store", .args = {IN(I32, GEN_RANDOM), OUT(I32)}, .shapes = corpus_flat},
    {.kernel = "call_wide_args",
     .args = {IN(I32, GEN_RANDOM), IN(F32, GEN_RANDOM), OUT(F64)},
     .shapes = corpus_short},
    {.kernel = "call_bool", .args = {IN(I32, GEN_RANDOM), OUT(I32)}, .shapes = corpus_short},
    {.kernel = "called_kernel",
     .args = {INOUT(I32, GEN_RANDOM), VALUE(I32, -9)},
     .shapes = corpus_short},
    {.kernel = "call_kernel", .args = {INOUT(I32, GEN_RANDOM)}, .shapes = corpus_short},
};

TOPIC_FILES(calls, CORPUS_FILE("calls", calls));
