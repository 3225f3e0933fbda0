/* library.c -- see library.h.  Names, units and values are those of the Modelica Standard Library,
 * 4.0; the constants of nature those of the SI (BIPM, 2019) and CODATA 2018. */
#include "model/library.h"

#include <stdio.h>
#include <string.h>

static const char basic_text[] =
    "type StateSelect = enumeration(never, avoid, default, prefer, always);\n"
    "type AssertionLevel = enumeration(warning, error);\n";

/* name unit, separated by blanks; - is no unit; > gives the lower bound 0. */
static const char *const si_types[] = {
    "Angle rad SolidAngle sr Length m PathLength m Position m Distance m> Breadth m> Height m> Thickness m> "
    "Radius m> Diameter m> Area m2 Volume m3 Time s Duration s AngularVelocity rad/s AngularFrequency rad/s "
    "AngularAcceleration rad/s2 AngularJerk rad/s3 Velocity m/s Acceleration m/s2 Jerk m/s3 Period s "
    "Frequency Hz DampingCoefficient s-1 AmplitudeLevelDifference dB LogarithmicDecrement 1 "
    "Mass kg> Density kg/m3> RelativeDensity 1> SpecificVolume m3/kg> LinearDensity kg/m> Momentum kg.m/s "
    "Impulse N.s AngularMomentum kg.m2/s AngularImpulse N.m.s MomentOfInertia kg.m2 Inertia kg.m2 Force N "
    "TranslationalSpringConstant N/m TranslationalDampingConstant N.s/m Weight N Torque N.m "
    "ElectricalTorqueConstant N.m/A MomentOfForce N.m ImpulseFlowRate N AngularImpulseFlowRate N.m "
    "RotationalSpringConstant N.m/rad RotationalDampingConstant N.m.s/rad Pressure Pa "
    "PressureDifference Pa BulkModulus Pa Stress Pa NormalStress Pa ShearStress Pa Strain 1 LinearStrain 1 "
    "ShearStrain 1 PoissonNumber 1 ModulusOfElasticity Pa ShearModulus Pa Compressibility 1/Pa "
    "SecondMomentOfArea m4 SectionModulus m3 CoefficientOfFriction 1 DynamicViscosity Pa.s> "
    "KinematicViscosity m2/s> SurfaceTension N/m Work J Energy J EnergyDensity J/m3 PotentialEnergy J "
    "KineticEnergy J Power W EnergyFlowRate W EnthalpyFlowRate W Efficiency 1> MassFlowRate kg/s "
    "VolumeFlowRate m3/s MomentumFlux N AngularMomentumFlux N.m "
    "TemperatureDifference K TemperatureSlope K/s LinearTemperatureCoefficient 1/K "
    "QuadraticTemperatureCoefficient 1/K2 LinearExpansionCoefficient 1/K CubicExpansionCoefficient 1/K "
    "RelativePressureCoefficient 1/K PressureCoefficient Pa/K Heat J HeatFlowRate W HeatFlux W/m2 "
    "DensityOfHeatFlowRate W/m2 ThermalConductivity W/(m.K) CoefficientOfHeatTransfer W/(m2.K) "
    "SurfaceCoefficientOfHeatTransfer W/(m2.K) ThermalInsulance m2.K/W ThermalResistance K/W "
    "ThermalConductance W/K ThermalDiffusivity m2/s HeatCapacity J/K SpecificHeatCapacity J/(kg.K) "
    "SpecificHeatCapacityAtConstantPressure J/(kg.K) SpecificHeatCapacityAtConstantVolume J/(kg.K) "
    "RatioOfSpecificHeatCapacities 1 IsentropicExponent 1 Entropy J/K EntropyFlowRate J/(K.s) "
    "SpecificEntropy J/(kg.K) InternalEnergy J Enthalpy J HelmholtzFreeEnergy J GibbsFreeEnergy J "
    "SpecificEnergy J/kg SpecificInternalEnergy J/kg SpecificEnthalpy J/kg SpecificHelmholtzFreeEnergy J/kg "
    "SpecificGibbsFreeEnergy J/kg ",
    "ElectricCurrent A Current A ElectricCharge C Charge C VolumeDensityOfCharge C/m3 "
    "SurfaceDensityOfCharge C/m2 ElectricFieldStrength V/m ElectricPotential V Voltage V PotentialDifference V "
    "ElectromotiveForce V VoltageSlope V/s ElectricFluxDensity C/m2 ElectricFlux C Capacitance F> "
    "CapacitancePerArea F/m2 Permittivity F/m RelativePermittivity 1 PermittivityOfVacuum F/m CurrentDensity A/m2 "
    "CurrentSlope A/s MagneticFieldStrength A/m MagneticPotential A MagneticPotentialDifference A "
    "MagnetomotiveForce A MagneticFluxDensity T MagneticFlux Wb MagneticVectorPotential Wb/m Inductance H "
    "SelfInductance H> MutualInductance H Permeability H/m RelativePermeability 1 PermeabilityOfVacuum H/m "
    "MagneticDipoleMoment Wb.m Magnetization A/m Resistance Ohm Resistivity Ohm.m Conductivity S/m "
    "Reluctance H-1 Permeance H Impedance Ohm ModulusOfImpedance Ohm Reactance Ohm Admittance S Susceptance S "
    "Conductance S InstantaneousPower W ActivePower W ApparentPower VA ReactivePower var PowerFactor 1 "
    "LuminousIntensity cd LuminousFlux lm Illuminance lx Luminance cd/m2 Wavelength m WaveNumber m-1 "
    "RadiantEnergy J RadiantPower W Irradiance W/m2 Emissivity 1 SoundPower W SoundIntensity W/m2 "
    "AmountOfSubstance mol> MolarMass kg/mol> MolarVolume m3/mol> MolarInternalEnergy J/mol MolarEnthalpy J/mol "
    "MolarHeatCapacity J/(mol.K) MolarEntropy J/(mol.K) MolarFlowRate mol/s MolarDensity mol/m3> "
    "Concentration mol/m3 MassConcentration kg/m3 MassFraction 1> MoleFraction 1> VolumeFraction 1> "
    "Molality mol/kg ChemicalPotential J/mol DiffusionCoefficient m2/s MolarEnergy J/mol FaradayConstant C/mol "
    "MassDiffusionCoefficient m2/s ReynoldsNumber 1 EulerNumber 1 FroudeNumber 1 GrashofNumber 1 WeberNumber 1 "
    "MachNumber 1 KnudsenNumber 1 PecletNumber 1 RayleighNumber 1 NusseltNumber 1 PrandtlNumber 1 "
    "SchmidtNumber 1 StantonNumber 1 LewisNumber 1 FourierNumber 1 DimensionlessRatio 1 PerUnit 1 "
    "HalfLife s DecayConstant s-1 Activity Bq DoseEquivalent Sv Radioactivity Bq NeutronNumber - "
    "DerDensityByEnthalpy kg.s2/m5 DerDensityByPressure s2/m2 DerDensityByTemperature kg/(m3.K) "
    "DerEnthalpyByPressure J.m.s2/kg2 "};

/* Types with more than a unit and a bound. */
static const char more_types[] =
    "type ThermodynamicTemperature = Real(final quantity=\"ThermodynamicTemperature\", final unit=\"K\", min=0, "
    "start=288.15, nominal=300, displayUnit=\"degC\");\n"
    "type Temperature = ThermodynamicTemperature;\ntype Temp_K = ThermodynamicTemperature;\n"
    "type AbsolutePressure = Pressure(min=0, nominal=1e5);\n";

static const char constants_text[] =
    "package Constants\n"
    "final constant Real e(unit=\"1\") = 2.718281828459045;\n"
    "final constant Real pi(unit=\"1\") = 3.141592653589793;\n"
    "final constant Real D2R(unit=\"rad/deg\") = pi/180;\n"
    "final constant Real R2D(unit=\"deg/rad\") = 180/pi;\n"
    "final constant Real gamma(unit=\"1\") = 0.57721566490153286061;\n"
    "final constant Real eps = 2.220446049250313e-16;\n"
    "final constant Real small = 2.2250738585072014e-308;\n"
    "final constant Real inf = 1.7976931348623157e308;\n"
    "final constant Integer Integer_inf = 2147483647;\n"
    "final constant Real c(unit=\"m/s\") = 299792458;\n"
    "final constant Real g_n(unit=\"m/s2\") = 9.80665;\n"
    "final constant Real G(unit=\"m3/(kg.s2)\") = 6.67430e-11;\n"
    "final constant Real q(unit=\"C\") = 1.602176634e-19;\n"
    "final constant Real h(unit=\"J.s\") = 6.62607015e-34;\n"
    "final constant Real k(unit=\"J/K\") = 1.380649e-23;\n"
    "final constant Real N_A(unit=\"1/mol\") = 6.02214076e23;\n"
    "final constant Real R(unit=\"J/(mol.K)\") = k*N_A;\n"
    "final constant Real F(unit=\"C/mol\") = q*N_A;\n"
    "final constant Real sigma(unit=\"W/(m2.K4)\") = 2*pi^5*k^4/(15*h^3*c^2);\n"
    "final constant Real mu_0(unit=\"N/A2\") = 1.25663706212e-6;\n"
    "final constant Real epsilon_0(unit=\"F/m\") = 1/(mu_0*c*c);\n"
    "final constant Real T_zero(unit=\"K\") = -273.15;\n"
    "end Constants;\n";

/* Functions of one or two numbers are those of the language; `external` marks them. */
static const char math_text[] =
    "package Math\n"
    "function sin external; end sin; function cos external; end cos; function tan external; end tan;\n"
    "function asin external; end asin; function acos external; end acos; function atan external; end atan;\n"
    "function atan2 external; end atan2; function sinh external; end sinh; function cosh external; end cosh;\n"
    "function tanh external; end tanh; function asinh external; end asinh; function acosh external; end acosh;\n"
    "function exp external; end exp; function log external; end log; function log10 external; end log10;\n"
    "function isEqual input Real s1; input Real s2; input Real eps = 0; output Boolean result;\n"
    "algorithm result := abs(s1 - s2) <= eps; end isEqual;\n"
    "package Vectors\n"
    "function length input Real v[:]; output Real result; algorithm result := sqrt(v*v); end length;\n"
    "function norm input Real v[:]; output Real result; algorithm result := sqrt(v*v); end norm;\n"
    "function normalize input Real v[:]; output Real result[size(v, 1)];\n"
    "algorithm result := v/sqrt(v*v); end normalize;\n"
    "function reverse input Real v[:]; output Real result[size(v, 1)];\n"
    "algorithm result := {v[size(v, 1) + 1 - i] for i in 1:size(v, 1)}; end reverse;\n"
    "end Vectors;\n"
    "package BooleanVectors\n"
    "function anyTrue input Boolean b[:]; output Boolean result;\n"
    "algorithm result := false; for i in 1:size(b, 1) loop result := result or b[i]; end for; end anyTrue;\n"
    "function allTrue input Boolean b[:]; output Boolean result;\n"
    "algorithm result := true; for i in 1:size(b, 1) loop result := result and b[i]; end for; end allTrue;\n"
    "end BooleanVectors;\n"
    "end Math;\n";

/* Connectors that everything is built from, and bases without content. */
static const char interfaces_text[] =
    "package Icons\n"
    "partial model Example end Example; partial class Information end Information;\n"
    "partial package Package end Package; partial package ExamplesPackage end ExamplesPackage;\n"
    "partial package InterfacesPackage end InterfacesPackage; partial package TypesPackage end TypesPackage;\n"
    "partial function Function end Function; partial record Record end Record;\n"
    "end Icons;\n"
    "package Blocks package Interfaces\n"
    "connector RealInput = input Real; connector RealOutput = output Real;\n"
    "connector IntegerInput = input Integer; connector IntegerOutput = output Integer;\n"
    "connector BooleanInput = input Boolean; connector BooleanOutput = output Boolean;\n"
    "partial block SO RealOutput y; end SO; partial block SISO RealInput u; RealOutput y; end SISO;\n"
    "partial block SI2SO RealInput u1, u2; RealOutput y; end SI2SO;\n"
    "partial block MISO parameter Integer nin = 1; RealInput u[nin]; RealOutput y; end MISO;\n"
    "end Interfaces; end Blocks;\n"
    "package Electrical package Analog package Interfaces\n"
    "connector Pin Units.SI.ElectricPotential v; flow Units.SI.Current i; end Pin;\n"
    "connector PositivePin extends Pin; end PositivePin; connector NegativePin extends Pin; end NegativePin;\n"
    "partial model TwoPin PositivePin p; NegativePin n; Units.SI.Voltage v; equation v = p.v - n.v; end TwoPin;\n"
    "partial model OnePort PositivePin p; NegativePin n; Units.SI.Voltage v; Units.SI.Current i;\n"
    "equation v = p.v - n.v; 0 = p.i + n.i; i = p.i; end OnePort;\n"
    "end Interfaces; end Analog; end Electrical;\n"
    "package Mechanics package Rotational package Interfaces\n"
    "connector Flange Units.SI.Angle phi; flow Units.SI.Torque tau; end Flange;\n"
    "connector Flange_a extends Flange; end Flange_a; connector Flange_b extends Flange; end Flange_b;\n"
    "end Interfaces; end Rotational; package Translational package Interfaces\n"
    "connector Flange Units.SI.Position s; flow Units.SI.Force f; end Flange;\n"
    "connector Flange_a extends Flange; end Flange_a; connector Flange_b extends Flange; end Flange_b;\n"
    "end Interfaces; end Translational; end Mechanics;\n"
    "package Thermal package HeatTransfer package Interfaces\n"
    "connector HeatPort Units.SI.Temperature T; flow Units.SI.HeatFlowRate Q_flow; end HeatPort;\n"
    "connector HeatPort_a extends HeatPort; end HeatPort_a; connector HeatPort_b extends HeatPort; end HeatPort_b;\n"
    "end Interfaces; end HeatTransfer; end Thermal;\n";

typedef struct writer { char *text; size_t length, room; } writer;

static void add(writer *w, const char *text)
{
    size_t length = strlen(text);
    if (w->length + length + 1 > w->room) return;
    memcpy(w->text + w->length, text, length + 1);
    w->length += length;
}

static void add_types(writer *w, const char *list)
{
    char name[80], unit[40];
    int used;
    for (const char *at = list; sscanf(at, "%79s %39s%n", name, unit, &used) == 2; at += used) {
        size_t last = strlen(unit) - 1;
        int positive = unit[last] == '>';
        if (positive) unit[last] = '\0';
        add(w, "type ");
        add(w, name);
        add(w, " = Real(final quantity=\"");
        add(w, name);
        if (strcmp(unit, "-")) add(w, "\", final unit=\""), add(w, unit);
        add(w, positive ? "\", min=0);\n" : "\");\n");
    }
}

/* from_x(y) = a y + b, to_x its inverse */
static void add_conversions(writer *w)
{
    static const struct { const char *name, *factor, *offset; } conversion[] = {
        {"degC", "1", "273.15"}, {"deg", "0.017453292519943295", "0"}, {"rpm", "0.10471975511965977", "0"},
        {"bar", "1e5", "0"}, {"hour", "3600", "0"}, {"minute", "60", "0"}, {"day", "86400", "0"},
        {"kmh", "(1/3.6)", "0"}, {"kWh", "3.6e6", "0"}, {"litre", "1e-3", "0"}};
    add(w, "package Conversions\n");
    for (size_t i = 0; i < sizeof conversion / sizeof *conversion; i++)
        for (int to = 0; to < 2; to++) {
            const char *name[] = {to ? "to_" : "from_", conversion[i].name};
            const char *part[] = {"function ", name[0], name[1], " input Real u; output Real y; algorithm y := ",
                                  to ? "(u - (" : "u*", to ? conversion[i].offset : conversion[i].factor,
                                  to ? "))/" : " + ", to ? conversion[i].factor : conversion[i].offset, "; end ",
                                  name[0], name[1], ";\n"};
            for (size_t k = 0; k < sizeof part / sizeof *part; k++) add(w, part[k]);
        }
    add(w, "end Conversions;\n");
}

ast_class *library_basic(reader *r)
{
    static const struct { const char *name; value_kind kind; } basic[] = {
        {"Real", VALUE_REAL}, {"Integer", VALUE_INTEGER}, {"Boolean", VALUE_BOOLEAN},
        {"String", VALUE_STRING}};
    ast_class *root = TAKE(&r->keep, ast_class, 1);
    for (size_t i = 0; i < sizeof basic / sizeof *basic; i++) {
        ast_class *c = TAKE(&r->keep, ast_class, 1);
        c->name = reader_name(r, basic[i].name);
        c->comment = "";
        c->basic = (int)basic[i].kind;
        c->restriction = CLASS_TYPE;
        c->where.text = -1;
        GROW(&r->keep, root->class_, root->classes, root->class_room);
        root->class_[root->classes++] = c;
    }
    parse_text(&r->keep, &r->names, r->s, -1, basic_text, strlen(basic_text), root);
    return root;
}

ast_class *library_read(reader *r)
{
    writer w = {.room = 100000};
    ast_class *root = TAKE(&r->keep, ast_class, 1);
    w.text = region_take(&r->keep, w.room, 1);
    add(&w, "package Modelica\npackage Units\npackage SI\n");
    for (size_t i = 0; i < sizeof si_types / sizeof *si_types; i++) add_types(&w, si_types[i]);
    add(&w, more_types);
    add(&w, "end SI;\npackage NonSI\n type Temperature_degC = Real(unit=\"degC\"); type Angle_deg = Real(unit=\"deg\");\n"
            "type AngularVelocity_rpm = Real(unit=\"rev/min\"); type Pressure_bar = Real(unit=\"bar\");\n"
            "type Time_hour = Real(unit=\"h\"); type Time_minute = Real(unit=\"min\");\nend NonSI;\n");
    add_conversions(&w);
    add(&w, "end Units;\npackage SIunits extends Units.SI; package Conversions = Units.Conversions; end SIunits;\n");
    add(&w, constants_text);
    add(&w, math_text);
    add(&w, interfaces_text);
    add(&w, "end Modelica;\n");
    parse_text(&r->keep, &r->names, r->s, -1, w.text, w.length, root);
    return root;
}
