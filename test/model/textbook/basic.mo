// Equations in time: first order, second order, start values, attributes, expressions.
model Decay "x' = -x"
  Real x(start = 1, fixed = true);
equation
  der(x) = -x;
end Decay;
//= Decay at 1: x 0.36787944117144232

model FirstOrderInput "x' = 1 - x from an initial equation"
  Real x "state";
initial equation
  x = 2;
equation
  der(x) = 1 - x;
end FirstOrderInput;
//= FirstOrderInput at 2: x 1.1353352832366127

model FirstOrderSteady "starts at rest"
  Real x;
initial equation
  der(x) = 0;
equation
  der(x) = 1 - x;
end FirstOrderSteady;
//= FirstOrderSteady at 10: x 1

model NewtonCooling "with units"
  type Temperature = Real(unit = "K", min = 0);
  type Convection = Real(unit = "W/(m2.K)", min = 0);
  type Area = Real(unit = "m2", min = 0);
  type Mass = Real(unit = "kg", min = 0);
  type SpecificHeat = Real(unit = "J/(K.kg)", min = 0);
  parameter Temperature T_inf = 298.15 "Ambient";
  parameter Temperature T0 = 363.15;
  parameter Convection h = 0.7;
  parameter Area A = 1.0;
  parameter Mass m = 0.1;
  parameter SpecificHeat c_p = 1.2;
  Temperature T;
initial equation
  T = T0 "Specify initial value for T";
equation
  m*c_p*der(T) = h*A*(T_inf - T) "Newton's law of cooling";
end NewtonCooling;
//= NewtonCooling at 0.5: T 301.6673948044834

model Oscillator "second order by nested derivative"
  parameter Real w = 3;
  Real x(start = 1, fixed = true);
  Real a = der(der(x));
  Real v(start = 0, fixed = true) = der(x);
equation
  a + w^2*x = 0;
end Oscillator;
//= Oscillator at 2: x 0.96017028665036602, v 0.83824649459677762, a -8.6415325798532942

model RLC1 "circuit by equations"
  import Modelica.Units.SI;
  parameter SI.Voltage Vb = 24;
  parameter SI.Inductance L = 1;
  parameter SI.Resistance R = 100;
  parameter SI.Capacitance C = 1e-3;
  SI.Voltage V;
  SI.Current i_L, i_R, i_C;
initial equation
  V = 0;
  i_L = 0;
equation
  V = i_R*R;
  C*der(V) = i_C;
  L*der(i_L) = (Vb - V);
  i_L = i_R + i_C;
end RLC1;
//= RLC1 at 0.7: V 24.702808845612044, i_R 0.24702808845612044

model VanDerPol
  parameter Real mu = 1;
  Real x(start = 1, fixed = true), y(start = 0, fixed = true);
equation
  der(x) = y;
  der(y) = mu*(1 - x^2)*y - x;
end VanDerPol;
//= VanDerPol at 5 tight: x 0.98698136100537422, y 2.6183027047286981

model LotkaVolterra "with parameters"
  parameter Real alpha = 0.1, beta = 0.02, gamma = 0.4, delta = 0.02;
  parameter Real x0 = 10 "rabbits", y0 = 10 "foxes";
  Real x(start = x0, fixed = true), y(start = y0, fixed = true);
equation
  der(x) = x*(alpha - beta*y);
  der(y) = y*(delta*x - gamma);
end LotkaVolterra;
//= LotkaVolterra at 20: x 27.534000449665191, y 0.94921736997939338

model LotkaQuiescent "the point of rest, found from guesses"
  parameter Real alpha = 0.1, beta = 0.02, gamma = 0.4, delta = 0.02;
  Real x(start = 10), y(start = 10);
initial equation
  der(x) = 0;
  der(y) = 0;
equation
  der(x) = x*(alpha - beta*y);
  der(y) = y*(delta*x - gamma);
end LotkaQuiescent;
//= LotkaQuiescent at 3: x 20, y 5

model RotationalTwo "two inertias, springs and dampers"
  type Angle = Real(unit = "rad");
  type AngularVelocity = Real(unit = "rad/s");
  type Inertia = Real(unit = "kg.m2");
  type Stiffness = Real(unit = "N.m/rad");
  type Damping = Real(unit = "N.m.s/rad");
  parameter Inertia J1 = 0.4, J2 = 1.0;
  parameter Stiffness k1 = 11, k2 = 5;
  parameter Damping d1 = 0.2, d2 = 1.0;
  Angle phi1, phi2;
  AngularVelocity omega1, omega2;
initial equation
  phi1 = 0; phi2 = 1;
  omega1 = 0; omega2 = 0;
equation
  omega1 = der(phi1);
  omega2 = der(phi2);
  J1*der(omega1) = k1*(phi2 - phi1) + d1*der(phi2 - phi1);
  J2*der(omega2) = k1*(phi1 - phi2) + d1*der(phi1 - phi2) - k2*phi2 - d2*der(phi2);
end RotationalTwo;
//= RotationalTwo at 2: phi1 -0.66978983389441862, phi2 -0.23433506535954848, omega1 0.22874835350512671, omega2 0.11015514866804875

model Expressions "operators and functions of Reals"
  constant Real pi = Modelica.Constants.pi;
  Real a = 2^3 - (-1), b = 7/2*3, c = (-2.0)^2, d = -2.0^2;
  Real e = sin(pi/6) + cos(pi/3) + tan(pi/4) + asin(1) + acos(0) + atan(1);
  Real f = atan2(-1, -1), g = sinh(1) + cosh(1) + tanh(0.5);
  Real h = exp(1) + log(2) + log10(100), i = abs(-3) + sign(-2) + sqrt(2);
  Real j = min(3, 4) + max(3, 4.5), k = 1e-3 + .5 + 2.E1;
  Real l = if a > 8 and not b < 0 or false then 1 elseif a > 100 then 2 else 3;
  Real m = mod(-7, 3), n = rem(-7, 3), o = div(-7, 3), p = floor(-1.5), q = ceil(-1.5), r = integer(2.7);
  Real s = mod(5.5, 2), t = rem(-5.5, 2), u = div(7.5, 2);
  Boolean v = 1 <> 2, w = 1 == 1, x = (3 >= 3) and (2 <= 1);
end Expressions;
//= Expressions at 1: a 9, b 10.5, c 4, d -4, e 5.9269908169872415, f -2.3561944901923449, g 3.180398985719055, h 5.4114290090189905, i 3.414213562373095, j 7.5, k 20.501, l 1, m 2, n -1, o -2, p -2, q -1, r 2, s 1.5, t -1.5, u 3, v 1, w 1, x 0

model Logistic "with comments /* and */ and a \"quoted\" text"
  // a line
  /* a block
     over lines */
  parameter Real r(final min = 0, unit = "1/s") = 1.5 "growth" annotation(Dialog(group = "Rate"));
  Real p(start = 0.1, fixed = true, nominal = 1, stateSelect = StateSelect.prefer) "population";
equation
  der(p) = r*p*(1 - p) "the law" annotation(Placement());
  annotation(experiment(StartTime = 0, StopTime = 4, Interval = 0.1, Tolerance = 1e-8),
             Documentation(info = "<html>text with \"quotes\" and ; inside</html>"),
             Icon(coordinateSystem(extent = {{-100, -100}, {100, 100}}), graphics = {Text(textString = "%name")}));
end Logistic;
//= Logistic at 4: p 0.97817805123696211

model ParametersOfParameters "depend on each other, in any order"
  parameter Real c = a + b;
  parameter Real a = 2*b, b = n;
  parameter Integer n = 3;
  final parameter Real d = if n > 2 then c else -c;
  Real x = d*time;
end ParametersOfParameters;
//= ParametersOfParameters at 2: x 18

class OldClass "class is a model as well"
  Real x(start = 2, fixed = true);
equation
  der(x) = time*x;
end OldClass;
//= OldClass at 1: x 3.2974425414002563

model AlgebraicLoop "nonlinear, with a guess that chooses the root"
  Real x(start = 3), y(start = 1);
equation
  x + y = 4 + 0*time;
  x*y = 3 + sin(time);
end AlgebraicLoop;
//= AlgebraicLoop at 1: x 2.3981570232861697, y 1.6018429767138303

model ImplicitDerivative "der inside a nonlinear function"
  Real x(start = 0, fixed = true);
  Real v(start = 1) = der(x);
equation
  v^3 + v = 2 + time;
end ImplicitDerivative;
//= ImplicitDerivative at 1: x 1.112084275383167, v 1.2134116627622296

model ThreeUnknownParameter "a parameter found from an end of the start"
  parameter Real k(fixed = false, start = 1);
  Real x(start = 2, fixed = true);
initial equation
  der(x) = -6;
equation
  der(x) = -k*x;
end ThreeUnknownParameter;
//= ThreeUnknownParameter at 1: x 0.099574136735727886, k 3

model DeclaredTwiceInOne "several names, own attributes"
  Real x, y(start = 3, fixed = true), z = x + y;
  Integer n = 2; Boolean on = n > 1;
equation
  x = if on then 2*time else 0;
  der(y) = -x;
end DeclaredTwiceInOne;
//= DeclaredTwiceInOne at 2: x 4, y -1, z 3, n 2

model NegativeLeft "expressions on both sides and 0 = ..."
  Real a, b, c;
equation
  0 = a + b - 3;
  a - b = time;
  -c + 2 = -(a*b);
end NegativeLeft;
//= NegativeLeft at 1: a 2, b 1, c 4
