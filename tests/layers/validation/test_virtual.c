/* Faults of reserved addresses and physical memory: what is mapped where, and for how long. */
#include "objects.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Two pages of addresses with two pages of memory behind them. */
struct pages {
    size_t page;
    char *at;
    ze_physical_mem_handle_t memory;
};

static struct pages pages_begin(const struct faulty_world *world)
{
    struct pages pages = {.page = page_size(world)};
    pages.at = reserve(world, 2 * pages.page);
    pages.memory = physical_create(world, 2 * pages.page);
    map(world, pages.at, 2 * pages.page, pages.memory, 0);
    return pages;
}

static void pages_end(const struct faulty_world *world, const struct pages *pages)
{
    MUST(zeVirtualMemUnmap(world->context, pages->at, 2 * pages->page));
    MUST(zePhysicalMemDestroy(world->context, pages->memory));
    MUST(zeVirtualMemFree(world->context, pages->at, 2 * pages->page));
}

static void map_beyond_the_reservation(struct faulty_world *world)
{
    /* VMM-5: a mapping covers all or part of a reservation. */
    const size_t page = page_size(world);
    char *at = reserve(world, page);
    ze_physical_mem_handle_t memory = physical_create(world, 2 * page);
    if (zeVirtualMemMap(world->context, at, 2 * page, memory, 0,
                        ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE) == ZE_RESULT_SUCCESS)
        zeVirtualMemUnmap(world->context, at, 2 * page);
    MUST(zePhysicalMemDestroy(world->context, memory));
    MUST(zeVirtualMemFree(world->context, at, page));
}

static void map_beyond_the_physical_memory(struct faulty_world *world)
{
    /* VMM-4: the object has the pages of its size; offset 1 and 2 pages are 3 of 2. */
    const size_t page = page_size(world);
    char *at = reserve(world, 2 * page);
    ze_physical_mem_handle_t memory = physical_create(world, 2 * page);
    if (zeVirtualMemMap(world->context, at, 2 * page, memory, page,
                        ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE) == ZE_RESULT_SUCCESS)
        zeVirtualMemUnmap(world->context, at, 2 * page);
    MUST(zePhysicalMemDestroy(world->context, memory));
    MUST(zeVirtualMemFree(world->context, at, 2 * page));
}

static void pages_unmapped_in_flight(struct faulty_world *world)
{
    /* GEN-10, GEN-15: a command that runs later touches memory that is not visible any more. */
    struct pages pages = pages_begin(world);
    struct gate gate = gate_begin(world);
    fill(gate.list, pages.at, 1, 64);
    const ze_result_t result = zeVirtualMemUnmap(world->context, pages.at, 2 * pages.page);
    if (result == ZE_RESULT_SUCCESS)
        map(world, pages.at, 2 * pages.page, pages.memory, 0); /* for the command to end */
    gate_end(&gate);
    pages_end(world, &pages);
}

static void reservation_freed_with_its_mapping(struct faulty_world *world)
{
    /* zeVirtualMemFree: "all mappings in them must have been removed". */
    struct pages pages = pages_begin(world);
    const ze_result_t result = zeVirtualMemFree(world->context, pages.at, 2 * pages.page);
    if (result == ZE_RESULT_SUCCESS)
        MUST(zePhysicalMemDestroy(world->context, pages.memory));
    else
        pages_end(world, &pages);
}

static void physical_memory_destroyed_while_mapped(struct faulty_world *world)
{
    /* zePhysicalMemDestroy: ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE; the addresses still lead to it. */
    struct pages pages = pages_begin(world);
    const ze_result_t result = zePhysicalMemDestroy(world->context, pages.memory);
    MUST(zeVirtualMemUnmap(world->context, pages.at, 2 * pages.page));
    if (result != ZE_RESULT_SUCCESS)
        MUST(zePhysicalMemDestroy(world->context, pages.memory));
    MUST(zeVirtualMemFree(world->context, pages.at, 2 * pages.page));
}

static void fill_of_addresses_without_memory(struct faulty_world *world)
{
    /* zeVirtualMemReserve: "Reserves addresses, without memory behind them"; GEN-10. */
    const size_t page = page_size(world);
    const uint8_t pattern = 1;
    char *at = reserve(world, page);
    ze_command_list_handle_t list = faulty_list(world, 0);
    zeCommandListAppendMemoryFill(list, at, &pattern, 1, 64, NULL, 0, NULL);
    MUST(zeCommandListDestroy(list));
    MUST(zeVirtualMemFree(world->context, at, page));
}

static void fill_beyond_the_mapping(struct faulty_world *world)
{
    /* VMM-5: a reservation may be mapped in part; its second page has no memory. */
    const size_t page = page_size(world);
    const uint8_t pattern = 1;
    char *at = reserve(world, 2 * page);
    ze_physical_mem_handle_t memory = physical_create(world, page);
    ze_command_list_handle_t list = faulty_list(world, 0);
    map(world, at, page, memory, 0);
    zeCommandListAppendMemoryFill(list, at + page / 2, &pattern, 1, page, NULL, 0, NULL);
    MUST(zeCommandListDestroy(list));
    MUST(zeVirtualMemUnmap(world->context, at, page));
    MUST(zePhysicalMemDestroy(world->context, memory));
    MUST(zeVirtualMemFree(world->context, at, 2 * page));
}

static void pages_unmapped_before_their_list_runs(struct faulty_world *world)
{
    /* GEN-10: the list touches memory that is not visible when it runs. */
    struct pages pages = pages_begin(world);
    ze_command_list_handle_t list = faulty_list(world, 0);
    fill(list, pages.at, 1, 64);
    MUST(zeCommandListClose(list));
    pages_end(world, &pages);
    run_list(world, list);
    MUST(zeCommandListDestroy(list));
}

static void reservation_of_half_a_page(struct faulty_world *world)
{
    /* VMM-1: the size is page aligned. */
    void *at;
    const size_t size = page_size(world) / 2;
    if (zeVirtualMemReserve(world->context, NULL, size, &at) == ZE_RESULT_SUCCESS)
        MUST(zeVirtualMemFree(world->context, at, size));
}

static void reservation_freed_as_memory(struct faulty_world *world)
{
    /* VMM-9: what zeVirtualMemReserve gave is freed by zeVirtualMemFree. */
    const size_t page = page_size(world);
    char *at = reserve(world, page);
    zeMemFree(world->context, at);
    MUST(zeVirtualMemFree(world->context, at, page));
}

static void physical_memory_of_another_context(struct faulty_world *world)
{
    /* CTX-4 and "Contexts": the reservation belongs to one context, the memory to another. */
    const size_t page = page_size(world);
    struct faulty_world other = other_begin(world);
    char *at = reserve(world, page);
    ze_physical_mem_handle_t memory = physical_create(&other, page);
    if (zeVirtualMemMap(world->context, at, page, memory, 0,
                        ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE) == ZE_RESULT_SUCCESS)
        zeVirtualMemUnmap(world->context, at, page);
    MUST(zePhysicalMemDestroy(other.context, memory));
    MUST(zeVirtualMemFree(world->context, at, page));
    other_end(&other);
}

static void physical_memory_left_behind(struct faulty_world *world)
{
    /* VAL-3: leaks are reported. */
    physical_create(world, page_size(world));
    exit(0); /* with the context, which it keeps */
}

static void physical_memory_without_a_device(struct faulty_world *world)
{
    /* zePhysicalMemCreate: hDevice is "null only with ALLOCATE_ON_HOST". */
    ze_physical_mem_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_PHYSICAL_MEM_DESC,
                                   .size = page_size(world)};
    ze_physical_mem_handle_t memory;
    zePhysicalMemCreate(world->context, NULL, &desc, &memory);
}

/* --- no fault --- */

static void growing_reservation(struct faulty_world *world)
{
    /* VMM-3: a bigger reservation gets the physical pages; the old range is freed. */
    struct pages pages = pages_begin(world);
    const size_t size = 2 * pages.page;
    ze_physical_mem_handle_t more = physical_create(world, size);
    ze_command_list_handle_t list = faulty_immediate(world, ZE_COMMAND_QUEUE_FLAG_IN_ORDER);
    fill(list, pages.at, 7, size);
    MUST(zeCommandListHostSynchronize(list, UINT64_MAX));
    char *bigger = reserve(world, 2 * size), *check = shared_memory(world, 2 * size);
    MUST(zeVirtualMemUnmap(world->context, pages.at, size));
    map(world, bigger, size, pages.memory, 0);
    map(world, bigger + size, size, more, 0);
    MUST(zeVirtualMemFree(world->context, pages.at, size));
    fill(list, bigger + size, 8, size);
    copy(list, check, bigger, 2 * size); /* goes across the two objects */
    MUST(zeCommandListHostSynchronize(list, UINT64_MAX));
    if (check[size - 1] != 7 || check[size] != 8)
        exit(4);
    MUST(zeVirtualMemUnmap(world->context, bigger, size));
    MUST(zeVirtualMemUnmap(world->context, bigger + size, size));
    MUST(zeVirtualMemFree(world->context, bigger, 2 * size));
    MUST(zePhysicalMemDestroy(world->context, pages.memory));
    MUST(zePhysicalMemDestroy(world->context, more));
    MUST(zeMemFree(world->context, check));
    MUST(zeCommandListDestroy(list));
}

static void list_run_after_other_memory_is_mapped(struct faulty_world *world)
{
    /* CMQ-16: a list runs many times; at each time its addresses have memory. */
    struct pages pages = pages_begin(world);
    ze_command_list_handle_t list = faulty_list(world, 0);
    fill(list, pages.at, 1, 2 * pages.page);
    MUST(close_and_run(world, list));
    for (int i = 0; i < 3; i++) {
        MUST(zeVirtualMemUnmap(world->context, pages.at, 2 * pages.page));
        MUST(zePhysicalMemDestroy(world->context, pages.memory));
        pages.memory = physical_create(world, 2 * pages.page);
        map(world, pages.at, 2 * pages.page, pages.memory, 0);
        MUST(run_list(world, list));
    }
    pages_end(world, &pages);
    MUST(zeCommandListDestroy(list));
}

static void system_memory_at_a_freed_reservation(struct faulty_world *world)
{
    /* MEM-6: the device sees the program's memory, also where addresses were reserved before. */
    const size_t page = page_size(world);
    ze_command_list_handle_t list = faulty_immediate(world, ZE_COMMAND_QUEUE_FLAG_IN_ORDER);
    char *at = reserve(world, page), *memory = faulty_memory(world, page);
    MUST(zeVirtualMemFree(world->context, at, page));
    at = mmap(at, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    fill(list, at, 3, page);
    copy(list, memory, at, page);
    MUST(zeCommandListHostSynchronize(list, UINT64_MAX));
    if (at[page - 1] != 3)
        exit(4);
    munmap(at, page);
    MUST(zeMemFree(world->context, memory));
    MUST(zeCommandListDestroy(list));
}

static void part_of_a_physical_memory(struct faulty_world *world)
{
    /* VMM-5, VMM-7: a part is mapped, its access changes later; a copy only reads it then. */
    const size_t page = page_size(world);
    ze_memory_access_attribute_t access;
    size_t size;
    char *at = reserve(world, 4 * page), *memory = faulty_memory(world, page);
    ze_physical_mem_handle_t physical = physical_create(world, 4 * page);
    ze_command_list_handle_t list = faulty_immediate(world, ZE_COMMAND_QUEUE_FLAG_IN_ORDER);
    map(world, at + page, page, physical, 2 * page);
    fill(list, at + page, 5, page);
    MUST(zeCommandListHostSynchronize(list, UINT64_MAX));
    MUST(zeVirtualMemSetAccessAttribute(world->context, at + page, page,
                                        ZE_MEMORY_ACCESS_ATTRIBUTE_READONLY));
    MUST(zeVirtualMemGetAccessAttribute(world->context, at + page, page, &access, &size));
    copy(list, memory, at + page, page);
    MUST(zeCommandListHostSynchronize(list, UINT64_MAX));
    MUST(zeVirtualMemUnmap(world->context, at + page, page));
    MUST(zeVirtualMemFree(world->context, at, 4 * page));
    MUST(zePhysicalMemDestroy(world->context, physical));
    MUST(zeMemFree(world->context, memory));
    MUST(zeCommandListDestroy(list));
}

static void hint_that_is_not_honoured(struct faulty_world *world)
{
    /* VMM-2: success with another address; the caller frees it if unhappy. */
    struct pages pages = pages_begin(world);
    void *other;
    MUST(zeVirtualMemReserve(world->context, pages.at, pages.page, &other));
    if (other == pages.at)
        exit(4);
    MUST(zeVirtualMemFree(world->context, other, pages.page));
    pages_end(world, &pages);
}

static void mapped_pages_made_resident(struct faulty_world *world)
{
    /* VMM-6: mapped pages take part in the residency API. */
    struct pages pages = pages_begin(world);
    MUST(zeContextMakeMemoryResident(world->context, world->device, pages.at, 2 * pages.page));
    MUST(zeContextEvictMemory(world->context, world->device, pages.at, 2 * pages.page));
    pages_end(world, &pages);
}

static void physical_memory_of_the_host(struct faulty_world *world)
{
    /* zePhysicalMemCreate: hDevice may be null with ALLOCATE_ON_HOST. */
    const size_t page = page_size(world);
    ze_physical_mem_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_PHYSICAL_MEM_DESC,
                                   .flags = ZE_PHYSICAL_MEM_FLAG_ALLOCATE_ON_HOST,
                                   .size = page};
    struct pages pages = {.page = page / 2, .at = reserve(world, page)};
    MUST(zePhysicalMemCreate(world->context, NULL, &desc, &pages.memory));
    map(world, pages.at, page, pages.memory, 0);
    memset(pages.at, 1, page); /* the host may touch it */
    pages_end(world, &pages);
}

const struct faulty faulty_programs[] = {
    {"map_beyond_the_reservation", map_beyond_the_reservation, "out-of-range", "zeVirtualMemMap",
     NULL},
    {"map_beyond_the_physical_memory", map_beyond_the_physical_memory, "out-of-range",
     "zeVirtualMemMap", NULL},
    {"pages_unmapped_in_flight", pages_unmapped_in_flight, "destroyed-in-use", "zeVirtualMemUnmap",
     NULL},
    {"reservation_freed_with_its_mapping", reservation_freed_with_its_mapping, "still-mapped",
     "zeVirtualMemFree", NULL},
    {"physical_memory_destroyed_while_mapped", physical_memory_destroyed_while_mapped,
     "still-mapped", "zePhysicalMemDestroy", NULL},
    /* Not told: memory may be mapped until the list is executed. */
    {"fill_of_addresses_without_memory", fill_of_addresses_without_memory, "", NULL, NULL},
    {"fill_beyond_the_mapping", fill_beyond_the_mapping, "", NULL, NULL},
    {"pages_unmapped_before_their_list_runs", pages_unmapped_before_their_list_runs, "freed-memory",
     "zeCommandQueueExecuteCommandLists", NULL},
    {"reservation_of_half_a_page", reservation_of_half_a_page, "wrong-size", "multiple of a page",
     NULL},
    {"reservation_freed_as_memory", reservation_freed_as_memory, "bad-free", "zeMemFree", NULL},
    {"physical_memory_of_another_context", physical_memory_of_another_context, "other-context",
     "hPhysicalMemory", NULL},
    {"physical_memory_left_behind", physical_memory_left_behind, "leak", "zePhysicalMemCreate",
     NULL},
    {"physical_memory_without_a_device", physical_memory_without_a_device, "null-handle", "hDevice",
     NULL},
    {"growing_reservation", growing_reservation, "", NULL, NULL},
    {"list_run_after_other_memory_is_mapped", list_run_after_other_memory_is_mapped, "", NULL,
     NULL},
    {"system_memory_at_a_freed_reservation", system_memory_at_a_freed_reservation, "", NULL, NULL},
    {"part_of_a_physical_memory", part_of_a_physical_memory, "", NULL, NULL},
    {"hint_that_is_not_honoured", hint_that_is_not_honoured, "", NULL, NULL},
    {"mapped_pages_made_resident", mapped_pages_made_resident, "", NULL, NULL},
    {"physical_memory_of_the_host", physical_memory_of_the_host, "", NULL, NULL},
    {0}};
