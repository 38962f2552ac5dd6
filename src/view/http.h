/* The part of HTTP/1.1 that the view needs (RFC 9112): parsing of request headers, and formatting
 * of response headers. Requests with a body, which none of our pages sends, are rejected. */
#ifndef KY_VIEW_HTTP_H
#define KY_VIEW_HTTP_H

#include <stddef.h>

/* The status codes of answers. */
enum ky_http {
    KY_HTTP_OK = 200,
    KY_HTTP_BAD = 400,
    KY_HTTP_FORBIDDEN = 403,
    KY_HTTP_NONE = 404,
    KY_HTTP_METHOD = 405,
    KY_HTTP_NO_RUN = 409, /* there is no run to control */
    KY_HTTP_BODY = 413,
    KY_HTTP_RANGE = 416,
    KY_HTTP_LONG = 431,
    KY_HTTP_FAULT = 500
};

/* The parsed request; the texts point into the header. */
struct ky_request {
    const char *method, *path;
    const char *query;                        /* after the '?'; or "" */
    const char *host, *origin, *token;        /* NULL: absent */
    const char *length, *coding, *connection; /* NULL: absent */
    int last;                                 /* 1: no further request on this connection */
};

/* The length of the header at the start of `text`, including the empty line at its end; 0:
 * incomplete. */
size_t ky_http_head(const char *text, size_t length);
/* Parses a header of `length` bytes, which is split into texts in place. Returns KY_HTTP_OK,
 * KY_HTTP_BAD or KY_HTTP_BODY. `last` is set in any case. */
enum ky_http ky_http_read(char *head, size_t length, struct ky_request *request);

/* An answer without its body. */
struct ky_answer {
    enum ky_http code;
    const char *type;  /* of the body: "text/html" */
    size_t bytes;      /* of the body */
    const char *nonce; /* for the page's style and script; or NULL */
    int framed;        /* 1: pages of this machine may show the answer in an iframe */
    const char *allow; /* the method allowed for the path, for KY_HTTP_METHOD; or NULL */
    int last;          /* as in the request */
};
/* Writes the header of an answer, and returns its length. */
enum { KY_HTTP_HEAD = 1024 };
size_t ky_http_write(char head[KY_HTTP_HEAD], const struct ky_answer *answer);

#endif
