/* output.c -- a file that takes its place when it is complete. */
#define _XOPEN_SOURCE 700                       /* realpath */
#include "report/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const double flush_interval = 1.0;        /* seconds                                    */
enum { FLUSH_BYTES = 1 << 16 };

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int cannot(const output *o, int error, char *message, size_t size)
{
    snprintf(message, size, "cannot write %s: %s", o->name, strerror(error));
    return -1;
}

static void release(output *o)
{
    free(o->place);
    free(o->part);
    free(o->buffer);
    o->file = NULL;
    o->place = o->part = o->buffer = NULL;
}

/* ---- opening ------------------------------------------------------------------------------- */

/* PLACE.part as a new and empty file with the permissions `mode`; a descriptor or -1 with errno.  A
 * part that another process is writing is not taken from it. */
static int open_part(const char *part, mode_t mode)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    const int file = open(part, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (file < 0) return -1;
    if (fcntl(file, F_SETLK, &whole) != 0 && (errno == EAGAIN || errno == EACCES)) {
        close(file);
        errno = EBUSY;
        return -1;
    }
    if (ftruncate(file, 0) != 0 || (mode && fchmod(file, mode) != 0)) {
        const int error = errno;
        close(file);
        errno = error;
        return -1;
    }
    return file;
}

/* Where the file will be; NULL without memory. */
static char *find_place(const char *name, bool exists)
{
    char *place = exists ? realpath(name, NULL) : NULL;
    return place ? place : strdup(name);
}

static int open_directly(output *o)
{
    free(o->part);
    o->part = NULL;
    return open(o->name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
}

static int open_descriptor(output *o)
{
    struct stat known;
    const bool exists = stat(o->name, &known) == 0;
    if (exists && !S_ISREG(known.st_mode)) return open_directly(o);
    if (exists && access(o->name, W_OK) != 0) return -1;
    o->place = find_place(o->name, exists);
    const size_t length = o->place ? strlen(o->place) + sizeof ".part" : 0;
    o->part = malloc(length);
    if (!o->place || !o->part) return -1;
    snprintf(o->part, length, "%s.part", o->place);
    const int file = open_part(o->part, exists ? known.st_mode & 07777 : 0);
    return file < 0 && exists && errno != EBUSY ? open_directly(o) : file;
}

int output_open(output *o, const char *name, size_t line, char *message, size_t size)
{
    *o = (output){.name = name, .room = FLUSH_BYTES + line, .flushed = seconds()};
    o->buffer = malloc(o->room);
    const int file = o->buffer ? open_descriptor(o) : -1;
    if (file >= 0) o->file = fdopen(file, "w");
    if (o->file) {
        setvbuf(o->file, o->buffer, _IOFBF, o->room);
        return 0;
    }
    const int error = errno;
    if (file >= 0) close(file);
    if (error == EBUSY && o->part)
        snprintf(message, size, "cannot write %s: another process is writing %s", name, o->part);
    else
        cannot(o, error, message, size);
    release(o);
    return -1;
}

/* ---- writing ------------------------------------------------------------------------------- */

/* The buffer has room for what is held and one line more: it is never written in mid-line. */
int output_line(output *o, size_t length)
{
    o->held += length;
    const double now = seconds();
    if (o->held < FLUSH_BYTES && now < o->flushed + flush_interval) return o->error ? -1 : 0;
    if (!o->error && (fflush(o->file) != 0 || ferror(o->file))) o->error = errno;
    o->held = 0;
    o->flushed = now;
    return o->error ? -1 : 0;
}

int output_finish(output *o, bool keep, char *message, size_t size)
{
    if (!o->error && (fflush(o->file) != 0 || ferror(o->file))) o->error = errno ? errno : EIO;
    if (fclose(o->file) != 0 && !o->error) o->error = errno;
    if (!o->error && o->part && rename(o->part, o->place) != 0) o->error = errno;
    const int status = o->error ? cannot(o, o->error, message, size) : 0;
    const size_t used = status ? strlen(message) : 0;
    if (status && o->part && keep)
        snprintf(message + used, size - used, "; what was written is in %s", o->part);
    else if (status && o->part)
        remove(o->part);
    release(o);
    return status;
}

void output_abandon(output *o)
{
    if (!o->file) return;
    fclose(o->file);
    if (o->part) remove(o->part);
    release(o);
}
