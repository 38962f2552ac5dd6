/* Lists of pairs of bodies that grow. */
#ifndef KY_BASE_PAIRS_H
#define KY_BASE_PAIRS_H

#include "kyoho/kyoho.h"

/* Appends the pair i, j. KY_FAULT if memory runs out; the list is then unchanged. */
enum ky_status ky_pairs_add(struct ky_pairs *pairs, size_t i, size_t j, double distance,
                            struct ky_error *error);

#endif
