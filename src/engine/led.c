/* Devices that the CPU leads: see led.h. */
#include "engine/led.h"

#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "engine/board.h"

int ky_engine_is_led(const struct ky_engine_verbs *verbs, const struct ky_engine_use *use)
{
    return verbs->board && use->schemes >> KY_SCHEME_GROUPS & 1U;
}

enum ky_status ky_engine_open_led(const struct ky_engine_verbs *verbs,
                                  const struct ky_parameters *parameters, struct ky_board **board,
                                  struct ky_error *error)
{
    char first[32];
    struct ky_parameters own = *parameters;
    snprintf(first, sizeof first, "%.*s", (int)strcspn(parameters->engine, ","),
             parameters->engine);
    own.engine = first;
    own.precision = KY_DOUBLE;
    return verbs->board->open(&own, board, error);
}

void ky_engine_close_led(struct ky_board *board)
{
    board->verbs->close(board);
}
