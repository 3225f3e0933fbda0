// consumer.cpp -- the headers are C++, and link from it.
#include <keel/keel.h>

#include <cstdio>
#include <cstring>

int main()
{
    keel_ode_spec spec = {};
    keel_problem *problem = nullptr;
    spec.size = 1;
    spec.rhs = [](double, const double *y, double *f, void *) { f[0] = -y[0]; return 0; };
    const int status = keel_ode(&problem, &spec);
    std::printf("C++: keel %s, %s\n", keel_version(), keel_status_name(status));
    keel_problem_free(problem);
    return status != KEEL_OK || std::strcmp(keel_status_name(KEEL_OK), "KEEL_OK") != 0;
}
