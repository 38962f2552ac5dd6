/* The devices of the ranks: their names, and the log lines about ranks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "domain/domain.h"
#include "engine/common/device_list.h"
#include "engine/common/force_kinds.h"

/* 1 if an earlier rank has the device of rank r. */
static int is_named(char (*name)[KY_ENGINE_NAME], int r)
{
    for (int k = 0; k < r; k++)
        if (!strcmp(name[k], name[r]))
            return 1;
    return 0;
}

enum ky_status ky_domain_name_devices(struct ky_domain *domain, struct ky_error *error)
{
    struct ky_comm *comm = domain->comm;
    const size_t ranks = (size_t)comm->size;
    char *text = domain->devices, (*name)[KY_ENGINE_NAME];
    *text = '\0';
    if (!ky_domain_is_for_devices(domain->processor))
        return KY_OK;
    if (!(name = ky_allocate(ranks, sizeof *name)))
        return ky_no_memory(error, "the ranks", ranks, sizeof *name);
    const enum ky_status status =
        comm->verbs->gather(comm, domain->processor, sizeof *name, name, error);
    size_t used = 0;
    domain->device_count = 0;
    for (int r = 0; r < comm->size && !status; r++) {
        if (is_named(name, r))
            continue;
        domain->device_count++;
        if (used < sizeof domain->devices)
            used += (size_t)snprintf(text + used, sizeof domain->devices - used, "%s%s",
                                     r > 0 ? ", " : "", name[r]);
    }
    free(name);
    return status;
}

enum ky_status ky_domain_compare_bits(struct ky_domain *domain, struct ky_error *error)
{
    uint64_t *bits;
    KY_TRY(ky_comm_gather(domain->comm, &domain->engine->bits, sizeof *bits, &bits, error));
    domain->odd = 0;
    for (int r = domain->comm->size - 1; r > 0; r--)
        if (bits[r] != bits[0])
            domain->odd = r;
    free(bits);
    return KY_OK;
}

/* Threads of one process that are given, by --threads, and that no rank has. */
static void warn_of_idle_threads(const struct ky_domain *domain, int given)
{
    const int idle = given - domain->comm->size * domain->parameters.threads;
    if (idle > 0 && !domain->comm->is_process && !*domain->devices)
        ky_log(&domain->parameters, KY_LOG_WARNING,
               "%d of the %d threads of --threads %s idle: all ranks have the same number", idle,
               given, ky_plural((uint64_t)idle, "is", "are"));
}

/* In a block each device walks through the tree for all active bodies. */
static void warn_of_same_work(const struct ky_domain *domain, const struct ky_parameters *given,
                              unsigned schemes)
{
    if (schemes & KY_SCHEMES_IN_BLOCKS && ky_force_kind(given->force)->has_tree)
        ky_log(&domain->parameters, KY_LOG_WARNING,
               "in block steps each of the %d ranks computes all forces, which takes as long as on "
               "one device",
               domain->comm->size);
}

void ky_domain_tell_kind(const struct ky_domain *domain, const struct ky_parameters *given,
                         unsigned schemes, const char *why)
{
    const char *engine = given->engine;
    const struct ky_parameters *parameters = &domain->parameters;
    const int threads = parameters->threads, local = domain->comm->local_size;
    size_t devices = 0;
    ky_log(parameters, KY_LOG_INFO, "%d ranks by %s, %d %s each%s%s: %s%s%s", domain->comm->size,
           domain->comm->verbs->name, threads, ky_plural((uint64_t)threads, "thread", "threads"),
           *domain->devices ? ", on " : "", domain->devices,
           why ? "every rank has all bodies (" : "each has a part of the bodies", why ? why : "",
           why ? ")" : "");
    warn_of_idle_threads(domain, given->threads);
    if (domain->odd)
        ky_log(parameters, KY_LOG_WARNING,
               "the processors of rank 0 and rank %d differ in the last digits of "
               "1/sqrt(x): " KY_OTHER_BITS,
               domain->odd);
    if (*domain->devices && why)
        warn_of_same_work(domain, given, schemes);
    if (!*domain->devices || ky_device_list(engine, &devices, NULL))
        return;
    if (!devices) /* no list: each rank has taken a device */
        devices = domain->device_count;
    if (devices > (size_t)local)
        ky_log(parameters, KY_LOG_WARNING,
               "%zu of the %zu devices of --engine %s are unused: the %d %s of this computer take "
               "one each",
               devices - (size_t)local, devices, engine, local,
               ky_plural((uint64_t)local, "rank", "ranks"));
    if (devices < (size_t)local)
        ky_log(parameters, KY_LOG_WARNING,
               "%d ranks of this computer share %zu %s of --engine %s, which is slower than a "
               "device for each",
               local, devices, ky_plural(devices, "device", "devices"), engine);
}
