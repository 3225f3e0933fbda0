/* evaluators.h -- an evaluator of a problem on its own, for the tests of src/problem. */
#ifndef KEEL_TEST_PROBLEM_EVALUATORS_H
#define KEEL_TEST_PROBLEM_EVALUATORS_H

#include "problem/formulation.h"

#undef fail
#include "test/support/run.h"

#include <stdlib.h>

typedef struct bench {
    const keel_problem *problem;
    keel_stats stats;
    evaluator eval;
    coloring colors;
    void *block;
} bench;

static inline void bench_layout(arena *a, bench *b)
{
    evaluator_layout(a, &b->eval, b->problem);
    coloring_layout(a, &b->colors, b->problem);
}

/* b must stay where it is until bench_free. */
static inline void bench_open(bench *b, const keel_problem *p)
{
    arena a = {0};
    *b = (bench){.problem = p};
    bench_layout(&a, b);
    b->block = arena_block(a.used);
    a = (arena){.base = b->block};
    bench_layout(&a, b);
    b->eval.stats = &b->stats;
    b->eval.time_scale = 0.05;
    coloring_build(&b->colors, p);
}

static inline void bench_free(bench *b) { arena_block_free(b->block); }

static inline keel_matrix new_matrix(const keel_problem *p)
{
    keel_matrix m = {.rows = p->n, .columns = p->n, .pattern = p->pattern, .stray_row = -1,
                     .stray_column = -1};
    m.values = calloc(matrix_storage(p->n, p->n, &p->pattern) + 1, sizeof *m.values);
    return m;
}

/* max |a_ij - b_ij| */
static inline double matrix_distance(const keel_matrix *a, const keel_matrix *b)
{
    double largest = 0;
    for (int i = 0; i < a->rows; i++)
        for (int j = 0; j < a->columns; j++)
            largest = fmax(largest, fabs(matrix_get(a, i, j) - matrix_get(b, i, j)));
    return largest;
}

#endif
