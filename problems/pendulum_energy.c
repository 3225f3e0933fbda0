/* pendulum_energy.c -- the pendulum of pendulum.c with its energy, kept as it is at the start.
 *
 *   h = |v|^2 / 2 + gravity u_2
 */
#include "problems/pendulum.h"

static int energy(double t, const double *y, double *h, void *context)
{
    (void)t;
    h[0] = (y[2] * y[2] + y[3] * y[3]) / 2 + ((const double *)context)[0] * y[1];
    return 0;
}

static int energy_jacobian(double t, const double *y, double *h_y, void *context)
{
    (void)t;
    h_y[0] = h_y[4] = 0;
    h_y[1] = ((const double *)context)[0];
    h_y[2] = y[2];
    h_y[3] = y[3];
    return 0;
}

keel_mechanical_spec problem_pendulum_energy_spec(const double *parameters)
{
    static const int kept[] = {1};
    static const char *const constraint_names[] = {"rod"}, *const attached_names[] = {"energy"};
    keel_mechanical_spec spec = problem_pendulum_spec(parameters);
    spec.constraint_names = constraint_names;
    spec.attached = (keel_attached){.rows = 1, .value = energy, .jacobian = energy_jacobian,
                                    .kept = kept, .names = attached_names};
    return spec;
}

static int create(keel_problem **problem, const double *parameters)
{
    const keel_mechanical_spec spec = problem_pendulum_energy_spec(parameters);
    return keel_mechanical(problem, &spec);
}

const keel_target problem_pendulum_energy = {
    .name = "pendulum-energy",
    .title = "Pendulum in Cartesian coordinates, its energy kept",
    .source = "as pendulum",
    .remark = "  keel run pendulum-energy --method radau-iia --t-end 1000\n"
              "  keel run pendulum --method radau-iia --t-end 1000\n",
    .index = 3, .size = 5, .t_start = 0, .t_end = 20,
    .parameter_count = 1,
    .parameters = (const keel_parameter[]){{"gravity", 1, "gravity over the length of the rod"}},
    .create = create, .start = pendulum_start,
    .counts = pendulum_counts,
    .reference_count = PENDULUM_REFERENCES, .references = pendulum_references,
};
