/* Uses what deferred.cl exports: a function that uses variables there, and a variable. Its own
 * kernels share variables, too. */
int scaled(int value);
extern global int counter;

global int uses;
static global int own = 3;

kernel void imported(global int *out)
{
    out[get_global_id(0)] = scaled((int)get_global_id(0)) + counter;
}

kernel void imported_count(int value)
{
    if (get_global_id(0) == 0) {
        own += value;
        uses = own + counter;
    }
}

kernel void imported_read(global int *out)
{
    out[get_global_id(0)] = own + uses;
}
