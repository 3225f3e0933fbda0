/* known.c -- prints the tables of src/method/known.h: families (first argument "families"), starting
 * procedures ("starting") or the stability of listed methods ("stability").
 *
 *   study_known families >src/method/tables_families.c
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "method/known.h"

enum { ROOM = 1 << 20, PER_LINE = 4 };

static int printed;

static void begin(const char *name, int s)
{
    printf("static const double %s_%d[] = {", name, s);
    printed = 0;
}

static void numbers(int count, const double *x)
{
    for (int i = 0; i < count; i++, printed++)
        printf("%s%.17g,", printed % PER_LINE ? " " : "\n    ", x[i]);
}

static void end(void) { printf("\n};\n"); }

static void list(const char *name, const char *size, int least, int most)
{
    printf("\nconst double *const known_%s[%s + 1] = {\n   ", name, size);
    for (int s = least; s <= most; s++) printf(" [%d] = %s_%d%s", s, name, s, s < most ? "," : "\n");
    printf("};\n\n");
}

static void radau_iia_tables(arena *a)
{
    for (int s = 1; s <= KNOWN_RADAU_MOST; s++) {
        stage_method m;
        radau_iia_computed(a, s, &m);
        begin("radau_iia", s);
        numbers(s, m.c);
        numbers(s, m.b);
        numbers(s * s, m.A);
        numbers(s * s, m.A_inv);
        numbers(s * s, m.A2);
        numbers(s * s, m.A2_inv);
        numbers(s * s, m.T);
        numbers(s * s, m.T_inv);
        numbers(s, m.at_zero);
        numbers(s, m.error);
        numbers(1, &m.gamma);
        numbers(s / 2, m.alpha);
        numbers(s / 2, m.beta);
        end();
    }
    list("radau_iia", "KNOWN_RADAU_MOST", 1, KNOWN_RADAU_MOST);
}

static void eigensystem(const stage_method *m)
{
    numbers(m->s * m->s, m->T);
    numbers(m->s * m->s, m->T_inv);
    double re[STAGES_MAX], im[STAGES_MAX];
    for (int k = 0; k < m->s; k++) {
        int pair = (k - m->reals) / 2, first = (k - m->reals) % 2 == 0;
        re[k] = k < m->reals ? m->real[k] : m->alpha[pair];
        im[k] = k < m->reals ? 0 : first ? m->beta[pair] : -m->beta[pair];
    }
    numbers(m->s, re);
    numbers(m->s, im);
}

static void family_tables(arena *a, family_kind family, const char *name, int least)
{
    for (int s = least; s <= KNOWN_FAMILY_MOST; s++) {
        double A[STAGES_MAX * STAGES_MAX], b[STAGES_MAX], c[STAGES_MAX];
        keel_method *method = NULL;
        stage_method m;
        family_computed(family, s, 0, A, b, c);
        if (method_make(&method, &(keel_tableau){.name = name, .stages = s, .order = 1, .A = A, .b = b,
                                                 .c = c}))
            exit(1);
        begin(name, s);
        numbers(s, c);
        numbers(s, b);
        numbers(s * s, A);
        if (method->kind == KEEL_METHOD_IMPLICIT && stage_method_of(a, method, &m) == KEEL_OK)
            eigensystem(&m);
        end();
        keel_method_free(method);
    }
    list(name, "KNOWN_FAMILY_MOST", least, KNOWN_FAMILY_MOST);
}

static void starting_tables(arena *a)
{
    for (int order = 1; order <= STARTING_ORDER_MOST; order++) {
        starting_data d;
        starting_computed(a, order, &d);
        begin("starting", order);
        numbers(d.s, d.c);
        numbers(d.s, d.at_start);
        numbers(d.s - 1, d.lower);
        const double *const matrices[] = {d.A, d.A_inv, d.B, d.B_A_inv, d.T, d.T_inv};
        for (int k = 0; k < 6; k++) numbers(d.s * d.s, matrices[k]);
        end();
    }
    list("starting", "STARTING_ORDER_MOST", 1, STARTING_ORDER_MOST);
}

static const char *number(double x, char text[32])
{
    if (isinf(x)) return "INFINITY";
    snprintf(text, 32, "%.17g", x);
    return text;
}

static void stability_table(void)
{
    printf("const known_stability known_stabilities[] = {\n");
    for (int i = 0; i < keel_method_count(); i++) {
        keel_method_info info;
        keel_method *m = NULL;
        keel_general_analysis a;
        char alpha[32], real[32], imaginary[32];
        if (keel_method_at(i, &info) || !info.stages) continue;
        if (keel_method_named(&m, info.name)) exit(1);
        m->stability = NULL;
        if (keel_method_analyse_general(m, &a)) exit(1);
        printf("    {\"%s\", %s, %s, %s},\n", info.name, number(a.alpha, alpha),
               number(a.real_limit, real), number(a.imaginary_limit, imaginary));
        keel_method_free(m);
    }
    printf("    {NULL, 0, 0, 0},\n};\n");
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "starting";
    arena a = {.base = calloc(1, ROOM)};
    if (!a.base) return 1;
    printf("/* tables_%s.c -- printed by study_known; the layout is that of known.h. */\n"
           "#include \"method/known.h\"\n\n", what);
    if (strcmp(what, "stability") == 0) {
        printf("#include <math.h>\n\n");
        stability_table();
    } else if (strcmp(what, "families") == 0) {
        radau_iia_tables(&a);
        family_tables(&a, FAMILY_GAUSS, "gauss", 1);
        family_tables(&a, FAMILY_RADAU_IA, "radau_ia", 1);
        family_tables(&a, FAMILY_LOBATTO_IIIA, "lobatto_iiia", 2);
        family_tables(&a, FAMILY_LOBATTO_IIIC, "lobatto_iiic", 2);
    } else {
        starting_tables(&a);
    }
    free(a.base);
    return 0;
}
