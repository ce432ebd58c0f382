/* The functions that find the components of each class. */
#ifndef GEO_BACKEND_CPU_SYSMAN_CLASSES_H
#define GEO_BACKEND_CPU_SYSMAN_CLASSES_H

struct geo_finding;
struct geo_sysman;

void geo_cpu_sysman_find_power(struct geo_finding *finding);
void geo_cpu_sysman_find_frequency(struct geo_finding *finding);
void geo_cpu_sysman_find_engine(struct geo_finding *finding);
void geo_cpu_sysman_find_scheduler(struct geo_finding *finding);
void geo_cpu_sysman_find_firmware(struct geo_finding *finding);
void geo_cpu_sysman_find_memory(struct geo_finding *finding);
void geo_cpu_sysman_find_temperature(struct geo_finding *finding);
void geo_cpu_sysman_find_psu(struct geo_finding *finding);
void geo_cpu_sysman_find_fan(struct geo_finding *finding);
void geo_cpu_sysman_find_led(struct geo_finding *finding);
void geo_cpu_sysman_find_ras(struct geo_finding *finding);
void geo_cpu_sysman_find_diagnostics(struct geo_finding *finding);

#endif
