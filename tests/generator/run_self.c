/* The generator against itself: every program is run by the interpreter in two orders of items,
 * which must agree. Needs nothing else. */
#include "check.h"

int main(int argc, char **argv)
{
    static const struct gen_device itself = {.name = "the other order"};
    return gen_main(argc, argv, &itself);
}
