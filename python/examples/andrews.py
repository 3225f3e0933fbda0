"""Andrews' squeezing mechanism from its Lagrangian: seven bodies, a motor, a spring, three closed loops.

Data: E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, section VII.7.
"""

import sympy
from sympy import cos, sin
from sympy.physics.mechanics import dynamicsymbols

import keel

START = [-0.0617138900142764496358948458001, 0, 0.455279819163070380255912382449,
         0.222668390165885884674473185609, 0.487364979543842550225598953530,
         -0.222668390165885884674473185609, 1.23054744454982119249735015568]

mass = 0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498
inertia = 2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5
d, da, e, ea, zf, fa, rr, ra, ss, sa = .028, .0115, .02, .01421, .02, .01421, .007, .00092, .035, .01874
sb, sc, sd, ta, tb, zt, u, ua, ub = .01043, .018, .02, .02308, .00916, .04, .04, .01228, .00449
A, B, C = (-0.06934, -0.00227), (-0.03635, 0.03273), (0.014, 0.072)     # fixed points
stiffness, rest, motor = 4530, 0.07785, 0.033


def andrews(**options):
    t = dynamicsymbols._t
    q = dynamicsymbols("beta Theta gamma Phi delta Omega epsilon")
    beta, theta, gamma, phi, delta, omega, epsilon = q

    def at(origin, *arms):                               # origin + sum of (along, across) turned by angles
        return sympy.Matrix(origin) + sum((sympy.Matrix([a * cos(w) - b * sin(w), a * sin(w) + b * cos(w)])
                                           for a, b, w in arms), sympy.zeros(2, 1))
    centres = [at((0, 0), (ra, 0, beta)), at((0, 0), (rr, 0, beta), (-da, 0, beta + theta)),
               at(B, (sb, -sa, gamma)), at(A, (zt, 0, delta), (0, ea - e, phi + delta)),
               at(A, (ta, tb, delta)), at(A, (0, -u, epsilon), (zf - fa, 0, omega + epsilon)),
               at(A, (-ub, -ua, epsilon))]
    turns = [beta, beta + theta, gamma, phi + delta, delta, omega + epsilon, epsilon]
    T = sum(m * x.diff(t).dot(x.diff(t)) + J * w.diff(t)**2
            for m, J, x, w in zip(mass, inertia, centres, turns)) / 2
    spring = at(B, (sd, -sc, gamma)) - sympy.Matrix(C)
    V = stiffness * (sympy.sqrt(spring.dot(spring)) - rest)**2 / 2
    joint = at((0, 0), (rr, 0, beta), (-d, 0, beta + theta))
    loops = [joint - end for end in (at(B, (0, -ss, gamma)), at(A, (zt, 0, delta), (0, -e, phi + delta)),
                                     at(A, (zf, 0, omega + epsilon), (0, -u, epsilon)))]
    return keel.lagrange(T - V, q, [x for loop in loops for x in loop], forces={beta: motor}, **options)


if __name__ == "__main__":
    s = keel.solve_dae(andrews(), (0, 0.03), (START, [0] * 7), rtol=1e-8)
    print(f"beta(0.03) = {s.var['beta'][-1]:.7f} (15.8107711 in the book)")
