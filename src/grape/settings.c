/* Environment, configuration files of sapporo, and ranks of a host. */
#include "grape/settings.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/status.h"
#include "engine/engine.h"

enum { PIPES = 48, MOST_PIPES = 16384, NEIGHBOURS = 4096, MOST_NEIGHBOURS = 1 << 20 };
enum { MOST_DEVICE = 9999, MOST_RANK = 1 << 20 }; /* numbers of a device and of a process */

void ky_grape_say(const struct ky_grape_settings *settings, const char *format, ...)
{
    char line[1100];
    va_list arguments;
    if (!settings->verbose)
        return;
    va_start(arguments, format);
    ky_format_list(line, sizeof line, format, arguments);
    va_end(arguments);
    fprintf(stderr, "kyoho: %s\n", line);
}

/* ---- environment ---- */

static const char *variable(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

static enum ky_status read_number(const char *name, int least, int most, int *value,
                                  struct ky_error *error)
{
    const char *text = variable(name);
    char *end;
    if (!text)
        return KY_OK;
    const uint64_t number = ky_number_count(text, &end);
    if (end == text || *end || number < (uint64_t)least || number > (uint64_t)most)
        return ky_fail(error, KY_USAGE, "%s is '%s'; it takes a number from %d to %d", name, text,
                       least, most);
    *value = (int)number;
    return KY_OK;
}

static const char *const precisions[] = {
    [KY_SINGLE] = "single", [KY_EXTENDED] = "extended", [KY_DOUBLE] = "double"};

const char *ky_grape_precision(const struct ky_grape_settings *settings)
{
    return precisions[settings->precision];
}

/* A precision that is coarser than the default is refused. */
static enum ky_status read_precision(int *precision, struct ky_error *error)
{
    const char *text = variable("KYOHO_PRECISION");
    const int coarsest = *precision;
    for (int k = coarsest; text && k <= KY_DOUBLE; k++)
        if (!strcmp(text, precisions[k])) {
            *precision = k;
            return KY_OK;
        }
    if (text)
        return ky_fail(error, KY_USAGE, "KYOHO_PRECISION is '%s'; it takes %sextended or double",
                       text, coarsest == KY_SINGLE ? "single, " : "");
    return KY_OK;
}

static int is_verbose(void)
{
    const char *text = variable("KYOHO_VERBOSE");
    return text && strcmp(text, "0") != 0;
}

int ky_grape_read_pipes(void)
{
    struct ky_grape_settings settings = {.pipes = PIPES, .verbose = is_verbose()};
    struct ky_error error;
    if (read_number("KYOHO_NPIPES", 1, MOST_PIPES, &settings.pipes, &error) != KY_OK)
        ky_grape_say(&settings, "%s", error.text);
    return settings.pipes;
}

/* The number of this process among the processes of its host, from the launcher's variables. */
static enum ky_status read_rank(int *rank, struct ky_error *error)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID",
                                        "MV2_COMM_WORLD_LOCAL_RANK", "PMI_LOCAL_RANK",
                                        "SLURM_LOCALID"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (variable(names[k]))
            return read_number(names[k], 0, MOST_RANK, rank, error);
    return KY_OK;
}

/* ---- files ---- */

/* The signed number at the start of the next line; the rest of the line is a comment. */
static int next_number(FILE *file, int *number)
{
    char line[256];
    if (!fgets(line, sizeof line, file))
        return 0;
    const char *at = line + strspn(line, " \t");
    const int negative = *at == '-';
    char *end;
    at += negative;
    const uint64_t value = ky_number_count(at, &end);
    *number = negative ? -(int)value : (int)value;
    return end != at && value <= 1 << 20;
}

/* Files of sapporo. sapporo2.config begins with the number of devices; sapporo.config with the
 * number of bodies, then the number of devices. A device on each line follows. */
static const struct {
    const char *name;
    int before; /* lines before the number of devices */
} files[] = {{"sapporo2.config", 0}, {"sapporo.config", 1}};

/* The devices that a file requests. devices > 0: the devices in the list; < 0: that many, any; 0:
 * all. */
struct wish {
    const char *file; /* NULL: no file */
    int devices, list[KY_GRAPE_DEVICES];
};

static enum ky_status read_wish(FILE *file, int before, struct wish *wish, struct ky_error *error)
{
    int number;
    for (int k = 0; k < before; k++)
        if (!next_number(file, &number))
            return ky_fail(error, KY_USAGE, "%s: line %d is not a number", wish->file, k + 1);
    if (!next_number(file, &wish->devices) || wish->devices > KY_GRAPE_DEVICES ||
        wish->devices < -KY_GRAPE_DEVICES)
        return ky_fail(error, KY_USAGE, "%s: line %d has to be a number of devices, %d at most",
                       wish->file, before + 1, KY_GRAPE_DEVICES);
    for (int k = 0; k < wish->devices; k++)
        if (!next_number(file, &wish->list[k]) || wish->list[k] < 0)
            return ky_fail(error, KY_USAGE, "%s: line %d has to be the number of a device",
                           wish->file, before + 2 + k);
    return KY_OK;
}

static enum ky_status find_wish(struct wish *wish, struct ky_error *error)
{
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        FILE *file = fopen(files[k].name, "r");
        if (!file)
            continue;
        wish->file = files[k].name;
        const enum ky_status status = read_wish(file, files[k].before, wish, error);
        fclose(file);
        return status;
    }
    wish->file = NULL;
    return KY_OK;
}

/* ---- settings ---- */

static void add_list(char *key, size_t size, int count, const int *list)
{
    for (int k = 0; k < count; k++) {
        const size_t length = strlen(key);
        snprintf(key + length, size - length, " %d", list[k]);
    }
}

/* The devices that are asked for, as text. */
static enum ky_status make_key(struct ky_grape_settings *settings, struct ky_error *error)
{
    const char *engine = variable("KYOHO_ENGINE");
    char *key = settings->key;
    const size_t size = sizeof settings->key;
    struct wish wish;
    if (settings->special) {
        snprintf(key, size, "devices");
        add_list(key, size, (int)settings->special, settings->list);
    } else if (engine) {
        snprintf(key, size, "engine %s %d", engine, settings->rank);
    } else {
        const enum ky_status status = find_wish(&wish, error);
        if (status)
            return status;
        snprintf(key, size, "%s %d %d", wish.file ? wish.file : "rank",
                 wish.file ? wish.devices : 0, settings->rank);
        add_list(key, size, wish.file ? wish.devices : 0, wish.list);
    }
    snprintf(key + strlen(key), size - strlen(key), " precision %d", settings->precision);
    return KY_OK;
}

enum ky_status ky_grape_read(int precision, size_t special, const int *list,
                             struct ky_grape_settings *settings, struct ky_error *error)
{
    *settings = (struct ky_grape_settings){
        .precision = precision, .pipes = PIPES, .neighbours = NEIGHBOURS, .verbose = is_verbose()};
    if (special > KY_GRAPE_DEVICES)
        return ky_fail(error, KY_USAGE, "%zu devices; at most %d", special, KY_GRAPE_DEVICES);
    settings->special = special;
    for (size_t k = 0; k < special; k++)
        settings->list[k] = list[k];
    KY_TRY(read_precision(&settings->precision, error));
    KY_TRY(read_number("KYOHO_NPIPES", 1, MOST_PIPES, &settings->pipes, error));
    KY_TRY(read_number("KYOHO_NEIGHBOURS", 1, MOST_NEIGHBOURS, &settings->neighbours, error));
    KY_TRY(read_rank(&settings->rank, error));
    return make_key(settings, error);
}

/* ---- devices ---- */

/* The GPUs of the first driver that has any, in its order. */
static struct ky_grape_devices find_gpus(const char *engine)
{
    struct ky_grape_devices gpus = {.count = 0};
    struct ky_device device = {.size = sizeof device};
    for (size_t k = 0; gpus.count < KY_GRAPE_DEVICES && ky_device_get(k, &device) == KY_OK; k++) {
        char kind[32];
        snprintf(kind, sizeof kind, "%.*s", (int)strcspn(device.engine, ":"), device.engine);
        if (gpus.count && !ky_engine_is_named(gpus.name[0], kind))
            break;
        if (device.usable && !device.reason[0] && strcmp(kind, "cpu") != 0 &&
            (!engine || ky_engine_is_named(engine, kind)))
            snprintf(gpus.name[gpus.count++], sizeof *gpus.name, "%s", device.engine);
    }
    return gpus;
}

/* Takes that many GPUs, beginning at the one of this rank; without a GPU the CPU. */
static enum ky_status take_by_rank(const struct ky_grape_devices *gpus, size_t count, int rank,
                                   struct ky_grape_devices *devices, struct ky_error *error)
{
    if (gpus->count == 0) {
        devices->count = 1;
        snprintf(devices->name[0], sizeof *devices->name, "cpu");
        return KY_OK;
    }
    if (count > gpus->count)
        return ky_fail(error, KY_UNSUPPORTED, "%zu devices are requested, and there are %zu", count,
                       gpus->count);
    devices->count = count ? count : gpus->count;
    for (size_t k = 0; k < devices->count; k++)
        memcpy(devices->name[k], gpus->name[((size_t)rank * devices->count + k) % gpus->count],
               sizeof *devices->name);
    return KY_OK;
}

/* Takes the devices with these numbers of the driver. */
static enum ky_status take_list(const struct ky_grape_devices *gpus, size_t count, const int *list,
                                struct ky_grape_devices *devices, struct ky_error *error)
{
    if (gpus->count == 0)
        return ky_fail(error, KY_UNSUPPORTED,
                       "device %d is asked for, and there is no GPU; KYOHO_ENGINE=cpu does without",
                       list[0]);
    devices->count = count;
    for (size_t k = 0; k < count; k++)
        snprintf(devices->name[k], sizeof *devices->name, "%.*s:%d",
                 (int)strcspn(gpus->name[0], ":"), gpus->name[0], list[k]);
    return KY_OK;
}

/* Whether the first `length` characters are the number of a device. */
static int is_device(const char *text, int length)
{
    char *end;
    return length > 0 && ky_number_count(text, &end) <= MOST_DEVICE && end == text + length;
}

/* KYOHO_ENGINE: "cpu", "auto", "cuda:0,2"; "cuda" without a number is the device of this rank. */
static enum ky_status take_engine(const char *engine, int rank, struct ky_grape_devices *devices,
                                  struct ky_error *error)
{
    const char *colon = strchr(engine, ':');
    struct ky_grape_devices gpus = {.count = 0};
    if (!strcmp(engine, "auto"))
        gpus = find_gpus(NULL);
    else if (!colon && strcmp(engine, "cpu") != 0)
        gpus = find_gpus(engine);
    if (gpus.count || !strcmp(engine, "auto"))
        return take_by_rank(&gpus, 1, rank, devices, error);
    const int kind = (int)strcspn(engine, ":");
    devices->count = 0;
    for (const char *at = colon; at && *at; at = strchr(at + 1, ',')) {
        const int length = (int)strcspn(at + 1, ",");
        if (!is_device(at + 1, length))
            return ky_fail(error, KY_USAGE,
                           "KYOHO_ENGINE is '%s'; devices have numbers up to %d, as in cuda:0,2",
                           engine, MOST_DEVICE);
        if (devices->count == KY_GRAPE_DEVICES)
            return ky_fail(error, KY_USAGE, "KYOHO_ENGINE is '%s'; at most %d devices", engine,
                           KY_GRAPE_DEVICES);
        snprintf(devices->name[devices->count++], sizeof *devices->name, "%.*s:%.*s", kind, engine,
                 length, at + 1);
    }
    if (devices->count == 0)
        snprintf(devices->name[devices->count++], sizeof *devices->name, "%.*s",
                 (int)sizeof *devices->name - 1, engine);
    return KY_OK;
}

enum ky_status ky_grape_devices(const struct ky_grape_settings *settings,
                                struct ky_grape_devices *devices, struct ky_error *error)
{
    const char *engine = variable("KYOHO_ENGINE");
    struct ky_grape_devices gpus;
    struct wish wish;
    if (engine && !settings->special)
        return take_engine(engine, settings->rank, devices, error);
    const enum ky_status status = find_wish(&wish, error);
    gpus = find_gpus(engine && strcmp(engine, "auto") != 0 ? engine : NULL);
    if (settings->special)
        return take_list(&gpus, settings->special, settings->list, devices, error);
    if (status)
        return status;
    if (!wish.file)
        return take_by_rank(&gpus, 1, settings->rank, devices, error);
    if (wish.devices > 0)
        return take_list(&gpus, (size_t)wish.devices, wish.list, devices, error);
    return take_by_rank(&gpus, (size_t)-wish.devices, settings->rank, devices, error);
}
