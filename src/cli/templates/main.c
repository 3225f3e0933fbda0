
/* ---- a program by itself:  cc @FILE@ -lkeel -lm -o @NAME@ && ./@NAME@ ---- */

int main(void)
{
    const keel_target *target = &keel_target_main;
    double values[PARAMETERS], y[SIZE];
    keel_problem *problem = NULL;
    keel_solver *solver = NULL;
    for (int i = 0; i < PARAMETERS; i++) values[i] = target->parameters[i].value;
    target->start(values, y);
    int status = target->create(&problem, values);
    if (!status) status = keel_solver_create(&solver, problem, &(keel_options){.rtol = 1e-8});
    if (!status) status = keel_start(solver, target->t_start, y);
    if (!status) status = keel_advance_to(solver, target->t_end);
    if (status)
        printf("%s: %s\n", keel_status_name(status),
               solver ? keel_message(solver) : keel_problem_message(problem));
    for (int i = 0; !status && i < SIZE; i++)
        printf("%-10s %.10g\n", keel_variable_name(problem, i), keel_state(solver)[i]);
    keel_solver_free(solver);
    keel_problem_free(problem);
    return status != KEEL_OK;
}
