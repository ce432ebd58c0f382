/* Random kernels: programs run through Level Zero at every lane count. */
#include "device_ze.h"

int main(int argc, char **argv)
{
    return gen_main(argc, argv, &gen_device_ze);
}
