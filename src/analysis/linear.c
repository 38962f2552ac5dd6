/* Vectors after subtraction of their mean and gradient: the random velocities in a flow, the
 * peculiar accelerations in a universe. */
#include <math.h>

#include "analysis/analysis.h"

/* Solves c s = b for the three columns of b; c is symmetric and positive definite. */
static void solve(double c[3][3], double b[3][3], double s[3][3])
{
    double inverse[3][3], determinant = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            inverse[j][i] = c[i1][j1] * c[i2][j2] - c[i1][j2] * c[i2][j1];
        }
    for (int j = 0; j < 3; j++)
        determinant += c[0][j] * inverse[j][0];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            s[i][k] = 0;
            for (int j = 0; j < 3 && determinant > 0; j++)
                s[i][k] += inverse[i][j] * b[j][k] / determinant;
        }
}

/* Subtracts the means. Returns the largest coordinate that remains. */
static double centre(size_t n, double (*x)[3], double (*v)[3])
{
    double size = 0;
    for (int c = 0; c < 3; c++) {
        double mean[2] = {0};
        for (size_t k = 0; k < n; k++)
            mean[0] += x[k][c] / (double)n, mean[1] += v[k][c] / (double)n;
        for (size_t k = 0; k < n; k++) {
            x[k][c] -= mean[0], v[k][c] -= mean[1];
            size = fmax(size, fabs(x[k][c]));
        }
    }
    return size;
}

void ky_subtract_linear(size_t n, double (*x)[3], double (*v)[3])
{
    const double size = centre(n, x, v);
    double of[3][3] = {{0}}, with[3][3] = {{0}}, slope[3][3];
    for (int i = 0; i < 3 && size > 0; i++)
        for (int j = 0; j < 3; j++) {
            for (size_t k = 0; k < n; k++) {
                of[i][j] += x[k][i] / size * (x[k][j] / size);
                with[i][j] += x[k][i] / size * v[k][j];
            }
            of[i][j] += i == j ? 1e-8 * (double)n : 0; /* for bodies in a plane */
        }
    solve(of, with, slope);
    for (size_t k = 0; k < n && size > 0; k++)
        for (int c = 0; c < 3; c++)
            for (int j = 0; j < 3; j++)
                v[k][c] -= slope[j][c] * (x[k][j] / size);
}

/* Computed in units of the largest number, whose square may overflow. */
double ky_rms(size_t n, const double (*v)[3])
{
    double sum = 0, most = 0;
    for (size_t k = 0; k < n; k++)
        for (int c = 0; c < 3; c++)
            most = fmax(most, fabs(v[k][c]));
    for (size_t k = 0; k < n && most > 0; k++)
        for (int c = 0; c < 3; c++)
            sum += v[k][c] / most * (v[k][c] / most) / (double)n;
    return most * sqrt(sum);
}
