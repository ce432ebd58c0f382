/* Addresses of variables in initialisers: LLVM 22 writes them as so many bytes behind a variable,
 * and gives the members of a table the type of what each leads to. See test_spirv_producers.c. */
struct record {
    int number;
    char text[8];
    long wide;
};

global int numbers[6] = {1, 2, 3, 4, 5, 6};
global struct record record = {7, "abcdefg", 8};
global int square[4][5] = {{1, 2, 3, 4, 5}, {6, 7, 8, 9, 10}};

global int *to_number = &numbers[2];
global char *to_text = &record.text[3];
global long *to_wide = &record.wide;
global int *to_square = &square[1][2];

constant int first[4] = {11, 12, 13, 14};
constant int second[3] = {15, 16, 17};
constant int *constant table[3] = {first, second + 1, first + 3};
constant char *constant names[3] = {"alpha", "be", "gamma"};

struct node {
    int value;
    constant struct node *next;
};
constant struct node last = {2, 0};
constant struct node middle = {3, &last};
constant struct node nodes[2] = {{1, &last}, {4, &middle}};

kernel void read(global long *out, int zero)
{
    out[0] = *to_number;
    out[1] = (global char *)to_number - (global char *)numbers;
    out[2] = *to_text;
    out[3] = *to_wide;
    out[4] = *to_square;
    for (int i = 0; i < 3; i++) {
        out[5 + i] = *table[i + zero];
        out[8 + i] = names[i + zero][1];
    }
    out[11] = nodes[1 + zero].next->next->value;
}
