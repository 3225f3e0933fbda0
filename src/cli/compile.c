/* compile.c -- C source of a user's own problem to a shared object, with the system's compiler.
 *
 * The cache is $XDG_CACHE_HOME/keel or ~/.cache/keel, and a file there is called NAME-KEY.so; KEY
 * is a hash (FNV-1a, 64 bits) of the source as the preprocessor sees it, headers included, of the
 * command and of the version of Keel.  No shell is involved.
 */
#define _XOPEN_SOURCE 700
#include "cli/compile.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/refusal.h"
#include "cli/verbs.h"
#include "keel/keel.h"

extern char **environ;

enum { WORDS_MOST = 200 };

/* A command, word by word; `text` holds what the words point to. */
typedef struct command {
    char *word[WORDS_MOST + 1];
    int count;
    char compiler[4096], flags[4096], include[PATH_MAX];
} command;

static int failed(const char *verb, const char *name, const char *reason, int error)
{
    return refuse(EXIT_FAILED, verb, "cannot-load", "cannot compile %s: %s%s%s", name, reason,
                  error ? ": " : "", error ? strerror(error) : "");
}

/* ---- the command --------------------------------------------------------------------------- */

static void add(command *c, char *word)
{
    if (c->count < WORDS_MOST) c->word[c->count++] = word;
    c->word[c->count] = NULL;
}

/* The words of an environment variable, between blanks. */
static void add_words(command *c, char *room, size_t size, const char *text)
{
    snprintf(room, size, "%s", text);
    for (char *at = room; *(at += strspn(at, " \t"));) {
        const size_t length = strcspn(at, " \t");
        add(c, at);
        at += length;
        if (*at) *at++ = '\0';
    }
}

static bool has_headers(const char *folder)
{
    char path[PATH_MAX];
    const int length = snprintf(path, sizeof path, "%s/keel/target.h", folder);
    return length > 0 && (size_t)length < sizeof path && access(path, R_OK) == 0;
}

/* The headers of this very command: beside it where it is installed, else of the source it was
 * built from; "" if the compiler has to know. */
static void find_headers(char folder[PATH_MAX])
{
    ssize_t length = readlink("/proc/self/exe", folder, PATH_MAX - 20);
    while (length > 0 && folder[length - 1] != '/') length--;
    if (length > 0) {
        snprintf(folder + length, 20, "../include");
        if (has_headers(folder)) return;
    }
    snprintf(folder, PATH_MAX, "%s", KEEL_HEADERS);
    if (!has_headers(folder)) folder[0] = '\0';
}

static void compose(command *c)
{
    const char *compiler = getenv("CC"), *flags = getenv("CFLAGS");
    *c = (command){.count = 0};
    add_words(c, c->compiler, sizeof c->compiler, compiler && *compiler ? compiler : "cc");
    add(c, "-O2");
    if (flags) add_words(c, c->flags, sizeof c->flags, flags);
    find_headers(c->include);
    if (c->include[0]) {
        add(c, "-I");
        add(c, c->include);
    }
}

/* As one would type it. */
static void print_command(const char *verb, const command *c)
{
    static const char harmless[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                   "0123456789_-+=./,:@%";
    fprintf(stderr, "keel %s:", verb);
    for (int i = 0; i < c->count; i++) {
        const char *word = c->word[i];
        const bool plain = *word && word[strspn(word, harmless)] == '\0';
        fputc(' ', stderr);
        if (plain) {
            fputs(word, stderr);
            continue;
        }
        fputc('\'', stderr);
        for (; *word; word++)
            if (*word == '\'') fputs("'\\''", stderr);
            else fputc(*word, stderr);
        fputc('\'', stderr);
    }
    fputc('\n', stderr);
}

/* ---- processes ----------------------------------------------------------------------------- */

/* Starts the command; with `quiet` its complaints go nowhere, and its output to descriptor `to`.
 * What it prints otherwise is for people.  0 or an errno. */
static int start(const command *c, pid_t *child, bool quiet, int to)
{
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    if (error) return error;
    posix_spawn_file_actions_adddup2(&actions, to, STDOUT_FILENO);
    if (quiet) posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    error = posix_spawnp(child, c->word[0], &actions, NULL, c->word, environ);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

static bool exited_well(pid_t child)
{
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return false;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* ---- the key ------------------------------------------------------------------------------- */

static uint64_t hash(uint64_t key, const void *bytes, size_t length)
{
    const unsigned char *b = bytes;
    for (size_t i = 0; i < length; i++) key = (key ^ b[i]) * 1099511628211U;
    return key;
}

/* Of what the preprocessor makes of the source; false if it does not like it. */
static bool hash_source(const command *made, char *name, uint64_t *key)
{
    command c = *made;
    char block[1 << 14];
    int ends[2];
    pid_t child;
    ssize_t got;

    add(&c, "-E");
    add(&c, name);
    if (pipe(ends) != 0) return false;
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    const int error = start(&c, &child, true, ends[1]);
    close(ends[1]);
    while (!error && (got = read(ends[0], block, sizeof block)) != 0 && (got > 0 || errno == EINTR))
        if (got > 0) *key = hash(*key, block, (size_t)got);
    close(ends[0]);
    return !error && exited_well(child);
}

static bool find_key(const command *c, char *name, uint64_t *key)
{
    const size_t abi = KEEL_TARGET_ABI;
    *key = 14695981039346656037U;
    for (int i = 0; i < c->count; i++) *key = hash(*key, c->word[i], strlen(c->word[i]) + 1);
    *key = hash(*key, keel_version(), strlen(keel_version()));
    *key = hash(*key, &abi, sizeof abi);
    return hash_source(c, name, key);
}

/* ---- the cache ----------------------------------------------------------------------------- */

/* Whether the user alone can have put it there. */
static bool is_mine(const char *path)
{
    struct stat known;
    return stat(path, &known) == 0 && known.st_uid == geteuid()
        && (known.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/* Makes the folders of the path that are missing, for the user alone; 0 or an errno. */
static int make_folders(char *path)
{
    for (char *at = path + 1;; at++) {
        if (*at != '/' && *at != '\0') continue;
        const char end = *at;
        *at = '\0';
        const int made = mkdir(path, 0700), error = errno;
        *at = end;
        if (made != 0 && error != EEXIST && !(error == EROFS && end)) return error;
        if (!end) return 0;
    }
}

/* The folder for compiled files; false after saying what is wrong. */
static bool find_cache(const char *verb, const char *name, char folder[PATH_MAX])
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (cache && cache[0] == '/') snprintf(folder, PATH_MAX, "%s/keel", cache);
    else if (home && home[0] == '/') snprintf(folder, PATH_MAX, "%s/.cache/keel", home);
    else return failed(verb, name, "no place for the result: set HOME or XDG_CACHE_HOME", 0), false;
    const int error = make_folders(folder);
    char reason[PATH_MAX + 100];
    snprintf(reason, sizeof reason, "no place for the result: %s%s", folder,
             error ? "" : " belongs to others, or others can write there");
    if (error || !is_mine(folder)) return failed(verb, name, reason, error), false;
    return true;
}

/* FOLDER/crank-0123456789abcdef.so for some/crank.c. */
static char *object_path(const char *folder, const char *name, uint64_t key)
{
    const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name;
    const int stem = (int)(strlen(base) - 2);
    const size_t room = strlen(folder) + strlen(base) + 40;
    char *path = malloc(room);
    if (path) snprintf(path, room, "%s/%.*s-%016" PRIx64 ".so", folder, stem, base, key);
    return path;
}

/* ---- compiling ----------------------------------------------------------------------------- */

/* Beside its place first: another process may load what is there, or compile the same. */
static int compile(const char *verb, command *c, char *name, const char *object)
{
    char *part = malloc(strlen(object) + 30);
    pid_t child;
    if (!part) return refuse_status(verb, KEEL_NO_MEMORY, "no memory");
    snprintf(part, strlen(object) + 30, "%s.%ld", object, (long)getpid());
    char *const rest[] = {"-fPIC", "-shared", name, "-o", part, "-lm"};
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++) add(c, rest[i]);
    print_command(verb, c);
    const int error = start(c, &child, false, STDERR_FILENO);
    int code = EXIT_DONE;
    if (error)
        code = failed(verb, name, "cannot run the compiler (set CC to another)", error);
    else if (!exited_well(child))
        code = failed(verb, name, "the compiler's complaints are above", 0);
    else if (chmod(part, 0700) != 0 || rename(part, object) != 0)
        code = failed(verb, name, object, errno);
    if (code != EXIT_DONE) remove(part);
    free(part);
    return code;
}

int compile_target(const char *verb, const char *name, char **object)
{
    char folder[PATH_MAX], *source = strdup(name);
    command *c = malloc(sizeof *c);
    uint64_t key = 0;
    int code = EXIT_FAILED;

    if (!source || !c) refuse_status(verb, KEEL_NO_MEMORY, "no memory");
    else if (access(name, R_OK) != 0) failed(verb, name, "cannot read it", errno);
    else if (find_cache(verb, name, folder)) {
        compose(c);
        const bool known = find_key(c, source, &key);
        *object = object_path(folder, name, key);
        code = *object && known && is_mine(*object) ? EXIT_DONE
             : *object ? compile(verb, c, source, *object) : EXIT_FAILED;
    }
    free(source);
    free(c);
    return code;
}
