/* Fabric ports: links to other ports, with traffic counters that stop while a port is disabled. */
#include "backend/simulated/classes.h"

struct sim_fabric_port {
    struct geo_sysman_fabric_port seam;
    zes_fabric_port_id_t remote;
    zes_fabric_port_speed_t speed;
    const struct sim_script *status, *quality, *failure, *rx, *tx;
    const struct sim_script *link_failures, *link_degrades, *firmware_errors, *communication_errors;
    struct {
        zes_fabric_port_config_t config;
    } now;
    bool enabled; /* initial state */
    struct sim_meter rx_meter, tx_meter;
};

static void meters_stop(struct sim_fabric_port *part, double t, bool stop)
{
    sim_meter_stop(&part->rx_meter, part->rx, t, stop);
    sim_meter_stop(&part->tx_meter, part->tx, t, stop);
}

SIM_OP(fabric_port, config, zes_fabric_port_config_t *config)
{
    SIM_BEGIN(fabric_port)
    config->enabled = part->now.config.enabled;
    config->beaconing = part->now.config.beaconing;
    SIM_END;
}

SIM_OP(fabric_port, set_config, const zes_fabric_port_config_t *config)
{
    SIM_BEGIN(fabric_port)
    part->now.config.enabled = config->enabled;
    part->now.config.beaconing = config->beaconing;
    meters_stop(part, t, !config->enabled);
    SIM_END;
}

SIM_OP(fabric_port, state, zes_fabric_port_state_t *state)
{
    SIM_BEGIN(fabric_port)
    if (!part->now.config.enabled) {
        state->status = ZES_FABRIC_PORT_STATUS_DISABLED;
        SIM_END;
    }
    state->status = (zes_fabric_port_status_t)sim_u32(
        sim_value(part->status, t, ZES_FABRIC_PORT_STATUS_HEALTHY));
    if (state->status == ZES_FABRIC_PORT_STATUS_DEGRADED) {
        state->qualityIssues = sim_u32(sim_value(part->quality, t, 0));
    }
    if (state->status == ZES_FABRIC_PORT_STATUS_FAILED) {
        state->failureReasons = sim_u32(sim_value(part->failure, t, 0));
    } else {
        state->remotePortId = part->remote;
        state->rxSpeed = state->txSpeed = part->speed;
    }
    SIM_END;
}

SIM_OP(fabric_port, throughput, zes_fabric_port_throughput_t *throughput)
{
    SIM_BEGIN(fabric_port)
    if (!part->rx || !part->tx) {
        return sim_leave_missing(part->rx ? "tx_bytes_per_s" : "rx_bytes_per_s", why);
    }
    throughput->rxCounter = sim_wrap(sim_meter_read(&part->rx_meter, part->rx, t), 64);
    throughput->txCounter = sim_wrap(sim_meter_read(&part->tx_meter, part->tx, t), 64);
    throughput->timestamp = sim_clock_us(t);
    SIM_END;
}

SIM_OP(fabric_port, errors, zes_fabric_port_error_counters_t *errors)
{
    SIM_BEGIN(fabric_port)
    errors->linkFailureCount = sim_u64(part->link_failures, t);
    errors->linkDegradeCount = sim_u64(part->link_degrades, t);
    errors->fwErrorCount = sim_u64(part->firmware_errors, t);
    errors->fwCommErrorCount = sim_u64(part->communication_errors, t);
    SIM_END;
}

static const struct geo_sysman_fabric_port_ops ops = {
    .config = fabric_port_config,
    .set_config = fabric_port_set_config,
    .state = fabric_port_state,
    .throughput = fabric_port_throughput,
    .errors = fabric_port_errors,
};

/* ---- keys ---- */

#define ID(field) offsetof(zes_fabric_port_id_t, field)
static const struct sim_key id_keys[] = {
    {"fabric", SIM_U32, ID(fabricId), .help = "0"},
    {"attach", SIM_U32, ID(attachId), .help = "0"},
    {"port", SIM_U8, ID(portNumber), .help = "0"},
};
static const struct sim_table id_table = {"id of a port", SIM_KEYS(id_keys),
                                          .bytes = sizeof(zes_fabric_port_id_t)};

#define SPEED(field) offsetof(zes_fabric_port_speed_t, field)
static const struct sim_key speed_keys[] = {
    {"bits_per_s", SIM_I64, SPEED(bitRate), .required = true, .help = "speed of a lane"},
    {"width", SIM_I32, SPEED(width), .help = "lanes; -1: unknown"},
};
static const zes_fabric_port_speed_t speed_unknown = {-1, -1};
static const struct sim_table speed_table = {"speed of a port", SIM_KEYS(speed_keys),
                                             .bytes = sizeof(zes_fabric_port_speed_t),
                                             .defaults = &speed_unknown};

#define AT(field) offsetof(struct sim_fabric_port, field)
#define COUNT     .max = 0x1p53, .help = "0"
static const struct sim_key keys[] = {
    SIM_COMPONENT_KEYS(struct sim_fabric_port),
    {"model", SIM_CHARS, AT(seam.properties.model), .size = ZES_MAX_FABRIC_PORT_MODEL_SIZE,
     .help = "empty"},
    {"link", SIM_CHARS, AT(seam.link_type.desc), .size = ZES_MAX_FABRIC_LINK_TYPE_SIZE,
     .help = "kind of the cable; empty"},
    {"id", SIM_OBJECT, AT(seam.properties.portId), .table = &id_table, .required = true,
     .help = "identity of this port"},
    {"remote", SIM_OBJECT, AT(remote), .table = &id_table,
     .help = "identity of the port at the other end"},
    {"speed", SIM_OBJECT, AT(speed), .table = &speed_table,
     .help = "current maximum bandwidth, both directions; unknown"},
    {"max_rx_speed", SIM_OBJECT, AT(seam.properties.maxRxSpeed), .table = &speed_table,
     .help = "unknown"},
    {"max_tx_speed", SIM_OBJECT, AT(seam.properties.maxTxSpeed), .table = &speed_table,
     .help = "unknown"},
    {"enabled", SIM_BOOL, AT(now.config.enabled), .help = "true"},
    {"beaconing", SIM_BOOL, AT(now.config.beaconing), .help = "false"},
    {"status", SIM_SCRIPT, AT(status), .words = "zes_fabric_port_status_t",
     .help = "healthy; `disabled` while it is off"},
    {"quality_issues", SIM_SCRIPT, AT(quality), .words = "zes_fabric_port_qual_issue_flags_t",
     .help = "reasons while the port is degraded; none"},
    {"failure_reasons", SIM_SCRIPT, AT(failure), .words = "zes_fabric_port_failure_flags_t",
     .help = "reasons while the port is failed; none"},
    {"rx_bytes_per_s", SIM_RATE, AT(rx), .max = 1e18, .help = "rate; programs read its integral"},
    {"tx_bytes_per_s", SIM_RATE, AT(tx), .max = 1e18, .help = "rate; programs read its integral"},
    {"link_failures", SIM_SCRIPT, AT(link_failures), COUNT},
    {"link_degrades", SIM_SCRIPT, AT(link_degrades), COUNT},
    {"firmware_errors", SIM_SCRIPT, AT(firmware_errors), COUNT},
    {"communication_errors", SIM_SCRIPT, AT(communication_errors), COUNT},
};
static const struct sim_fabric_port defaults = {
    .seam = {.base = {.subdevice = -1},
             .properties = {.maxRxSpeed = {-1, -1}, .maxTxSpeed = {-1, -1}},
             .ops = &ops},
    .speed = {-1, -1},
    .now = {.config = {.enabled = 1}}};

static void settle(void *item, double t)
{
    struct sim_fabric_port *part = item;
    meters_stop(part, t, !part->enabled);
}

static bool finish(struct sim_reader *reader, void *item)
{
    struct sim_fabric_port *part = item;
    (void)reader;
    part->enabled = part->now.config.enabled;
    part->rx_meter.stopped = part->tx_meter.stopped = !part->enabled;
    return true;
}

SIM_TABLE(fabric_port, finish);
const struct sim_class sim_fabric_port_class = SIM_SETTLED_CLASS(fabric_port, FABRIC_PORT, settle);
