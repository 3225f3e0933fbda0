/* test_page.c -- `keel run --plot FILE.html`: one file with all data, which no text in them can break;
 * `--output FILE.mat` of a model. */
#define _POSIX_C_SOURCE 200809L
#include "test/cli/command.h"

#include "report/page.h"

static const char model[] =
    "model Ball \"</script><b>&\"\n"
    "  parameter Real e = 0.8; Real h(start=1, fixed=true, unit=\"m\"); Real v(start=0, fixed=true);\n"
    "  Real down = -v;\n"
    "equation\n"
    "  der(h) = v; der(v) = -9.81;\n"
    "  when h < 0 then reinit(v, -e*pre(v)); end when;\n"
    "end Ball;\n";

static int write_model(void **state)
{
    char path[200];
    if (make_folder(state)) return -1;
    snprintf(path, sizeof path, "%s/ball.mo", folder);
    FILE *file = fopen(path, "w");
    return !file || fputs(model, file) < 0 || fclose(file) ? -1 : 0;
}

static int remove_all(void **state)
{
    free(take("ball.mo", NULL));
    return remove_folder(state);
}

/* The numbers in the array at s. */
static int count_of(const char *s)
{
    int count = *json_space(s + 1) != ']';
    const char *end = json_value(s);
    for (; s < end; s++) count += *s == ',';
    return count;
}

/* A library without models reads none: there is nothing to test. */
static void need_models(void)
{
#ifndef KEEL_WITH_MODELS
    skip();
#endif
}

static void a_page_of_a_model(void **state)
{
    (void)state;
    need_models();
    if (!page_available()) {
        expect_usage("run ball.mo --plot page.html", "built without pages");
        return;
    }
    assert_int_equal(run("run ball.mo --t-end 1.5 --plot page.html --quiet"), 0);
    char *page = take("page.html", NULL);
    assert_non_null(page);
    expect_contains(page, "<!DOCTYPE html>");
    assert_null(strstr(page, "src="));                       /* nothing to load */
    char *data = strstr(page, "const run = ");
    assert_non_null(data);
    data += strlen("const run = ");
    const char *end = json_value(data);
    assert_non_null(end);                                    /* well formed, */
    assert_int_equal(strncmp(json_space(end), ";</script>", 10), 0);     /* and ended by nothing in it */
    const char *curves = json_member(data, "curves"), *events = json_member(data, "events");
    assert_non_null(curves);
    const int points = count_of(json_member(curves, "t"));
    assert_true(points > 1000);
    expect_contains(json_member(curves, "names"), "[\"h\", \"v\", \"down\"]");
    assert_int_equal(count_of(json_member(curves, "values")), 3 * points);
    assert_non_null(strstr(events, "h \\u003c 0"));
    expect_contains(json_member(data, "text"), "model Ball");
    expect_contains(json_member(data, "structure"), "freedom");
    assert_true(count_of(json_member(json_member(data, "steps"), "h")) > 3);
    free(page);
}

static void what_does_not_go_together(void **state)
{
    (void)state;
    expect_usage("run pendulum --plot page.htm", ".svg, .png or .html");
    if (page_available()) expect_usage("run pendulum --plot p.html --log-time", "not with a page");
}

/* Aliases share a row: two variables that move, and one parameter. */
static void a_mat_file_of_a_model(void **state)
{
    (void)state;
    size_t size = 0;
    need_models();
    assert_int_equal(run("run ball.mo --t-end 0.4 --points 5 --output ball.mat --quiet"), 0);
    char *file = take("ball.mat", &size);
    assert_non_null(file);
    const int32_t *header = NULL;
    for (size_t k = 20; k + 7 < size; k++)
        if (memcmp(file + k, "data_2", 7) == 0) header = (const int32_t *)(void *)(file + k - 20);
    assert_non_null(header);
    int32_t copy[5];
    memcpy(copy, header, sizeof copy);
    assert_int_equal(copy[1], 3);                            /* time, h, v */
    assert_int_equal(copy[2], 5);
    free(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_page_of_a_model),
                                       cmocka_unit_test(what_does_not_go_together),
                                       cmocka_unit_test(a_mat_file_of_a_model)};
    return cmocka_run_group_tests(tests, write_model, remove_all);
}
