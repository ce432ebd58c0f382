/* Uses what deferred.cl exports: a function that uses variables there, and a variable. */
int scaled(int value);
extern global int counter;

kernel void imported(global int *out)
{
    out[get_global_id(0)] = scaled((int)get_global_id(0)) + counter;
}
