/* The columns and comments of CSV, which the reader and the writer share. */
#ifndef KY_SNAPSHOT_CSV_H
#define KY_SNAPSHOT_CSV_H

#include "snapshot/snapshot.h"

/* The kinds of cells. */
enum ky_csv_kind { KY_CSV_REAL, KY_CSV_NOT_NEGATIVE, KY_CSV_ID, KY_CSV_TYPE };

struct ky_csv_column {
    const char *name;
    enum ky_csv_kind kind;
    enum ky_array_id array;
    int axis; /* which of a body's components, from 0 */
};
enum { KY_CSV_COLUMNS = 15 };
extern const struct ky_csv_column ky_csv_columns[KY_CSV_COLUMNS];

/* Comments "# name: number", and where the number goes. */
struct ky_csv_comment {
    const char *name;
    size_t offset; /* of the member in struct ky_snapshot */
};
enum { KY_CSV_COMMENTS = 6 };
extern const struct ky_csv_comment ky_csv_comments[KY_CSV_COMMENTS];
/* The comment for the kind of softening: 1 symmetric, 0 plummer. */
#define KY_CSV_SYMMETRIC "softening_symmetric"

/* Writes these comments of a snapshot. */
void ky_csv_write_comments(struct ky_file *file, const struct ky_snapshot *snapshot);

#endif
