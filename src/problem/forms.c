/* forms.c -- what the forms are: one table each.  Forms are told apart here, not where they are
 * integrated. */
#include "problem/forms.h"

const form_ops ode_form = {
    .name = "ODE", .letter = {"y"}, .size_name = {"size"},
    .traits = FORM_STATE_SPACE | FORM_ALGEBRAIC_KNOWN,
    .residual = ode_residual, .jacobian = ode_jacobian, .rate = ode_rate,
    .claims = ode_claims};

const form_ops semi_explicit_form = {
    .name = "semi-explicit", .letter = {"y", "z"}, .size_name = {"differential", "algebraic"},
    .traits = FORM_STATE_SPACE | FORM_ALGEBRAIC_KNOWN,
    .residual = semi_explicit_residual, .jacobian = semi_explicit_jacobian,
    .level = semi_explicit_level, .rate = semi_explicit_rate,
    .claims = semi_explicit_claims};

const form_ops hessenberg2_form = {
    .name = "Hessenberg 2", .letter = {"y", "z"}, .size_name = {"differential", "multipliers"},
    .traits = FORM_HALF_EXPLICIT | FORM_ALGEBRAIC_KNOWN | FORM_INDEX2,
    .residual = hessenberg2_residual, .jacobian = hessenberg2_jacobian, .level = hessenberg2_level,
    .rate = hessenberg2_rate,
    .claims = hessenberg2_claims};

const form_ops hessenberg3_form = {
    .name = "Hessenberg 3", .letter = {"u", "v", "lambda"},
    .size_name = {"positions", "velocities", "multipliers"},
    .traits = FORM_HALF_EXPLICIT | FORM_ALGEBRAIC_KNOWN,
    .residual = hessenberg3_residual, .jacobian = hessenberg3_jacobian,
    .level = hessenberg3_level, .rate = hessenberg3_rate,
    .claims = hessenberg3_claims};

const form_ops mechanical_form = {
    .name = "mechanical", .letter = {"q", "v", "lambda"},
    .size_name = {"positions", "positions", "constraints"},
    .traits = FORM_STATE_SPACE | FORM_HALF_EXPLICIT | FORM_ALGEBRAIC_KNOWN | FORM_ACCELERATIONS,
    .residual = mechanical_residual, .jacobian = no_jacobian, .mass = mechanical_mass,
    .level = eval_mechanical_level, .rate = eval_mechanical_rate,
    .claims = mechanical_claims};

const form_ops quasilinear_form = {
    .name = "quasilinear", .letter = {"y"}, .size_name = {"size"},
    .residual = quasilinear_residual, .jacobian = quasilinear_jacobian, .mass = quasilinear_mass,
    .claims = quasilinear_claims};

const form_ops implicit_form = {
    .name = "implicit", .letter = {"y"}, .size_name = {"size"},
    .residual = implicit_residual, .jacobian = implicit_jacobian, .mass = implicit_mass,
    .claims = implicit_claims};

const form_ops proper_form = {
    .name = "proper", .letter = {"x", "u"}, .size_name = {"size", "leading"},
    .residual = eval_proper_residual, .jacobian = eval_proper_jacobian, .mass = proper_mass,
    .claims = proper_claims};

const form_ops levelled_form = {
    .name = "levelled", .letter = {"y", "z"}, .size_name = {"differential", "algebraic"},
    .traits = FORM_STATE_SPACE | FORM_HALF_EXPLICIT | FORM_ALGEBRAIC_KNOWN,
    .residual = levelled_residual, .jacobian = levelled_jacobian, .level = levelled_level,
    .rate = levelled_rate,
    .claims = levelled_claims};
