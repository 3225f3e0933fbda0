/* test_applications.c -- smooth applications of IMM-REP-1999-8: wheel suspension, truck, air in a
 * pipe, a constraint whose index depends on the start.
 */
#include "problems/list.h"

#include <math.h>

#include "test/support/run.h"

enum { SIZE_MOST = 20, PARAMETERS_MOST = 8, TRUCK_POSITIONS = 9 };

static void defaults(const keel_target *target, double *parameters)
{
    for (int i = 0; i < target->parameter_count; i++) parameters[i] = target->parameters[i].value;
}

typedef struct run { keel_problem *problem; keel_solver *solver; } run;

static run begin(const keel_target *target, const double *parameters, const char *method,
                 double rtol)
{
    run r = {0};
    double y[SIZE_MOST];
    assert_int_equal(target->create(&r.problem, parameters), KEEL_OK);
    target->start(parameters, y);
    expect_ok(keel_solver_create(&r.solver, r.problem, &(keel_options){
        .method = method, .rtol = rtol, .atol = rtol}), r.solver, target->name);
    expect_ok(keel_start(r.solver, target->t_start, y), r.solver, target->name);
    return r;
}

static void end(run *r)
{
    keel_solver_free(r->solver);
    keel_problem_free(r->problem);
}

/* ---- wheel suspension ---------------------------------------------------------------------- */

/* The modes add up to the start, and to what the eigenvalues -2.16867021 +- 3.24516103i and
 * -22.58132979 +- 49.43645937i of the four equations give at t = 1. */
static void suspension_is_the_sum_of_its_modes(void **state)
{
    double p[PARAMETERS_MOST], y[4], from[4];
    (void)state;
    defaults(&problem_wheel_suspension, p);
    problem_wheel_suspension.start(p, from);
    problem_wheel_suspension.exact(p, 0, y);
    assert_true(distance(y, from, 0, 4) < 1e-13);
    problem_wheel_suspension.exact(p, 1, y);
    assert_true(fabs(y[0] - 0.00610549) < 5e-9);
    assert_true(fabs(y[1] - 0.00028858) < 5e-9);
}

static void expect_modes(const char *method, double road)
{
    double p[PARAMETERS_MOST], y[4];
    defaults(&problem_wheel_suspension, p);
    p[5] = road;
    run r = begin(&problem_wheel_suspension, p, method, 1e-12);
    for (int k = 1; k <= 10; k++) {
        expect_ok(keel_advance_to(r.solver, 0.3 * k), r.solver, method);
        problem_wheel_suspension.exact(p, 0.3 * k, y);
        if (!(distance(keel_state(r.solver), y, 0, 4) < 1e-9))
            fail_msg("%s at %g: off by %.2e", method, 0.3 * k,
                     distance(keel_state(r.solver), y, 0, 4));
    }
    end(&r);
}

static void suspension_follows_its_modes(void **state)
{
    (void)state;
    expect_modes("auto", 0);
    expect_modes("dop853", 0);
    expect_modes("radau-iia", 0.1);
    expect_modes("bdf", 0);
}

/* ---- truck --------------------------------------------------------------------------------- */

/* Forces balance to 1e-8 N where single ones are 2e6 N, with and without the joint, and moments to
 * that at the longest arm. */
static void truck_starts_in_equilibrium(void **state)
{
    (void)state;
    for (int joint = 0; joint < 2; joint++) {
        const double p[2] = {joint, 0.001};
        const keel_mechanical_spec spec = problem_truck_spec(p);
        double y[SIZE_MOST], f[TRUCK_POSITIONS], G[2 * TRUCK_POSITIONS] = {0}, lambda[2] = {0};
        problem_truck.start(p, y);
        assert_int_equal(spec.force(0, y, y + TRUCK_POSITIONS, f, spec.context), 0);
        if (joint) spec.constraint_jacobian(0, y, G, spec.context);
        for (int i = 0; i < 2 && joint; i++) lambda[i] = y[2 * TRUCK_POSITIONS + i];
        for (int j = 0; j < TRUCK_POSITIONS; j++) {
            const double arm = j == 2 || j == 5 || j == 8 ? 3.64 : 1;
            const double held = G[j] * lambda[0] + G[TRUCK_POSITIONS + j] * lambda[1];
            assert_true(fabs(f[j] - held) < 1e-8 * arm);
        }
    }
}

/* Whatever the guess of it was. */
static void joint_carries_its_part_of_the_load(void **state)
{
    double p[PARAMETERS_MOST], y[SIZE_MOST];
    (void)state;
    defaults(&problem_truck, p);
    run r = begin(&problem_truck, p, "radau-iia", 1e-6);
    problem_truck.start(p, y);
    y[18] = y[19] = 0;
    expect_ok(keel_start(r.solver, 0, y), r.solver, "truck");
    assert_true(fabs(keel_state(r.solver)[18]) < 1e-7);
    assert_true(fabs(keel_state(r.solver)[19] - 68056.2089) < 5e-5);
    end(&r);
}

static void expect_hump(const char *method, double rtol)
{
    double p[PARAMETERS_MOST];
    defaults(&problem_truck, p);
    run r = begin(&problem_truck, p, method, rtol);
    for (int k = 0; k < problem_truck.reference_count; k++) {
        const keel_reference *reference = &problem_truck.references[k];
        expect_ok(keel_advance_to(r.solver, reference->t), r.solver, method);
        for (int i = 0; i < TRUCK_POSITIONS; i++) {
            double error = fabs(keel_state(r.solver)[i] - reference->y[i]);
            if (!(error < 10 * rtol * (1 + fabs(reference->y[i]))))
                fail_msg("%s %g: position %d is off by %.2e", method, rtol, i, error);
        }
    }
    assert_true(keel_level_residual(r.solver, 0) < 1e-14);
    assert_true(keel_level_residual(r.solver, 1) < 1e-14);
    end(&r);
}

static void methods_agree_over_the_hump(void **state)
{
    static const char *const methods[] = {"radau-iia", "auto", "bdf"};
    (void)state;
    for (int m = 0; m < 3; m++)
        for (int digits = 5; digits <= 9; digits += 2) expect_hump(methods[m], pow(10, -digits));
}

/* The force of the joint at the end is the weight of the load area less its spring. */
static void joint_force_is_that_of_the_reference(void **state)
{
    double p[PARAMETERS_MOST];
    (void)state;
    defaults(&problem_truck, p);
    run r = begin(&problem_truck, p, "radau-iia", 1e-11);
    expect_ok(keel_advance_to(r.solver, 10), r.solver, "truck");
    for (int i = 18; i < 20; i++)
        assert_true(fabs(keel_state(r.solver)[i] - problem_truck.references[0].y[i]) < 1e-3);
    end(&r);
}

/* Spring-dampers instead of the joint let the load area move where it could not, but it rests. */
static void free_truck_moves_its_load(void **state)
{
    const double flat[2] = {0, 0}, hump[2] = {0, 0.001};
    double rest[SIZE_MOST];
    (void)state;
    run still = begin(&problem_truck, flat, "radau-iia", 1e-8);
    expect_ok(keel_advance_to(still.solver, 10), still.solver, "truck");
    problem_truck.start(flat, rest);
    assert_int_equal(keel_problem_size(still.problem), 18);
    assert_true(distance(keel_state(still.solver), rest, 0, 18) < 1e-10);
    end(&still);
    run one = begin(&problem_truck, hump, "radau-iia", 1e-8);
    run other = begin(&problem_truck, hump, "bdf", 1e-8);
    expect_ok(keel_advance_to(one.solver, 10), one.solver, "truck");
    expect_ok(keel_advance_to(other.solver, 10), other.solver, "truck");
    const double *y = keel_state(one.solver), *joined = problem_truck.references[0].y;
    assert_true(distance(y, keel_state(other.solver), 0, TRUCK_POSITIONS) < 1e-6);
    assert_true(distance(y, joined, 0, TRUCK_POSITIONS) > 1e-3);
    end(&one);
    end(&other);
}

/* ---- air in a pipe --------------------------------------------------------------------------- */

/* Figures 10.2 and 10.3: wall and air become warmer, air lighter, steps longer. */
static void pipe_becomes_warm(void **state)
{
    double p[PARAMETERS_MOST], before[7], first = 0, last = 0;
    (void)state;
    defaults(&problem_air_pipe, p);
    run r = begin(&problem_air_pipe, p, "bdf", 1e-6);
    problem_air_pipe.start(p, before);
    expect_ok(keel_set_stop_time(r.solver, 2000), r.solver, "air-pipe");
    while (keel_time(r.solver) < 2000) {
        const double *y = keel_state(r.solver), t = keel_time(r.solver);
        expect_ok(keel_step(r.solver), r.solver, "air-pipe");
        last = fmax(last, keel_time(r.solver) - t);
        if (first == 0) first = last;
        assert_true(y[0] <= before[0] && y[2] >= before[2]);
        assert_true(y[2] < y[4] && y[4] < y[3] && y[3] < 500);
        memcpy(before, y, sizeof before);
    }
    assert_true(last > 1000 * first);
    assert_true(fabs(keel_state(r.solver)[5] + 0.05) < 1e-6);
    end(&r);
}

/* The energy of the air is kept to rounding of 2e4, and all unknowns have the digits asked for. */
static void pipe_ends_at_its_reference(void **state)
{
    static const char *const methods[] = {"radau-iia", "bdf", "esdirk-4"};
    double p[PARAMETERS_MOST];
    (void)state;
    defaults(&problem_air_pipe, p);
    for (int m = 0; m < 3; m++) {
        run r = begin(&problem_air_pipe, p, methods[m], 1e-8);
        expect_ok(keel_advance_to(r.solver, 2000), r.solver, methods[m]);
        assert_true(keel_level_residual(r.solver, 0) < 1e-11);
        double digits = bundled_scd(&problem_air_pipe, p, 2000, keel_state(r.solver), 1);
        if (!(digits > 6)) fail_msg("%s: %.2f digits", methods[m], digits);
        end(&r);
    }
}

/* ---- singular constraint --------------------------------------------------------------------- */

static void both_branches_are_followed(void **state)
{
    (void)state;
    for (int branch = 0; branch < 2; branch++) {
        const double y2 = branch;
        double exact[3];
        run r = begin(&problem_singular_constraint, &y2, "radau-iia", 1e-8);
        assert_int_equal(keel_problem_index(r.problem), branch ? 2 : 1);
        expect_ok(keel_advance_to(r.solver, 2), r.solver, "singular-constraint");
        problem_singular_constraint.exact(&y2, 2, exact);
        assert_true(distance(keel_state(r.solver), exact, 0, 3) < 1e-10);
        end(&r);
    }
}

/* y2 = 1/2 is on neither, and the equation that says so is named. */
static void what_is_on_no_branch_is_refused(void **state)
{
    static const keel_mark marks[3] = {KEEL_GUESS, KEEL_FIXED, KEEL_GUESS};
    const double y2 = 1, from[3] = {0, 0.5, 0};
    (void)state;
    run r = begin(&problem_singular_constraint, &y2, "radau-iia", 1e-8);
    expect_status(keel_start_marked(r.solver, 0, from, NULL, marks), KEEL_INCONSISTENT, r.solver,
                  "singular-constraint");
    expect_text(keel_message(r.solver), "equation[1]");
    end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(suspension_is_the_sum_of_its_modes),
        cmocka_unit_test(suspension_follows_its_modes),
        cmocka_unit_test(truck_starts_in_equilibrium),
        cmocka_unit_test(joint_carries_its_part_of_the_load),
        cmocka_unit_test(methods_agree_over_the_hump),
        cmocka_unit_test(joint_force_is_that_of_the_reference),
        cmocka_unit_test(free_truck_moves_its_load),
        cmocka_unit_test(pipe_becomes_warm),
        cmocka_unit_test(pipe_ends_at_its_reference),
        cmocka_unit_test(both_branches_are_followed),
        cmocka_unit_test(what_is_on_no_branch_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
