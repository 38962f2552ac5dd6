/* Copies rows of the caller's numbers (points, for example) to columns of state numbers on the
 * card. They are transferred in their order, piece by piece; the card converts them to columns. */
#ifndef KY_DEVICE_ROWS_H
#define KY_DEVICE_ROWS_H

#include "engine/device/state/state.h"

struct ky_rows {
    size_t count, columns;
    double factor; /* factor from the caller's numbers to the card's; a power of two */
    double box;    /* for positions in a periodic box, into which they are moved: its side in the
                      card's unit; otherwise 0 */
};

/* Columns of n numbers: number c of row k is at c × n + order[first + k], or without an order at c
 * × n + first + k. */
struct ky_columns {
    const struct ky_buffer *buffer;
    size_t n, first;
    const struct ky_buffer *order; /* or NULL */
};

/* Copies numbers[k × columns + c] to columns. `scratch` is enlarged for the rows if necessary. */
enum ky_status ky_rows_to(struct ky_device_state *state, struct ky_buffer *scratch,
                          struct ky_rows rows, const double *numbers, const struct ky_columns *to,
                          struct ky_error *error);
/* Copies columns to `numbers`; does nothing if that is NULL. */
enum ky_status ky_rows_from(struct ky_device_state *state, struct ky_buffer *scratch,
                            struct ky_rows rows, const struct ky_columns *from, double *numbers,
                            struct ky_error *error);

/* The same for a buffer with columns of `count` numbers, with its own scratch buffer. ky_rows_send
 * enlarges the buffer if necessary; `what` names it in errors. */
enum ky_status ky_rows_send(struct ky_device_state *state, struct ky_buffer *buffer,
                            const char *what, struct ky_rows rows, const double *numbers,
                            struct ky_error *error);
enum ky_status ky_rows_read(struct ky_device_state *state, const struct ky_buffer *buffer,
                            struct ky_rows rows, double *numbers, struct ky_error *error);

#endif
