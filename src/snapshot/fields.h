/* Numbers that a restart file keeps by name. A table describes the fields of a struct; a section of
 * the file holds pairs of a name and a value. So a struct may grow, shrink or change its order, and
 * files that exist are still read (docs/formats/restart.md). */
#ifndef KY_SNAPSHOT_FIELDS_H
#define KY_SNAPSHOT_FIELDS_H

#include "base/fields.h"
#include "snapshot/restart.h"

/* A section of that name with the values of all fields. Its data are allocated: free with
 * ky_fields_free. KY_FAULT when memory is out. */
enum ky_status ky_fields_store(const char *name, const struct ky_stored_field *fields, size_t count,
                               const void *object, struct ky_section *section,
                               struct ky_error *error);
void ky_fields_free(struct ky_section *section);

/* The fields of the section of that name into the members. Fields that no row names are passed
 * over. KY_BAD_DATA where a field that must be there is missing. In files of version
 * 1 sections had no names of fields but the values alone, in the order of the table; later fields
 * stand behind them in it and may lack. */
enum ky_status ky_fields_restore(const struct ky_restart *restart, const char *name,
                                 const struct ky_stored_field *fields, size_t count, void *object,
                                 struct ky_error *error);

#endif
