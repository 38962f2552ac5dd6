/* Reading JSON: see json_read.h. */
#include "base/json_read.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"

enum { DEEPEST = 64 };

struct parser {
    char *at;
    const char *file;
    size_t line;
    int depth; /* of objects and arrays */
    ky_json_member *member;
    void *context;
    struct ky_error *error;
};

/* The position of a value. */
struct place {
    const char *object, *name; /* NULL: members are not handed on */
};

static enum ky_status wrong(const struct parser *p, const char *what)
{
    return ky_fail(p->error, KY_USAGE, "%s, line %zu: %s", p->file, p->line, what);
}

static char next(struct parser *p)
{
    for (; *p->at && strchr(" \t\r\n", *p->at); p->at++)
        p->line += *p->at == '\n';
    return *p->at;
}

static enum ky_status tell(struct parser *p, const struct place *place, const char *text)
{
    char where[320];
    if (!place->name)
        return KY_OK;
    snprintf(where, sizeof where, "%.200s, line %zu: %.64s", p->file, p->line, place->name);
    return p->member(p->context, &(struct ky_json_told){place->object, place->name, text, where},
                     p->error);
}

/* ---- texts ---- */

/* The number of four hexadecimal digits; −1 for anything else. */
static long hexadecimal(const char *text)
{
    static const char digits[] = "0123456789abcdef";
    long code = 0;
    for (int k = 0; k < 4; k++) {
        const char *digit = text[k] ? strchr(digits, tolower((unsigned char)text[k])) : NULL;
        if (!digit)
            return -1;
        code = 16 * code + (digit - digits);
    }
    return code;
}

/* Writes a code point as UTF-8 (RFC 3629); returns where it ends. */
static char *put_utf8(char *to, unsigned long code)
{
    if (code < 0x80) {
        *to++ = (char)code;
    } else if (code < 0x800) {
        *to++ = (char)(0xC0 | code >> 6);
        *to++ = (char)(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
        *to++ = (char)(0xE0 | code >> 12);
        *to++ = (char)(0x80 | (code >> 6 & 0x3F));
        *to++ = (char)(0x80 | (code & 0x3F));
    } else {
        *to++ = (char)(0xF0 | code >> 18);
        *to++ = (char)(0x80 | (code >> 12 & 0x3F));
        *to++ = (char)(0x80 | (code >> 6 & 0x3F));
        *to++ = (char)(0x80 | (code & 0x3F));
    }
    return to;
}

/* Reads XXXX of \uXXXX, or two such escapes for a code beyond 16 bits. *from, which points behind
 * the u, is moved behind the last digit. NULL if it is not a character. */
static char *put_code(char *to, const char **from)
{
    long code = hexadecimal(*from);
    if (code <= 0)
        return NULL;
    *from += 4;
    if (code >= 0xD800 && code < 0xE000) {
        long low = (*from)[0] == '\\' && (*from)[1] == 'u' ? hexadecimal(*from + 2) : -1;
        if (code >= 0xDC00 || low < 0xDC00 || low > 0xDFFF)
            return NULL;
        *from += 6;
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    }
    return put_utf8(to, (unsigned long)code);
}

/* The text between quotation marks, in place: no escape is shorter than its character. */
static enum ky_status read_text(struct parser *p, char **text)
{
    static const char escapes[] = "\"\"\\\\//b\bf\fn\nr\rt\t";
    char *to = *text = p->at + 1;
    const char *from = to;
    while (*from != '"') {
        if ((unsigned char)*from < 0x20)
            return wrong(p, "a text is not closed on its line");
        if (*from != '\\') {
            *to++ = *from++;
            continue;
        }
        from += 2;
        if (from[-1] == 'u') {
            if (!(to = put_code(to, &from)))
                return wrong(p,
                             "\\u must be followed by the four hexadecimal digits of a character");
            continue;
        }
        size_t k = 0;
        while (k < sizeof escapes - 1 && escapes[k] != from[-1])
            k += 2;
        if (k >= sizeof escapes - 1)
            return wrong(p, "a \\ in a text must be followed by one of \"\\/bfnrtu");
        *to++ = escapes[k + 1];
    }
    p->at += from + 1 - p->at;
    *to = '\0';
    return KY_OK;
}

/* ---- values ---- */

static enum ky_status read_value(struct parser *p, const struct place *place);

/* A number. It is moved one byte to the left, over a character that is no longer needed, so that a
 * zero byte can follow it. */
static enum ky_status read_number(struct parser *p, const struct place *place)
{
    char *end, *start = p->at;
    size_t length = strspn(start, "+-.0123456789eE");
    ky_number_real(start, &end);
    if (!length || end != start + length || *start == '+' || *start == '.')
        return wrong(
            p,
            "a value must be a number, a text in quotation marks, true, false, null, {…} or […]");
    p->at += length;
    memmove(start - 1, start, length);
    start[length - 1] = '\0';
    return tell(p, place, start - 1);
}

/* true, false or null; else a number. */
static enum ky_status read_word(struct parser *p, const struct place *place)
{
    static const char *const words[][2] = {{"true", "yes"}, {"false", "no"}, {"null", NULL}};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        size_t length = strlen(words[k][0]);
        if (strncmp(p->at, words[k][0], length) != 0)
            continue;
        p->at += length;
        return words[k][1] ? tell(p, place, words[k][1]) : KY_OK;
    }
    return read_number(p, place);
}

/* The token after a value: 1 for a comma, 0 for the closing bracket, −1 for anything else. */
static int goes_on(struct parser *p, char closing)
{
    char c = next(p);
    if (c != ',' && c != closing)
        return -1;
    p->at++;
    return c == ',';
}

/* "[…]": its elements are read and not handed on. */
static enum ky_status read_array(struct parser *p)
{
    const struct place nowhere = {NULL, NULL};
    p->at++;
    if (next(p) == ']')
        return p->at++, KY_OK;
    for (;;) {
        enum ky_status status = read_value(p, &nowhere);
        int more = status ? 0 : goes_on(p, ']');
        if (more < 0)
            return wrong(p, "',' or ']' is missing after a value");
        if (status || !more)
            return status;
    }
}

/* `object` is its name; NULL if its members are not handed on. */
static enum ky_status read_object(struct parser *p, const char *object)
{
    p->at++;
    if (next(p) == '}')
        return p->at++, KY_OK;
    for (;;) {
        char *name;
        if (next(p) != '"')
            return wrong(p, "the name of a value must be in quotation marks");
        enum ky_status status = read_text(p, &name);
        if (!status && next(p) != ':')
            return wrong(p, "':' is missing after a name");
        p->at++;
        const struct place place = {object, object ? name : NULL};
        if (!status)
            status = read_value(p, &place);
        int more = status ? 0 : goes_on(p, '}');
        if (more < 0)
            return wrong(p, "',' or '}' is missing after a value");
        if (status || !more)
            return status;
    }
}

/* Reads any value. It is handed on with its place, if the place has a name and the value is not an
 * object or array. */
static enum ky_status read_value(struct parser *p, const struct place *place)
{
    char *text, c = next(p);
    enum ky_status status;
    if (c == '"') {
        status = read_text(p, &text);
        return status ? status : tell(p, place, text);
    }
    if (c != '{' && c != '[')
        return read_word(p, place);
    if (++p->depth > DEEPEST)
        return wrong(p, "brackets are nested too deeply");
    int told = place->name && !*place->object; /* members of the outermost object */
    status = c == '[' ? read_array(p) : read_object(p, told ? place->name : NULL);
    p->depth--;
    return status;
}

enum ky_status ky_json_read(char *text, const char *name, ky_json_member *member, void *context,
                            struct ky_error *error)
{
    struct parser p = {text, name, 1, 0, member, context, error};
    if (!strncmp(text, "\xef\xbb\xbf", 3)) /* byte-order mark */
        p.at += 3;
    if (next(&p) != '{')
        return wrong(&p, "is not a JSON object, which begins with {");
    enum ky_status status = read_object(&p, "");
    return !status && next(&p) ? wrong(&p, "there is more text after the end of the object")
                               : status;
}
