/* Who may come in: requests from this machine, by a page of this server, with its token. */
#ifndef KY_VIEW_DOORS_H
#define KY_VIEW_DOORS_H

#include "view/http.h"

/* NULL for a request that may come in; else why not. */
const char *ky_doors_refuse(const struct ky_request *request, const char *token);

#endif
