/* A reader of JSON (RFC 8259) for files of settings: it walks through the text once and hands on
 * what stands in objects. */
#ifndef KY_BASE_JSON_READ_H
#define KY_BASE_JSON_READ_H

#include "base/status.h"

/* Receives one member: `object` is "" for the outermost one, or the name of one directly inside it.
 * `text` is the value without quotation marks, "yes" and "no" for true and false; it stays where it
 * is as long as the text that is read. `where` begins an error line ("run.json, line 3: theta").
 * Members that are null are not handed on, nor is what stands deeper or in arrays. */
typedef enum ky_status ky_json_member(void *context, const char *object, const char *name,
                                      const char *text, const char *where, struct ky_error *error);

/* `text` is changed. `name` of the file is for error lines. KY_USAGE for text that is no JSON
 * object. */
enum ky_status ky_json_read(char *text, const char *name, ky_json_member *member, void *context,
                            struct ky_error *error);

#endif
