/* Internal functions of struct ky_view, for runs and for the reader of a folder. */
#ifndef KY_VIEW_VIEW_H
#define KY_VIEW_VIEW_H

#include "kyoho/draw.h"

#include "base/view_calls.h"

extern const struct ky_view_calls ky_view_desk; /* the calls of every view */
/* The number of a snapshot, from 1 on, that a page waits for; 0: none was requested within
 * `seconds`. */
uint64_t ky_view_next(struct ky_view *view, double seconds);

#endif
