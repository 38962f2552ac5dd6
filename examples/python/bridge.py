"""A star cluster in a galaxy of bodies, each with an integrator of its own, coupled by kicks: a bridge (Fujii et al. 2007)."""
import kyoho
import numpy as np

SOFTENING, STEP = 0.05, 1 / 32
galaxy = kyoho.Simulation(kyoho.model("plummer", 2000, seed=1), step=1 / 64, softening=SOFTENING)
cluster = kyoho.Simulation(kyoho.model("plummer", 200, mass=0.01, radius=0.02, seed=2, position=[1, 0, 0], velocity=[0, 0.6, 0]),
                           step=1 / 64, integrator="block")


def kick(of, by, time):
    """Kicks the bodies of one system by the field of the other. Returns their mutual energy."""
    acceleration, potential = by.field(of.position, SOFTENING)
    of.kick(time * acceleration)
    return (of.mass * potential).sum()


start = galaxy.energy() + cluster.energy() + kick(cluster, galaxy, 0)
for time in np.arange(STEP, 2 + STEP, STEP):
    for half in ("before", "after"):
        kick(galaxy, cluster, STEP / 2)
        kick(cluster, galaxy, STEP / 2)
        if half == "before":
            galaxy.integrate(time)
            cluster.integrate(time)
change = (galaxy.energy() + cluster.energy() + kick(cluster, galaxy, 0)) / start - 1
print(f"the cluster is {np.linalg.norm(cluster.position.mean(0)):.2f} from the centre; the energy has changed by {change:.0e}")
