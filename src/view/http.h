/* HTTP/1.1 as far as the view needs it (RFC 9112): heads of requests are read, and heads of answers
 * written. Requests with a body, which no page of ours sends, are refused. */
#ifndef KY_VIEW_HTTP_H
#define KY_VIEW_HTTP_H

#include <stddef.h>

/* The codes that answers have. */
enum ky_http {
    KY_HTTP_OK = 200,
    KY_HTTP_BAD = 400,
    KY_HTTP_FORBIDDEN = 403,
    KY_HTTP_NONE = 404,
    KY_HTTP_METHOD = 405,
    KY_HTTP_NO_RUN = 409, /* there is nothing to steer */
    KY_HTTP_BODY = 413,
    KY_HTTP_RANGE = 416,
    KY_HTTP_LONG = 431,
    KY_HTTP_FAULT = 500
};

/* The texts point into the head. */
struct ky_request {
    const char *method, *path;
    const char *query;                        /* behind the '?'; "" */
    const char *host, *origin, *token;        /* NULL: not there */
    const char *length, *coding, *connection; /* the same */
    int last;                                 /* 1: no other request comes on this connection */
};

/* The length of the head at the start of `text`, with the empty line at its end; 0: it has not
 * ended. */
size_t ky_http_head(const char *text, size_t length);
/* Reads a head of `length` bytes, which it cuts into texts. Returns KY_HTTP_OK, KY_HTTP_BAD or
 * KY_HTTP_BODY. `last` is filled in any case. */
enum ky_http ky_http_read(char *head, size_t length, struct ky_request *request);

/* An answer, but for its body. */
struct ky_answer {
    enum ky_http code;
    const char *type;  /* of the body: "text/html" */
    size_t bytes;      /* of the body */
    const char *nonce; /* of the page's style and script; or NULL */
    const char *allow; /* the method that the path has, for KY_HTTP_METHOD; or NULL */
    int last;          /* as in the request */
};
/* Writes the head of an answer, and returns its length. */
enum { KY_HTTP_HEAD = 1024 };
size_t ky_http_write(char head[KY_HTTP_HEAD], const struct ky_answer *answer);

#endif
