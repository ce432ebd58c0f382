/* Group (2,0,0) runs until somebody else stores to *stop. */
kernel void endless(global volatile int *stop)
{
    while (get_group_id(0) == 2 && *stop == 0) {
    }
}
