"""Pictures, by matplotlib."""

import numpy as np


def plot_solution(solution, variables=None, figure=None):
    """Trajectories over the residuals of the constraint levels; returns the figure."""
    import matplotlib.pyplot as plt
    names = list(solution.names)
    chosen = names if variables is None else [variables] if isinstance(variables, str) \
        else list(variables)
    residuals = solution.residuals
    panels = 2 if len(residuals) else 1
    figure = figure or plt.figure(figsize=(7, 3 + 2 * (panels - 1)), layout="constrained")
    axes = figure.subplots(panels, 1, sharex=True, squeeze=False,
                           gridspec_kw={"height_ratios": [2, 1][:panels]})[:, 0]
    t, y = _curve(solution)
    for name in chosen:
        axes[0].plot(t, y[names.index(name)], label=name)
    for t in np.concatenate(solution.t_events) if solution.t_events else ():
        axes[0].axvline(t, color="0.8", linewidth=0.8, zorder=0)
    beside = {"loc": "upper left", "bbox_to_anchor": (1.0, 1.0), "fontsize": "small", "frameon": False}
    axes[0].legend(**beside)
    if panels == 2:
        for label, values in zip(_level_names(solution), residuals):
            axes[1].semilogy(solution.t_steps, np.maximum(values, 1e-17), label=label, linewidth=1)
        axes[1].set_ylabel("residual")
        axes[1].legend(**beside)
    axes[-1].set_xlabel("t")
    return figure


def _curve(solution, points=1000):
    """Times and unknowns to be drawn: by dense output where there is one and nothing jumps, else the
    stored points."""
    if solution.sol is None or solution.get("events") or len(solution.t) > points:
        return solution.t, solution.y
    t = np.union1d(np.linspace(solution.t[0], solution.t[-1], points), solution.t)
    return t, solution.sol(t)


def _level_names(solution):
    """As the command has them: those of g and its derivatives, then of attached rows."""
    linked = {1: 1, 2: 2, 3: 3, 4: 3}.get(solution.problem._form if solution.problem else 4, 0)
    names = ("position", "velocity", "acceleration")[:linked]
    return [*names, *["attached"] * len(solution.residuals)]


def plot_stability(method, extent=None, ax=None):
    """The region |R(z)| <= 1, shaded; returns the axes."""
    import matplotlib.pyplot as plt
    if extent is None:
        limits = [x for x in (method.real_limit, method.imaginary_limit) if np.isfinite(x)]
        reach = 1.5 * max(limits + [3.0]) if limits else 2.5 + 1.5 * min(method.stages, 8)
        extent = (-reach, reach, -reach, reach)
    ax = ax or plt.subplots(layout="constrained")[1]
    x, y = np.linspace(*extent[:2], 301), np.linspace(*extent[2:], 301)
    size = np.abs(method.stability(x[None, :] + 1j * y[:, None]))
    ax.contourf(x, y, size, levels=[0, 1], colors=["#9ecae1"])
    ax.contour(x, y, size, levels=[1], colors=["#08519c"], linewidths=1)
    ax.axhline(0, color="0.5", linewidth=0.6)
    ax.axvline(0, color="0.5", linewidth=0.6)
    ax.set(xlabel="Re z", ylabel="Im z", title=f"|R(z)| ≤ 1: {method.name}", aspect="equal")
    return ax


def plot_convergence(table, ax=None):
    """Errors over step sizes, with the slopes that theory predicts; returns the axes."""
    import matplotlib.pyplot as plt
    ax = ax or plt.subplots(layout="constrained")[1]
    h = np.array(table.column("h"))
    theory = table.theory if len(table.theory) == len(table.names) else (None,) * len(table.names)
    for name, order in zip(table.names, theory):
        e = np.array(table.column(name), dtype=float)
        line, = ax.loglog(h, e, "o-", label=name, markersize=4)
        good = np.flatnonzero(np.isfinite(e) & (e > 0))
        if order and len(good):
            k = good[len(good) // 2]
            ax.loglog(h, e[k] * (h / h[k])**order, ":", color=line.get_color(), linewidth=1)
    ax.set(xlabel="h", ylabel="error", title=f"{table.method}; dotted: theory")
    ax.legend(fontsize="small")
    return ax


def plot_comparison(table, ax=None):
    """Processor time over correct digits, a line for each method; returns the axes."""
    import matplotlib.pyplot as plt
    ax = ax or plt.subplots(layout="constrained")[1]
    for name in dict.fromkeys(table.column("method")):
        rows = [row for row in table if row["method"] == name and row["digits"] is not None]
        ax.semilogy([row["digits"] for row in rows], [row["seconds"] for row in rows], "o-",
                    label=name, markersize=4)
    ax.set(xlabel="correct digits", ylabel="seconds")
    ax.legend(fontsize="small")
    return ax


def plot_sweep(table, ax=None, variables=None):
    """What was kept over the parameter that was given last, a line for each combination of the others;
    returns the axes."""
    import matplotlib.pyplot as plt
    ax = ax or plt.subplots(layout="constrained")[1]
    *others, along = table.varied
    if variables is None:
        known = set(table.varied) | {"row", "status", "message", "t", "steps"}
        shown = [c for c in table.columns if c not in known]
        stop = table.columns.index("steps") if "steps" in table.columns else len(table.columns)
        variables = [c for c in shown if table.columns.index(c) < stop] or ["steps"]
    lines = {}
    for row in table:
        lines.setdefault(tuple(row[name] for name in others), []).append(row)
    for name in [variables] if isinstance(variables, str) else variables:
        for key, rows in lines.items():
            rows = sorted(rows, key=lambda row: row[along])
            label = ", ".join([name] + [f"{o} = {value:.4g}" for o, value in zip(others, key)])
            ax.plot([row[along] for row in rows],
                    [np.nan if row[name] is None else row[name] for row in rows], ".-", label=label)
    ax.set_xlabel(along)
    if ax.get_legend_handles_labels()[0]:
        ax.legend(fontsize="small")
    return ax


def plot_branch(table, ax=None):
    """The largest value of the first unknown over the parameter; folds are marked."""
    import matplotlib.pyplot as plt
    ax = ax or plt.subplots(layout="constrained")[1]
    x, y = table.column("parameter"), [row["largest"][0] for row in table]
    ax.plot(x, y, ".-", markersize=3)
    crossings = [k for k, row in enumerate(table) if row["branch_point"]]
    ax.plot([x[k] for k in crossings], [y[k] for k in crossings], "x", label="branch point")
    folds = [k for k, row in enumerate(table) if row["fold"]]
    ax.plot([x[k] for k in folds], [y[k] for k in folds], "s", label="fold")
    ax.set(xlabel="parameter", ylabel="largest value of the first unknown")
    return ax
