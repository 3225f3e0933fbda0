/* branch.c -- keel_branch: from point to point until the parameter has the value asked for.
 *
 * A step that fails is halved; one that was easy, and nearly straight, makes the next one longer.
 * Solutions that are farther from the last point than the bend of the branch explains are those of
 * another branch: such a step counts as failed.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "boundary/branch.h"
#include "core/sized.h"

/* Found on Bratu's problem, judged on the other bundled ones. */
static const double growth = 1.5, straight = 0.95, bent = 0.8, farthest = 2;
enum { EASY = 3, HARD = 6 };                     /* factorisations for a step                */

/* ---- life ---------------------------------------------------------------------------------- */

static int check_options(keel_branch *b)
{
    keel_branch_options *o = &b->how;
    if (!(o->step >= 0) || !(o->step_least >= 0) || !(o->step_most >= 0) || o->most < 0)
        return fail(&b->message, KEEL_BAD_ARGUMENT, "keel_branch_create: steps and their number "
                    "are not negative");
    if (!(o->step > 0)) o->step = 0.05;
    if (!(o->step_least > 0)) o->step_least = 1e-6;
    if (!(o->step_most > 0)) o->step_most = fmax(0.1, o->step);
    if (!o->most) o->most = 1000;
    if (o->step < o->step_least || o->step > o->step_most)
        return fail(&b->message, KEEL_BAD_ARGUMENT, "keel_branch_create: step = %.3g is not "
                    "between step_least = %.3g and step_most = %.3g", o->step, o->step_least,
                    o->step_most);
    b->step = o->step;
    return KEEL_OK;
}

static void layout(arena *a, keel_branch *b)
{
    double **of_size[] = {&b->normal, &b->base, &b->scale, &b->q, &b->last, &b->before, &b->there,
                          &b->tangent};
    for (size_t i = 0; i < sizeof of_size / sizeof *of_size; i++)
        *of_size[i] = ARENA(a, double, b->size);
    b->which = ARENA(a, int, b->np + 1);
    b->p = ARENA(a, double, b->np + 1);
    b->b_p = ARENA(a, double, b->spec.conditions * (b->np + 2));
    b->y = ARENA(a, double, 4 * b->n);
}

static int create(keel_branch *b, const keel_boundary_options *options, size_t options_size)
{
    enum { INTERVALS = 6 };
    const keel_problem *p = b->spec.problem;
    arena measure = {0};
    if (!p || !p->names || b->spec.parameters < 0 || b->spec.conditions < 0)
        return fail(&b->message, KEEL_BAD_ARGUMENT, "keel_branch_create: no problem, or one that "
                    "was not created successfully, or a negative number of conditions or "
                    "parameters");
    b->n = p->n;
    b->nx = p->n - p->constraints;
    b->np = b->spec.parameters;
    b->size = 2 * b->nx + b->np + 1;
    layout(&measure, b);
    b->block = arena_block(measure.used);
    if (!b->block) return fail(&b->message, KEEL_NO_MEMORY, "no memory for the branch");
    layout(&(arena){.base = b->block}, b);
    branch_scale(b);
    int rc = check_options(b);
    if (!rc) rc = branch_problem(b, options, options_size);
    if (!rc && !b->boundary->options.mesh)       /* what branches off is less simple than the solution */
        b->boundary->options.mesh = INTERVALS;
    b->created = !rc;
    return rc;
}

int keel_branch_create_sized(keel_branch **branch, const keel_boundary_spec *spec, size_t spec_size,
                             const keel_boundary_options *options, size_t options_size,
                             const keel_branch_options *how, size_t how_size)
{
    if (!branch) return KEEL_BAD_ARGUMENT;
    keel_branch *b = *branch = calloc(1, sizeof *b);
    if (!b) return KEEL_NO_MEMORY;
    if (!spec) return fail(&b->message, KEEL_BAD_ARGUMENT, "keel_branch_create: spec is NULL");
    int rc = sized_copy(&b->message, SIZED(keel_boundary_spec, break_parameter, break_parameter), &b->spec,
                        spec, spec_size);
    if (!rc && how)
        rc = sized_copy(&b->message, SIZED(keel_branch_options, most, most), &b->how, how,
                        how_size);
    return rc ? rc : create(b, options, options_size);
}

void keel_branch_free(keel_branch *b)
{
    if (!b) return;
    branch_table_free(b);
    keel_boundary_free(b->boundary);
    arena_block_free(b->block);
    free(b);
}

keel_boundary *keel_branch_boundary(keel_branch *b) { return b ? b->boundary : NULL; }
int keel_branch_count(const keel_branch *b) { return b ? b->points : 0; }
const char *keel_branch_message(const keel_branch *b) { return b ? b->message.text : ""; }

const keel_branch_point *keel_branch_at(const keel_branch *b, int i)
{
    return b && i >= 0 && i < b->points ? b->point[i] : NULL;
}

/* ---- the start ----------------------------------------------------------------------------- */

static int entered(keel_branch *b, const char *call, double value)
{
    if (!b) return KEEL_BAD_ARGUMENT;
    b->message.text[0] = 0;
    if (!b->created)
        return fail(&b->message, KEEL_BAD_ARGUMENT, "%s: the branch was not created successfully",
                    call);
    return isfinite(value) ? KEEL_OK : fail(&b->message, KEEL_BAD_ARGUMENT, "%s: the value of the "
                                            "parameter is not finite", call);
}

static const char *followed(const keel_branch *b)
{
    return keel_parameter_name(b->spec.problem, b->how.parameter);
}

int keel_branch_start(keel_branch *b, double value)
{
    int rc = entered(b, "keel_branch_start", value);
    if (rc) return rc;
    if (b->points)
        return fail(&b->message, KEEL_BAD_ARGUMENT, "keel_branch_start: the branch has a start");
    b->begin = b->boundary->p[b->np] = value;
    if (b->boundary->mesh) b->boundary->mesh->p[b->np] = value;
    *branch_parameter(b, b->last) = value;
    branch_scale(b);
    rc = branch_natural(b, 0);
    if (rc)
        return fail(&b->message, rc, "no solution at %s = %.10g to begin with: %s", followed(b),
                    value, keel_boundary_message(b->boundary));
    b->boundary->following = 1;
    memcpy(b->last, b->q, (size_t)b->size * sizeof *b->q);
    memcpy(b->before, b->q, (size_t)b->size * sizeof *b->q);
    rc = branch_determinant(b, &b->determinant);
    if (rc) return fail(&b->message, rc, "%s", keel_boundary_message(b->boundary));
    return branch_add(b, 0, 0, 0);
}

/* ---- steps --------------------------------------------------------------------------------- */

/* Where a branch ends: l in [least, most]; one is `to`, the other the start or none. */
typedef struct bounds { double least, most; } bounds;

static bounds bounds_of(const keel_branch *b, double to, double direction)
{
    double now = *branch_parameter(b, b->last);
    bounds all = {fmin(to, b->begin), fmax(to, b->begin)};
    int above = to > now;                        /* `to` is the upper bound */
    if (above && (now < all.least || (now == all.least && direction < 0))) all.least = -INFINITY;
    if (!above && (now > all.most || (now == all.most && direction > 0))) all.most = INFINITY;
    if (above) all.most = to;
    else all.least = to;
    return all;
}

/* The bound that l has passed, or NAN. */
static double passed(const bounds *all, double l)
{
    return l <= all->least ? all->least : l >= all->most ? all->most : NAN;
}

/* Only l changes, to a bound: rounding does not matter to the solution, but to who reads it. */
static int step_to(keel_branch *b, double bound)
{
    int rc = branch_natural(b, bound - *branch_parameter(b, b->last));
    if (!rc) *branch_parameter(b, b->q) = bound;
    return rc;
}

/* Would a smaller step help? */
static int hopeless(const keel_branch *b, int rc)
{
    return rc == KEEL_NO_MEMORY || rc == KEEL_BAD_ARGUMENT ||
           (rc == KEEL_CALLBACK_FAILED && b->boundary->flow.e.fault.code < 0);
}

/* One step; *end: l is at a bound. */
static int try_step(keel_branch *b, const bounds *all, int *end)
{
    double now = *branch_parameter(b, b->last);
    int first = b->points == 1 || !b->how.arclength;
    branch_tangent(b);
    double slope = *branch_parameter(b, b->normal) * *branch_parameter(b, b->scale);
    double bound = passed(all, now + b->step * slope);
    *end = !isnan(bound);
    if (*end) {                                  /* first to the bound, not beyond */
        int rc = step_to(b, bound);
        if (hopeless(b, rc)) return rc;
        if (!rc && (first || branch_distance(b, b->q, b->last) <= farthest * b->step)) return rc;
    }
    int rc = branch_along(b, b->step);
    *end = 0;
    if (rc) return rc;
    if (!first && branch_distance(b, b->q, b->last) > farthest * b->step)
        return fail(&b->boundary->message, KEEL_NOT_CONVERGED, "Newton's method leads to another "
                    "branch");
    bound = passed(all, *branch_parameter(b, b->q));
    *end = !isnan(bound);
    return *end ? step_to(b, bound) : KEEL_OK;
}

/* What is left after a failure is the last point. */
static int give_up(keel_branch *b, int rc)
{
    message why = b->boundary->message;
    fail(&b->message, rc, "%s = %.10g is reached, and no step further succeeds%s: %s", followed(b),
         *branch_parameter(b, b->last),
         b->how.arclength ? "" : " (if the branch turns there, arclength leads past that)",
         why.text);
    if (!hopeless(b, rc)) (void)branch_along(b, 0);
    return rc;
}

static void next_step(keel_branch *b, double distance)
{
    const keel_boundary_stats *s = &b->boundary->stats;
    long work = s->factorizations - s->meshes_tried + 1;
    double cosine = b->how.arclength && b->points > 1 ? b->step / distance : 1;
    if (work > HARD || cosine < bent) b->step = fmax(b->step / 2, b->how.step_least);
    else if (work <= EASY && cosine > straight) b->step = fmin(growth * b->step, b->how.step_most);
}

/* Another branch crosses between the last point and q. */
static int look_for_crossing(keel_branch *b, double arc)
{
    determinant now;
    int rc = branch_determinant(b, &now);
    if (b->points == 1 && b->how.arclength && b->direction < 0) b->determinant.sign *= -1;
    int crossed = now.sign * b->determinant.sign < 0;
    b->crossed = crossed ? 1 : b->crossed ? (b->crossed + 1) % 3 : 0;
    if (!rc && crossed) rc = branch_crossing(b, arc, &now);
    b->determinant = now;
    if (rc)
        fail(&b->message, rc, "the branch point near %s = %.10g cannot be located: %s", followed(b),
             *branch_parameter(b, b->last), keel_boundary_message(b->boundary));
    return rc;
}

/* l turns where another branch crosses, as that of a pitchfork does, or by itself: a fold. */
static int look_for_fold(keel_branch *b, double arc, int end)
{
    double bound = *branch_parameter(b, b->q), now = bound - *branch_parameter(b, b->last);
    double then = *branch_parameter(b, b->last) - *branch_parameter(b, b->before);
    int rc = KEEL_OK;
    if (b->how.arclength && now * then < 0 && !b->crossed) {
        rc = branch_fold(b, arc);
        if (!rc && end) rc = step_to(b, bound);
    }
    if (rc)
        fail(&b->message, rc, "the fold near %s = %.10g cannot be located: %s", followed(b),
             *branch_parameter(b, b->last), keel_boundary_message(b->boundary));
    return rc;
}

/* The solution becomes the last point. */
static int accept(keel_branch *b, int end)
{
    double distance = branch_distance(b, b->q, b->last);
    double arc = b->point[b->points - 1]->arc + distance;
    if (!end) next_step(b, distance);
    int rc = look_for_crossing(b, arc);
    if (!rc) rc = look_for_fold(b, arc, end);
    if (rc) return rc;
    rc = branch_add(b, b->points, arc, 0);
    memcpy(b->before, b->last, (size_t)b->size * sizeof *b->last);
    memcpy(b->last, b->q, (size_t)b->size * sizeof *b->q);
    return rc;
}

static int follow(keel_branch *b, const bounds *all)
{
    for (int i = 0; i < b->how.most; i++) {
        int end = 0;
        branch_scale(b);
        int rc = try_step(b, all, &end);
        while (rc && !hopeless(b, rc) && b->step / 2 >= b->how.step_least) {
            b->step /= 2;
            rc = try_step(b, all, &end);
        }
        if (rc) return give_up(b, rc);
        rc = accept(b, end);
        if (rc || end) return rc;
    }
    return fail(&b->message, KEEL_STEP_LIMIT, "%s = %.10g is reached after %d points: call again "
                "to go on, or raise `most`", followed(b), *branch_parameter(b, b->last),
                b->how.most);
}

int keel_branch_follow(keel_branch *b, double to)
{
    int rc = entered(b, "keel_branch_follow", to);
    if (rc) return rc;
    if (!b->points)
        return fail(&b->message, KEEL_BAD_ARGUMENT, "keel_branch_follow: keel_branch_start comes "
                    "first");
    double now = *branch_parameter(b, b->last);
    if (to == now) return KEEL_OK;
    if (b->range == 0) b->range = fabs(to - now);
    if (!b->how.arclength || b->points == 1) b->direction = to > now ? 1 : -1;
    branch_scale(b);
    branch_tangent(b);
    bounds all = bounds_of(b, to, *branch_parameter(b, b->normal));
    rc = follow(b, &all);
    if (!rc && *branch_parameter(b, b->last) != to)
        fail(&b->message, KEEL_OK, "the branch has turned and come back to %s = %.10g", followed(b),
             *branch_parameter(b, b->last));
    return rc;
}
