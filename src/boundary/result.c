/* result.c -- the solution as a recording, on all levels of constraints at its mesh points.
 *
 *   x := x - c_x^T (c_x c_x^T)^-1 c(t,x)
 */
#include <math.h>
#include <string.h>

#include "boundary/boundary.h"
#include "record/solution.h"

/* Factors that take more make room for the recording. */
static const size_t bytes_to_shed = 500000000;

/* One step to the nearest point with c = 0; 0, or why not. */
static int project_once(keel_boundary *w, double t, double *y, double *size)
{
    int nx = w->flow.nx, rows = w->flow.hidden, width = nx + w->flow.np;
    double *c = w->project, *A = c + rows, *S = A + (ptrdiff_t)rows * width;
    int rc = flow_constraints(&w->flow, t, y, c);
    *size = 0;
    for (int i = 0; i < rows && !rc; i++) *size = fmax(*size, fabs(c[i]));
    if (rc || *size == 0) return rc;
    rc = flow_gradient(&w->flow, t, y, A);
    for (int i = 0; i < rows && !rc; i++)
        for (int j = 0; j < rows; j++) {
            double sum = 0;
            for (int l = 0; l < nx; l++)
                sum += A[(ptrdiff_t)i * width + l] * A[(ptrdiff_t)j * width + l];
            S[i * rows + j] = sum;
        }
    if (!rc && dense_factor(rows, S, w->project_pivot)) rc = 1;
    if (rc) return rc;
    dense_solve(rows, S, w->project_pivot, c);
    for (int i = 0; i < rows; i++)
        for (int l = 0; l < nx; l++) y[l] -= A[(ptrdiff_t)i * width + l] * c[i];
    return 0;
}

/* Mesh point j of the polynomials on both sides of it. */
static void set_point(const keel_boundary *w, mesh *s, int j, const double *y, int parts)
{
    int n = w->flow.n, nodes = s->table.nodes;
    size_t bytes = (size_t)parts * sizeof *y;
    if (j) memcpy(s->value + ((ptrdiff_t)(j - 1) * nodes + s->table.rates - 1) * n, y, bytes);
    if (j < s->N) memcpy(s->value + (ptrdiff_t)j * nodes * n, y, bytes);
}

static int project_points(keel_boundary *w, mesh *s)
{
    enum { STEPS = 3 };
    double before, size = 0;
    w->stats.residual = 0;
    for (int j = 0; j <= s->N && w->flow.hidden; j++) {
        double *y = w->y2;
        memcpy(y, s->value + (j < s->N ? (ptrdiff_t)j * s->table.nodes
                                       : (ptrdiff_t)(s->N - 1) * s->table.nodes + s->table.rates - 1)
                              * w->flow.n, (size_t)w->flow.n * sizeof *y);
        before = INFINITY;
        for (int i = 0; i < STEPS && !w->options.no_projection; i++) {
            int rc = project_once(w, s->t[j], y, &size);
            if (rc) return rc;
            if (size == 0 || size > 0.5 * before) break;
            before = size;
        }
        int rc = flow_constraints(&w->flow, s->t[j], y, w->project);
        if (rc) return rc;
        for (int i = 0; i < w->flow.hidden; i++)
            w->stats.residual = fmax(w->stats.residual, fabs(w->project[i]));
        if (!w->options.no_projection || w->direct) set_point(w, s, j, y, w->flow.nx);
    }
    return 0;
}

static void fill_statistics(keel_boundary *w, const mesh *s)
{
    keel_boundary_stats *t = &w->stats;
    t->mesh = s->N;
    t->stages = s->table.k;
    t->error_x = s->error_x;
    t->error_y = s->error_y;
    t->error_global = s->error_global;
    t->equations = w->unsolved.size;
}

int result_record(keel_boundary *w, mesh *s)
{
    const table *a = &s->table;
    int n = w->flow.n;
    keel_solution_free(w->solution);
    w->solution = NULL;
    flow_set_parameters(&w->flow, s->p);         /* those of a file, too: breaks may be among them */
    int status = solution_begin(&w->solution, n, s->t[0], s->value);
    for (int i = 0; i < s->N && !status; i++)
        status = solution_add(w->solution, flow_time(&w->flow, s->t[i + 1], NULL), a->nodes, a->node,
                              a->weight, s->value + (ptrdiff_t)i * a->nodes * n, a->rates - 1);
    if (status) return fail(&w->message, status, "no memory for the solution");
    memcpy(w->p, s->p, (size_t)w->flow.np * sizeof *w->p);
    return KEEL_OK;
}

int result_make(keel_boundary *w, mesh *s)
{
    int rc = project_points(w, s);
    if (rc) return boundary_failure(w, s, rc);
    fill_statistics(w, s);
    if (s->bytes > bytes_to_shed) mesh_shed(s);
    return result_record(w, s);
}
