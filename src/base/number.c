/* Numbers as text: see number.h. The thread is in the locale "C" during a call. */
#include "base/number.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct language {
    locale_t plain, before;
};

/* Changes to the locale "C". The known C libraries have it ready, so that this needs no memory;
 * should it fail, the numbers are written in the locale of the program. */
static struct language enter_plain(void)
{
    struct language language = {newlocale(LC_ALL_MASK, "C", (locale_t)0), (locale_t)0};
    if (language.plain)
        language.before = uselocale(language.plain);
    return language;
}

static void leave_plain(struct language language)
{
    if (!language.plain)
        return;
    uselocale(language.before);
    freelocale(language.plain);
}

int ky_format_list(char *text, size_t size, const char *format, va_list arguments)
{
    struct language language = enter_plain();
    int length = vsnprintf(text, size, format, arguments);
    leave_plain(language);
    return length;
}

int ky_format(char *text, size_t size, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = ky_format_list(text, size, format, arguments);
    va_end(arguments);
    return length;
}

const char *ky_number_text(char text[KY_NUMBER_TEXT], double value)
{
    struct language language = enter_plain();
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, KY_NUMBER_TEXT, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    leave_plain(language);
    return text;
}

/* For a text that begins like 0x10, which strtod takes for 16: the place behind the 0. Else NULL.
 */
static const char *end_before_x(const char *text)
{
    text += strspn(text, " \t\n\v\f\r");
    text += *text == '+' || *text == '-';
    return *text == '0' && (text[1] == 'x' || text[1] == 'X') ? text + 1 : NULL;
}

double ky_number_real(const char *text, char **end)
{
    const char *zero = end_before_x(text);
    if (zero) {
        if (end)
            *end = (char *)(uintptr_t)zero;
        return 0;
    }
    struct language language = enter_plain();
    double value = strtod(text, end);
    leave_plain(language);
    return value;
}

uint64_t ky_number_count(const char *text, char **end)
{
    uint64_t value = 0;
    const char *at = text;
    for (; *at >= '0' && *at <= '9'; at++) {
        uint64_t digit = (uint64_t)(*at - '0');
        if (value > (UINT64_MAX - digit) / 10) {
            at = text;
            value = 0;
            break;
        }
        value = 10 * value + digit;
    }
    if (end)
        *end = (char *)(uintptr_t)at;
    return value;
}
