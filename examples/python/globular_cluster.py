"""A globular cluster in the Milky Way: tidal tails, and the mass that stays bound to it."""
import kyoho
import matplotlib.pyplot as plt

cluster = kyoho.model("plummer", 1000, units="cluster", mass="2e4 Msun", radius="20 pc", softening="2 pc", seed=5,
                      position="12kpc,0,9kpc", velocity="0,110km/s,40km/s")
run = kyoho.run(cluster, "globular", field="mw14", step="0.4 Myr", end="250 Myr", every="50 Myr", progress=True, overwrite=True)

myr = run.units.real("1 Myr", "time")
figure, (left, right) = plt.subplots(1, 2, figsize=(11, 5))
kyoho.plot(run[-1], left, axis="x", region="4 kpc", about="density", show="density")
right.plot(run.energy["time"] / myr, run.energy["bound_mass"])
right.set_xlabel("time [Myr]")
right.set_ylabel("bound mass [Msun]")
figure.savefig("globular.png")
print(f"of {cluster.mass.sum():.0f} Msun {run.energy['bound_mass'][-1]:.0f} are still bound after {run[-1].time / myr:.0f} Myr")
