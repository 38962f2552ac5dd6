/* Plots of curves with axes, ticks, labels and a legend. */
#ifndef KY_DRAW_PLOT_H
#define KY_DRAW_PLOT_H

#include "draw/draw.h"

enum { KY_RIGHT, KY_UP }; /* axes */

#endif
