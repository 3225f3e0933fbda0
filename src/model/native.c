/* native.c -- callbacks compiled by the C compiler of the system, while the tape already runs.
 *
 * The text (ctext.c) is hashed; HASH.so in the user's cache directory is what an earlier run compiled.
 * Files are made with names of their own, private to the user, and renamed when they are complete.  The
 * compiler is started without a shell, with arguments that do not depend on the model but for the hash.
 */
#define _POSIX_C_SOURCE 200809L
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "model/ctext.h"
#include "model/object.h"

extern char **environ;

enum { PATH = 600 };

typedef struct native {
    char made[PATH], source[PATH], part[PATH];   /* HASH.so; what is compiled, to what         */
    pid_t compiler;                      /* 0: not running                                      */
    void *library;
    int failed;
} native;

/* ---- text --------------------------------------------------------------------------------------------- */

static expr known_leaf(pool *p, expr e, void *context)
{
    const model_system *s = context;
    const expr_node *n = pool_at(p, e);
    if (n->op != EXPR_VARIABLE || n->a >= (uint32_t)s->variables || s->kind[n->a] != KIND_KNOWN) return 0;
    return pool_constant(p, n->b ? 0 : s->value[n->a]);
}

/* sin(a + b) and cos(a + b) out of the sines and cosines of a and b, where the function has all four anyway:
 * multiplications instead of a call.  (On the tape the call is not dearer than they are.) */
static expr reached(const walk *all, pool *p, expr_op op, expr of)
{
    const expr e = pool_one(p, op, of);
    return e && e < all->stamps && all->stamp[e] == all->now ? e : 0;
}

static expr addition_theorem(pool *p, expr e, void *context)
{
    const expr_node n = *pool_at(p, e);
    if (n.op != EXPR_SIN && n.op != EXPR_COS) return 0;
    const expr_node sum = *pool_at(p, n.a);
    if (sum.op != EXPR_ADD && sum.op != EXPR_SUBTRACT) return 0;
    const expr sin_a = reached(context, p, EXPR_SIN, sum.a), cos_a = reached(context, p, EXPR_COS, sum.a);
    const expr sin_b = reached(context, p, EXPR_SIN, sum.b), cos_b = reached(context, p, EXPR_COS, sum.b);
    if (!sin_a || !cos_a || !sin_b || !cos_b) return 0;
    const int adds = (n.op == EXPR_SIN) == (sum.op == EXPR_ADD);
    const expr first = make_multiply(p, n.op == EXPR_SIN ? sin_a : cos_a, cos_b);
    const expr second = make_multiply(p, n.op == EXPR_SIN ? cos_a : sin_a, sin_b);
    return adds ? make_add(p, first, second) : make_subtract(p, first, second);
}

static int apply_theorem(pool *p, expr *output, int outputs)
{
    walk all = {0};
    rewrite by = {.leaf = addition_theorem, .context = &all};
    walk_begin(&all, p);
    for (int i = 0; i < outputs; i++) walk_add(&all, p, output[i]);
    int code = all.no_memory ? -1 : 0;
    for (int i = 0; i < outputs && !code; i++) {
        output[i] = rewrite_expr(&by, p, output[i]);
        if (!output[i]) code = -1;
    }
    rewrite_free(&by);
    walk_free(&all);
    return code;
}

static int write_text(keel_model *m, buffer *text)
{
    evaluation *e = &m->evaluation;
    rewrite known = {.leaf = known_leaf, .context = &m->system};
    int code = 0;
    ctext_begin(text);
    for (int k = 0; k < m->programs.callbacks && !code; k++) {
        char name[32];
        snprintf(name, sizeof name, "keel_f%d", k);
        expr *output = malloc(((size_t)e->outputs[k] + 1) * sizeof *output);
        if (!output) code = -1;
        for (int i = 0; i < e->outputs[k] && !code; i++) {
            output[i] = rewrite_expr(&known, &m->flat->pool, e->output[k][i]);
            if (!output[i]) code = -1;
        }
        if (!code) code = apply_theorem(&m->flat->pool, output, e->outputs[k]);
        const tape_spec spec = {.pool = &m->flat->pool, .calls = &m->system.calls, .inputs = e->inputs,
                                .leaf = evaluation_leaf, .context = e, .output = output,
                                .outputs = e->outputs[k]};
        if (!code) code = ctext_function(text, name, &spec);
        free(output);
    }
    rewrite_free(&known);
    return code;
}

/* ---- the cache ------------------------------------------------------------------------------------------ */

/* A directory of the user's own that nobody else can write to. */
static int private_directory(const char *path)
{
    struct stat found;
    if (mkdir(path, 0700) && errno != EEXIST) return -1;
    if (lstat(path, &found) || !S_ISDIR(found.st_mode)) return -1;
    return found.st_uid == geteuid() && !(found.st_mode & (S_IWGRP | S_IWOTH)) ? 0 : -1;
}

static int cache_directory(char path[PATH])
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int length;
    if (cache && cache[0] == '/') length = snprintf(path, PATH - 80, "%s", cache);
    else if (home && home[0] == '/') length = snprintf(path, PATH - 80, "%s/.cache", home);
    else return -1;
    if (length >= PATH - 80) return -1;
    mkdir(path, 0700);
    strcat(path, "/keel");
    return private_directory(path);
}

static void hash_text(const char *text, char hash[40])
{
    uint64_t a = UINT64_C(0xcbf29ce484222325), b = UINT64_C(0x9E3779B97F4A7C15);
    const char *parts[2] = {keel_version(), text};
    for (int k = 0; k < 2; k++)
        for (const char *at = parts[k]; *at; at++) {
            a = (a ^ (unsigned char)*at) * UINT64_C(0x100000001b3);
            b = (b + (unsigned char)*at) * UINT64_C(0xBF58476D1CE4E5B9);
            b ^= b >> 27;
        }
    snprintf(hash, 40, "%016llx%016llx", (unsigned long long)a, (unsigned long long)b);
}

static int write_file(const char *path, const buffer *text)
{
    const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0) return -1;
    size_t done = 0;
    while (done < text->length) {
        const ssize_t wrote = write(file, text->text + done, text->length - done);
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote <= 0) break;
        done += (size_t)wrote;
    }
    const int closed = close(file);
    return done == text->length && closed == 0 ? 0 : (unlink(path), -1);
}

/* ---- compiling ------------------------------------------------------------------------------------------- */

static int start_compiler(native *n)
{
    char *arguments[] = {"cc", "-O2", "-fno-math-errno", "-w", "-shared", "-fPIC", "-o", n->part, n->source,
                         "-lm", NULL};
    posix_spawn_file_actions_t actions;
    if (posix_spawn_file_actions_init(&actions)) return -1;
    int code = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    if (!code) code = posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    if (!code) code = posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    if (!code) code = posix_spawnp(&n->compiler, "cc", &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (code) n->compiler = 0;
    return code ? -1 : 0;
}

/* All functions of the file, or none. */
static int load(keel_model *m, native *n)
{
    evaluation *e = &m->evaluation;
    n->library = dlopen(n->made, RTLD_NOW | RTLD_LOCAL);
    if (!n->library) return -1;
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < m->programs.callbacks; k++) {
            char name[32];
            union { void *object; void (*function)(const double *, double *); } found;
            snprintf(name, sizeof name, "keel_f%d", k);
            found.object = dlsym(n->library, name);
            if (!found.object) return dlclose(n->library), n->library = NULL, -1;
            if (pass) e->native[k] = found.function;
        }
    return 0;
}

static int give_up(native *n)
{
    n->failed = 1;
    return KEEL_UNSUPPORTED;
}

int keel_model_compile(keel_model *m)
{
    if (!m || !keel_model_problem(m)) return KEEL_BAD_ARGUMENT;
    if (m->native) return m->native->failed ? KEEL_UNSUPPORTED : KEEL_OK;
    native *n = m->native = calloc(1, sizeof *n);
    buffer text = {0};
    char directory[PATH], hash[40];
    if (!n) return KEEL_NO_MEMORY;
    const int code = write_text(m, &text);
    if (code) return buffer_free(&text), code < 0 ? (n->failed = 1, KEEL_NO_MEMORY) : give_up(n);
    if (cache_directory(directory)) return buffer_free(&text), give_up(n);
    hash_text(text.text, hash);
    snprintf(n->made, PATH, "%.480s/%s.so", directory, hash);
    snprintf(n->part, PATH, "%.480s/%s.%ld.part", directory, hash, (long)getpid());
    snprintf(n->source, PATH, "%.480s/%s.%ld.c", directory, hash, (long)getpid());
    int done = access(n->made, R_OK) == 0 && load(m, n) == 0;
    if (!done && (write_file(n->source, &text) || start_compiler(n))) {
        unlink(n->source);
        done = -1;
    }
    buffer_free(&text);
    return done < 0 ? give_up(n) : KEEL_OK;
}

static void collect(keel_model *m, native *n, int status)
{
    n->compiler = 0;
    const int made = WIFEXITED(status) && WEXITSTATUS(status) == 0 && rename(n->part, n->made) == 0;
    unlink(n->source);
    if (!made) unlink(n->part);
    n->failed = !made || load(m, n);
}

int keel_model_compiled(keel_model *m)
{
    int status;
    if (!m || !m->native || m->native->failed) return -1;
    native *n = m->native;
    if (n->library) return 1;
    if (n->compiler <= 0 || waitpid(n->compiler, &status, WNOHANG) != n->compiler) return 0;
    collect(m, n, status);
    return n->failed ? -1 : 1;
}

void native_free(keel_model *m)
{
    native *n = m->native;
    if (!n) return;
    if (n->compiler > 0) {
        kill(n->compiler, SIGTERM);
        while (waitpid(n->compiler, NULL, 0) < 0 && errno == EINTR) continue;
        unlink(n->source);
        unlink(n->part);
    }
    if (n->library) dlclose(n->library);
    free(n);
    m->native = NULL;
}
