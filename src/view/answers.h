/* The answers of the server's paths. */
#ifndef KY_VIEW_ANSWERS_H
#define KY_VIEW_ANSWERS_H

#include "view/desk.h"
#include "view/http.h"

struct ky_reply {
    struct ky_answer answer;
    char nonce[KY_TOKEN + 1];
    struct ky_blob *body; /* NULL: none; a body has one holder, the caller */
    int is_known;         /* the request had the token */
    uint64_t wanted;      /* the answer is the frame of this number, which may come later; else 0 */
};

/* The answer to a request that was read with `code`. Never fails: without memory the answer is
 * KY_HTTP_FAULT. */
void ky_reply_to(struct ky_view *view, const struct ky_request *request, enum ky_http code,
                 struct ky_reply *reply);
/* The frame as an answer. */
void ky_reply_with_frame(struct ky_blob *frame, struct ky_reply *reply);
/* Writes 128 random bits as hexadecimal digits; 0 if the system has none. */
int ky_token_make(char token[KY_TOKEN + 1]);

#endif
