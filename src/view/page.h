/* The page of the view as bytes: page.css, page.html and page.js, in this order (mk/library.mk
 * makes the table). */
#ifndef KY_VIEW_PAGE_H
#define KY_VIEW_PAGE_H

#include "base/embedded.h"

enum { KY_PAGE_STYLE, KY_PAGE_BODY, KY_PAGE_SCRIPT };
extern const struct ky_embedded ky_page[];
extern const size_t ky_page_count;

#endif
