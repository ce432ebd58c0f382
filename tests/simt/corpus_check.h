/* Judges runs of the corpus on a GPU or in the interpreter, and keeps the list of kernels that are
 * not supported yet or differ from the CPU in their last bits (unsupported.txt). */
#ifndef GEO_TESTS_SIMT_CORPUS_CHECK_H
#define GEO_TESTS_SIMT_CORPUS_CHECK_H

#include "data.h"

#include "native/abi.h"

enum { CORPUS_TEXT = 1500, CORPUS_LISTED = 400 };

/* A line of the list: "file.kernel reason". If the reason is "bits", the kernel need not equal one
 * lane bit by bit; it must still be within the case's bounds. The reason "bits-v4" means the same,
 * but only on processors with AVX-512, and there it may also be equal. */
struct corpus_listed {
    char name[96], reason[160];
    bool failed, seen; /* in some run of this program */
};

struct corpus_check {
    const char *results; /* folder with the results of pocl and of one lane */
    struct corpus_listed list[CORPUS_LISTED];
    size_t listed_count;
    size_t passed, refused, wrong;
};

/* Prepares a check: reads the file `list`, which names the kernels that do not pass. Returns false
 * and prints a message if the file cannot be read. */
bool corpus_check_open(struct corpus_check *check, const char *results, const char *list);
/* Compares a finished run with the reference and with one lane. `text` has CORPUS_TEXT bytes. */
bool corpus_check_run(struct corpus_check *check, const char *file, const char *producer,
                      const struct corpus_run *run, size_t shape, char *text);
/* Counts the result of one kernel, and prints it if it is wrong. */
void corpus_check_note(struct corpus_check *check, const char *file, const char *kernel,
                       const char *producer, bool good, const char *text);
/* Counts listed kernels that have passed as wrong. */
void corpus_check_list(struct corpus_check *check);

/* Describes an image of the corpus, whose pixels are at `address`. */
void corpus_check_surface(struct geo_surface *surface, const struct corpus_image *image,
                          uint64_t address);

#endif
