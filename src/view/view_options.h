/* The options of struct ky_view_parameters. */
#ifndef KY_VIEW_OPTIONS_H
#define KY_VIEW_OPTIONS_H

#include "kyoho/draw.h"

#include "base/options.h"

extern const struct ky_option ky_view_options[];
extern const size_t ky_view_option_count;

#endif
