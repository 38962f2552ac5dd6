/* Which devices the name of an engine means. */
#ifndef KY_DEVICE_NAMES_H
#define KY_DEVICE_NAMES_H

#include "engine/device/card.h"

/* Opens the cards that a name ("cuda:0,1", "opencl", "auto") speaks of, with cards->driver. Those
 * that were opened before one failed are in `cards`, for the caller to close. */
enum ky_status ky_cards_open(struct ky_cards *cards, const char *name, struct ky_error *error);

#endif
