/* Memory of a case: filling it from the case alone, keeping and comparing results. Used by both
 * runners. */
#ifndef GEOID_TESTS_CORPUS_DATA_H
#define GEOID_TESTS_CORPUS_DATA_H

#include <stdio.h>

#include "corpus.h"

size_t corpus_type_bytes(enum corpus_type type);
size_t corpus_shape_items(const struct corpus_shape *shape);
size_t corpus_shape_group_items(const struct corpus_shape *shape);

/* Allocates and fills the buffers of one launch; outputs hold 0xA5. */
void corpus_run_init(struct corpus_run *run, const struct corpus_case *test,
                     const struct corpus_shape *shape);
void corpus_run_finish(struct corpus_run *run);

/* Outputs (ARG_OUT, ARG_INOUT) to and from a stream, one after the other. Reading fails when the
 * sizes differ. */
bool corpus_outputs_write(const struct corpus_run *run, FILE *stream);
bool corpus_outputs_read(struct corpus_run *run, FILE *stream);

/* Compares the outputs of two runs of the same case; NaN equals NaN. With `exact` the case's bounds
 * do not count. Describes the first difference in `text`. */
bool corpus_outputs_equal(const struct corpus_run *got, const struct corpus_run *expected,
                          bool exact, char *text, size_t text_bytes);

/* The bytes of a file with a zero behind them, for the caller to free; NULL with the reason in
 * `text`. */
uint8_t *corpus_file_read(const char *path, size_t *bytes, char *text, size_t text_bytes);

/* "file.kernel.shape" as a file name below folder. */
void corpus_path(char *path, size_t bytes, const char *folder, const char *file, const char *kernel,
                 size_t shape, const char *suffix);

#endif
