/* Which devices the name of an engine means. */
#ifndef KY_DEVICE_NAMES_H
#define KY_DEVICE_NAMES_H

#include "engine/device/driver/card.h"

/* Opens the cards that `name` ("cuda:0,1", "opencl", "auto") means, with cards->driver. After a
 * failure `cards` has the cards that were opened before; the caller closes them. */
enum ky_status ky_cards_open(struct ky_cards *cards, const char *name, struct ky_error *error);

#endif
