/* Colour maps, given in OKLCh (Ottosson 2020: perceptual lightness, chroma, hue) and converted to
 * sRGB. Lightness increases linearly along every map, so brighter always means denser, also in a
 * greyscale print. */
#include "draw/draw.h"

#include <math.h>

struct stop {
    double at, chroma, hue; /* hue in degrees */
};

enum { STOPS = 6 };

static const double darkest = 0.13, brightest = 0.985; /* lightness at the ends */

static const struct stop maps[][STOPS] = {
    /* ember: night blue, violet, red, orange, pale yellow */
    {{0, 0.025, 275},
     {0.2, 0.105, 292},
     {0.42, 0.185, 355},
     {0.62, 0.19, 397},
     {0.82, 0.16, 437},
     {1, 0.045, 462}},
    /* ice: night blue, blue, cyan, white */
    {{0, 0.03, 285},
     {0.25, 0.11, 275},
     {0.5, 0.15, 255},
     {0.7, 0.12, 225},
     {0.87, 0.07, 205},
     {1, 0.01, 200}},
    /* gray */
    {{0, 0, 0}, {0.2, 0, 0}, {0.4, 0, 0}, {0.6, 0, 0}, {0.8, 0, 0}, {1, 0, 0}},
};

/* Converts OKLCh to linear sRGB, with the matrices of Ottosson (2020); hue in degrees. Values
 * outside 0 … 1 are outside the gamut. */
static void linear_rgb(double lightness, double chroma, double hue, double rgb[3])
{
    const double radian = 0.017453292519943295;
    double a = chroma * cos(hue * radian), b = chroma * sin(hue * radian);
    double l = lightness + 0.3963377774 * a + 0.2158037573 * b;
    double m = lightness - 0.1055613458 * a - 0.0638541728 * b;
    double s = lightness - 0.0894841775 * a - 1.2914855480 * b;
    l = l * l * l, m = m * m * m, s = s * s * s;
    rgb[0] = 4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s;
    rgb[1] = -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s;
    rgb[2] = -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s;
}

static int displayable(const double rgb[3])
{
    for (int k = 0; k < 3; k++)
        if (!(rgb[k] >= -1e-4 && rgb[k] <= 1 + 1e-4))
            return 0;
    return 1;
}

/* The transfer function of sRGB (IEC 61966-2-1), as 0 … 255. */
static uint8_t srgb_byte(double linear)
{
    double v = fmin(fmax(linear, 0), 1);
    v = v <= 0.0031308 ? 12.92 * v : 1.055 * pow(v, 1 / 2.4) - 0.055;
    return (uint8_t)(255 * v + 0.5);
}

void ky_colour(double lightness, double chroma, double hue, uint8_t rgb[3])
{
    double linear[3];
    /* A colour outside the gamut loses chroma, never lightness. */
    linear_rgb(lightness, chroma, hue, linear);
    while (!displayable(linear) && chroma > 1e-3)
        linear_rgb(lightness, chroma *= 0.98, hue, linear);
    for (int i = 0; i < 3; i++)
        rgb[i] = srgb_byte(linear[i]);
}

/* viridis (van der Walt & Smith 2015, CC0) at ten equally spaced points. */
static const uint8_t viridis[][3] = {{68, 1, 84},    {72, 40, 120},  {62, 74, 137},  {49, 104, 142},
                                     {38, 130, 142}, {31, 158, 137}, {53, 183, 121}, {110, 206, 88},
                                     {181, 222, 43}, {253, 231, 37}};

static void fill_viridis(uint8_t colours[KY_MAP_COLOURS][3])
{
    const size_t steps = sizeof viridis / sizeof *viridis - 1;
    for (size_t c = 0; c < KY_MAP_COLOURS; c++) {
        const double at = (double)(c * steps) / (KY_MAP_COLOURS - 1);
        const size_t k = at < (double)steps ? (size_t)at : steps - 1;
        for (int i = 0; i < 3; i++)
            colours[c][i] = (uint8_t)(viridis[k][i] +
                                      (at - (double)k) * (viridis[k + 1][i] - viridis[k][i]) + 0.5);
    }
}

void ky_colour_map(int map, uint8_t colours[KY_MAP_COLOURS][3])
{
    if (map == KY_VIRIDIS) {
        fill_viridis(colours);
        return;
    }
    const struct stop *stop = maps[map];
    for (int c = 0, k = 0; c < KY_MAP_COLOURS; c++) {
        double t = c / (KY_MAP_COLOURS - 1.0);
        while (k + 2 < STOPS && t > stop[k + 1].at)
            k++;
        double f = (t - stop[k].at) / (stop[k + 1].at - stop[k].at);
        ky_colour(darkest + t * (brightest - darkest),
                  stop[k].chroma + f * (stop[k + 1].chroma - stop[k].chroma),
                  stop[k].hue + f * (stop[k + 1].hue - stop[k].hue), colours[c]);
    }
}

void ky_colour_diverging(uint8_t colours[KY_MAP_COLOURS][3])
{
    const double blue = 257, red = 26, pale = 0.85, deep = 0.52, chroma = 0.21;
    for (int c = 0; c < KY_MAP_COLOURS; c++) {
        double t = 2 * c / (KY_MAP_COLOURS - 1.0) - 1, size = fabs(t);
        ky_colour(pale + (deep - pale) * size, chroma * size, t < 0 ? blue : red, colours[c]);
    }
}
