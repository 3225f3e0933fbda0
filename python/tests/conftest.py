"""Problems that several tests use."""

import os

import numpy as np
import pytest

import keel

sanitized = pytest.mark.skipif("KEEL_SANITIZED" in os.environ, reason="not under the sanitizers")


def force(t, q, v):
    return [0.0, -9.81]


def rod(t, q):
    return q[0] * q[0] + q[1] * q[1] - 1


def rod_q(t, q):
    return [[2 * q[0], 2 * q[1]]]


def rod_vv(t, q, v):
    return 2 * (v[0] * v[0] + v[1] * v[1])


@pytest.fixture
def pendulum():
    return keel.Mechanical(force=force, constraint=rod, constraint_jacobian=rod_q,
                           curvature=rod_vv)


@pytest.fixture
def swing():
    """How the pendulum starts: (q, v)."""
    return np.array([1.0, 0.0]), np.array([0.0, 0.0])


# The pendulum of length 1 from the horizontal, g = 9.81, at t = 10: theta'' = -g sin(theta) by
# Jacobi's elliptic functions, k = sin(pi/4), as sin(theta/2) = k sn(K - t sqrt(g), k).
def pendulum_exact(t):
    from scipy.special import ellipj, ellipk
    m, w = 0.5, np.sqrt(9.81)
    sn, cn, dn, _ = ellipj(ellipk(m) - w * t, m)
    s = np.sqrt(m) * sn                              # sin(theta / 2), theta from straight down
    return np.array([2 * s * np.sqrt(1 - s * s), -(1 - 2 * s * s)])
