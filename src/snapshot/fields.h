/* Numbers that a restart file keeps by name. A table describes members of a struct. A section of
 * the file holds pairs of a name and a value. A struct may therefore grow, shrink or change its
 * order, and older files are still read (docs/formats/restart.md). */
#ifndef KY_SNAPSHOT_FIELDS_H
#define KY_SNAPSHOT_FIELDS_H

#include "base/fields.h"
#include "snapshot/restart.h"

/* Makes a section of that name with the values of all fields of `object`. Free its data with
 * ky_section_free. KY_FAULT when memory is out. */
enum ky_status ky_fields_store(const char *name, const struct ky_stored_field *fields, size_t count,
                               const void *object, struct ky_section *section,
                               struct ky_error *error);

/* Reads the fields of the section of that name into the members of `object`. Fields without a row
 * are ignored. KY_BAD_DATA if a field is missing whose row does not say `may_lack`, and for a
 * number outside of its row's kind.
 *
 * In files of version 1 a section had the values alone, in the order of the table. Rows that were
 * added later come after these and say `may_lack`. */
enum ky_status ky_fields_restore(const struct ky_restart *restart, const char *name,
                                 const struct ky_stored_field *fields, size_t count, void *object,
                                 struct ky_error *error);

#endif
