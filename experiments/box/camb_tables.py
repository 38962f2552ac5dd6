#!/usr/bin/env python3
"""Writes linear.txt and nonlinear.txt: power spectra of matter at z = 0 by CAMB (pip install camb).

The universe is the one of the model cosmic-box without massive neutrinos; the nonlinear spectrum is the fit mead2020. Rows are k [h/Mpc]
and P [(Mpc/h)^3]. The linear table is what `kyoho model cosmic-box --spectrum` reads.
"""
import camb

H, BARYONS, MATTER, INDEX, SIGMA8 = 0.6766, 0.049, 0.3111, 0.9665, 0.8102
FIRST, LAST, ROWS = 1e-3, 50, 250


def spectrum(a_s, nonlinear):
    """k, P and sigma8 for an amplitude."""
    universe = camb.set_params(H0=100 * H, ombh2=BARYONS * H**2, omch2=(MATTER - BARYONS) * H**2, mnu=0, nnu=3.046, omk=0, As=a_s, ns=INDEX)
    universe.NonLinear = camb.model.NonLinear_both if nonlinear else camb.model.NonLinear_none
    universe.NonLinearModel.set_params(halofit_version="mead2020")
    universe.set_matter_power(redshifts=[0], kmax=2 * LAST)
    found = camb.get_results(universe)
    k, _, power = found.get_matter_power_spectrum(minkh=FIRST, maxkh=LAST, npoints=ROWS)
    return k, power[0], found.get_sigma8_0()


def main():
    a_s = 2.1e-9
    a_s *= (SIGMA8 / spectrum(a_s, False)[2])**2
    for name, nonlinear in (("linear.txt", False), ("nonlinear.txt", True)):
        k, power, sigma8 = spectrum(a_s, nonlinear)
        with open(name, "w") as file:
            file.write(f"# {'mead2020, nonlinear' if nonlinear else 'linear'}, z = 0, CAMB {camb.__version__}: h = {H}, Ob = {BARYONS}, Om = {MATTER}, ns = {INDEX}, sigma8 = {sigma8:.4f}\n# k h/Mpc, P (Mpc/h)^3\n")
            file.writelines(f"{x:.6e} {p:.6e}\n" for x, p in zip(k, power))


if __name__ == "__main__":
    main()
