/* A second definition of what link_back.cl exports. */
int back_scale(int value);

int back_scale(int value)
{
    return value;
}
