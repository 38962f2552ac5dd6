/* The device for the name of an engine. */
#ifndef KY_DEVICE_NAMES_H
#define KY_DEVICE_NAMES_H

#include "engine/device/driver/card.h"

/* Opens the card for `name` ("cuda:1", "opencl", "auto") and sets opened->driver. Of several
 * devices it opens the first, but all must exist. The caller closes it. After a failure
 * opened->card is NULL. */
enum ky_status ky_card_open(struct ky_opened *opened, const char *name, struct ky_error *error);

#endif
