/* list.h -- what the problem files export: the problems, and specs whose callbacks are tested. */
#ifndef KEEL_PROBLEMS_LIST_H
#define KEEL_PROBLEMS_LIST_H

#include "problems/problems.h"

extern const bundled_problem problem_pendulum;
extern const bundled_problem problem_pendulum_levelled;
extern const bundled_problem problem_pendulum_energy;
extern const bundled_problem problem_andrews;
extern const bundled_problem problem_andrews_stiff;
extern const bundled_problem problem_car_axis;
extern const bundled_problem problem_slider_crank;
extern const bundled_problem problem_fekete;
extern const bundled_problem problem_bricard;
extern const bundled_problem problem_chain;
extern const bundled_problem problem_wheelset;
extern const bundled_problem problem_transistor_amplifier;
extern const bundled_problem problem_chemical_akzo_nobel;
extern const bundled_problem problem_robertson;
extern const bundled_problem problem_van_der_pol;
extern const bundled_problem problem_van_der_pol_spp;
extern const bundled_problem problem_van_der_pol_dae;
extern const bundled_problem problem_two_bit_adder;
extern const bundled_problem problem_nand_gate;
extern const bundled_problem problem_water_tube;
extern const bundled_problem problem_ring_modulator;
extern const bundled_problem problem_ascher_petzold;
extern const bundled_problem problem_prothero_robinson;
extern const bundled_problem problem_gear_petzold;
extern const bundled_problem problem_weiss_linear;
extern const bundled_problem problem_kepler;
extern const bundled_problem problem_order_ode;
extern const bundled_problem problem_order_index1;
extern const bundled_problem problem_order_index2;
extern const bundled_problem problem_order_index2_nonlinear;
extern const bundled_problem problem_order_index3;
extern const bundled_problem problem_order_index3_nonlinear;
extern const bundled_problem problem_order_mechanical;
extern const bundled_problem problem_order_levelled;

/* What `create` hands to the library; `parameters` is borrowed by the spec. */
keel_mechanical_spec problem_pendulum_spec(const double *parameters);
keel_levelled_spec problem_pendulum_levelled_spec(const double *parameters);
keel_mechanical_spec problem_pendulum_energy_spec(const double *parameters);
keel_mechanical_spec problem_andrews_spec(const double *parameters);
keel_mechanical_spec problem_andrews_stiff_spec(const double *parameters);
keel_mechanical_spec problem_car_axis_spec(const double *parameters);
keel_mechanical_spec problem_slider_crank_spec(const double *parameters);
keel_mechanical_spec problem_fekete_spec(const double *parameters);
keel_mechanical_spec problem_order_mechanical_spec(const double *parameters);
keel_levelled_spec problem_order_levelled_spec(const double *parameters);
keel_quasilinear_spec problem_wheelset_spec(const double *parameters);

#endif
