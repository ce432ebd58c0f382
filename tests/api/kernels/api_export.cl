/* What api_import.cl calls. */
uint other(uint value);

uint other(uint value)
{
    return value * 3 + 1;
}
