/* A reader of JSON (RFC 8259) for files of settings. It goes through the text once, and passes on
 * the members of the outermost object and of objects directly inside it. */
#ifndef KY_BASE_JSON_READ_H
#define KY_BASE_JSON_READ_H

#include "base/status.h"

/* A member. `object` is "" for a member of the outermost object, else the name of the object that
 * holds it. `text` is the value without quotation marks, "yes" for true, "no" for false; it lies in
 * the text that is read. `where` begins an error line ("run.json, line 3: theta"). */
struct ky_json_told {
    const char *object, *name, *text, *where;
};
/* Receives one member. A status other than KY_OK ends the reading. Members that are null, members
 * at deeper levels and members in arrays are skipped. */
typedef enum ky_status ky_json_member(void *context, const struct ky_json_told *told,
                                      struct ky_error *error);

/* Reads `text`, and changes it. `name` is the file's name, for error lines. KY_USAGE for text that
 * is not a JSON object, else the first failure of `member`. */
enum ky_status ky_json_read(char *text, const char *name, ky_json_member *member, void *context,
                            struct ky_error *error);

#endif
