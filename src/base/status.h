/* Status and error text: the error reports of all parts of the library. */
#ifndef KY_BASE_STATUS_H
#define KY_BASE_STATUS_H

#include <stdarg.h>

#include "kyoho/kyoho.h"

/* Fills *error (may be NULL) with one line and returns `status`, so that a caller can write
 * `return ky_fail(error, KY_BAD_DATA, …)`. Control characters become '?'. Of a text that is too
 * long for struct ky_error the two ends stay. Numbers have a decimal point in every locale. */
enum ky_status ky_fail(struct ky_error *error, enum ky_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Puts a prefix ("FILE: ") before the text of an error that a lower level has set; returns
 * `status`. */
enum ky_status ky_fail_in(struct ky_error *error, enum ky_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Hands one line of at most 1,023 bytes to the log callback of the parameters, if there is one. */
void ky_log(const struct ky_parameters *parameters, enum ky_log_level level, const char *format,
            ...) __attribute__((format(printf, 3, 4)));

/* Logs the task `what` that begins now, if the number of bodies is so large that it may take
 * seconds. */
void ky_announce(const struct ky_parameters *parameters, size_t n, const char *what);

struct ky_log_to {
    ky_log_function *log; /* NULL: nowhere */
    void *context;
};
/* The same for a log that is not in struct ky_parameters. */
void ky_log_list(struct ky_log_to to, enum ky_log_level level, const char *format,
                 va_list arguments) __attribute__((format(printf, 3, 0)));

/* Returns the status of a call that failed from the function, which must have nothing to release.
 */
#define KY_TRY(call)                                                                               \
    do {                                                                                           \
        const enum ky_status failed_ = (call);                                                     \
        if (failed_)                                                                               \
            return failed_;                                                                        \
    } while (0)

/* Used at the beginning of a public call: returns KY_USAGE if a required pointer is NULL. */
#define KY_NEED(pointer, error)                                                                    \
    do {                                                                                           \
        if (!(pointer))                                                                            \
            return ky_fail(error, KY_USAGE, "%s: " #pointer " is NULL", __func__);                 \
    } while (0)

#endif
