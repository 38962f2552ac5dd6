/* The files of the actions that table.h names. */
#ifndef KY_ACTIONS_ACTIONS_H
#define KY_ACTIONS_ACTIONS_H

#include "physics/actions/count.h"
#include "physics/actions/crowd.h"
#include "physics/actions/density.h"
#include "physics/actions/friends.h"
#include "physics/actions/gravity.h"
#include "physics/actions/list.h"
#include "physics/actions/nearest.h"
#include "physics/actions/table.h"

#endif
