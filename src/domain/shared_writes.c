/* Files that all ranks write together. Each rank has a portion of the bodies and writes its
 * piece of each part of a file. It goes array by array, so that a rank needs little memory. */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "domain/domain.h"
#include "engine/common/finite.h"

struct writer {
    struct ky_domain *domain;
    size_t first, n; /* of the caller's order */
    struct ky_domain_permutation permutation;
    struct ky_domain_plan plan;
    uint64_t before[KY_WRITE_TYPES]; /* bodies of each type in the portions before */
    uint8_t *type;                   /* [n], or NULL */
    struct ky_file **file;           /* NULL until the rank writes to it */
    double *numbers, *chunk;         /* numbers: [n] of the present array; chunk: some numbers that
                                        are written together */
};

/* ---- broadcasts of rank 0 ---- */

/* How many bodies of each type come before the portions, on rank 0. */
static void count_types(const struct writer *s, const uint8_t *type,
                        uint64_t (*before)[KY_WRITE_TYPES])
{
    uint64_t count[KY_WRITE_TYPES] = {0};
    for (int r = 0; r < s->domain->comm->size; r++) {
        memcpy(before[r], count, sizeof count);
        for (size_t i = ky_domain_portion_start(s->domain, r);
             i < ky_domain_portion_start(s->domain, r + 1); i++)
            count[type[i]]++;
    }
}

/* Rank 0 sends every rank the types of its portion. `type`: of all bodies, on rank 0. */
static enum ky_status tell_types(struct writer *s, const uint8_t *type, struct ky_error *error)
{
    struct ky_comm *comm = s->domain->comm;
    const size_t size = (size_t)comm->size;
    size_t *out = ky_allocate_zeroed(size, sizeof *out), *in = ky_allocate_zeroed(size, sizeof *in);
    uint64_t(*before)[KY_WRITE_TYPES] = ky_allocate_zeroed(size, sizeof *before);
    s->type = ky_allocate(s->n, 1);
    enum ky_status status =
        out && in && before && s->type ? KY_OK : ky_no_memory(error, "types", s->n, 1);
    if (!status && !comm->rank)
        count_types(s, type, before);
    for (int r = 0; r < comm->size && !status && !comm->rank; r++)
        out[r] = ky_domain_portion_start(s->domain, r + 1) - ky_domain_portion_start(s->domain, r);
    if (!status)
        in[0] = s->n;
    if (!status)
        status = ky_comm_all_to_all(comm, type, out, s->type, in, 1, error);
    if (!status)
        status = ky_comm_broadcast(comm, before, size * sizeof *before, error);
    if (!status)
        memcpy(s->before, before[comm->rank], sizeof s->before);
    free(out);
    free(in);
    free(before);
    return status;
}

/* ---- files ---- */

/* The rank's own stream to a file, opened when it is needed. NULL after a failure. */
static struct ky_file *stream(struct writer *s, size_t file, struct ky_error *outcome)
{
    const struct ky_domain_file *named = &s->plan.file[file];
    if (!s->file[file] &&
        ky_file_join(named->path, named->open, named->is_new, &s->file[file], outcome) ==
            KY_CANNOT_WRITE &&
        s->domain->comm->rank)
        ky_file_unseen(outcome, (size_t)s->domain->comm->rank);
    return s->file[file];
}

/* Writes the numbers of `count` bodies of a type, beginning with number `skip` of this type in the
 * portion, divided and multiplied as the part says. */
static void write_chosen(struct writer *s, const struct ky_write_piece *part, struct ky_file *file,
                         uint64_t skip, uint64_t count, uint64_t offset)
{
    const size_t columns = (size_t)ky_arrays[part->array].columns,
                 bytes = ky_arrays[part->array].bytes;
    size_t filled = 0;
    for (size_t i = 0; count; i++) {
        if (part->type != KY_ALL_TYPES && s->type[i] != part->type)
            continue;
        if (skip) {
            skip--;
            continue;
        }
        for (size_t c = 0; c < columns; c++) /* 1 changes no bits */
            s->chunk[filled * columns + c] =
                s->numbers[i * columns + c] / part->divisor * part->factor;
        count--;
        if (++filled < KY_DOMAIN_CHUNK && count)
            continue;
        ky_file_write_at(file, offset, s->chunk, filled * bytes);
        offset += filled * bytes;
        filled = 0;
    }
}

/* Writes a part's numbers of the portion. */
static void write_part(struct writer *s, struct ky_write_piece *part, struct ky_error *outcome)
{
    const size_t bytes = ky_arrays[part->array].bytes;
    const int all = part->type == KY_ALL_TYPES;
    uint64_t begin = all ? s->first : s->before[part->type], end = begin + s->n;
    for (size_t i = 0; i < s->n && !all; i++)
        end -= s->type[i] != part->type;
    const uint64_t from = begin > part->first ? begin : part->first,
                   last = part->first + part->count, to = end < last ? end : last,
                   offset = part->offset + (from - part->first) * bytes;
    struct ky_file *file = to > from ? stream(s, part->file, outcome) : NULL;
    if (!file)
        return;
    if (!all || part->factor != 1 || part->divisor != 1) {
        write_chosen(s, part, file, from - begin, to - from, offset);
        return;
    }
    const char *numbers = (const char *)s->numbers + (from - begin) * bytes;
    if (s->plan.hashes)
        part->hash = ky_hash(numbers, (to - from) * bytes, 0);
    ky_file_write_at(file, offset, numbers, (to - from) * bytes);
}

/* Array by array. *outcome: the first failure of a file, or a number that is not finite. */
static enum ky_status write_arrays(struct writer *s, struct ky_error *outcome,
                                   struct ky_error *error)
{
    const size_t widest = 3 * sizeof(double);
    struct ky_domain *domain = s->domain;
    enum ky_status status = KY_OK;
    s->numbers = ky_allocate(s->n, widest);
    s->chunk = ky_allocate(KY_DOMAIN_CHUNK, widest);
    if (!s->numbers || !s->chunk)
        return ky_no_memory(error, "bodies of a rank", s->n, widest);
    for (int k = 0; k < KY_ARRAYS && !status; k++) {
        struct ky_bodies bodies = {.n = s->n};
        int wanted = 0;
        for (size_t p = 0; p < s->plan.parts; p++)
            wanted |= (int)s->plan.part[p].array == k;
        if (!wanted)
            continue;
        status = ky_domain_fetch(domain, &s->permutation, (enum ky_array_id)k, s->numbers, error);
        ky_array_set(&bodies, (enum ky_array_id)k, s->numbers);
        if (!status && !outcome->status)
            ky_finite_some(domain->engine->threads, &bodies, s->first, outcome);
        for (size_t p = 0; p < s->plan.parts && !status && !outcome->status; p++)
            if ((int)s->plan.part[p].array == k)
                write_part(s, &s->plan.part[p], outcome);
    }
    return status;
}

/* Waits for the disk. The first failure counts. */
static void finish_files(const struct writer *s, struct ky_error *outcome)
{
    struct ky_error own = {KY_OK, ""};
    for (size_t f = 0; s->file && f < s->plan.files; f++) {
        if (s->file[f] && ky_file_finish(s->file[f], &own) && !outcome->status)
            *outcome = own;
        ky_file_discard(s->file[f]);
        s->file[f] = NULL;
    }
}

/* Broadcasts the hash of each part, which exactly one rank has computed. */
static enum ky_status tell_hashes(const struct writer *s, struct ky_error *error)
{
    struct ky_comm *comm = s->domain->comm;
    const size_t count = s->plan.hashes ? s->plan.parts : 0;
    uint64_t *hash = ky_allocate(count, sizeof *hash);
    enum ky_status status = hash ? KY_OK : ky_no_memory(error, "checksums", count, sizeof *hash);
    for (size_t p = 0; p < count && !status; p++)
        hash[p] = s->plan.part[p].hash;
    if (!status && count)
        status = comm->verbs->add(comm, hash, count, error);
    for (size_t p = 0; p < count && !status; p++)
        s->plan.part[p].hash = hash[p];
    free(hash);
    return status;
}

static void free_writer(struct writer *s, struct ky_error *outcome)
{
    finish_files(s, outcome);
    free(s->file);
    ky_domain_free_plan(&s->plan);
    free(s->type);
    ky_domain_free_permutation(&s->permutation);
    free(s->numbers);
    free(s->chunk);
}

enum ky_status ky_domain_write(struct ky_domain *domain, struct ky_write_plan *plan,
                               struct ky_error *outcome, struct ky_error *error)
{
    const int rank = domain->comm->rank;
    struct writer s = {.domain = domain, .first = ky_domain_portion_start(domain, rank)};
    s.n = ky_domain_portion_start(domain, rank + 1) - s.first;
    *outcome = (struct ky_error){KY_OK, ""};
    enum ky_status status = ky_domain_tell_plan(domain, plan, &s.plan, error);
    if (!status && !(s.file = ky_allocate_zeroed(s.plan.files, sizeof *s.file)))
        status = ky_no_memory(error, "files", s.plan.files, sizeof *s.file);
    if (!status && s.plan.has_types)
        status = tell_types(&s, plan ? plan->type : NULL, error);
    if (!status)
        status =
            ky_domain_find_permutation(domain, (size_t)domain->comm->size, &s.permutation, error);
    if (!status)
        status = write_arrays(&s, outcome, error);
    finish_files(&s, outcome);
    if (!status)
        status = ky_domain_tell_outcome(domain, outcome, error);
    if (!status)
        status = tell_hashes(&s, error);
    for (size_t p = 0; p < s.plan.parts && plan && !status; p++)
        plan->part[p].hash = s.plan.part[p].hash;
    free_writer(&s, outcome);
    return status;
}
