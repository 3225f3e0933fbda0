/* list.h -- what the problem files export: the problems, and specs whose callbacks are tested. */
#ifndef KEEL_PROBLEMS_LIST_H
#define KEEL_PROBLEMS_LIST_H

#include "problems/problems.h"

extern const keel_target problem_pendulum;
extern const keel_target problem_pendulum_levelled;
extern const keel_target problem_pendulum_energy;
extern const keel_target problem_andrews;
extern const keel_target problem_andrews_stiff;
extern const keel_target problem_car_axis;
extern const keel_target problem_slider_crank;
extern const keel_target problem_fekete;
extern const keel_target problem_bricard;
extern const keel_target problem_chain;
extern const keel_target problem_channel;
extern const keel_target problem_heat;
extern const keel_target problem_wheelset;
extern const keel_target problem_wheel_suspension;
extern const keel_target problem_truck;
extern const keel_target problem_transistor_amplifier;
extern const keel_target problem_chemical_akzo_nobel;
extern const keel_target problem_robertson;
extern const keel_target problem_van_der_pol;
extern const keel_target problem_van_der_pol_spp;
extern const keel_target problem_van_der_pol_dae;
extern const keel_target problem_van_der_pol_lienard;
extern const keel_target problem_van_der_pol_mu;
extern const keel_target problem_impasse;
extern const keel_target problem_impasse_circuit;
extern const keel_target problem_two_bit_adder;
extern const keel_target problem_nand_gate;
extern const keel_target problem_water_tube;
extern const keel_target problem_air_pipe;
extern const keel_target problem_ring_modulator;
extern const keel_target problem_ascher_petzold;
extern const keel_target problem_prothero_robinson;
extern const keel_target problem_gear_petzold;
extern const keel_target problem_singular_constraint;
extern const keel_target problem_weiss_linear;
extern const keel_target problem_kepler;
extern const keel_target problem_three_body;
extern const keel_target problem_bouncing_ball;
extern const keel_target problem_pendulum_stop;
extern const keel_target problem_slack_pendulum;
extern const keel_target problem_stick_slip;
extern const keel_target problem_rectifier;
extern const keel_target problem_painleve;
extern const keel_target problem_steam_attemperator;
extern const keel_target problem_sampled_control;
extern const keel_target problem_diode_chain;
extern const keel_target problem_order_ode;
extern const keel_target problem_order_index1;
extern const keel_target problem_order_index2;
extern const keel_target problem_order_index2_nonlinear;
extern const keel_target problem_order_index3;
extern const keel_target problem_order_index3_nonlinear;
extern const keel_target problem_order_mechanical;
extern const keel_target problem_order_levelled;

extern const keel_target problem_ascher_petzold_two_point;
extern const keel_target problem_ascher_petzold_nonseparated;
extern const keel_target problem_bratu;
extern const keel_target problem_bratu_fold;
extern const keel_target problem_elastica;
extern const keel_target problem_troesch;
extern const keel_target problem_layers;
extern const keel_target problem_turning_point;
extern const keel_target problem_singular_control;
extern const keel_target problem_singular_control_index3;
extern const keel_target problem_mixed_index;
extern const keel_target problem_pendulum_period;
extern const keel_target problem_pendulum_clock;
extern const keel_target problem_mathieu;
extern const keel_target problem_dead_core;
extern const keel_target problem_minimum_effort;
extern const keel_target problem_minimum_time;
extern const keel_target problem_kinetics;

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
keel_mechanical_spec problem_truck_spec(const double *parameters);
keel_quasilinear_spec problem_wheelset_spec(const double *parameters);

#endif
