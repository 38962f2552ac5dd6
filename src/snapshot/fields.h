/* Numbers that a restart file stores by name. A table describes members of a struct; a section of
 * the file has pairs of a name and a value. So a struct may grow, shrink or change its order, and
 * older files can still be read (docs/formats/restart.md). */
#ifndef KY_SNAPSHOT_FIELDS_H
#define KY_SNAPSHOT_FIELDS_H

#include "base/fields.h"
#include "snapshot/restart.h"

/* Makes a section of this name with the values of all fields of `object`. The caller frees its data
 * with ky_section_free. KY_FAULT if memory runs out. */
enum ky_status ky_fields_store(const char *name, const struct ky_stored_field *fields, size_t count,
                               const void *object, struct ky_section *section,
                               struct ky_error *error);

/* Reads the fields of the section of this name into the members of `object`. Fields without a row
 * are ignored. KY_BAD_DATA if a field is missing and its row lacks `may_lack`, and for a number out
 * of its row's range.
 *
 * In files of version 1 a section had only the values, in the order of the table. Rows that were
 * added later follow these and have `may_lack`. */
enum ky_status ky_fields_restore(const struct ky_restart *restart, const char *name,
                                 const struct ky_stored_field *fields, size_t count, void *object,
                                 struct ky_error *error);

#endif
