"""Groups of your own points, by friends of friends; the points may come from any program."""
import kyoho
import numpy as np

rng = np.random.default_rng(1)
centres = rng.uniform(-50, 50, (12, 3))
points = np.concatenate([rng.normal(centre, 0.5, (200, 3)) for centre in centres] + [rng.uniform(-60, 60, (500, 3))])

groups = kyoho.groups(points, linking_length=0.6, minimum=20)
label = groups.label  # of each point, -1 in no group
for g in range(3):
    print(f"group {g}: {groups.count[g]} points about {np.round(groups.centre[g], 1)}, rms radius {groups.radius[g]:.2f}")
nearest, distance = kyoho.nearest(points, 1)
print(f"{len(groups)} groups hold {np.sum(label >= 0)} of {len(points)} points; "
      f"points outside are {np.median(distance[label < 0]) / np.median(distance[label >= 0]):.0f} times as far from their neighbours")
