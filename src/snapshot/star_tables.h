/* Tables of stars without names of columns, which codes for star clusters write: numbers between
 * blanks, with mass, place and velocity first. */
#ifndef KY_SNAPSHOT_STAR_TABLES_H
#define KY_SNAPSHOT_STAR_TABLES_H

/* The columns that all of them begin with. */
enum { KY_STAR_COLUMNS = 7 };

/* The number of cells of a line, all of which are numbers, separated by blanks; 0: some are not. */
int ky_count_numbers(const char *line);
/* 1 for a row of McLuster or NBODY6, alone or with the columns of McLuster's SSE. */
int ky_is_star_row(int numbers);
/* 1 for the first line of a snapshot of PeTar: number of the file, of the bodies, and time; and
 * then the place and velocity of the cluster. */
int ky_is_petar_head(int numbers);
/* The column of the ids in a row of PeTar, from 0; −1: this is no such row. */
int ky_petar_id_column(int numbers);
/* 1 for the comment before a table of McLuster in solar masses, pc and km/s. */
int ky_is_mcluster_head(const char *line);
/* 1 if this line, which ends at the latest at `end`, and the next one begin such a table. */
int ky_star_table_begins(const unsigned char *line, const unsigned char *end);

#endif
