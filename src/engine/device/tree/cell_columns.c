/* Memory for the columns of cells. */
#include "engine/device/tree/cell_columns.h"

enum ky_status ky_cell_columns_need(struct ky_card *card, struct ky_cell_columns *columns,
                                    size_t least, size_t cells, size_t moments,
                                    struct ky_error *error)
{
#define KY_CELL_NEED(p, type, name, count, what) {&columns->name, sizeof(type) * (count), what},
    const struct {
        struct ky_buffer *buffer;
        size_t size;
        const char *what;
    } needs[] = {KY_CELL_COLUMNS(KY_CELL_NEED, )};
    enum ky_status status = KY_OK;
    for (int k = 0; k < KY_COLUMNS_OF_CELLS && !status; k++)
        if (needs[k].buffer->bytes < least * needs[k].size)
            status =
                ky_buffer_need(card, needs[k].buffer, needs[k].what, cells, needs[k].size, error);
    return status;
}

enum ky_status ky_cell_columns_extend(struct ky_card *card, struct ky_cell_columns *columns,
                                      size_t kept, size_t cells, size_t moments,
                                      struct ky_error *error)
{
    struct ky_cell_columns old = *columns;
    *columns = (struct ky_cell_columns){.centre = {0}};
    enum ky_status status = ky_cell_columns_need(card, columns, cells, cells, moments, error);
#define KY_CELL_KEEP(p, type, name, count, what)                                                   \
    if (!status && kept > 0)                                                                       \
        status = card->driver->copy(card, KY_ADDRESS(&old.name, 0), KY_ADDRESS(&columns->name, 0), \
                                    kept * sizeof(type) * (count), error);
    KY_CELL_COLUMNS(KY_CELL_KEEP, )
    if (!status)
        status = card->driver->wait(card, error);
    ky_cell_columns_release(card, &old);
    return status;
}

void ky_cell_columns_release(struct ky_card *card, struct ky_cell_columns *columns)
{
#define KY_CELL_RELEASE(p, type, name, count, what) ky_buffer_release(card, &columns->name);
    KY_CELL_COLUMNS(KY_CELL_RELEASE, )
}
