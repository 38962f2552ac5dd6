/* Which device the name of an engine means. */
#ifndef KY_DEVICE_NAMES_H
#define KY_DEVICE_NAMES_H

#include "engine/device/driver/card.h"

/* Opens the card that `name` ("cuda:1", "opencl", "auto") means, with opened->driver: of several
 * the first, but all have to be there. The caller closes it. After a failure opened->card is NULL.
 */
enum ky_status ky_card_open(struct ky_opened *opened, const char *name, struct ky_error *error);

#endif
