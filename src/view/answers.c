/* The paths of the server: see answers.h. */
#include "view/answers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "view/doors.h"
#include "view/page.h"

int ky_token_make(char token[KY_TOKEN + 1])
{
    unsigned char random[KY_TOKEN / 2];
    FILE *file = fopen("/dev/urandom", "rb");
    if (!file)
        return 0;
    setvbuf(file, NULL, _IONBF, 0); /* take no more than this part */
    const int got = fread(random, 1, sizeof random, file) == sizeof random;
    fclose(file);
    for (size_t k = 0; k < sizeof random; k++)
        snprintf(token + 2 * k, 3, "%02x", random[k]);
    return got;
}

/* ---- bodies ---- */

static struct ky_blob *copy(const char *text)
{
    struct ky_blob *blob = ky_blob_make(strlen(text));
    if (blob)
        memcpy(blob->byte, text, strlen(text));
    return blob;
}

/* Sets an answer of this type; KY_HTTP_FAULT if memory runs out. */
static void give(struct ky_reply *reply, enum ky_http code, const char *type, struct ky_blob *body)
{
    reply->answer.code = body ? code : KY_HTTP_FAULT;
    reply->answer.type = type;
    reply->answer.bytes = body ? body->size : 0;
    reply->body = body;
}

static void say(struct ky_reply *reply, enum ky_http code, const char *text)
{
    give(reply, code, "text/plain; charset=utf-8", copy(text));
}

void ky_reply_with_frame(struct ky_blob *frame, struct ky_reply *reply)
{
    give(reply, KY_HTTP_OK, "application/octet-stream", frame);
}

/* ---- the page ---- */

/* Answers with the page: style and script have a nonce that only this answer contains, so that the
 * browser runs no other script. */
static void give_page(int framed, struct ky_reply *reply)
{
    if (!ky_token_make(reply->nonce)) {
        say(reply, KY_HTTP_FAULT, "the system gives no random numbers\n");
        return;
    }
    char style[64], script[64];
    ky_format(style, sizeof style, "<style nonce=\"%s\">", reply->nonce);
    ky_format(script, sizeof script, "<script nonce=\"%s\">", reply->nonce);
    static const char begin[] = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\">";
    const struct {
        const void *text;
        size_t size;
    } parts[] = {{begin, sizeof begin - 1},
                 {style, strlen(style)},
                 {ky_page[KY_PAGE_STYLE].text, ky_page[KY_PAGE_STYLE].size},
                 {"</style>", 8},
                 {ky_page[KY_PAGE_BODY].text, ky_page[KY_PAGE_BODY].size},
                 {script, strlen(script)},
                 {ky_page[KY_PAGE_SCRIPT].text, ky_page[KY_PAGE_SCRIPT].size},
                 {"</script></html>\n", 17}};
    size_t size = 0;
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        size += parts[k].size;
    struct ky_blob *page = ky_blob_make(size);
    for (size_t k = 0, at = 0; page && k < sizeof parts / sizeof *parts; at += parts[k++].size)
        memcpy(page->byte + at, parts[k].text, parts[k].size);
    give(reply, KY_HTTP_OK, "text/html; charset=utf-8", page);
    reply->answer.nonce = reply->nonce;
    reply->answer.framed = framed;
}

/* ---- energy.csv ---- */

/* The number in the query "from=12"; 0: there is none. */
static int read_from(const struct ky_request *request, uint64_t *from)
{
    static const char name[] = "from=";
    char *end;
    if (strncmp(request->query, name, strlen(name)) != 0)
        return 0;
    const char *text = request->query + strlen(name);
    *from = ky_number_count(text, &end);
    return end != text && !*end;
}

/* Complete lines of the file from the byte `from` on; only the first part if there are many. */
static struct ky_blob *read_lines(FILE *file, uint64_t from, size_t bytes)
{
    enum { MOST = 1 << 18 };
    struct ky_blob *lines = ky_blob_make(bytes < MOST ? bytes : MOST);
    if (!lines)
        return NULL;
    fseek(file, (long)from, SEEK_SET);
    lines->size = fread(lines->byte, 1, lines->size, file);
    while (lines->size && lines->byte[lines->size - 1] != '\n')
        lines->size--;
    return lines;
}

static void give_energy(struct ky_view *view, uint64_t from, struct ky_reply *reply)
{
    char *path = ky_desk_energy(view);
    FILE *file = path ? fopen(path, "rb") : NULL;
    const long end = file && !fseek(file, 0, SEEK_END) ? ftell(file) : -1;
    if (end < 0) /* no rows yet, or never any */
        say(reply, KY_HTTP_OK, "");
    else if (from > (uint64_t)end) /* the file was truncated or rewritten */
        say(reply, KY_HTTP_RANGE, "energy.csv is shorter\n");
    else
        give(reply, KY_HTTP_OK, "text/csv; charset=utf-8",
             read_lines(file, from, (size_t)((uint64_t)end - from)));
    if (file)
        fclose(file);
    free(path);
}

/* ---- paths ---- */

enum path { PAGE, FRAME, ENERGY, PATHS };
static const char *const paths[PATHS] = {[PAGE] = "/", [FRAME] = "/frame", [ENERGY] = "/energy"};

static void show(struct ky_view *view, enum path path, const struct ky_request *request,
                 struct ky_reply *reply)
{
    uint64_t from = 0;
    if (path == PAGE)
        give_page(view->framed, reply);
    else if (!read_from(request, &from) || from == UINT64_MAX)
        say(reply, KY_HTTP_BAD, "the query is from=NUMBER\n");
    else if (path == ENERGY)
        give_energy(view, from, reply);
    else
        reply->wanted = from + 1;
}

/* Answers an admitted request with the content of its path. */
static void go_to(struct ky_view *view, const struct ky_request *request, struct ky_reply *reply)
{
    int path = 0;
    while (path < PATHS && strcmp(paths[path], request->path) != 0)
        path++;
    const int is_order = ky_desk_is_order(request->path);
    const char *const method = is_order ? "POST" : "GET";
    if (path == PATHS && !is_order) {
        say(reply, KY_HTTP_NONE, "there is no such page\n");
    } else if (strcmp(request->method, method) != 0) {
        say(reply, KY_HTTP_METHOD, "this path does not accept this method\n");
        reply->answer.allow = method;
    } else if (!is_order) {
        show(view, (enum path)path, request, reply);
    } else if (ky_desk_order(view, request->path)) {
        say(reply, KY_HTTP_OK, "");
    } else {
        say(reply, KY_HTTP_NO_RUN, "there is no run that accepts commands\n");
    }
}

void ky_reply_to(struct ky_view *view, const struct ky_request *request, enum ky_http code,
                 struct ky_reply *reply)
{
    *reply = (struct ky_reply){.answer = {.last = request->last}};
    const char *refused = code == KY_HTTP_OK ? ky_doors_refuse(request, view->token) : NULL;
    reply->is_known = code == KY_HTTP_OK && !refused;
    if (code != KY_HTTP_OK)
        say(reply, code,
            code == KY_HTTP_LONG ? "the request is too long\n" : "this is no request\n");
    else if (refused)
        say(reply, KY_HTTP_FORBIDDEN, refused);
    else
        go_to(view, request, reply);
    reply->answer.last |= code != KY_HTTP_OK || refused != NULL;
}
