/* What every unit test of src/base starts with. */
#ifndef TESTS_UNIT_BASE_UNIT_H
#define TESTS_UNIT_BASE_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#endif
