/* Plans of files that all ranks write or read, and their outcome. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "domain/domain.h"

static enum ky_status name_files(struct ky_domain_file *to, const struct ky_write_plan *given,
                                 struct ky_error *error)
{
    for (size_t f = 0; f < given->files; f++) {
        const struct ky_write_file *file = &given->file[f];
        if (strlen(file->path) >= KY_DOMAIN_NAME || strlen(file->open) >= KY_DOMAIN_NAME)
            return ky_fail(error, KY_USAGE, "%s: the name is longer than %d bytes", file->path,
                           KY_DOMAIN_NAME - 1);
        strcpy(to[f].path, file->path);
        strcpy(to[f].open, file->open);
        to[f].is_new = file->is_new;
    }
    return KY_OK;
}

enum ky_status ky_domain_tell_plan(struct ky_domain *domain, const struct ky_write_plan *given,
                                   struct ky_domain_plan *plan, struct ky_error *error)
{
    struct ky_comm *comm = domain->comm;
    struct ky_domain_plan told = {0};
    if (given)
        told = (struct ky_domain_plan){.files = given->files,
                                       .parts = given->parts,
                                       .has_types = given->type != NULL,
                                       .hashes = given->hashes};
    *plan = (struct ky_domain_plan){0};
    KY_TRY(ky_comm_broadcast(comm, &told, sizeof told, error));
    *plan = told;
    plan->file = ky_allocate(plan->files, sizeof *plan->file);
    plan->part = ky_allocate_zeroed(plan->parts, sizeof *plan->part);
    if (!plan->file || !plan->part)
        return ky_no_memory(error, "parts of files", plan->files + plan->parts, sizeof *plan->file);
    if (given) {
        memcpy(plan->part, given->part, plan->parts * sizeof *given->part);
        for (size_t p = 0; p < plan->parts; p++)
            plan->part[p].hash = 0;
        KY_TRY(name_files(plan->file, given, error));
    }
    KY_TRY(ky_comm_broadcast(comm, plan->file, plan->files * sizeof *plan->file, error));
    return ky_comm_broadcast(comm, plan->part, plan->parts * sizeof *plan->part, error);
}

void ky_domain_free_plan(struct ky_domain_plan *plan)
{
    free(plan->file);
    free(plan->part);
}

enum ky_status ky_domain_tell_outcome(struct ky_domain *domain, struct ky_error *outcome,
                                      struct ky_error *error)
{
    const struct ky_error own = *outcome;
    struct ky_error *all;
    outcome->status = KY_OK;
    KY_TRY(ky_comm_gather(domain->comm, &own, sizeof own, &all, error));
    for (int r = 0; r < domain->comm->size && !outcome->status; r++)
        *outcome = all[r];
    free(all);
    return KY_OK;
}
