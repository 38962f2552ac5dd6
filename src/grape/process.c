/* Opening, closing, failures and forks of the process that calls. */
#include "grape/process.h"

#include "base/forks.h"

static int same_key(const struct ky_grape_settings *a, const struct ky_grape_settings *b)
{
    size_t k = 0;
    while (a->key[k] && a->key[k] == b->key[k])
        k++;
    return a->key[k] == b->key[k];
}

static enum ky_status open_pool(struct ky_grape_process *process, struct ky_error *error)
{
    struct ky_grape_devices devices;
    enum ky_status status = ky_grape_devices(&process->settings, &devices, error);
    ky_forks_watch();
    if (!status)
        status = ky_pool_open(&devices, &process->settings, &process->pool, error);
    for (size_t k = 0; !status && k < devices.count; k++)
        ky_grape_say(&process->settings, "device %zu of %zu: %s, %s", k + 1, devices.count,
                     devices.name[k], ky_grape_precision(&process->settings));
    return status;
}

int ky_grape_open(struct ky_grape_process *process, size_t special, const int *list)
{
    struct ky_error error = {.text = ""};
    struct ky_grape_settings settings;
    if (process->open && process->failed)
        return -1;
    if (process->open && !special && !ky_forks_is_child())
        return 0;
    enum ky_status status = ky_grape_read(process->precision, special, list, &settings, &error);
    if (ky_forks_is_child())
        status = ky_fail(&error, KY_UNSUPPORTED,
                         "the process that forked had opened devices, which cannot be used here");
    if (!status && process->open && same_key(&settings, &process->settings))
        return 0;
    if (!status && process->pool && !same_key(&settings, &process->settings)) {
        ky_pool_close(process->pool);
        process->pool = NULL;
    }
    process->settings = settings;
    if (!status && !process->pool)
        status = open_pool(process, &error);
    process->open = !status;
    process->failed = 0;
    return ky_grape_result(process, "open", status, &error);
}

int ky_grape_close(struct ky_grape_process *process)
{
    if (ky_forks_is_child())
        return -1;
    if (process->pool && (process->failed || ky_pool_clear(process->pool, NULL) != KY_OK)) {
        ky_pool_close(process->pool);
        process->pool = NULL;
    }
    process->open = process->failed = 0;
    return 0;
}

int ky_grape_pipes(const struct ky_grape_process *process)
{
    return process->open ? process->settings.pipes : ky_grape_read_pipes();
}

int ky_grape_unusable(struct ky_grape_process *process)
{
    return ky_forks_is_child() || !process->open || process->failed;
}

int ky_grape_result(struct ky_grape_process *process, const char *call, enum ky_status status,
                    const struct ky_error *error)
{
    if (!status)
        return 0;
    ky_grape_say(&process->settings, "%s: %s", call, error->text);
    if (status != KY_USAGE)
        process->failed = 1;
    return -1;
}
