"""Stars that meet binaries of equal masses: cross sections of ionisation and exchange, from one call of kyoho.few.
The line is the ionisation at high speeds, 40/9 π a² (v_c/v)² (Hut 1983). `python scattering.py 10000` takes 10⁵ encounters."""
import sys

import kyoho
import matplotlib.pyplot as plt
import numpy as np

speeds = np.array([0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0, 5.6, 8.0, 11.3])  # in units of the critical speed, √1.5 here (G = m = a = 1)
each = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
rng, most, v = np.random.default_rng(1), np.repeat(4 / speeds + 0.6, each), np.repeat(speeds, each) * np.sqrt(1.5)
u = np.sqrt(v**2 + 6 / 20)  # the speed at a distance of 20, and y with the angular momentum of b v
y = most * np.sqrt(rng.random(v.size)) * v / u
p, q = rng.normal(size=(2, v.size, 3))
p, q = (r / np.linalg.norm(r, axis=1)[:, None] for r in (p, np.cross(p, q)))
x, w = np.stack([p / 2, -p / 2, 0 * p], 1), np.stack([q, -q, 0 * q], 1) * np.sqrt(0.5)
x[:, 2, :2], w[:, 2, 0] = np.stack([-np.sqrt(400 - y**2), y], 1), u

found = kyoho.few(x, w, [1, 1, 1], 10000, stop_escape=20, tolerance=1e-9)
bound = {(i, j): np.sum((found.velocity[:, i] - found.velocity[:, j])**2, 1) / 2 < 2 / np.linalg.norm(found.position[:, i] - found.position[:, j], axis=1)
         for i, j in ((0, 1), (0, 2), (1, 2))}
ends = {"ionisation": ~(bound[0, 1] | bound[0, 2] | bound[1, 2]), "exchange": ~bound[0, 1] & (bound[0, 2] | bound[1, 2])}
section = {name: np.mean((most**2 * end).reshape(-1, each), 1) for name, end in ends.items()}
for name in section:
    plt.loglog(speeds, section[name], "o", label=name)
plt.loglog(speeds[3:], 40 / 9 / speeds[3:]**2, label="ionisation (Hut 1983)")
plt.gca().set(xlabel="v / critical speed", ylabel="cross section / (π a²)")
plt.gcf().legend()
plt.savefig("scattering.png")
print(f"{found}; ionisation at high speeds is {np.mean(section['ionisation'][-4:] * speeds[-4:]**2) * 9 / 40:.2f} of Hut's")
