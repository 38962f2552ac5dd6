/* Devices that the CPU leads: see led.h. */
#include "engine/led.h"

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
    struct ky_parameters own = *parameters;
    own.precision = KY_DOUBLE;
    return verbs->board->open(&own, board, error);
}

void ky_engine_close_led(struct ky_board *board)
{
    board->verbs->close(board);
}
