/* plot.c -- a picture of a run, drawn by gnuplot.
 *
 * gnuplot runs as a child process that reads script and data from a pipe and writes the picture
 * to its standard output, which is the file: no shell, no quoting of file names, no temporary
 * files.  SVG and PNG come from the same script.  Colours: Okabe and Ito (2008), which people
 * with any colour vision can tell apart on white; yellow is left out as too pale for lines.
 */
#define _POSIX_C_SOURCE 200809L
#include "report/plot.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const char *const palette[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                      "#E69F00", "#56B4E9", "#000000"};
enum { COLOURS = sizeof palette / sizeof *palette, LEVELS = 3 };

static const char *const level_name[LEVELS] = {"position", "velocity", "acceleration"};
static const double residual_floor = 1e-17;      /* what zero is drawn as */
enum { RESIDUAL_POINTS = 500 };                  /* per line; more are merged to their maximum */

/* ---- script -------------------------------------------------------------------------------- */

static bool ends_in(const char *text, const char *ending)
{
    const size_t length = strlen(text), tail = strlen(ending);
    return length > tail && strcmp(text + length - tail, ending) == 0;
}

bool plot_format_known(const char *file)
{
    return ends_in(file, ".svg") || ends_in(file, ".png");
}

/* 'text' for gnuplot: within single quotes only the quote itself is special. */
static void write_quoted(FILE *script, const char *text)
{
    fputc('\'', script);
    for (; *text; text++) {
        if (*text == '\'') fputc('\'', script);
        fputc((unsigned char)*text < ' ' ? ' ' : *text, script);
    }
    fputc('\'', script);
}

static void write_trajectories(FILE *script, const series *s)
{
    fputs("$trajectories << EOD\n", script);
    for (long i = 0; i < s->rows; i++) {
        const double *row = series_row(s, i);
        for (int k = 0; k < s->columns; k++) fprintf(script, "%.9g ", row[k]);
        fputc('\n', script);
    }
    fputs("EOD\n", script);
}

/* Long runs are thinned: each point is the maximum over as many steps as it takes. */
static void write_residuals(FILE *script, const char *name, const series *s)
{
    const long stride = (s->rows + RESIDUAL_POINTS - 1) / RESIDUAL_POINTS;

    fprintf(script, "$%s << EOD\n", name);
    for (long first = 0; first < s->rows; first += stride) {
        double largest[LEVELS] = {residual_floor, residual_floor, residual_floor};
        for (long i = first; i < first + stride && i < s->rows; i++)
            for (int k = 0; k < LEVELS; k++)
                if (series_row(s, i)[k + 1] > largest[k]) largest[k] = series_row(s, i)[k + 1];
        fprintf(script, "%.9g %.3e %.3e %.3e\n", series_row(s, first)[0],
                largest[0], largest[1], largest[2]);
    }
    fputs("EOD\n", script);
}

static bool level_exists(const series *s, int level)
{
    return s && s->rows > 0 && series_row(s, 0)[level + 1] >= 0;
}

static bool any_level(const series *s)
{
    return level_exists(s, 0) || level_exists(s, 1) || level_exists(s, 2);
}

static void extend_decades(const series *s, double *low, double *high)
{
    for (long i = 0; s && i < s->rows; i++)
        for (int k = 0; k < LEVELS; k++) {
            const double value = series_row(s, i)[k + 1];
            if (value < 0 || !isfinite(value)) continue;
            const double decade = log10(fmax(value, residual_floor));
            *low = fmin(*low, floor(decade));
            *high = fmax(*high, ceil(decade));
        }
}

static void write_page(FILE *script, const plot *p, bool svg)
{
    fputs(svg ? "set terminal svg size 1200,900 dynamic font 'DejaVu Sans,12'"
                " fontscale 1.33 background '#ffffff' linewidth 1\n"
              : "set terminal pngcairo size 1200,900 font 'DejaVu Sans,12' linewidth 1\n", script);
    fputs("set encoding utf8\n"
          "set multiplot\n"
          "set lmargin at screen 0.095\nset rmargin at screen 0.845\n"
          "set border 3 lw 1 lc rgb '#444444'\n"
          "set tics nomirror out scale 0.6 textcolor rgb '#333333'\n"
          "set grid back lt 1 lw 0.6 lc rgb '#e4e4e4'\n"
          "set label 1 ", script);
    write_quoted(script, p->title);
    fputs(" at screen 0.095,0.962 noenhanced font ',17'\nset label 2 ", script);
    write_quoted(script, p->subtitle);
    fputs(" at screen 0.095,0.928 noenhanced font ',12' textcolor rgb '#666666'\n", script);

    const series *s = p->trajectories;
    const double first = series_row(s, 0)[0], last = series_row(s, s->rows - 1)[0];
    const double pad = first == last ? fmax(fabs(first), 1) * 1e-3 : 0;
    fprintf(script, "set xrange [%.17g:%.17g]\n", fmin(first, last) - pad, fmax(first, last) + pad);
}

static void write_upper_panel(FILE *script, const plot *p, bool alone)
{
    fprintf(script,
            "set tmargin at screen 0.895\nset bmargin at screen %g\n"
            "set key at screen 0.86,0.9 left top Left reverse samplen 2 spacing 1.25 noenhanced\n"
            "set autoscale yfix\nset offsets 0, 0, graph 0.05, graph 0.05\n", alone ? 0.085 : 0.43);
    if (alone) fputs("set xlabel 't'\n", script);
    else fputs("set format x ''\n", script);
    fputs("set ylabel ", script);
    write_quoted(script, p->ordinate);
    fputs(" noenhanced offset 0\nplot ", script);
    for (int k = 0; k < p->trajectories->columns - 1; k++) {
        fprintf(script, "%s$trajectories using 1:%d with lines lw 2 dt %s lc rgb '%s' title ",
                k ? ", \\\n     " : "", k + 2, k < COLOURS ? "1" : "'-'", palette[k % COLOURS]);
        write_quoted(script, p->names[k]);
    }
    fputc('\n', script);
}

/* The lines of one run; those to compare with are thin and share one entry of the legend. */
static void write_levels(FILE *script, const char *name, const series *s, bool main_run)
{
    const char *separator = "";
    for (int k = 0; k < LEVELS; k++) {
        if (!level_exists(s, k)) continue;
        fprintf(script, "%s$%s using 1:%d with lines lw %s lc rgb '%s' ", separator, name, k + 2,
                main_run ? "2" : "1", palette[k]);
        if (main_run) fprintf(script, "title '%s'", level_name[k]);
        else fputs("notitle", script);
        separator = ", \\\n     ";
    }
}

static void write_lower_panel(FILE *script, const plot *p)
{
    double low = 0, high = -17;
    extend_decades(p->residuals, &low, &high);
    extend_decades(p->unprojected, &low, &high);
    high = fmax(high, -8);                       /* so that rounding errors look like it */

    fprintf(script,
            "unset label 1\nunset label 2\nset offsets\n"
            "set tmargin at screen 0.39\nset bmargin at screen 0.085\n"
            "set key at screen 0.86,0.395 left top\n"
            "set xlabel 't'\nset format x '%%g'\n"
            "set logscale y\nset yrange [%g:%g]\nset format y '10^{%%T}'\n"
            "set ytics 1e%g\nset mytics 1\n"
            "set ylabel 'constraint residual' offset -1\nplot ",
            pow(10, low - 0.3), pow(10, high), ceil((high - low) / 7));
    write_levels(script, "residuals", p->residuals, true);
    if (any_level(p->residuals) && any_level(p->unprojected)) fputs(", \\\n     ", script);
    write_levels(script, "unprojected", p->unprojected, false);
    if (any_level(p->unprojected))
        fputs(", \\\n     NaN with lines lw 1 lc rgb '#777777' title 'not projected'", script);
    fputc('\n', script);
}

static void write_script(FILE *script, const plot *p, bool svg)
{
    const bool residuals = any_level(p->residuals) || any_level(p->unprojected);

    write_trajectories(script, p->trajectories);
    if (p->residuals) write_residuals(script, "residuals", p->residuals);
    if (p->unprojected) write_residuals(script, "unprojected", p->unprojected);
    write_page(script, p, svg);
    write_upper_panel(script, p, !residuals);
    if (residuals) write_lower_panel(script, p);
    fputs("unset multiplot\n", script);
}

/* ---- process ------------------------------------------------------------------------------- */

/* gnuplot between the two descriptors; 0 or an errno. */
static int spawn_gnuplot(pid_t *child, int input, int output)
{
    char *const arguments[] = {"gnuplot", "-", NULL};
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    if (error) return error;
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    error = posix_spawnp(child, "gnuplot", &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

/* Feeds the script; a child that dies early must not take this process along. */
static bool feed(int output, const plot *p, bool svg)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    FILE *script = fdopen(output, "w");
    if (!script) {
        close(output);
        return false;
    }
    sigemptyset(&ignore.sa_mask);
    sigaction(SIGPIPE, &ignore, &before);
    write_script(script, p, svg);
    bool fed = !ferror(script);
    if (fclose(script) != 0) fed = false;
    sigaction(SIGPIPE, &before, NULL);
    return fed;
}

static bool exited_well(pid_t child)
{
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return false;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Draws into the open picture; 0 or -1 with a message. */
static int draw(const plot *p, bool svg, int picture, char *message, size_t size)
{
    int ends[2];
    pid_t child;

    if (pipe(ends) != 0) {
        snprintf(message, size, "cannot make a pipe to gnuplot: %s", strerror(errno));
        return -1;
    }
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);         /* a child that kept the writing end would never */
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);         /* see the end of the script */
    const int error = spawn_gnuplot(&child, ends[0], picture);
    close(ends[0]);
    if (error) {
        close(ends[1]);
        snprintf(message, size, error == ENOENT
                 ? "pictures need the program gnuplot; install the package gnuplot-nox"
                 : "cannot run gnuplot: %s", strerror(error));
        return -1;
    }
    const bool fed = feed(ends[1], p, svg);
    if (exited_well(child) && fed) return 0;
    snprintf(message, size, "gnuplot failed; its complaint is above");
    return -1;
}

int plot_write(const plot *p, const char *file, char *message, size_t size)
{
    if (p->trajectories->rows == 0) {
        snprintf(message, size, "there is nothing to draw");
        return -1;
    }
    const int picture = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (picture < 0) {
        snprintf(message, size, "cannot write %s: %s", file, strerror(errno));
        return -1;
    }
    const int status = draw(p, ends_in(file, ".svg"), picture, message, size);
    close(picture);
    if (status != 0) remove(file);
    return status;
}
