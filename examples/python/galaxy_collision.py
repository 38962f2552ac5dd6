"""Two disk galaxies that pass each other: a run in a folder, a picture of its tails and a film."""
import kyoho

galaxy = kyoho.model("galaxy", 3000, units="galaxy", softening="0.4 kpc", seed=1)
other = kyoho.model("galaxy", 3000, units="galaxy", softening="0.4 kpc", seed=2)
pair = kyoho.merge(galaxy, other, separation="100 kpc", pericentre="10 kpc", first_inclination=20, second_inclination=60)
run = kyoho.run(pair, "collision", end="0.4 Gyr", step="2 Myr", every="40 Myr", progress=True, overwrite=True)

stars = [snapshot[snapshot.type != 1] for snapshot in run]  # without the dark halos
kyoho.draw(stars[0], stars[-1], path="collision.png", region="120 kpc", overwrite=True)
kyoho.draw(stars, path="collision.mp4", frames=50, region="120 kpc", turn_to=90, show="density", overwrite=True, progress=True)
print(f"{len(run)} snapshots; the energy has changed by {run.energy['de'][-1]:.0e}")
