/* Copies rows of numbers to and from columns on a card: the host side of
 * kernels/driver/reorder.k. */
#include "engine/device/state/rows.h"

#include "base/status.h"
#include "physics/space.h"

/* The rows to copy: the host's numbers, in their order. */
struct crossing {
    const struct ky_card *card;
    const double *from;
    double *to;
    double factor; /* in the direction of the copy */
    double box;
};

/* Doubles have loops of their own, which compilers vectorise. */
static void fill(const void *context, size_t first, size_t end, void *piece)
{
    const struct crossing *own = context;
    const double *from = own->from + first, factor = own->factor;
    const size_t count = end - first;
    union ky_state_value *number = piece;
    double *whole = piece;
    if (own->box > 0)
        for (size_t k = 0; k < count; k++)
            number[k] = ky_to_state(own->card, ky_wrap(from[k] * factor, own->box));
    else if (own->card->has_double)
        for (size_t k = 0; k < count; k++)
            whole[k] = from[k] * factor;
    else
        for (size_t k = 0; k < count; k++)
            number[k] = ky_to_state(own->card, from[k] * factor);
}

static void take(const void *context, size_t first, size_t end, void *piece)
{
    const struct crossing *own = context;
    const double factor = own->factor, *whole = piece;
    const size_t count = end - first;
    const union ky_state_value *number = piece;
    double *to = own->to + first;
    if (own->box > 0)
        for (size_t k = 0; k < count; k++)
            to[k] = ky_wrap(ky_from_state(own->card, number[k]), own->box) * factor;
    else if (own->card->has_double)
        for (size_t k = 0; k < count; k++)
            to[k] = whole[k] * factor;
    else
        for (size_t k = 0; k < count; k++)
            to[k] = ky_from_state(own->card, number[k]) * factor;
}

/* The numbers in transit on the card: in the scratch buffer, or in the column itself. */
static struct ky_staged staged_in(struct ky_buffer *buffer, struct ky_rows rows, size_t first)
{
    return (struct ky_staged){buffer, first * KY_STATE_BYTES, rows.count * rows.columns,
                              KY_STATE_BYTES};
}

/* 1 if the card stores the rows as they are transferred. */
static int is_plain(struct ky_rows rows, const struct ky_columns *columns)
{
    return rows.columns == 1 && !columns->order;
}

/* Converts rows to columns, or back. */
static enum ky_status move(struct ky_card *card, enum ky_kernel_id kernel,
                           const struct ky_buffer *from, const struct ky_buffer *to,
                           struct ky_rows rows, const struct ky_columns *at, struct ky_error *error)
{
    const uint32_t n = (uint32_t)at->n, first = (uint32_t)at->first, count = (uint32_t)rows.count,
                   columns = (uint32_t)rows.columns, ordered = at->order != NULL;
    const struct ky_buffer *order = at->order ? at->order : from;
    return ky_launch_over(card, kernel, count,
                          KY_ARGUMENTS(KY_BUFFER(*from), KY_BUFFER(*order), KY_BUFFER(*to),
                                       KY_VALUE(n), KY_VALUE(first), KY_VALUE(count),
                                       KY_VALUE(columns), KY_VALUE(ordered)),
                          error);
}

static enum ky_status need_scratch(struct ky_card *card, struct ky_buffer *scratch,
                                   struct ky_rows rows, struct ky_error *error)
{
    return ky_buffer_need(card, scratch, "rows of numbers", rows.count * rows.columns,
                          KY_STATE_BYTES, error);
}

enum ky_status ky_rows_to(struct ky_device_state *state, struct ky_buffer *scratch,
                          struct ky_rows rows, const double *numbers, const struct ky_columns *to,
                          struct ky_error *error)
{
    struct ky_device_bodies *first = &state->bodies;
    const struct crossing crossing = {
        .card = first->card, .from = numbers, .factor = rows.factor, .box = rows.box};
    const int plain = is_plain(rows, to);
    struct ky_buffer column = *to->buffer;
    const struct ky_staged staged =
        plain ? staged_in(&column, rows, to->first) : staged_in(scratch, rows, 0);
    enum ky_status status = plain ? KY_OK : need_scratch(first->card, scratch, rows, error);
    if (!status)
        status = ky_staging_up(&first->staging, first->card, &staged,
                               &(struct ky_staging_work){state->threads, fill, &crossing}, error);
    return status || plain ? status
                           : move(first->card, KY_KERNEL_ky_rows_to_columns, scratch, to->buffer,
                                  rows, to, error);
}

enum ky_status ky_rows_from(struct ky_device_state *state, struct ky_buffer *scratch,
                            struct ky_rows rows, const struct ky_columns *from, double *numbers,
                            struct ky_error *error)
{
    struct ky_device_bodies *first = &state->bodies;
    const struct crossing crossing = {
        .card = first->card, .to = numbers, .factor = 1 / rows.factor, .box = rows.box};
    const int plain = is_plain(rows, from);
    struct ky_buffer column = *from->buffer;
    if (!numbers)
        return KY_OK;
    if (!plain)
        KY_TRY(need_scratch(first->card, scratch, rows, error));
    if (!plain)
        KY_TRY(move(first->card, KY_KERNEL_ky_rows_from_columns, from->buffer, scratch, rows, from,
                    error));
    const struct ky_staged staged =
        plain ? staged_in(&column, rows, from->first) : staged_in(scratch, rows, 0);
    return ky_staging_down(&first->staging, first->card, &staged,
                           &(struct ky_staging_work){state->threads, take, &crossing}, error);
}

enum ky_status ky_rows_send(struct ky_device_state *state, struct ky_buffer *buffer,
                            const char *what, struct ky_rows rows, const double *numbers,
                            struct ky_error *error)
{
    struct ky_card *card = state->bodies.card;
    struct ky_buffer scratch = {0};
    enum ky_status status =
        ky_buffer_need(card, buffer, what, rows.count * rows.columns, KY_STATE_BYTES, error);
    const struct ky_columns to = {buffer, rows.count, 0, NULL};
    if (!status)
        status = ky_rows_to(state, &scratch, rows, numbers, &to, error);
    ky_buffer_release(card, &scratch);
    return status;
}

enum ky_status ky_rows_read(struct ky_device_state *state, const struct ky_buffer *buffer,
                            struct ky_rows rows, double *numbers, struct ky_error *error)
{
    struct ky_buffer scratch = {0};
    const struct ky_columns from = {buffer, rows.count, 0, NULL};
    const enum ky_status status = ky_rows_from(state, &scratch, rows, &from, numbers, error);
    ky_buffer_release(state->bodies.card, &scratch);
    return status;
}
