/* Devices led by the CPU. For groups of close bodies the CPU engine keeps the bodies, their steps
 * and the groups, and the device is a board (board.h), which computes the sums over pairs of
 * Hermite steps in double. All else that the engine is asked for, the CPU does. */
#ifndef KY_ENGINE_LED_H
#define KY_ENGINE_LED_H

#include "engine/engine.h"

/* 1 if the CPU leads a device of this kind for this use. */
int ky_engine_is_led(const struct ky_engine_verbs *verbs, const struct ky_engine_use *use);
/* Opens the board for the CPU engine: the device that parameters->engine names, the first one of
 * several. KY_UNSUPPORTED for a device without double, and if one of several is missing. */
enum ky_status ky_engine_open_led(const struct ky_engine_verbs *verbs,
                                  const struct ky_parameters *parameters, struct ky_board **board,
                                  struct ky_error *error);
/* Closes it, where the CPU engine does not open. */
void ky_engine_close_led(struct ky_board *board);

#endif
