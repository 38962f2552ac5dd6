"""The field of bodies and of a galaxy at points of your own: a rotation curve, escape speeds and tides."""
import kyoho
import numpy as np

bodies = kyoho.model("hernquist", 20000, units="galaxy", mass="1e12 Msun", radius="70 kpc", seed=1)
radius = np.array([2.0, 5, 8, 20, 50])  # kpc
points = np.column_stack((radius, np.zeros(5), np.zeros(5)))

for name, (acceleration, potential) in {"bodies": kyoho.field(points, bodies),
                                        "bodies and a disk": kyoho.field(points, bodies, field="miyamoto-nagai:mass=5e10Msun,scale=3kpc,height=0.3kpc"),
                                        "the Milky Way of Bovy (2015)": kyoho.external_field(points, "mw14", units="galaxy")}.items():
    speed = np.sqrt(-acceleration[:, 0] * radius)
    print(f"{name}: circular speeds {np.round(speed)} km/s")
escape = np.sqrt(-2 * kyoho.field(points, bodies)[1])
tide = kyoho.tides(points, bodies)
print(f"escape speeds {np.round(escape)} km/s; at {radius[2]:g} kpc the tide stretches by {tide[2, 0, 0]:.0f} (km/s/kpc)² along x")
