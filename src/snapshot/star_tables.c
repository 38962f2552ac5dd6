/* Tables of McLuster (-C 3 and -C 5), NBODY6 (dat.10) and PeTar (snapshots as text). */
#include "snapshot/star_tables.h"

#include <stdio.h>
#include <string.h>

#include "base/number.h"

static const char blanks[] = " \t\r";

int ky_count_numbers(const char *line)
{
    int count = 0;
    for (line += strspn(line, blanks); *line; line += strspn(line, blanks)) {
        char cell[64];
        char *end;
        const size_t length = strcspn(line, blanks);
        if (length >= sizeof cell)
            return 0;
        memcpy(cell, line, length);
        cell[length] = '\0';
        ky_number_real(cell, &end);
        if (end == cell || *end)
            return 0;
        line += length;
        count++;
    }
    return count;
}

/* The columns of McLuster with SSE: mass at the start, type, epochs, spin, radius, luminosity,
 * metallicity and magnitudes. */
enum { WITH_SSE = KY_STAR_COLUMNS + 14 };

int ky_is_star_row(int numbers)
{
    return numbers == KY_STAR_COLUMNS || numbers == WITH_SSE;
}

int ky_is_petar_head(int numbers)
{
    return numbers == 3 || numbers == 9;
}

/* A row of PeTar has 20 columns, 21 with an external potential. Compiled with interrupts it has 4
 * more before the id, with SSE and BSE 14 more. */
int ky_petar_id_column(int numbers)
{
    static const int more[] = {0, 4, 14};
    for (size_t k = 0; k < sizeof more / sizeof *more; k++)
        if (numbers == 20 + more[k] || numbers == 21 + more[k])
            return 9 + more[k];
    return -1;
}

int ky_is_mcluster_head(const char *line)
{
    static const char *const words[] = {"#Mass_[Msun]", "x_[pc]", "vx_[km/s]"};
    return !strncmp(line, words[0], strlen(words[0])) && strstr(line, words[1]) &&
           strstr(line, words[2]);
}

/* Counts the numbers of the line at `line`, and sets *next to the one after it. A line that is cut
 * off at `end` counts as far as it goes. */
static int count_at(const unsigned char *line, const unsigned char *end, const unsigned char **next)
{
    char text[2048];
    const unsigned char *stop = memchr(line, '\n', (size_t)(end - line));
    const size_t length = (size_t)((stop ? stop : end) - line);
    *next = stop ? stop + 1 : end;
    if (length >= sizeof text)
        return 0;
    memcpy(text, line, length);
    text[length] = '\0';
    return ky_count_numbers(text);
}

int ky_star_table_begins(const unsigned char *line, const unsigned char *end)
{
    const unsigned char *next, *after;
    const int count = count_at(line, end, &next);
    return ky_is_star_row(count) ||
           (ky_is_petar_head(count) && ky_petar_id_column(count_at(next, end, &after)) >= 0);
}
