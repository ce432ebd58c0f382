/* Functions in processes of their own, for what is read from the environment once. */
#ifndef TESTS_UNIT_BASE_CHILD_H
#define TESTS_UNIT_BASE_CHILD_H

/* Runs a function in a child with more variables (name, value, ..., NULL; or NULL) and gives what
 * it wrote to standard error, until the next call. The child must end by itself and well. */
const char *child_output(const char *const *environment, void (*run)(void));

#endif
