/* Endings, plurals and comparisons of text. Text that came from outside, such as names of files,
 * need not be UTF-8. */
#ifndef KY_BASE_TEXT_H
#define KY_BASE_TEXT_H

#include <stdint.h>

/* The number of bytes of the character at `text`, 1 to 4, or 0 if it is not UTF-8 (RFC 3629).
 * `text` is not empty. */
static inline int ky_utf8_length(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    if (c[0] < 0x80)
        return 1;
    int length = c[0] >= 0xc2 && c[0] < 0xe0   ? 2
                 : c[0] >= 0xe0 && c[0] < 0xf0 ? 3
                 : c[0] >= 0xf0 && c[0] < 0xf5 ? 4
                                               : 0;
    for (int k = 1; k < length; k++)
        if ((c[k] & 0xc0) != 0x80)
            return 0;
    /* longer than necessary, a surrogate, or past the last character */
    if ((c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xed && c[1] >= 0xa0) ||
        (c[0] == 0xf0 && c[1] < 0x90) || (c[0] == 0xf4 && c[1] >= 0x90))
        return 0;
    return length;
}

/* `one` for 1, else `many`: "1 body", "2 bodies". */
static inline const char *ky_plural(uint64_t n, const char *one, const char *many)
{
    return n == 1 ? one : many;
}

#endif
