/* Status names, error lines and the log callback. */
#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"

#define KY_TEXT_(x) #x
#define KY_TEXT(x) KY_TEXT_(x)

const char *ky_status_name(enum ky_status status)
{
    static const char *const names[] = {
        [KY_OK] = "ok",
        [KY_FAULT] = "out of memory or an internal fault",
        [KY_USAGE] = "wrong usage",
        [KY_UNSUPPORTED] = "not available here",
        [KY_BAD_DATA] = "bad data",
        [KY_DEVICE] = "device failure",
        [KY_STOPPED] = "stopped early",
        [KY_CANNOT_WRITE] = "cannot write",
    };
    size_t index = (size_t)status;
    return index < sizeof names / sizeof *names ? names[index] : "unknown status";
}

const char *ky_version(void)
{
    return KY_TEXT(KY_VERSION_MAJOR) "." KY_TEXT(KY_VERSION_MINOR) "." KY_TEXT(KY_VERSION_PATCH);
}

/* Replaces by '?' control characters and bytes that are not UTF-8. Names of files and values of
 * options may hold them, and an error or a line of the log is one line of UTF-8. */
static void one_line(char *text)
{
    for (int length; *text; text += length) {
        length = ky_utf8_length(text);
        if (!length || (unsigned char)*text < ' ' || *text == 0x7f) {
            *text = '?';
            length = 1;
        }
    }
}

/* Formats a line and returns its length. A line that is too long, because of a value of thousands
 * of characters, keeps its two ends: they name the fault and the remedy. */
static size_t format_line(char *line, size_t size, const char *format, va_list arguments)
{
    enum { END = 160 };
    va_list again;
    va_copy(again, arguments);
    int length = ky_format_list(line, size, format, arguments);
    size_t needed = length < 0 ? 0 : (size_t)length;
    char *whole = needed < size ? NULL : malloc(needed + 1);
    if (whole) {
        ky_format_list(whole, needed + 1, format, again);
        const char *tail = whole + needed - END;
        int head = END;
        while ((whole[head] & 0xc0) == 0x80) /* not within a character */
            head--;
        while ((*tail & 0xc0) == 0x80)
            tail++;
        needed = (size_t)snprintf(line, size, "%.*s … %s", head, whole, tail);
    }
    va_end(again);
    free(whole);
    return needed < size ? needed : size - 1;
}

enum ky_status ky_fail(struct ky_error *error, enum ky_status status, const char *format, ...)
{
    if (error) {
        va_list arguments;
        va_start(arguments, format);
        error->status = status;
        format_line(error->text, sizeof error->text, format, arguments);
        va_end(arguments);
        one_line(error->text);
    }
    return status;
}

enum ky_status ky_fail_in(struct ky_error *error, enum ky_status status, const char *format, ...)
{
    if (error) {
        char inner[sizeof error->text];
        memcpy(inner, error->text, sizeof inner);
        va_list arguments;
        va_start(arguments, format);
        size_t used = format_line(error->text, sizeof error->text, format, arguments);
        va_end(arguments);
        error->status = status;
        size_t length = strnlen(inner, sizeof error->text - 1 - used);
        memcpy(error->text + used, inner, length);
        error->text[used + length] = '\0';
        one_line(error->text);
    }
    return status;
}

void ky_log_list(struct ky_log_to to, enum ky_log_level level, const char *format,
                 va_list arguments)
{
    char line[1024];
    if (!to.log)
        return;
    ky_format_list(line, sizeof line, format, arguments);
    one_line(line);
    to.log(to.context, level, line);
}

void ky_log(const struct ky_parameters *parameters, enum ky_log_level level, const char *format,
            ...)
{
    va_list arguments;
    va_start(arguments, format);
    ky_log_list((struct ky_log_to){parameters->log, parameters->log_context}, level, format,
                arguments);
    va_end(arguments);
}

void ky_announce(const struct ky_parameters *parameters, size_t n, const char *what)
{
    enum { LARGE = 10000000 };
    if (n >= LARGE)
        ky_log(parameters, KY_LOG_INFO, "%s (%zu bodies)", what, n);
}
