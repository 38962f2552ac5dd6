/* The device for the name of an engine. */
#ifndef KY_DEVICE_NAMES_H
#define KY_DEVICE_NAMES_H

#include "engine/device/driver/card.h"

/* Opens the card of opened->driver for `name` ("cuda:1", "opencl", "auto"). Of several devices it
 * opens the first. KY_UNSUPPORTED if one of them does not exist or cannot be used, KY_USAGE if one
 * is named twice. The caller closes the card. After a failure opened->card is as it was. */
enum ky_status ky_card_open(struct ky_opened *opened, const char *name, struct ky_error *error);

#endif
