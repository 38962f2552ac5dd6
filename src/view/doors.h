/* Access control: requests must come from this machine, from a page of this server, with its
 * token. */
#ifndef KY_VIEW_DOORS_H
#define KY_VIEW_DOORS_H

#include "view/http.h"

/* NULL for a request that is accepted; otherwise the reason. */
const char *ky_doors_refuse(const struct ky_request *request, const char *token);

#endif
