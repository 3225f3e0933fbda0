/* gnuplot.c -- what all pictures share: colours, quoting, and the program that draws them.
 *
 * gnuplot runs as a child process that reads script and data from an unnamed temporary file and
 * writes the picture to a pipe, from which it is copied to the file: no shell, no quoting of file
 * names, and a full disk is noticed, of which gnuplot says nothing.  SVG and PNG come from the same
 * script.  Colours: Okabe and Ito (2008), which people
 * with any colour vision can tell apart on white; yellow is left out as too pale for lines.
 */
#define _POSIX_C_SOURCE 200809L
#include "report/gnuplot.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/number.h"
#include "report/shown.h"

extern char **environ;

enum { LONG_TITLE = 80 };        /* characters that fill the page at the usual size */

/* ---- script -------------------------------------------------------------------------------- */

const char *gnuplot_colour(int k)
{
    static const char *const palette[GNUPLOT_COLOURS] = {
        "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"};
    return palette[k % GNUPLOT_COLOURS];
}

static bool ends_in(const char *text, const char *ending)
{
    const size_t length = strlen(text), tail = strlen(ending);
    return length > tail && strcmp(text + length - tail, ending) == 0;
}

bool plot_format_known(const char *file)
{
    return ends_in(file, ".svg") || ends_in(file, ".png");
}

void gnuplot_quoted(FILE *script, const char *text)
{
    char *all = shown_text(text);
    fputc('\'', script);
    for (const char *at = all ? all : ""; *at; at++) {
        if (*at == '\'') fputc('\'', script);
        fputc(*at, script);
    }
    fputc('\'', script);
    free(all);
}

void gnuplot_begin(FILE *script, const gnuplot_page *page, bool svg)
{
    fprintf(script, svg ? "set terminal svg size %d,%d dynamic font 'DejaVu Sans,12'"
                          " fontscale 1.33 background '#ffffff' linewidth 1\n"
                        : "set terminal pngcairo size %d,%d font 'DejaVu Sans,12' linewidth 1\n",
            page->width, page->height);
    fputs("set encoding utf8\n"
          "set multiplot\n"
          "set border 3 lw 1 lc rgb '#444444'\n"
          "set tics nomirror out scale 0.6 textcolor rgb '#333333'\n"
          "set grid back lt 1 lw 0.6 lc rgb '#e4e4e4'\n"
          "set label 1 ", script);
    gnuplot_quoted(script, page->title);
    fprintf(script, " at screen %g,%g noenhanced font ',%d'\nset label 2 ", page->left,
            1 - 34.0 / page->height, strlen(page->title) > LONG_TITLE ? 12 : 17);
    gnuplot_quoted(script, page->subtitle);
    fprintf(script, " at screen %g,%g noenhanced font ',12' textcolor rgb '#666666'\n", page->left,
            1 - 65.0 / page->height);
}

/* ---- process ------------------------------------------------------------------------------- */

/* gnuplot between the two descriptors; 0 or an errno. */
static int spawn_gnuplot(pid_t *child, int from, int to)
{
    char *const arguments[] = {"gnuplot", "-", NULL};
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    if (error) return error;
    posix_spawn_file_actions_adddup2(&actions, from, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, to, STDOUT_FILENO);
    error = posix_spawnp(child, "gnuplot", &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

/* The script as an open file to be read from its beginning; NULL with errno. */
static FILE *script_file(gnuplot_script *write, const void *picture, bool svg)
{
    FILE *script = tmpfile();
    if (!script) return NULL;
    fcntl(fileno(script), F_SETFD, FD_CLOEXEC);
    plain_numbers now = plain_numbers_begin();
    write(script, svg, picture);
    plain_numbers_end(now);
    if (fflush(script) == 0 && !ferror(script) && lseek(fileno(script), 0, SEEK_SET) == 0)
        return script;
    const int error = errno;
    fclose(script);
    errno = error;
    return NULL;
}

/* Copies until the end of the input, whatever becomes of the file, so that the child can finish. */
static void copy(int input, FILE *file)
{
    char block[1 << 14];
    ssize_t got;
    while ((got = read(input, block, sizeof block)) > 0 || (got < 0 && errno == EINTR))
        if (got > 0) fwrite(block, 1, (size_t)got, file);
    close(input);
}

static bool exited_well(pid_t child)
{
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return false;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Draws into the file; 0 or -1 with a message. */
static int draw(FILE *script, FILE *file, char *message, size_t size)
{
    int ends[2];
    pid_t child;

    if (pipe(ends) != 0) {
        snprintf(message, size, "cannot make a pipe from gnuplot: %s", strerror(errno));
        return -1;
    }
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    const int error = spawn_gnuplot(&child, fileno(script), ends[1]);
    close(ends[1]);
    if (error) {
        close(ends[0]);
        snprintf(message, size, error == ENOENT
                 ? "pictures need the program gnuplot; install the package gnuplot-nox"
                 : "cannot run gnuplot: %s", strerror(error));
        return -1;
    }
    copy(ends[0], file);
    if (exited_well(child)) return 0;
    snprintf(message, size, "gnuplot failed; its complaint is above");
    return -1;
}

int gnuplot_draw(gnuplot_script *write, const void *picture, output *o, char *message, size_t size)
{
    FILE *script = script_file(write, picture, ends_in(o->name, ".svg"));
    int status = -1;
    if (!script)
        snprintf(message, size, "cannot write the script for gnuplot: %s", strerror(errno));
    else
        status = draw(script, o->file, message, size);
    if (script) fclose(script);
    if (status == 0) return output_finish(o, false, message, size);
    output_abandon(o);
    return -1;
}
