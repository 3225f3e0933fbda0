/* file.c -- whole files: read, and replaced so that a kill leaves the old one or the new one. */
#define _XOPEN_SOURCE 700
#include "checkpoint/checkpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int write_all(int file, const bytes *content)
{
    for (size_t at = 0; at < content->size;) {
        ssize_t done = write(file, content->data + at, content->size - at);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return done < 0 ? errno : EIO;
        at += (size_t)done;
    }
    return 0;
}

/* What is not a file, like /dev/full, has no disk to reach: EINVAL, EROFS. */
static int reach_disk(int file)
{
    return fsync(file) == 0 || errno == EINVAL || errno == EROFS ? 0 : errno;
}

static int write_file(const char *path, const bytes *content)
{
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0) return errno;
    int error = write_all(file, content);
    if (!error) error = reach_disk(file);
    if (close(file) != 0 && !error) error = errno;
    return error;
}

/* The new name, too; a directory that cannot be opened has no say. */
static void sync_directory(const char *path)
{
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) + 1 : 1;
    char *directory = malloc(length + 1);
    if (!directory) return;
    memcpy(directory, slash ? path : ".", length);
    directory[length] = 0;
    int file = open(directory, O_RDONLY | O_CLOEXEC);
    free(directory);
    if (file < 0) return;
    (void)reach_disk(file);
    close(file);
}

int file_replace(const char *path, const bytes *content)
{
    struct stat known;
    if (stat(path, &known) == 0 && !S_ISREG(known.st_mode)) return write_file(path, content);
    size_t length = strlen(path);
    char *part = malloc(length + sizeof ".part");
    if (!part) return ENOMEM;
    memcpy(part, path, length);
    memcpy(part + length, ".part", sizeof ".part");
    int error = write_file(part, content);
    if (!error && rename(part, path) != 0) error = errno;
    if (error) unlink(part);
    else sync_directory(path);
    free(part);
    return error;
}

static int read_all(int file, bytes *content)
{
    size_t room = 0;
    for (;;) {
        if (content->size == room) {
            room = room ? 2 * room : 1 << 16;
            char *grown = realloc(content->data, room);
            if (!grown) return ENOMEM;
            content->data = grown;
        }
        ssize_t done = read(file, content->data + content->size, room - content->size);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return done < 0 ? errno : 0;
        content->size += (size_t)done;
    }
}

int file_read(const char *path, bytes *content)
{
    *content = (bytes){0};
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return errno;
    int error = read_all(file, content);
    close(file);
    if (error) free(content->data);
    return error;
}
