/* An object file for tests of the loader of native code (test_elf.c, test_elf_file.c). It has every
 * kind of section and reference that a compiler emits for position-independent code. */
#include <stddef.h>
#include <stdint.h>

#ifdef SAMPLE_CODE /* nothing but code */

int sample_sum(void);

int sample_sum(void)
{
    return 60;
}

#else

#ifdef SAMPLE_IMPORT
extern int sample_missing(int value);
#endif

int sample_data[4] = {10, 20, 30, 40};
int sample_zero[1000];
const int sample_constants[3] = {7, 8, 9};

static int plus_one(int value)
{
    return value + 1;
}

static int twice(int value)
{
    return value * 2;
}

/* Addresses in constant data: absolute relocations. */
static int (*const table[2])(int) = {plus_one, twice};
int *sample_pointer = &sample_data[2];

int sample_call(int which, int value);
int sample_next(void);
int sample_sum(void);
size_t sample_copy(uint8_t *to, const uint8_t *from, size_t bytes);
int sample_switch(int value);
double sample_polynomial(double x);

__attribute__((noinline)) int sample_call(int which, int value)
{
    return table[which & 1](value);
}

int sample_next(void)
{
    return ++sample_zero[999];
}

int sample_sum(void)
{
    int sum = *sample_pointer;
    for (int i = 0; i < 3; i++) {
        sum += sample_constants[i] + sample_call(0, i);
    }
    return sum;
}

size_t sample_copy(uint8_t *to, const uint8_t *from, size_t bytes)
{
    __builtin_memcpy(to, from, bytes); /* a call to an imported function */
    return bytes;
}

int sample_switch(int value)
{
    switch (value) {
    case 0:
        return 11;
    case 1:
        return 5;
    case 2:
        return 77;
    case 3:
        return -3;
    case 4:
        return 1234;
    case 5:
        return 8;
    default:
        return 0;
    }
}

double sample_polynomial(double x)
{
    return (x * 0.125 + 3.5) * x - 17.25;
}

#ifdef SAMPLE_IMPORT
int sample_asks(int value);
int sample_asks(int value)
{
    return sample_missing(value);
}
#endif

#endif
