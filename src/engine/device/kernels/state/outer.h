/* The findings of a survey of bodies, by kernels and by the host, which unites the groups'
 * findings. The numbers are double: there is no survey on devices without it. */
#ifndef KY_KERNELS_OUTER_H
#define KY_KERNELS_OUTER_H

#include "physics/number.h"

/* The type of the numbers of an array of the caller: enum ky_number of kyoho.h, or none. */
#define KY_OUTER_DOUBLE 0
#define KY_OUTER_SINGLE 1
#define KY_OUTER_NONE 2

#define KY_SURVEY_CHUNK 4096 /* bodies of a group of lanes */

/* The numbers of struct ky_extent and struct ky_softenings, and the numbers of bodies without mass
 * and of bodies with an impossible number. */
#define KY_SURVEY_SIZE 0 /* mean distance from the middle */
#define KY_SURVEY_FAR 1
#define KY_SURVEY_BODY 2
#define KY_SURVEY_MASS 3 /* mean */
#define KY_SURVEY_LIGHTEST 4
#define KY_SURVEY_HEAVIEST 5
#define KY_SURVEY_REST 6
#define KY_SURVEY_LEAST 7 /* softening */
#define KY_SURVEY_MOST 8
#define KY_SURVEY_SOFTEST 9
#define KY_SURVEY_MASSLESS 10
#define KY_SURVEY_BAD 11
#define KY_SURVEY 12

#ifdef KY_STATE_IS_DOUBLE
KY_FN void ky_survey_of_none(double *found)
{
    for (int k = 0; k < KY_SURVEY; k++)
        found[k] = 0;
    found[KY_SURVEY_LEAST] = 1e308;
}

/* Of two bodies with the largest value the one with the smaller index stays. */
KY_FN void ky_survey_keep(double *value, double *body, double other, double others_body)
{
    if (other > *value || (other == *value && others_body < *body)) {
        *value = other;
        *body = others_body;
    }
}

KY_FN void ky_survey_unite(double *found, const double *other)
{
    const double light = found[KY_SURVEY_LIGHTEST], lighter = other[KY_SURVEY_LIGHTEST],
                 heavy = found[KY_SURVEY_HEAVIEST], heavier = other[KY_SURVEY_HEAVIEST];
    found[KY_SURVEY_SIZE] += other[KY_SURVEY_SIZE];
    found[KY_SURVEY_MASS] += other[KY_SURVEY_MASS];
    found[KY_SURVEY_MASSLESS] += other[KY_SURVEY_MASSLESS];
    found[KY_SURVEY_BAD] += other[KY_SURVEY_BAD];
    ky_survey_keep(&found[KY_SURVEY_FAR], &found[KY_SURVEY_BODY], other[KY_SURVEY_FAR],
                   other[KY_SURVEY_BODY]);
    ky_survey_keep(&found[KY_SURVEY_MOST], &found[KY_SURVEY_SOFTEST], other[KY_SURVEY_MOST],
                   other[KY_SURVEY_SOFTEST]);
    found[KY_SURVEY_LIGHTEST] = light > 0 && (light < lighter || !(lighter > 0)) ? light : lighter;
    found[KY_SURVEY_REST] += other[KY_SURVEY_REST] + (heavy < heavier ? heavy : heavier);
    found[KY_SURVEY_HEAVIEST] = heavy < heavier ? heavier : heavy;
    if (other[KY_SURVEY_LEAST] < found[KY_SURVEY_LEAST])
        found[KY_SURVEY_LEAST] = other[KY_SURVEY_LEAST];
}
#endif

#endif
