/* Centre and strength of an external field as tables in time: files of numbers, with smooth curves
 * through their rows. */
#ifndef KY_ENGINE_EXTERNAL_TABLE_H
#define KY_ENGINE_EXTERNAL_TABLE_H

#include "engine/engine.h"

/* The quantity that a table gives for each time. */
enum ky_external_table_kind { KY_TABLE_CENTRE, KY_TABLE_STRENGTH, KY_EXTERNAL_TABLES };
/* The word of each in the text of a field: "centre", "strength". */
extern const char *const ky_external_table_words[KY_EXTERNAL_TABLES];

/* A table in the units of the bodies. */
struct ky_external_table {
    char *path; /* of the file, from the root */
    size_t rows;
    double *time;     /* [rows] ascending */
    double *value[3]; /* [rows] each: x, y, z of the centre; or only the strength */
    /* The checksum of the file's content, and the file's units in the units of the bodies. */
    uint64_t hash;
    double unit, time_unit;
};

/* Reads "FILE" or "FILE#CHECKSUM*UNIT*UNIT" (ky_external_table_write). A file has lines of numbers
 * between commas, semicolons or blanks: time, x, y, z or time, strength. A line of names, if there
 * is one, identifies these columns; further columns are ignored. In FILE %20 stands for a blank,
 * %2C for a comma and %23 for #. Numbers are in `units`, or in the units that a comment names ("#
 * units: time Myr, x kpc, y kpc, z kpc"). KY_BAD_DATA, with the line, for a file that is missing or
 * cut off, for fewer than two rows, for text that is not a finite number, for times that neither
 * all ascend nor all descend, and for a file with another checksum. KY_USAGE for units where the
 * bodies have none. The caller frees the table after a success. */
enum ky_status ky_external_table_read(const char *text, enum ky_external_table_kind kind,
                                      const struct ky_units *units, struct ky_external_table *table,
                                      struct ky_error *error);
void ky_external_table_free(struct ky_external_table *table);
/* Writes the text with which the same table is read without units and from any folder, or not at
 * all if the file has changed. Returns the length, as snprintf. */
size_t ky_external_table_write(const struct ky_external_table *table, char *text, size_t size);

/* The path of a field with these tables, one of which may be NULL: without `centre` it rests in its
 * centre, without `strength` it keeps its strength. Cubic splines go through the rows, so that two
 * derivatives are continuous. KY_USAGE if no time is in both tables, KY_BAD_DATA if the curve
 * through the rows is beyond the range of double; *path is NULL then. *path begins with one
 * reference. */
enum ky_status ky_external_path_make(const struct ky_external_table *centre,
                                     const struct ky_external_table *strength, const double rest[3],
                                     struct ky_external_path **path, struct ky_error *error);
/* The cubics from a time on. Before the first and after the last time of the path its nearest piece
 * is continued. */
void ky_external_path_at(const struct ky_external_path *path, double time,
                         double cubic[KY_EXTERNAL_CUBICS][4]);
/* Adds or releases a reference; releasing the last one frees the path. The path may be NULL. */
void ky_external_path_share(struct ky_external_path *path);
void ky_external_path_release(struct ky_external_path *path);

#endif
