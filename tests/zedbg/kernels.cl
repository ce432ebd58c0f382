// Kernels for zedbg that go wrong or do not end.
kernel void reach(global int *out, int far)
{
    int i = get_global_id(0);
    int value = i * 2;
    if (i == 5) {
        out += far;
    }
    out[i] = value;
}

// Ends when out[0] is set by somebody else.
kernel void spin(global volatile int *out)
{
    while (out[0] == 0) {
        out[1]++;
    }
}

typedef struct node {
    int key;
    global const struct node *next;
} node;

typedef enum { EMPTY, FULL = 7 } level;

// Values of many types.
kernel void types(global int *out, global const node *list)
{
    int i = get_global_id(0);
    char letter = 'a' + i;
    uchar4 bytes = (uchar4)(1, 2, 3, i);
    ushort3 three = (ushort3)(7, 8, i);
    long big = -5000000000L * i;
    level state = i & 1 ? FULL : EMPTY;
    int table[2][3] = {{1, 2, 3}, {4, 5, i}};
    struct {
        short small;
        union {
            float real;
            uint bits;
        } both;
    } mixed = {-3, {i + 0.5f}};
    out[i] = letter + bytes.w + three.z + (int)big + state + table[1][2] + mixed.small + list->key;
}
