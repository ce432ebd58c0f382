/* Exports what link_third.cl imports, with another type. */
long back_scale(long a, long b);

long back_scale(long a, long b)
{
    return a + b;
}
