/* problems.c -- the list of bundled problems, and the digits a solution has.
 *
 *   scd = -log10 max |y_i - r_i| / |r_i|   over the counting i, absolute where r_i = 0
 */
#include "problems/list.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const keel_target *const all[] = {
    &problem_pendulum,
    &problem_pendulum_levelled,
    &problem_pendulum_energy,
    &problem_andrews,
    &problem_andrews_stiff,
    &problem_car_axis,
    &problem_slider_crank,
    &problem_fekete,
    &problem_bricard,
    &problem_chain,
    &problem_wheelset,
    &problem_wheel_suspension,
    &problem_truck,
    &problem_transistor_amplifier,
    &problem_chemical_akzo_nobel,
    &problem_robertson,
    &problem_van_der_pol,
    &problem_van_der_pol_spp,
    &problem_van_der_pol_dae,
    &problem_van_der_pol_lienard,
    &problem_van_der_pol_mu,
    &problem_impasse,
    &problem_impasse_circuit,
    &problem_two_bit_adder,
    &problem_nand_gate,
    &problem_water_tube,
    &problem_air_pipe,
    &problem_ring_modulator,
    &problem_ascher_petzold,
    &problem_prothero_robinson,
    &problem_gear_petzold,
    &problem_singular_constraint,
    &problem_weiss_linear,
    &problem_kepler,
    &problem_three_body,
    &problem_bouncing_ball,
    &problem_pendulum_stop,
    &problem_slack_pendulum,
    &problem_stick_slip,
    &problem_rectifier,
    &problem_painleve,
    &problem_steam_attemperator,
    &problem_sampled_control,
    &problem_diode_chain,
    &problem_channel,
    &problem_heat,
    &problem_order_ode,
    &problem_order_index1,
    &problem_order_index2,
    &problem_order_index2_nonlinear,
    &problem_order_index3,
    &problem_order_index3_nonlinear,
    &problem_order_mechanical,
    &problem_order_levelled,
};

static const keel_target *const boundary[] = {
    &problem_ascher_petzold_two_point,
    &problem_ascher_petzold_nonseparated,
    &problem_bratu,
    &problem_bratu_fold,
    &problem_elastica,
    &problem_troesch,
    &problem_layers,
    &problem_turning_point,
    &problem_singular_control,
    &problem_singular_control_index3,
    &problem_mixed_index,
    &problem_pendulum_period,
    &problem_pendulum_clock,
    &problem_mathieu,
    &problem_dead_core,
    &problem_minimum_effort,
    &problem_minimum_time,
    &problem_kinetics,
};

const keel_target *const *bundled_problems(int *count)
{
    *count = (int)(sizeof all / sizeof *all);
    return all;
}

const keel_target *const *bundled_boundary_problems(int *count)
{
    *count = (int)(sizeof boundary / sizeof *boundary);
    return boundary;
}

static const keel_target *find(const keel_target *const *list, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (strcmp(list[i]->name, name) == 0) return list[i];
    return NULL;
}

const keel_target *bundled_problem_find(const char *name)
{
    int count;
    const keel_target *const *list = bundled_problems(&count);
    const keel_target *found = find(list, count, name);
    if (found) return found;
    list = bundled_boundary_problems(&count);
    return find(list, count, name);
}

/* scd of y against r over the counting unknowns whose reference is known; NAN without any.
 * Written so that a NaN in y gives NAN rather than passing for small. */
static double digits_against(const keel_target *problem, int size, const double *y, const double *r)
{
    double worst = -1;
    for (int i = 0; i < size; i++) {
        if ((problem->counts && !problem->counts[i]) || isnan(r[i])) continue;
        double error = fabs(y[i] - r[i]);
        if (r[i] != 0) error /= fabs(r[i]);
        if (!(error <= worst)) worst = error;
        if (isnan(worst)) return NAN;
    }
    return worst < 0 ? NAN : -log10(worst);
}

/* Are these the default parameters, for which alone the references hold? */
static int parameters_are_default(const keel_target *problem, const double *parameters)
{
    for (int i = 0; i < problem->parameter_count; i++)
        if (parameters[i] != problem->parameters[i].value) return 0;
    return 1;
}

static const keel_reference *reference_at(const keel_target *problem, double t)
{
    for (int i = 0; i < problem->reference_count; i++) {
        const keel_reference *reference = &problem->references[i];
        if (fabs(reference->t - t) <= 1e-14 * fabs(t)) return reference;
    }
    return NULL;
}

double bundled_scd_of_size(const keel_target *problem, int size, const double *parameters, double t,
                           const double *y, int cap)
{
    if (problem->exact) {
        double *r = malloc((size_t)size * sizeof *r);
        if (!r) return NAN;
        problem->exact(parameters, t, r);
        double scd = digits_against(problem, size, y, r);
        free(r);
        return scd;
    }
    const keel_reference *reference = reference_at(problem, t);
    if (!reference || !parameters_are_default(problem, parameters)) return NAN;
    double scd = digits_against(problem, size, y, reference->y);
    return cap && scd > reference->digits ? reference->digits : scd;
}

double bundled_scd(const keel_target *problem, const double *parameters, double t,
                   const double *y, int cap)
{
    return bundled_scd_of_size(problem, problem->size, parameters, t, y, cap);
}
