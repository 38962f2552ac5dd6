/* Reads the reports of kernels: see fault.h. */
#include "engine/device/driver/fault.h"

#include "base/status.h"

enum ky_status ky_faults_clear(struct ky_faults *faults, struct ky_card *card,
                               struct ky_error *error)
{
    KY_TRY(ky_buffer_need(card, &faults->words, "reports of kernels", KY_CAPACITY_COUNT,
                          sizeof(uint32_t), error));
    return card->driver->zero(card, &faults->words, error);
}

enum ky_status ky_faults_read(struct ky_faults *faults, struct ky_card *card,
                              uint32_t wanted[KY_CAPACITY_COUNT], struct ky_error *error)
{
    uint32_t any = 0;
    enum ky_status status = card->driver->read(card, &faults->words, 0, wanted,
                                               KY_CAPACITY_COUNT * sizeof *wanted, error);
    for (int k = 0; k < KY_CAPACITY_COUNT && !status; k++)
        any |= wanted[k];
    return any ? card->driver->zero(card, &faults->words, error) : status;
}

enum ky_status ky_faults_check(struct ky_faults *faults, struct ky_card *card, enum ky_capacity but,
                               uint32_t *wanted, struct ky_error *error)
{
#define WHAT(name, what) what,
    static const char *const names[] = {KY_CAPACITIES(WHAT)};
    uint32_t found[KY_CAPACITY_COUNT] = {0};
    enum ky_status status = ky_faults_read(faults, card, found, error);
    for (int k = 0; k < KY_CAPACITY_COUNT && !status; k++)
        if (k == (int)but)
            *wanted = found[k];
        else if (found[k] > 0)
            status = ky_fail(error, KY_DEVICE, "%s: the memory for %s is too small: %u needed",
                             card->name, names[k], found[k]);
    return status;
}

void ky_faults_release(struct ky_faults *faults, struct ky_card *card)
{
    ky_buffer_release(card, &faults->words);
}
