/* The table of boards, and opening by name. */
#include "engine/board.h"

#include <string.h>

#include "base/drivers.h"
#include "engine/common/device_list.h"
#include "engine/engine.h"

/* In the order in which `auto` tries them: the fastest first. */
#define VERBS(name) &ky_##name##_board,
static const struct ky_board_verbs *const boards[] = {KY_DRIVERS_HERE(VERBS) VERBS(cpu)};

enum { BOARDS = sizeof boards / sizeof *boards };

enum ky_status ky_board_open(const struct ky_parameters *parameters, struct ky_board **board,
                             struct ky_error *error)
{
    const char *name = parameters->engine;
    struct ky_error why = {.text = ""};
    enum ky_status status = KY_UNSUPPORTED;
    size_t listed;
    KY_TRY(ky_device_list_once(name, &listed, error));
    if (listed > 1)
        return ky_fail(error, KY_USAGE, "a board is one device, but '%s' names several", name);
    for (int k = 0; k < BOARDS; k++)
        if (ky_engine_is_named(name, boards[k]->name))
            return boards[k]->open(parameters, board, error);
    if (strcmp(name, "auto") != 0)
        return ky_engine_not_here(name, error);
    for (int k = 0; k < BOARDS; k++) {
        status = boards[k]->open(parameters, board, &why);
        if (!status)
            return KY_OK;
        ky_log(parameters, KY_LOG_DETAIL, "not engine %s: %s", boards[k]->name, why.text);
    }
    return ky_fail(error, status, "%s", why.text);
}
