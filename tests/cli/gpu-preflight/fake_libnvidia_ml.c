// SPDX-License-Identifier: MIT
// NVML without a card. It reads what the fake nvidia-smi reads: smi/N holds FIELD=VALUE of card N, smi/N.load
// what changes while there is a file ./copying, smi/apps and smi/remapped are rows. FAKE_NVML_DIR stands for
// smi. FAKE_NVML_INIT=N is the error of nvmlInit, FAKE_NVML_HANG=nvmlCall never returns, FAKE_NVML_LOST=N is
// the index of a lost card, FAKE_NVML_LONG writes entries of processes that are longer than is documented.
// With -DOLD it has the functions of the first versions alone.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    success = 0,
    invalid_argument = 2,
    not_supported = 3,
    no_permission = 4,
    not_found = 6,
    insufficient_size = 7,
    gpu_is_lost = 15,
    reset_required = 16,
    unknown = 999
};

static int setting(const char* name, int otherwise)
{
    const char* text = getenv(name);
    return text ? atoi(text) : otherwise;
}

static void enter(const char* call)
{
    const char* hang = getenv("FAKE_NVML_HANG");
    while (hang && strcmp(hang, call) == 0)
        pause();
}

static FILE* file_of(const char* name)
{
    const char* folder = getenv("FAKE_NVML_DIR");
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder ? folder : "smi", name);
    return fopen(path, "r");
}

static int index_of(const void* device)
{
    return (int)((size_t)device - 1);
}

// The value of a field of a card; the last of a file counts. False where there is none.
static int find_field(const char* file_name, const char* field, char* value, size_t size)
{
    char line[1024];
    const size_t length = strlen(field);
    int found = 0;
    FILE* file = file_of(file_name);
    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        if (strncmp(line, field, length) == 0 && line[length] == '=') {
            snprintf(value, size, "%s", line + length + 1);
            found = 1;
        }
    }
    if (file)
        fclose(file);
    return found;
}

static int text_of(const void* device, const char* field, char* value, size_t size)
{
    char name[64];
    snprintf(name, sizeof name, "%d.load", index_of(device));
    if (access("copying", F_OK) != 0 || !find_field(name, field, value, size)) {
        snprintf(name, sizeof name, "%d", index_of(device));
        if (!find_field(name, field, value, size))
            return not_supported;
    }
    return strcmp(value, "[N/A]") == 0                        ? not_supported
           : strcmp(value, "[Insufficient Permissions]") == 0 ? no_permission
           : strcmp(value, "[GPU is lost]") == 0              ? gpu_is_lost
           : strcmp(value, "[GPU requires reset]") == 0       ? reset_required
           : strcmp(value, "[Unknown Error]") == 0            ? unknown
                                                              : success;
}

static int number_of(const void* device, const char* field, unsigned* value)
{
    char text[256];
    const int error = text_of(device, field, text, sizeof text);
    *value = (unsigned)strtoul(text[0] == 'P' ? text + 1 : text, NULL, 10);
    return error;
}

static int word_of(const void* device, const char* field, const char* word, unsigned* value)
{
    char text[256];
    const int error = text_of(device, field, text, sizeof text);
    *value = strcmp(text, word) == 0;
    return error;
}

static int copy_text(const void* device, const char* field, char* value, unsigned size)
{
    enter(field);
    return text_of(device, field, value, size);
}

#ifdef OLD
#define VERSION(name, version) name
#else
#define VERSION(name, version) name##_v##version
#endif

int VERSION(nvmlInit, 2)(void)
{
    enter("nvmlInit");
    puts("noise of a driver");
    return setting("FAKE_NVML_INIT", success);
}

const char* nvmlErrorString(int error)
{
    return error == gpu_is_lost ? "GPU is lost" : error == 9 ? "Driver Not Loaded" : "Unknown Error";
}

int VERSION(nvmlDeviceGetCount, 2)(unsigned* count)
{
    for (*count = 0;; ++*count) {
        char name[16];
        snprintf(name, sizeof name, "%u", *count);
        FILE* file = file_of(name);
        if (!file)
            return success;
        fclose(file);
    }
}

int VERSION(nvmlDeviceGetHandleByIndex, 2)(unsigned index, void** device)
{
    *device = (void*)(size_t)(index + 1);
    return setting("FAKE_NVML_LOST", -1) == (int)index ? gpu_is_lost : success;
}

int nvmlSystemGetDriverVersion(char* version, unsigned size)
{
    return copy_text((void*)1, "driver_version", version, size);
}

int nvmlDeviceGetName(void* device, char* name, unsigned size)
{
    return copy_text(device, "name", name, size);
}
int nvmlDeviceGetUUID(void* device, char* uuid, unsigned size)
{
    return copy_text(device, "uuid", uuid, size);
}

int VERSION(nvmlDeviceGetPciInfo, 3)(void* device, void* info)
{
    struct {
        char legacy[16];
        unsigned domain, bus, device, device_id, subsystem_id;
#ifndef OLD
        char address[32];
#else
        unsigned reserved[4];
#endif
    } now = {0};
    char text[64];
    const int error = text_of(device, "pci.bus_id", text, sizeof text);
    if (sscanf(text, "%x:%x:%x", &now.domain, &now.bus, &now.device) != 3)
        return unknown;
    memcpy(info, &now, sizeof now);
    return error;
}
#ifdef OLD
int nvmlDeviceGetPciInfo_v2(void* device, void* info)
{
    return nvmlDeviceGetPciInfo(device, info);
}
#endif

static unsigned long long bytes_of(const void* device, const char* field, int* error)
{
    unsigned mib = 0;
    const int own = number_of(device, field, &mib);
    *error = own ? own : *error;
    return (unsigned long long)mib << 20;
}

int nvmlDeviceGetMemoryInfo(void* device, unsigned long long* total_free_used)
{
    int error = success;
    total_free_used[0] = bytes_of(device, "memory.total", &error);
    total_free_used[1] = bytes_of(device, "memory.free", &error);
    total_free_used[2] = bytes_of(device, "memory.used", &error);
    return error;
}

#ifndef OLD
int nvmlDeviceGetMemoryInfo_v2(void* device, void* memory)
{
    struct {
        unsigned version;
        unsigned long long total, reserved, free, used;
    } now;
    int error = success;
    memcpy(&now, memory, sizeof now);
    if (now.version != (sizeof now | (2u << 24)))
        return invalid_argument;
    now.total = bytes_of(device, "memory.total", &error);
    now.free = bytes_of(device, "memory.free", &error);
    now.used = bytes_of(device, "memory.used", &error);
    now.reserved = 0;
    memcpy(memory, &now, sizeof now);
    return error;
}
#endif

#define NUMBER(name, field)                                \
    int nvmlDeviceGet##name(void* device, unsigned* value) \
    {                                                      \
        enter("nvmlDeviceGet" #name);                      \
        return number_of(device, field, value);            \
    }
NUMBER(PerformanceState, "pstate")
NUMBER(FanSpeed, "fan.speed")
NUMBER(CurrPcieLinkGeneration, "pcie.link.gen.current")
NUMBER(MaxPcieLinkGeneration, "pcie.link.gen.max")
NUMBER(CurrPcieLinkWidth, "pcie.link.width.current")
NUMBER(MaxPcieLinkWidth, "pcie.link.width.max")

int nvmlDeviceGetUtilizationRates(void* device, unsigned* chip_and_memory)
{
    chip_and_memory[1] = 0;
    return number_of(device, "utilization.gpu", chip_and_memory);
}

int nvmlDeviceGetTemperature(void* device, unsigned sensor, unsigned* value)
{
    return sensor == 0 ? number_of(device, "temperature.gpu", value) : invalid_argument;
}

int nvmlDeviceGetPowerUsage(void* device, unsigned* milliwatts)
{
    char text[64];
    const int error = text_of(device, "power.draw", text, sizeof text);
    *milliwatts = (unsigned)(atof(text) * 1000);
    return error;
}

int nvmlDeviceGetPersistenceMode(void* device, unsigned* on)
{
    return word_of(device, "persistence_mode", "Enabled", on);
}

int nvmlDeviceGetMigMode(void* device, unsigned* now, unsigned* pending)
{
    *pending = 0;
    return word_of(device, "mig.mode.current", "Enabled", now);
}

int nvmlDeviceGetRetiredPagesPendingStatus(void* device, unsigned* pending)
{
    return word_of(device, "retired_pages.pending", "Yes", pending);
}

int nvmlDeviceGetTotalEccErrors(void* device, unsigned uncorrected, unsigned aggregate,
                                unsigned long long* count)
{
    char field[128], text[64];
    snprintf(field, sizeof field, "ecc.errors.%s.%s.total", uncorrected ? "uncorrected" : "corrected",
             aggregate ? "aggregate" : "volatile");
    const int error = text_of(device, field, text, sizeof text);
    *count = strtoull(text, NULL, 10);
    return error;
}

#ifdef OLD
int nvmlDeviceGetCurrentClocksThrottleReasons(void* device, unsigned long long* reasons)
#else
int nvmlDeviceGetCurrentClocksEventReasons(void* device, unsigned long long* reasons)
#endif
{
    static const struct {
        const char* field;
        unsigned long long bit;
    } known[] = {{"clocks_event_reasons.hw_slowdown", 0x8},
                 {"clocks_event_reasons.sw_thermal_slowdown", 0x20},
                 {"clocks_event_reasons.hw_thermal_slowdown", 0x40},
                 {"clocks_event_reasons.hw_power_brake_slowdown", 0x80}};
    *reasons = 0x1; // idle
    for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i) {
        unsigned active = 0;
        const int error = word_of(device, known[i].field, "Active", &active);
        if (error)
            return error;
        *reasons |= active ? known[i].bit : 0;
    }
    return success;
}

int nvmlDeviceGetRemappedRows(void* device, unsigned* corrected, unsigned* uncorrected, unsigned* pending,
                              unsigned* failed)
{
    char at[64], row[256], first[32], last[32];
    FILE* file = file_of("remapped");
    *corrected = *uncorrected = *pending = *failed = 0;
    text_of(device, "pci.bus_id", at, sizeof at);
    while (file && fgets(row, sizeof row, file)) {
        if (strncmp(row, at, strlen(at)) == 0 &&
            sscanf(row + strlen(at), ", %31[^,], %31s", first, last) == 2) {
            *pending = strcmp(first, "Yes") == 0 || atoi(first) > 0;
            *failed = strcmp(last, "Yes") == 0;
        }
    }
    if (file)
        fclose(file);
    return success;
}

// A row of smi/apps: "pid, name, 10 MiB, uuid, bus id".
static int list(const void* device, unsigned* count, char* entries, size_t size)
{
    char uuid[128], row[512], name[128], memory[64], owner[128];
    unsigned pid = 0, room = *count;
    FILE* file = file_of("apps");
    enter("nvmlDeviceGetComputeRunningProcesses");
    text_of(device, "uuid", uuid, sizeof uuid);
    *count = 0;
    while (file && fgets(row, sizeof row, file)) {
        if (sscanf(row, "%u, %127[^,], %63[^,], %127[^,]", &pid, name, memory, owner) != 4 ||
            strcmp(owner, uuid) != 0)
            continue;
        if (*count < room) {
            const unsigned long long bytes =
                strcmp(memory, "[N/A]") == 0 ? ~0ull : (unsigned long long)atoll(memory) << 20;
            char* entry = entries + *count * size;
            memset(entry, 0, size);
            memcpy(entry, &pid, sizeof pid);
            memcpy(entry + 8, &bytes, sizeof bytes);
        }
        ++*count;
    }
    if (file)
        fclose(file);
    return *count > room ? insufficient_size : success;
}

#ifdef OLD
int nvmlDeviceGetComputeRunningProcesses(void* device, unsigned* count, void* entries)
{
    return list(device, count, entries, 16);
}
#else
int nvmlDeviceGetComputeRunningProcesses_v3(void* device, unsigned* count, void* entries)
{
    return list(device, count, entries, getenv("FAKE_NVML_LONG") ? 32 : 24);
}
#endif

int nvmlSystemGetProcessName(unsigned pid, char* name, unsigned size)
{
    char row[512], text[128];
    unsigned seen = 0;
    FILE* file = file_of("apps");
    int error = not_found;
    while (file && fgets(row, sizeof row, file)) {
        if (sscanf(row, "%u, %127[^,]", &seen, text) == 2 && seen == pid) {
            snprintf(name, size, "%s", text);
            error = success;
        }
    }
    if (file)
        fclose(file);
    return error;
}
