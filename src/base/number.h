/* Numbers as text and text as numbers, the same in every locale: the decimal point is '.', whatever
 * setlocale or uselocale said before. Everything that the library reads or writes as text goes
 * through here. The locale of the calling thread is as before when a call returns. */
#ifndef KY_BASE_NUMBER_H
#define KY_BASE_NUMBER_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

/* Room for any number that ky_number_text writes, with the zero byte at its end. */
enum { KY_NUMBER_TEXT = 32 };

/* As snprintf and vsnprintf: write at most `size` bytes, and return the length of the whole text,
 * or a negative number after a failure. */
int ky_format(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int ky_format_list(char *text, size_t size, const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0)));

/* Writes the shortest of %.15g, %.16g and %.17g that reads back as the same double; returns `text`.
 */
const char *ky_number_text(char text[KY_NUMBER_TEXT], double value);

/* The decimal number at the start of `text`, as strtod reads it, and in *end (may be NULL) where it
 * ends. *end == text if there is no number. Hexadecimal is not read: 0x10 is 0, and ends at the x.
 */
double ky_number_real(const char *text, char **end);
/* The same for a whole number of decimal digits below 2^64. Blanks and signs are not accepted. A
 * larger number counts as none: *end == text. */
uint64_t ky_number_count(const char *text, char **end);

#endif
