/* families_named.c -- members of families by name, with what is known of them without computing. */
#include "method/families.h"

#include <math.h>
#include <string.h>

#include "method/expression.h"
#include "method/known.h"

#define COUNT_TO_20(ROW)                                                                      \
    ROW(1) ROW(2) ROW(3) ROW(4) ROW(5) ROW(6) ROW(7) ROW(8) ROW(9) ROW(10)                    \
    ROW(11) ROW(12) ROW(13) ROW(14) ROW(15) ROW(16) ROW(17) ROW(18) ROW(19) ROW(20)
#define GAUSS(S)        "gauss-" #S,
#define RADAU_IA(S)     "radau-ia-" #S,
#define RADAU_IIA(S)    "radau-iia-" #S,
#define LOBATTO_IIIA(S) "lobatto-iiia-" #S,
#define LOBATTO_IIIC(S) "lobatto-iiic-" #S,

#define BUTCHER "Butcher 1964; Ehle 1969; Axelsson 1969; Hairer & Wanner 1996, IV.5"

/* Order 2s - lost, stage order s - stage_lost, R(inf) = sign (-1)^s. */
typedef struct family {
    family_kind kind;
    const char *title, *summary, *citation;
    int least, listed;               /* stages of the shortest, of the longest in lists */
    int lost, stage_lost, stiffly_accurate, sign;
    const char *const names[STAGES_MAX];
} family;

static const family families[] = {
    {FAMILY_RADAU_IIA, "Radau IIA", "collocation of order 2S - 1, L-stable, stiffly accurate",
     BUTCHER " and IV.8", 1, 7, 1, 0, 1, 0, {COUNT_TO_20(RADAU_IIA)}},
    {FAMILY_GAUSS, "Gauss", "collocation of order 2S, A-stable, symmetric, symplectic",
     "Butcher 1964; Hairer & Wanner 1996, IV.5", 1, 5, 0, 0, 0, 1, {COUNT_TO_20(GAUSS)}},
    {FAMILY_RADAU_IA, "Radau IA", "order 2S - 1, L-stable", BUTCHER, 1, 5, 1, 1, 0, 0,
     {COUNT_TO_20(RADAU_IA)}},
    {FAMILY_LOBATTO_IIIA, "Lobatto IIIA",
     "collocation of order 2S - 2, A-stable, symmetric, first stage explicit", BUTCHER, 2, 5, 2, 0,
     1, -1, {COUNT_TO_20(LOBATTO_IIIA)}},
    {FAMILY_LOBATTO_IIIC, "Lobatto IIIC", "order 2S - 2, L-stable, stiffly accurate",
     "Chipman 1971; Hairer & Wanner 1996, IV.5", 2, 5, 2, 1, 1, 0, {COUNT_TO_20(LOBATTO_IIIC)}},
};

enum { FAMILIES = sizeof families / sizeof families[0] };
_Static_assert(STAGES_MAX == 20, "one name for each number of stages");

static int odd_sign(int s) { return s % 2 ? -1 : 1; }

static keel_method_info info_of(const family *f, int s)
{
    int one = s == 1 && f->kind == FAMILY_RADAU_IIA;
    return (keel_method_info){
        .name = f->names[s - 1], .family = f->title,
        .summary = one ? "implicit Euler: 1 stage, order 1, L-stable" : f->summary,
        .citation = f->citation, .stages = s, .order = 2 * s - f->lost,
        .stage_order = s - f->stage_lost, .stiffly_accurate = f->stiffly_accurate,
        .r_infinity = f->sign * odd_sign(s), .values = 1,
        .kind = s == 1 || (s == 2 && f->kind == FAMILY_LOBATTO_IIIA) ? KEEL_METHOD_DIAGONAL
                                                                     : KEEL_METHOD_IMPLICIT,
    };
}

static int make(keel_method **method, const family *f, int s)
{
    double A[STAGES_MAX * STAGES_MAX], b[STAGES_MAX], c[STAGES_MAX];
    keel_method_info info = info_of(f, s);
    int rc = family_coefficients(f->kind, s, 0, A, b, c);
    if (!rc)
        rc = method_make(method, &(keel_tableau){
                 .name = info.name, .family = info.family, .summary = info.summary,
                 .citation = info.citation, .stages = s, .order = info.order,
                 .A = A, .b = b, .c = c});
    if (rc) return rc;
    const double *known = known_family(f->kind, s);
    (*method)->radau_iia = f->kind == FAMILY_RADAU_IIA;
    if (known && !(*method)->radau_iia) (*method)->eigensystem = known + 2 * s + s * s;
    (*method)->stage_order = (*method)->general.stage_order = info.stage_order;      /* exactly */
    (*method)->r_infinity = info.r_infinity;
    return KEEL_OK;
}

/* May it be of that family?  Spares most comparisons. */
static int family_letters(const family *f, const char *name)
{
    return strncmp(f->names[0], name, 4) == 0;
}

/* The family and number of stages of a name; NULL if there is none. */
static const family *find_family(const char *name, int *stages)
{
    for (int k = 0; k < FAMILIES; k++)
        for (int s = families[k].least; s <= STAGES_MAX && family_letters(&families[k], name); s++)
            if (strcmp(families[k].names[s - 1], name) == 0) {
                *stages = s;
                return &families[k];
            }
    return NULL;
}

const char *family_name(int i)
{
    for (int k = 0; i >= 0 && k < FAMILIES; k++) {
        int members = STAGES_MAX - families[k].least + 1;
        if (i < members) return families[k].names[families[k].least - 1 + i];
        i -= members;
    }
    return NULL;
}

const char *family_listed(int i)
{
    for (int k = 0; i >= 0 && k < FAMILIES; k++) {
        int members = families[k].listed - families[k].least + 1;
        if (i < members) return families[k].names[families[k].least - 1 + i];
        i -= members;
    }
    return NULL;
}

int family_make(keel_method **method, const char *name)
{
    int s;
    const family *f = find_family(name, &s);
    *method = NULL;
    return f ? make(method, f, s) : KEEL_UNKNOWN_NAME;
}

int family_info(const char *name, keel_method_info *info)
{
    int s;
    const family *f = find_family(name, &s);
    if (!f) return KEEL_UNKNOWN_NAME;
    *info = info_of(f, s);
    return KEEL_OK;
}

/* ---- collocation --------------------------------------------------------------------------- */

int is_collocation(const char *name)
{
    size_t length = strlen(COLLOCATION);
    return strncmp(name, COLLOCATION, length) == 0 && (name[length] == '-' || name[length] == ':');
}

/* "3:0.5" */
static int parse_weighted(const char *text, int *s, double *weight)
{
    double stages;
    if (!parse_expression(&text, &stages) || *text++ != ':') return 0;
    if (!(stages >= 1 && stages <= STAGES_MAX) || stages != floor(stages)) return 0;
    *s = (int)stages;
    return parse_expression(&text, weight) && *text == '\0' && *weight > -1 && isfinite(*weight);
}

/* "0,1/2,1" */
static int parse_nodes(const char *text, int *s, double *nodes)
{
    for (*s = 0; *s < STAGES_MAX; text++) {
        if (!parse_expression(&text, &nodes[*s]) || !isfinite(nodes[*s])) return 0;
        ++*s;
        if (*text == '\0') return 1;
        if (*text != ',') return 0;
    }
    return 0;
}

/* Order of the quadrature, which is that of the method [HNW93 II.7 theorem 7.8]. */
static int quadrature_order(int s, const double *b, const double *c)
{
    int p = 0;
    for (double defect = 0; defect <= 1e-13 && p <= 2 * s; p++) {
        double sum = 0;
        for (int i = 0; i < s; i++) sum += b[i] * pow(c[i], p);
        defect = fabs(sum - 1.0 / (p + 1));
    }
    return p - 1;
}

int collocation_make(keel_method **method, const char *name)
{
    double A[STAGES_MAX * STAGES_MAX], b[STAGES_MAX], c[STAGES_MAX], weight = NAN;
    const char *rest = name + strlen(COLLOCATION) + 1;
    int s, weighted = rest[-1] == '-';
    if (weighted ? !parse_weighted(rest, &s, &weight) : !parse_nodes(rest, &s, c))
        return KEEL_UNKNOWN_NAME;
    int rc = weighted ? family_coefficients(FAMILY_COLLOCATION, s, weight, A, b, c)
                      : collocation_coefficients(s, c, A, b);
    if (rc) return KEEL_UNKNOWN_NAME;
    rc = method_make(method, &(keel_tableau){
             .name = name, .family = "collocation",
             .summary = weighted ? "collocation at the zeros of P_S - W P_(S-1)"
                                 : "collocation at given nodes",
             .citation = "Hairer, Norsett & Wanner 1993, II.7; Schropp 2003",
             .stages = s, .order = !weighted ? quadrature_order(s, b, c)
                                 : weight == 0 ? 2 * s : 2 * s - 1,
             .A = A, .b = b, .c = c});
    if (!rc && weighted) (*method)->r_infinity = odd_sign(s) * (1 - weight) / (1 + weight);
    return rc;
}
