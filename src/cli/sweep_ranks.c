/* sweep_ranks.c -- a sweep over the ranks of MPI. */
#include "cli/sweep_ranks.h"

#include <stdlib.h>

#include "cli/verbs.h"

/* mpirun tells its processes so; without it MPI is not begun, which would cost every sweep. */
static bool started_by_mpirun(void)
{
    static const char *const signs[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK"};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        const char *value = getenv(signs[i]);
        if (value && (i == 2 || atoi(value) > 1)) return true;
    }
    return false;
}

#ifdef KEEL_WITH_MPI

#include <mpi.h>

int sweep_ranks_begin(ranks *r)
{
    int given;
    *r = (ranks){0, 1};
    if (!started_by_mpirun()) return EXIT_DONE;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &given);
    MPI_Comm_rank(MPI_COMM_WORLD, &r->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &r->size);
    return EXIT_DONE;
}

long sweep_ranks_agree(const ranks *r, long rows)
{
    if (r->size > 1) MPI_Bcast(&rows, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    return rows;
}

/* The last byte says whether the run failed. */
void sweep_ranks_send(const ranks *r, const line *l, bool failed)
{
    (void)r;
    const char mark = (char)failed;
    MPI_Send(l->text, (int)l->length, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
    MPI_Send(&mark, 1, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
}

bool sweep_ranks_receive(const ranks *r, long row, line *l, bool *failed)
{
    const int from = (int)(row % r->size);
    MPI_Status status;
    int length;
    char mark;
    MPI_Probe(from, 0, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_CHAR, &length);
    if ((size_t)length + 1 > l->room) {
        char *more = realloc(l->text, (size_t)length + 1);
        if (!more) return false;
        l->text = more;
        l->room = (size_t)length + 1;
    }
    MPI_Recv(l->text, length, MPI_CHAR, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(&mark, 1, MPI_CHAR, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    l->length = (size_t)length;
    l->text[length] = '\0';
    *failed = mark != 0;
    return true;
}

void sweep_ranks_stop(const ranks *r, int code)
{
    if (r->size > 1) MPI_Abort(MPI_COMM_WORLD, code);
}

void sweep_ranks_end(const ranks *r)
{
    int begun = 0;
    (void)r;
    MPI_Initialized(&begun);
    if (begun) MPI_Finalize();
}

#else

int sweep_ranks_begin(ranks *r)
{
    *r = (ranks){0, 1};
    if (!started_by_mpirun()) return EXIT_DONE;
    return usage_error("sweep", "this keel was built without MPI (cmake -DKEEL_WITH_MPI=ON), so every process of "
                       "mpirun would make all runs; use --jobs");
}

long sweep_ranks_agree(const ranks *r, long rows) { (void)r; return rows; }
void sweep_ranks_send(const ranks *r, const line *l, bool failed) { (void)r, (void)l, (void)failed; }
bool sweep_ranks_receive(const ranks *r, long row, line *l, bool *failed)
{
    (void)r, (void)row, (void)l, (void)failed;
    return false;
}
void sweep_ranks_stop(const ranks *r, int code) { (void)r, (void)code; }
void sweep_ranks_end(const ranks *r) { (void)r; }

#endif
