/* The answers of the server's paths. */
#ifndef KY_VIEW_ANSWERS_H
#define KY_VIEW_ANSWERS_H

#include "view/desk.h"
#include "view/http.h"

struct ky_reply {
    struct ky_answer answer;
    char nonce[KY_TOKEN + 1];
    struct ky_blob *body; /* NULL: none; the caller owns one reference */
    int is_known;         /* 1: the request had the token */
    uint64_t wanted; /* the answer is the frame of this number, which may come later; otherwise 0 */
};

/* The answer to a request for which ky_http_read returned `code`. Never fails: if memory runs out
 * the answer is KY_HTTP_FAULT. */
void ky_reply_to(struct ky_view *view, const struct ky_request *request, enum ky_http code,
                 struct ky_reply *reply);
/* Answers with the frame. */
void ky_reply_with_frame(struct ky_blob *frame, struct ky_reply *reply);
/* Writes 128 random bits as hexadecimal digits; 0 if the system has none. */
int ky_token_make(char token[KY_TOKEN + 1]);

#endif
