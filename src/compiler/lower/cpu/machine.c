/* The CPU as a machine: one thread runs a work-group as a loop, and W of its items are the lanes
 * of a vector. See README.md. */
#include "compiler/lower/cpu/call/call.h"
#include "compiler/lower/cpu/call/indirect.h"
#include "compiler/lower/cpu/call/service.h"
#include "compiler/lower/cpu/control/order.h"
#include "compiler/lower/cpu/frame/ids.h"
#include "compiler/lower/cpu/frame/launch.h"
#include "compiler/lower/cpu/frame/pending.h"
#include "compiler/lower/cpu/function/width.h"
#include "compiler/lower/cpu/group/block_io.h"
#include "compiler/lower/cpu/group/matrix.h"
#include "compiler/lower/cpu/group/move.h"
#include "compiler/lower/cpu/group/multiply.h"
#include "compiler/lower/cpu/group/reduce.h"
#include "compiler/lower/cpu/instance/descriptor.h"
#include "compiler/lower/cpu/module.h"

const struct geo_lower_machine geo_lower_cpu = {
    .name = "cpu",
    .emit = geo_cpu_module_emit,
    .finish = geo_cpu_module_finish,
    .vectors = true,
    .subgroup_size = geo_function_width_subgroup_size,
    .address_space = geo_frame_launch_address_space,
    .space_of = geo_frame_launch_space_of,
    .local_variable = geo_frame_launch_local_variable,
    .local_align = GEO_ABI_SCRATCH_ALIGN,
    .private_variable = geo_frame_launch_private_variable,
    .arguments = geo_frame_launch_arguments,
    .local_argument = geo_frame_launch_local_argument,
    .image_bytes = sizeof(struct geo_surface),
    .builtin = geo_frame_ids_builtin,
    .barrier = geo_control_order_barrier,
    .fence = geo_control_order_fence,
    .sync_scope = geo_control_order_sync_scope,
    .plain_local = true,
    .pends = geo_frame_pending_is,
    .pending_pays = geo_frame_pending_pays,
    .pend = geo_frame_pending_add,
    .vote = geo_group_move_vote,
    .ballot = geo_group_move_ballot,
    .broadcast = geo_group_move_broadcast,
    .shuffle = geo_group_move_shuffle,
    .reduce = geo_group_reduce,
    .block_io = geo_group_block_io,
    .matrix = geo_group_matrix,
    .multiply = geo_group_multiply,
    .collective = NULL,
    .call = geo_call_lower,
    .call_pointer = geo_call_lower_indirect,
    .function_address = geo_descriptor_address,
    .print = geo_call_service_print,
    .assert_fail = geo_call_service_assert_fail,
};
