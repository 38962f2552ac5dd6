#!/usr/bin/env python3
"""Prints the disks `rest` of fill_mcmillan17 in external_sums.c. They are fitted to the acceleration of galpy's McMillan17 without
halo and stellar disks, in parts of the whole acceleration; points where the fit is worst count more and more. Needs galpy."""
import math

import numpy
from galpy.potential import McMillan17, evaluateRforces, evaluatezforces
from scipy.optimize import least_squares

SIZE, SPEED = 8.21, 233.1  # kpc and km/s, galpy's units of this potential
G = 4.3009e-6  # kpc (km/s)^2/Msun
HALO = 0.00854e9, 19.6  # Msun/kpc^3, kpc
STARS = (896e6, 2.5, 0.3), (183e6, 3.02, 0.9)  # Msun/kpc^2, kpc, kpc
# Smith et al. (2015), table 1
MASSES = (-0.0090, 0.0640, -0.1653, 0.1164, 1.9487), (0.0173, -0.0903, 0.0877, 0.2029, -1.3077), (-0.0051, 0.0287, -0.0361, -0.0544, 0.2242)
SCALES = (-0.0358, 0.2610, -0.6987, -0.1193, 2.0074), (-0.0830, 0.4992, -0.7967, -1.2966, 4.4441), (-0.0247, 0.1718, -0.4124, -0.5944, 0.7333)
# Mass [1e10 Msun], scale and height [kpc] with which the fit begins; masses end at 9, else large ones of both signs cancel.
BEGIN = (0.387, 0.284, 0.248), (-1.05, 1.47, 1.42), (-6, 1.55, 0.45), (7.3, 1.35, 0.58), (1.907, 10.03, 0.082)
ROUNDS = 12

radius, angle = numpy.geomspace(0.9, 55, 60), numpy.radians([0.01, 1, 2, 4, 7, 11, 16, 22, 30, 40, 50, 60, 70, 80, 89.9])
R, z = (numpy.outer(radius, part(angle)).ravel() for part in (numpy.cos, numpy.sin))


def disk(mass, scale, height):
    zeta = numpy.sqrt(z * z + height * height)
    force = -G * mass / (R * R + (scale + zeta) ** 2) ** 1.5
    return numpy.array([force * R, force * z * (scale + zeta) / zeta])


def exponential(surface, scale, height):
    ratio = height / scale
    b = ratio * (1.092 + ratio * (1.080 - 0.269 * ratio))
    return sum(disk(2 * math.pi * surface * scale**2 * numpy.polyval(m, b), scale * numpy.polyval(s, b), scale * b)
               for m, s in zip(MASSES, SCALES))


def halo(density, scale):
    r = numpy.hypot(R, z)
    u = r / scale
    return -4 * math.pi * G * density * scale**3 * (numpy.log1p(u) - u / (1 + u)) / r**3 * numpy.array([R, z])


def fitted(numbers):
    return sum(disk(1e10 * numbers[k], *numbers[k + 1:k + 3]) for k in range(0, len(numbers), 3))


whole = SPEED**2 / SIZE * numpy.array([[function(McMillan17.McMillan17, r / SIZE, up / SIZE, use_physical=False) for r, up in zip(R, z)]
                                       for function in (evaluateRforces, evaluatezforces)])
size = numpy.hypot(*whole)
rest = whole - halo(*HALO) - sum(exponential(*row) for row in STARS)
numbers, weight = numpy.ravel(BEGIN), numpy.ones(len(R))
for turn in range(ROUNDS):
    fit = least_squares(lambda p: numpy.concatenate([((fitted(p) - rest) / size * weight).ravel(), 1e-4 * p[::3]]), numbers,
                        bounds=([-9, 0, 0.03] * len(BEGIN), [9, 30, 3] * len(BEGIN)), max_nfev=60)
    numbers = fit.x
    error = numpy.hypot(*(fitted(numbers) - rest)) / size
    weight *= (0.3 + error / error.max()) ** 0.5
    weight /= weight.mean()
print(numbers.reshape(-1, 3))
print(f"deviation up to {100 * error.max():.2f} %")
