/* A list of nodes in memory that the arguments do not show: only the first is one. */
struct node {
    global struct node *next;
    uint value;
};

kernel void nodes_sum(global const struct node *first, global uint *sum)
{
    uint total = 0;
    for (global const struct node *node = first; node; node = node->next) {
        total += node->value;
    }
    *sum = total;
}
