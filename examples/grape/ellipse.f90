! Two bodies on an ellipse, by a Hermite integrator over the Fortran names of the GRAPE-6 calls.
!
!     gfortran ellipse.f90 $(pkg-config --libs kyoho_g6) && ./a.out
program ellipse
    implicit none
    integer, parameter :: n = 2, steps = 4000
    integer :: cluster = 0, i, k, id(n) = [1, 2], status
    integer, external :: g6_open, g6_close, g6calc_lasthalf2
    double precision, parameter :: period = 6.283185307179586d0
    double precision :: m(n) = [0.75d0, 0.25d0], x(3, n), v(3, n), a(3, n), j(3, n), p(n)
    double precision :: xp(3, n), vp(3, n), a1(3, n), j1(3, n), v0(3, n), eps2 = 0, h2(n) = 0
    double precision :: t = 0, dt = period/steps
    integer :: nearest(n)

    x = 0
    v = 0
    x(1, :) = [-0.25d0, 0.75d0]*1.5d0          ! at the apocentre: a = 1, e = 0.5
    v(2, :) = [-0.25d0, 0.75d0]*sqrt(1/3d0)
    a = 0
    j = 0
    if (g6_open(cluster) /= 0) stop 3
    call send
    call force(x, v, a, j)
    call send
    do k = 1, steps
        xp = x + dt*(v + dt/2*(a + dt/3*j))
        vp = v + dt*(a + dt/2*j)
        t = k*dt
        call force(xp, vp, a1, j1)
        v0 = v
        v = v + dt/2*(a + a1) + dt**2/12*(j - j1)
        x = x + dt/2*(v0 + v) + dt**2/12*(a - a1)
        a = a1
        j = j1
        call send
    end do
    print '(a, es8.1, a, 2i2)', 'after one revolution the orbit misses by ', abs(x(1, 2) - x(1, 1) - 1.5d0) &
        + abs(x(2, 2) - x(2, 1)), ', nearest', nearest
    status = g6_close(cluster)

contains

    subroutine force(at, w, acc, jerk)
        double precision :: at(3, n), w(3, n), acc(3, n), jerk(3, n)
        call g6_set_ti(cluster, t)
        call g6calc_firsthalf(cluster, n, n, id, at, w, acc, jerk, p, eps2, h2)
        if (g6calc_lasthalf2(cluster, n, n, id, at, w, eps2, h2, acc, jerk, p, nearest) /= 0) stop 1
    end subroutine

    subroutine send
        double precision :: zero(3) = 0
        do i = 1, n
            call g6_set_j_particle(cluster, i - 1, id(i), t, dt, m(i), zero, j(:, i)/6, a(:, i)/2, v(:, i), x(:, i))
        end do
    end subroutine
end program
