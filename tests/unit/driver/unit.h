/* Unit tests of the driver: what every one starts with. */
#ifndef TESTS_UNIT_DRIVER_UNIT_H
#define TESTS_UNIT_DRIVER_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#endif
