/* Opening a device that the CPU leads: see led.h. */
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
                                  const struct ky_parameters *parameters, size_t room,
                                  const struct ky_engine_use *use, struct ky_engine **engine,
                                  struct ky_error *error)
{
    char first[32];
    struct ky_parameters of_board = *parameters;
    struct ky_engine_use led = *use;
    snprintf(first, sizeof first, "%.*s", (int)strcspn(parameters->engine, ","),
             parameters->engine);
    of_board.engine = first;
    of_board.precision = KY_DOUBLE;
    KY_TRY(verbs->board->open(&of_board, &led.board, error));
    const enum ky_status status = ky_cpu_engine.open(parameters, room, &led, engine, error);
    if (status)
        led.board->verbs->close(led.board);
    return status;
}
