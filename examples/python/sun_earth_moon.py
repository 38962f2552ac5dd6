"""Sun, Earth and Moon for a year: quantities with units, and an integrator for few bodies."""
import kyoho
import numpy as np

sim = kyoho.Simulation(position=[[0, 0, 0], ["1 AU", 0, 0], ["1.00257 AU", 0, 0]],
                       velocity=[[0, 0, 0], [0, "29.78 km/s", 0], [0, "30.80 km/s", 0]],
                       mass=["1 Msun", "3.003e-6 Msun", "3.694e-8 Msun"],
                       units="planets", softening=0, integrator="hermite4", step="1 d")
km = sim.units.real("1 km", "length")
energy, distances = sim.energy(), []
for day in range(1, 366):
    sim.integrate(f"{day} d")
    distances.append(np.linalg.norm(sim.position[2] - sim.position[1]) / km)
print(f"the Moon was {min(distances):.0f} to {max(distances):.0f} km away; the energy has changed by {sim.energy() / energy - 1:.0e}")
print(f"after {sim.time:.3f} years the Earth is at {np.round(sim.position[1] - sim.position[0], 2)} AU")
