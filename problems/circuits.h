/* circuits.h -- the specs behind the bundled circuit, chemistry and model problems, for tests.
 *
 * `context` is still NULL in those that have parameters: set it to the parameter values.
 */
#ifndef KEEL_PROBLEMS_CIRCUITS_H
#define KEEL_PROBLEMS_CIRCUITS_H

#include "problems/list.h"

extern const keel_ode_spec problem_ring_modulator_spec;
extern const keel_ode_spec problem_prothero_robinson_spec;
extern const keel_ode_spec problem_van_der_pol_spec;
extern const keel_ode_spec problem_van_der_pol_mu_spec;

extern const keel_semi_explicit_spec problem_chemical_akzo_nobel_spec;
extern const keel_semi_explicit_spec problem_robertson_spec;
extern const keel_semi_explicit_spec problem_van_der_pol_dae_spec;
extern const keel_semi_explicit_spec problem_van_der_pol_lienard_spec;
extern const keel_semi_explicit_spec problem_impasse_spec;
extern const keel_semi_explicit_spec problem_impasse_circuit_spec;
extern const keel_semi_explicit_spec problem_two_bit_adder_spec;

extern const keel_hessenberg2_spec problem_ascher_petzold_spec;

extern const keel_quasilinear_spec problem_transistor_amplifier_spec;
extern const keel_quasilinear_spec problem_van_der_pol_spp_spec;
extern const keel_quasilinear_spec problem_nand_gate_spec;
extern const keel_quasilinear_spec problem_water_tube_spec;
extern const keel_quasilinear_spec problem_weiss_linear_spec;

/* Patterns that follow from a netlist are computed, not stored: returns the number of nonzeros
 * and fills column_start (size + 1 entries) and, unless it is NULL, row_index. */
int problem_two_bit_adder_pattern(int *column_start, int *row_index);
int problem_water_tube_pattern(int *column_start, int *row_index);

#endif
