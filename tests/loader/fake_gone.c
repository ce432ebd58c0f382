/* A library that a fake driver is linked with, and that is not found when the driver is opened. */
#include <stddef.h>

__attribute__((visibility("default"))) extern const size_t fake_gone;
const size_t fake_gone = 1;
