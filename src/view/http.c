/* HTTP/1.1: see http.h. */
#include "view/http.h"

#include <string.h>

#include "base/number.h"

size_t ky_http_head(const char *text, size_t length)
{
    for (size_t k = 3; k < length; k++)
        if (!memcmp(text + k - 3, "\r\n\r\n", 4))
            return k + 1;
    return 0;
}

/* ---- requests ---- */

/* The header fields that are used; others are ignored. */
static const struct {
    const char *name; /* in lower case */
    size_t offset;
} fields[] = {
    {"host", offsetof(struct ky_request, host)},
    {"origin", offsetof(struct ky_request, origin)},
    {"x-kyoho-token", offsetof(struct ky_request, token)},
    {"content-length", offsetof(struct ky_request, length)},
    {"transfer-encoding", offsetof(struct ky_request, coding)},
    {"connection", offsetof(struct ky_request, connection)},
};

/* 1 if `text` equals `small`, which is in lower case, ignoring case in any locale. */
static int is_word(const char *text, const char *small)
{
    for (; *text && *small; text++, small++)
        if (*text != *small && !(*text >= 'A' && *text <= 'Z' && *text + 'a' - 'A' == *small))
            return 0;
    return !*text && !*small;
}

/* Ends the line at `text`, and returns the next line. */
static char *cut_line(char *text)
{
    char *end = strstr(text, "\r\n");
    *end = '\0';
    return end + 2;
}

/* Parses "GET /frame?from=3 HTTP/1.1". */
static int read_first_line(char *line, struct ky_request *request)
{
    char *path = strchr(line, ' '), *version = path ? strchr(path + 1, ' ') : NULL;
    if (!version || path[1] != '/')
        return 0;
    *path++ = *version++ = '\0';
    request->method = line;
    request->path = path;
    char *query = strchr(path, '?');
    if (query)
        *query++ = '\0';
    request->query = query ? query : "";
    request->last = strcmp(version, "HTTP/1.1") != 0;
    return !request->last || !strcmp(version, "HTTP/1.0");
}

/* Parses "Host: localhost:8080". No field may occur twice: two programs might use different
 * ones. */
static int read_field(char *line, struct ky_request *request)
{
    char *value = strchr(line, ':'), *end = line + strlen(line);
    if (!value || value == line || strcspn(line, " \t") < (size_t)(value - line))
        return 0;
    *value++ = '\0';
    value += strspn(value, " \t");
    while (end > value && (end[-1] == ' ' || end[-1] == '\t'))
        *--end = '\0';
    for (size_t k = 0; k < sizeof fields / sizeof *fields; k++) {
        const char **place = (const char **)((char *)request + fields[k].offset);
        if (!is_word(line, fields[k].name))
            continue;
        if (*place)
            return 0;
        *place = value;
    }
    return 1;
}

enum ky_http ky_http_read(char *head, size_t length, struct ky_request *request)
{
    *request = (struct ky_request){.last = 1};
    if (memchr(head, '\0', length))
        return KY_HTTP_BAD;
    char *const end = head + length - 2;
    *end = '\0';
    char *line = cut_line(head);
    if (!read_first_line(head, request))
        return KY_HTTP_BAD;
    const int first_last = request->last;
    request->last = 1;
    while (line < end) {
        char *const field = line;
        line = cut_line(line);
        if (!read_field(field, request))
            return KY_HTTP_BAD;
    }
    if (request->coding || (request->length && strcmp(request->length, "0") != 0))
        return KY_HTTP_BODY; /* the end of the body is not looked for */
    request->last = first_last || (request->connection && is_word(request->connection, "close"));
    return KY_HTTP_OK;
}

/* ---- answers ---- */

/* The origins of pages of this machine, at any port. X-Frame-Options has no word for them. */
#define LOOPBACK "http://127.0.0.1:* http://localhost:* https://127.0.0.1:* https://localhost:*"

static const struct {
    enum ky_http code;
    const char *words;
} codes[] = {{KY_HTTP_OK, "OK"},
             {KY_HTTP_BAD, "Bad Request"},
             {KY_HTTP_FORBIDDEN, "Forbidden"},
             {KY_HTTP_NONE, "Not Found"},
             {KY_HTTP_METHOD, "Method Not Allowed"},
             {KY_HTTP_NO_RUN, "Conflict"},
             {KY_HTTP_BODY, "Content Too Large"},
             {KY_HTTP_RANGE, "Range Not Satisfiable"},
             {KY_HTTP_LONG, "Request Header Fields Too Large"},
             {KY_HTTP_FAULT, "Internal Server Error"}};

static const char *words_of(enum ky_http code)
{
    size_t k = 0;
    while (codes[k].code != code)
        k++;
    return codes[k].words;
}

size_t ky_http_write(char head[KY_HTTP_HEAD], const struct ky_answer *answer)
{
    char page[160] = "", allow[32] = "";
    if (answer->nonce)
        ky_format(
            page, sizeof page,
            "; script-src 'nonce-%s'; style-src 'nonce-%s'; connect-src 'self'; img-src data:",
            answer->nonce, answer->nonce);
    if (answer->allow)
        ky_format(allow, sizeof allow, "Allow: %s\r\n", answer->allow);
    return (size_t)ky_format(
        head, KY_HTTP_HEAD,
        "HTTP/1.1 %d %s\r\n"
        "Content-Type: %s\r\n"
        "Content-Length: %zu\r\n"
        "%s%s"
        "Cache-Control: no-store\r\n"
        "Content-Security-Policy: default-src 'none'; base-uri 'none'; form-action 'none'; "
        "frame-ancestors %s%s\r\n"
        "Cross-Origin-Opener-Policy: same-origin\r\n"
        "Cross-Origin-Resource-Policy: same-origin\r\n"
        "Referrer-Policy: no-referrer\r\n"
        "X-Content-Type-Options: nosniff\r\n"
        "%s"
        "\r\n",
        (int)answer->code, words_of(answer->code), answer->type, answer->bytes, allow,
        answer->last ? "Connection: close\r\n" : "", answer->framed ? LOOPBACK : "'none'", page,
        answer->framed ? "" : "X-Frame-Options: DENY\r\n");
}
