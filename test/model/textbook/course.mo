// A second course: constructs of every kind once more, in other combinations.  Values are closed forms.
record Point "two coordinates"
  Real x;
  Real y;
end Point;

function rotated
  input Point p;
  input Real angle = 0;
  output Point q;
algorithm
  q.x := cos(angle)*p.x - sin(angle)*p.y;
  q.y := sin(angle)*p.x + cos(angle)*p.y;
end rotated;

function normOf
  input Point p;
  output Real n = sqrt(p.x^2 + p.y^2);
end normOf;

model RecordThroughFunctions
  Point a(x = time, y = 1), b, c;
  Real n;
equation
  b = rotated(a, angle = 0.5);
  c = rotated(p = b, angle = -0.5);
  n = normOf(rotated(Point(3, 4)));
end RecordThroughFunctions;
//= RecordThroughFunctions at 2.0: b.x 1.2757395851765425, b.y 1.8364336390987788, c.x 2, c.y 1, n 5

function sumAndProduct
  input Real v[:];
  output Real s;
  output Real p;
algorithm
  s := 0;
  p := 1;
  for x in v loop
    s := s + x;
    p := p*x;
  end for;
end sumAndProduct;

model TwoResults
  Real s, p, q;
equation
  (s, p) = sumAndProduct({time, 2, 3});
  (, q) = sumAndProduct({time, time});
end TwoResults;
//= TwoResults at 4.0: s 9, p 24, q 16

function gcd "by while"
  input Integer a;
  input Integer b;
  output Integer g;
protected
  Integer r, x;
algorithm
  g := a;
  x := b;
  while x <> 0 loop
    r := mod(g, x);
    g := x;
    x := r;
  end while;
end gcd;

model WhileInteger
  parameter Integer n = gcd(1071, 462);
  Real x[n](each start = 0, each fixed = true);
equation
  for k in 1:n loop
    der(x[k]) = k;
  end for;
end WhileInteger;
//= WhileInteger at 2.0: n 21, x[21] 42

function firstAbove
  input Real v[:];
  input Real limit = 10;
  output Integer k;
algorithm
  for i in 1:size(v, 1) loop
    if v[i] > limit then
      k := i;
      return;
    end if;
  end for;
  k := 0;
end firstAbove;

model ReturnEarly
  constant Real data[5] = {1, 4, 9, 16, 25};
  parameter Integer k = firstAbove(data), none = firstAbove(data, limit = 100), early = firstAbove(limit = 3, v = data);
  Real x(start = k, fixed = true);
equation
  der(x) = none + early;
end ReturnEarly;
//= ReturnEarly at 1.5: x 7, k 4, none 0, early 2

connector Terminal
  Real e;
  flow Real f;
end Terminal;

partial model Element
  Terminal a, b;
  Real de = a.e - b.e;
equation
  a.f + b.f = 0;
end Element;

model Resist
  extends Element;
  parameter Real R = 1;
equation
  de = R*a.f;
end Resist;

model Store
  extends Element;
  parameter Real C = 1;
equation
  C*der(de) = a.f;
end Store;

model Give
  extends Element;
  parameter Real E = 1;
equation
  de = E;
end Give;

model Earth
  Terminal a;
equation
  a.e = 0;
end Earth;

model LadderOfParts "arrays of components, connected in a loop; each"
  parameter Integer n = 3;
  Resist r[n](each R = 2);
  Store c[n](each C = 0.5, each de(start = 0, fixed = true));
  Give u(E = 6);
  Earth g;
equation
  connect(u.b, g.a);
  connect(u.a, r[1].a);
  for k in 1:n loop
    connect(r[k].b, c[k].a);
    connect(c[k].b, g.a);
  end for;
  for k in 1:n - 1 loop
    connect(r[k].b, r[k + 1].a);
  end for;
end LadderOfParts;
//= LadderOfParts at 200.0: c[3].de 6, c[1].de 6, u.a.f 0

model ModifiedInheritance "extends with modified components and a nested modification"
  model Base
    parameter Real R0 = 1;
    Resist r(R = R0);
    Store c(C = 1, de(start = 1, fixed = true));
    Earth g;
  equation
    connect(r.a, c.a);
    connect(r.b, g.a);
    connect(c.b, g.a);
  end Base;
  extends Base(R0 = 2, c(C = 3, de(start = 5)));
end ModifiedInheritance;
//= ModifiedInheritance at 3.0: c.de 3.0326532985631669, r.R 2

model EachNested "each in two levels of arrays"
  model Cell
    parameter Real k = 1;
    Real x(start = 1, fixed = true);
  equation
    der(x) = -k*x;
  end Cell;
  model Row
    Cell c[2];
  end Row;
  Row r[3](each c(each k = 0.5, x(start = {2, 3})));
end EachNested;
//= EachNested at 1.0: r[3].c[1].x 1.2130613194252668, r[1].c[2].x 1.8195919791379003

model SampleAndInitial "when {initial(), sample()}"
  Integer n(start = 0, fixed = true);
  discrete Real u(start = 0);
  Real x(start = 1, fixed = true);
equation
  der(x) = -x + u;
  when {initial(), sample(0.5, 0.5)} then
    n = pre(n) + 1;
    u = x;
  end when;
end SampleAndInitial;
//= SampleAndInitial at 1.75: n 4, x 1, u 1

model ElseWhenReinit "reinit in both branches"
  Real h(start = 1, fixed = true), v(start = 0, fixed = true);
  Integer bounces(start = 0, fixed = true);
equation
  der(h) = v;
  der(v) = -10;
  when h < 0 then
    reinit(v, -0.5*pre(v));
    bounces = pre(bounces) + 1;
  elsewhen time > 0.9 then
    reinit(v, 0);
    bounces = pre(bounces) + 100;
  end when;
end ElseWhenReinit;
//= ElseWhenReinit at 0.85: v -1.7917960675006306, bounces 1

model BooleanPre "edges of a Boolean by pre and change"
  Boolean b(start = false, fixed = true);
  Integer rises(start = 0, fixed = true), changes(start = 0, fixed = true);
equation
  b = sin(time) > 0.5;
  when edge(b) then
    rises = pre(rises) + 1;
  end when;
  when change(b) then
    changes = pre(changes) + 1;
  end when;
end BooleanPre;
//= BooleanPre at 14.0: rises 3, changes 5

model EnumerationTable "an array by an enumeration, chosen at events"
  type Gear = enumeration(first, second, third);
  constant Real ratio[Gear] = {4, 2, 1};
  Gear g(start = Gear.first, fixed = true);
  Real v(start = 0, fixed = true);
equation
  der(v) = ratio[g];
  when v > 4 then
    g = Gear.second;
  elsewhen v > 6 then
    g = Gear.third;
  end when;
end EnumerationTable;
//= EnumerationTable at 3.0: v 7, g 3

model AlgorithmSection "assigned several times, in order"
  Real a, b;
  Real t3[3];
algorithm
  a := time;
  a := a*a + 1;
  b := if a > 3 then a - 3 else 0;
  for k in 1:3 loop
    t3[k] := a;
    a := a + k;
  end for;
end AlgorithmSection;
//= AlgorithmSection at 2.0: a 11, b 2, t3[1] 5, t3[3] 8

model ConditionalPart "a component that exists, one that does not, and its connection"
  parameter Boolean loaded = true, extra = false;
  Give u(E = 3);
  Earth g;
  Resist r if loaded;
  Resist s(R = 0.001) if extra;
equation
  connect(u.b, g.a);
  connect(u.a, r.a);
  connect(r.b, g.a);
  connect(u.a, s.a);
  connect(s.b, g.a);
end ConditionalPart;
//= ConditionalPart at 1.0: u.a.f -3

connector In = input Real;
connector Out = output Real;

block Gain
  In u;
  Out y;
  parameter Real k = 1;
equation
  y = k*u;
end Gain;

block Integrator
  In u;
  Out y(start = 0, fixed = true);
equation
  der(y) = u;
end Integrator;

block Add
  In u1, u2;
  Out y;
  parameter Real k1 = 1, k2 = 1;
equation
  y = k1*u1 + k2*u2;
end Add;

block Const
  Out y;
  parameter Real k = 1;
equation
  y = k;
end Const;

model BlockLoop "a first-order system of blocks"
  Const r(k = 2);
  Add e(k2 = -1);
  Gain k(k = 4);
  Integrator i;
equation
  connect(r.y, e.u1);
  connect(i.y, e.u2);
  connect(e.y, k.u);
  connect(k.y, i.u);
end BlockLoop;
//= BlockLoop at 0.5: i.y 1.7293294335267746

model IntegratorChain "an array of blocks, connected by slices"
  Integrator i[3];
  Const c(k = 6);
equation
  connect(c.y, i[1].u);
  connect(i[1:2].y, i[2:3].u);
end IntegratorChain;
//= IntegratorChain at 2.0: i[3].y 8

model SmoothAndNoEvent
  Real x(start = 1, fixed = true), y, z;
equation
  der(x) = -noEvent(if x > 0 then sqrt(x) else 0);
  y = smooth(0, if time < 1 then time else 1);
  z = noEvent(max(time - 1, 0));
end SmoothAndNoEvent;
//= SmoothAndNoEvent at 1.5: x 0.0625, y 1, z 0.5

model SemiLinearFlow
  Real m = 2 - time, h, q;
equation
  h = semiLinear(m, 3, 5);
  der(q) = h;
initial equation
  q = 0;
end SemiLinearFlow;
//= SemiLinearFlow at 3.0: h -5, q 3.5

model AssertWarning "a warning does not end the run"
  Real x(start = 0, fixed = true);
equation
  der(x) = 1;
  assert(x < 1, "x is large", AssertionLevel.warning);
  assert(x < 100, "x is " + String(x), level = AssertionLevel.error);
end AssertWarning;
//= AssertWarning at 2.0: x 2

model StandardNames "constants, unit types, functions of Modelica.Math"
  import Modelica.Constants.pi;
  import Modelica.Math.{sin, cos};
  import M = Modelica.Math;
  Modelica.Units.SI.Angle phi = pi*time/6;
  Modelica.SIunits.Length x = 2*M.exp(-time);
  Real s = sin(phi), c = Modelica.Math.cos(phi), g = Modelica.Constants.g_n;
end StandardNames;
//= StandardNames at 1.0: s 0.5, c 0.8660254037844386, x 0.73575888234288467, g 9.8066499999999994

model InnerOuterField "inner and outer through two levels"
  model World
    parameter Real g = 5;
  end World;
  model Body
    outer World world;
    Real v(start = 0, fixed = true);
  equation
    der(v) = -world.g;
  end Body;
  model Group
    Body b[2];
  end Group;
  inner World world(g = 3);
  Group a;
end InnerOuterField;
//= InnerOuterField at 2.0: a.b[2].v -6

model StringsOfParameters "String operations"
  parameter String name = "pump" + String(3);
  parameter Boolean same = name == "pump3";
  parameter Real p = if same then 2 else 1;
  Real x = p*time;
end StringsOfParameters;
//= StringsOfParameters at 2.0: x 4

model MatrixExpressions "products, transposes, solve by an equation"
  parameter Real A[2, 2] = [2, 1; 1, 3];
  Real x[2], y[2], q, B[2, 2];
equation
  A*x = {time, 2*time};
  y = transpose(A)*x;
  q = x*A*x;
  B = A*A - 5*A + 5*identity(2);
end MatrixExpressions;
//= MatrixExpressions at 5.0: x[1] 1, x[2] 3, y[2] 10, q 35, B[1,1] 0, B[1,2] 0

model ArrayFunctions
  Real v[4] = linspace(0, 3, 4)*time;
  Real s = sum(v), p = product(v[2:4]), hi = max(v), lo = min(v[2:end]);
  Real w[3, 3] = outerProduct({1, 2, 3}, {1, 0, time});
  Real d[3] = cross({1, 0, 0}, {0, time, 0}), tr = sum(diagonal({1, 2, 3})), f = sum(fill(2, 2, 3)), c[3] = cat(1, v[1:2], {7});
end ArrayFunctions;
//= ArrayFunctions at 2.0: s 12, p 48, hi 6, lo 2, w[3,3] 6, d[3] 2, tr 6, f 12, c[2] 2, c[3] 7

model Comprehensions "with two iterators and in reductions"
  parameter Integer n = 3;
  Real A[n, n] = {i*j*time for j in 1:n, i in 1:n};
  Real s = sum(i^2 for i in 1:n), m = max(-i for i in 1:n), z = sum(A[i, i] for i in 1:n);
end Comprehensions;
//= Comprehensions at 2.0: A[2,3] 12, s 14, m -1, z 28

model ZeroSized "nothing of something"
  parameter Integer n = 0;
  Real x[n], y = 1 + sum(x), p = product(x);
  Integrator i[n];
equation
  for k in 1:n loop
    x[k] = k;
    i[k].u = 1;
  end for;
end ZeroSized;
//= ZeroSized at 1.0: y 1, p 1

model ThreePhase "a record of arrays and a vector of sources"
  parameter Real phase[3] = {-2*Modelica.Constants.pi*(k - 1)/3 for k in 1:3};
  Real u[3] = {cos(time + p) for p in phase}, power = u*u, total = sum(u);
end ThreePhase;
//= ThreePhase at 0.7: power 1.5, total 0

model Homotopies "a start that the simplified equations lead to"
  Real x(start = 1);
equation
  homotopy(actual = x^3 + x, simplified = 2*x) = 10;
end Homotopies;
//= Homotopies at 0.0: x 2

model UnknownParameter "fixed = false, found from an initial equation"
  parameter Real k(fixed = false, start = 1);
  Real x(start = 1, fixed = true);
initial equation
  der(x) = -3;
equation
  der(x) = -k*x;
end UnknownParameter;
//= UnknownParameter at 0.5: k 3, x 0.22313016014842982

model InitialAlgorithmStart
  parameter Integer n = 3;
  Real x[n];
initial algorithm
  for k in 1:n loop
    x[k] := k^2;
  end for;
equation
  der(x) = -x;
end InitialAlgorithmStart;
//= InitialAlgorithmStart at 1.0: x[3] 3.310914970542981

model TimeWindows "several time events, Boolean operators"
  Boolean open = time >= 1 and time < 2 or time >= 3;
  Real x(start = 0, fixed = true);
equation
  der(x) = if open then 1 else 0;
end TimeWindows;
//= TimeWindows at 3.5: x 1.5

model SawTooth "mod, div, floor, ceil, integer, rem of time"
  Real m = mod(time, 0.3), q = div(time, 0.4), f = floor(2*time), c = ceil(2*time), r = rem(-time, 0.3), x(start = 0, fixed = true);
  Integer i = integer(3*time);
equation
  der(x) = m;
end SawTooth;
//= SawTooth at 1.05: m 0.14999999999999999, q 2, f 2, c 3, r -0.14999999999999999, i 3, x 0.14625000000000002

model TankCascade "flows through equal tanks, for-equations with ranges by step"
  parameter Integer n = 5;
  Real h[n](each start = 0, each fixed = true), odd;
equation
  der(h[1]) = 1 - h[1];
  for k in 2:n loop
    der(h[k]) = h[k - 1] - h[k];
  end for;
  odd = sum(h[k] for k in 1:2:n);
end TankCascade;
//= TankCascade at 2.0: h[1] 0.8646647167633873, h[3] 0.32332358381693649, h[5] 0.052653017343711084

model SecondOrderActuator "zeta and omega, step, overshoot"
  parameter Real w = 2, z = 0.25, wd = w*sqrt(1 - z^2);
  Real y(start = 0, fixed = true), v(start = 0, fixed = true), u = if time < 1 then 0 else 1;
equation
  der(y) = v;
  der(v) = w^2*(u - y) - 2*z*w*v;
end SecondOrderActuator;
//= SecondOrderActuator at 3.0: y 1.3372345973335527

model PointMassOnCircle "index 3: steady rotation"
  Real x(start = 1, fixed = true), y(start = 0.1), lambda, v(start = 2, fixed = true);
equation
  der(der(x)) = lambda*x;
  der(y) = v;
  der(v) = lambda*y;
  x^2 + y^2 = 1;
end PointMassOnCircle;
//= PointMassOnCircle at 1.0: x -0.41614683654714241, y 0.90929742682568171, lambda -4

model PrescribedMotion "the force that a motion needs: inverse dynamics, index 3"
  parameter Real m = 2, c = 3;
  Real x, v, f;
equation
  der(x) = v;
  m*der(v) + c*x = f;
  x = sin(time)^2;
end PrescribedMotion;
//= PrescribedMotion at 0.6: f 2.4058943861916839, v 0.93203908596722629

model ThreeFold "triple integrator, prescribed at its end: index 4"
  Real a, b, c, u;
equation
  der(a) = b;
  der(b) = c;
  der(c) = u;
  a = exp(0.5*time);
end ThreeFold;
//= ThreeFold at 2.0: u 0.33978522855738064, c 0.67957045711476127

model PartsInSeries "two inertias on a rigid shaft by connectors"
  connector Flange
    Real phi;
    flow Real tau;
  end Flange;
  model Inertia
    Flange a, b;
    parameter Real J = 1;
    Real w;
  equation
    a.phi = b.phi;
    w = der(a.phi);
    J*der(w) = a.tau + b.tau;
  end Inertia;
  Inertia i1(J = 1), i2(J = 3, a(phi(start = 0, fixed = true)), w(start = 0, fixed = true));
  model Torque
    Flange a;
    parameter Real tau = 8;
  equation
    a.tau = -tau;
  end Torque;
  Torque t;
equation
  connect(t.a, i1.a);
  connect(i1.b, i2.a);
end PartsInSeries;
//= PartsInSeries at 1.5: i1.w 3, i2.w 3, i1.b.tau -6

model ThermostatPre "hysteresis with pre, and how long it heated"
  Real T(start = 20, fixed = true), on_time(start = 0, fixed = true);
  Boolean heat(start = true, fixed = true);
equation
  heat = T < 19 or pre(heat) and T < 21;
  der(T) = if heat then 2 else -1;
  der(on_time) = if heat then 1 else 0;
end ThermostatPre;
//= ThermostatPre at 5.0: T 19.5, on_time 1.5

model Debounce "a signal must last before it counts"
  Boolean raw = sin(5*time) > 0.8, out(start = false, fixed = true);
  discrete Real since(start = 0, fixed = true);
equation
  when raw then
    since = time;
  end when;
  when raw and time > pre(since) + 0.1 then
    out = true;
  end when;
end Debounce;
//= Debounce at 0.5: since 0.18545904360032245, out 1

model MovingLimits "min, max, abs, sign of unknowns"
  Real x(start = 0, fixed = true), lim = min(max(x, -0.5), 0.5), a = abs(x), s = sign(x - 0.3);
equation
  der(x) = cos(time);
end MovingLimits;
//= MovingLimits at 2.0: x 0.90929742682568171, lim 0.5, a 0.90929742682568171, s 1

model DifferenceEquation "Fibonacci by samples"
  Integer a(start = 0, fixed = true), b(start = 1, fixed = true);
equation
  when sample(0, 1) then
    a = pre(b);
    b = pre(a) + pre(b);
  end when;
end DifferenceEquation;
//= DifferenceEquation at 9.5: a 55, b 89

model SampledAverage "a buffer in an algorithm with when"
  parameter Integer n = 4;
  discrete Real buffer[n](each start = 0, each fixed = true), mean(start = 0, fixed = true);
algorithm
  when sample(1, 1) then
    for k in n:-1:2 loop
      buffer[k] := pre(buffer[k - 1]);
    end for;
    buffer[1] := time^2;
    mean := sum(buffer)/n;
  end when;
end SampledAverage;
//= SampledAverage at 6.5: mean 21.5, buffer[4] 9

package Physics "classes in packages, constants, functions and types"
  constant Real c = 3;
  type Speed = Real(unit = "m/s", nominal = 10);
  function kinetic
    input Real m;
    input Speed v;
    output Real e = m*v^2/2;
  end kinetic;
  package Inner
    model Falling
      parameter Real m = c;
      Speed v(start = 0, fixed = true);
      Real e = kinetic(m, v);
    equation
      der(v) = 10;
    end Falling;
  end Inner;
end Physics;

model PackageUse
  import Physics.Inner.*;
  Falling f(m = 2);
  Physics.Inner.Falling g;
end PackageUse;
//= PackageUse at 1.0: f.e 100, g.e 150

model ProtectedAndFinal
  parameter Real a = 2;
  final parameter Real b = a^2;
  Real x(start = b, fixed = true);
protected
  parameter Real c = b + 1;
equation
  der(x) = c;
end ProtectedAndFinal;
//= ProtectedAndFinal at 1.0: x 9

model IfEquationStates "if-equation with several equations in each branch, chosen by a parameter and in the run"
  parameter Boolean linear = false;
  Real x(start = 1, fixed = true), f, g;
equation
  if linear then
    f = x;
    g = 1;
  else
    f = x^2;
    g = 2;
  end if;
  if time < 1 then
    der(x) = -f;
  elseif time < 2 then
    der(x) = 0;
  else
    der(x) = 1;
  end if;
end IfEquationStates;
//= IfEquationStates at 3.0: x 1.5, g 2

model TerminalAndInitial "what holds at the start and the end"
  Boolean first = initial();
  discrete Real x0(start = 0);
  Real x(start = 4, fixed = true);
equation
  der(x) = -x;
  when initial() then
    x0 = x;
  end when;
end TerminalAndInitial;
//= TerminalAndInitial at 1.0: x0 4, first 0

model DerOfProducts "derivatives of expressions and of functions of states"
  Real x(start = 1, fixed = true), e = x^2*exp(-x), p;
equation
  der(x) = 2;
  p = der(e);
end DerOfProducts;
//= DerOfProducts at 0.5: p 0, e 0.54134113294645081

function quadratic "its derivative is given"
  input Real x;
  output Real y;
algorithm
  y := x*x;
  annotation(derivative = quadratic_d);
end quadratic;

function quadratic_d
  input Real x;
  input Real dx;
  output Real dy;
algorithm
  dy := 2*x*dx;
end quadratic_d;

model DerivativeAnnotation "a constraint by a function, which is differentiated"
  Real x(start = 1), y, v;
equation
  quadratic(x) = 1 + time;
  v = der(x);
  y = der(quadratic(x));
end DerivativeAnnotation;
//= DerivativeAnnotation at 3.0: x 2, v 0.25, y 1

model SwitchedCapacitor "reinit of two states, charge is shared"
  parameter Real C1 = 1, C2 = 3;
  Real q1(start = 8, fixed = true), q2(start = 0, fixed = true);
equation
  der(q1) = 0;
  der(q2) = 0;
  when time >= 1 then
    reinit(q1, C1*(pre(q1) + pre(q2))/(C1 + C2));
    reinit(q2, C2*(pre(q1) + pre(q2))/(C1 + C2));
  end when;
end SwitchedCapacitor;
//= SwitchedCapacitor at 2.0: q1 2, q2 6

model CapacitorLoopParts "two capacitors in parallel by connectors, one start"
  Store a(C = 1), b(C = 3, de(start = 2, fixed = true));
  Resist r(R = 0.5);
  Earth g;
equation
  connect(a.a, b.a);
  connect(a.a, r.a);
  connect(a.b, g.a);
  connect(b.b, g.a);
  connect(r.b, g.a);
end CapacitorLoopParts;
//= CapacitorLoopParts at 1.0: a.de 1.2130613194252668, b.a.f -1.8195919791379003

model LogicCircuit "a counter of two bits by edges"
  Boolean clock = sample(0.5, 0.5);
  Boolean b0(start = false, fixed = true), b1(start = false, fixed = true);
  Integer value = (if b0 then 1 else 0) + (if b1 then 2 else 0);
equation
  when clock then
    b0 = not pre(b0);
    b1 = if pre(b0) then not pre(b1) else pre(b1);
  end when;
end LogicCircuit;
//= LogicCircuit at 3.75: value 3

model IntegerFor "power by repeated multiplication, Integer functions"
  function power
    input Real x;
    input Integer n;
    output Real y;
  algorithm
    y := 1;
    for k in 1:abs(n) loop
      y := y*x;
    end for;
    if n < 0 then
      y := 1/y;
    end if;
  end power;
  Real a = power(time, 3), b = power(time, -2);
end IntegerFor;
//= IntegerFor at 2.0: a 8, b 0.25

model FunctionArgument "records with default values, array of records, slice of a field"
  record Part
    Real mass = 1;
    Real at = 0;
  end Part;
  parameter Part p[3] = {Part(1, 0), Part(mass = 2, at = 3), Part(at = 6)};
  parameter Real total = sum(p.mass), center = p.mass*p.at/total;
  Real x = center*time;
end FunctionArgument;
//= FunctionArgument at 2.0: total 4, x 6

model VectorDerivative "der of a vector expression, norm kept"
  parameter Real W[3, 3] = [0, -1, 0; 1, 0, 0; 0, 0, 0];
  Real r[3](start = {1, 0, 2}, each fixed = true), n2 = r*r;
equation
  der(r) = W*r;
end VectorDerivative;
//= VectorDerivative at 1.0: r[1] 0.54030230586813977, r[2] 0.8414709848078965, n2 5

model SpringPendulumPolar "two coordinates that depend on each other"
  parameter Real k = 100, l = 1, m = 1;
  Real r(start = 1.2, fixed = true), phi(start = 0, fixed = true), w(start = 2, fixed = true), h;
equation
  m*der(der(r)) = m*r*w^2 - k*(r - l);
  w = der(phi);
  der(m*r^2*w) = 0;
  h = m*r^2*w;
initial equation
  der(r) = 0;
end SpringPendulumPolar;
//= SpringPendulumPolar at 2.0: h 2.8799999999999999

model Evaporation "reaches zero and stops by a mode"
  Real m(start = 1, fixed = true);
  Boolean dry(start = false, fixed = true);
equation
  der(m) = if dry then 0 else -0.4;
  when m <= 0 then
    dry = true;
    reinit(m, 0);
  end when;
end Evaporation;
//= Evaporation at 4.0: m 0, dry 1

model RatesOfClocks "three samples, some together"
  Integer a(start = 0, fixed = true), b(start = 0, fixed = true), both(start = 0, fixed = true);
equation
  when sample(0, 0.2) then
    a = pre(a) + 1;
  end when;
  when sample(0, 0.3) then
    b = pre(b) + 1;
  end when;
  when {sample(0, 0.2), sample(0, 0.3)} then
    both = pre(both) + 1;
  end when;
end RatesOfClocks;
//= RatesOfClocks at 1.25: a 7, b 5, both 9

model SparseMatrixModel "a chain of springs as one matrix, eigenmode"
  parameter Integer n = 4;
  parameter Real K[n, n] = {if i == j then 2 else if abs(i - j) == 1 then -1 else 0 for j in 1:n, i in 1:n};
  constant Real pi = Modelica.Constants.pi;
  Real q[n](start = {sin(pi*k/(n + 1)) for k in 1:n}, each fixed = true), v[n](each start = 0, each fixed = true);
equation
  der(q) = v;
  der(v) = -K*q;
end SparseMatrixModel;
//= SparseMatrixModel at 3.0: q[2] -0.26584981296249477

model Reservoir "flow over a weir: the root at zero height"
  Real h(start = 1, fixed = true), q = noEvent(if h > 0 then h*sqrt(h) else 0);
equation
  der(h) = -q;
end Reservoir;
//= Reservoir at 2.0: h 0.25

model DelayedStart "StartTime and parameters in the experiment"
  Real x(start = 1, fixed = true);
equation
  der(x) = time;
  annotation(experiment(StartTime = 2, StopTime = 4, Tolerance = 1e-8, Interval = 0.1));
end DelayedStart;
//= DelayedStart at 4.0: x 7

model StateSelection "stateSelect is no more than a hint"
  Real x(start = 3, stateSelect = StateSelect.always, fixed = true), y(stateSelect = StateSelect.never);
equation
  y = 2*x;
  der(x) + der(y) = -3*x;
end StateSelection;
//= StateSelection at 1.0: x 1.103638323514327, y 2.207276647028654

model NegatedAliases "chains of aliases with signs and starts on some of them"
  Real a, b, c(start = 2, fixed = true), d;
equation
  a = -b;
  b + c = 0;
  d = -a;
  der(a) = d;
end NegatedAliases;
//= NegatedAliases at 1.0: a 0.73575888234288467, d -0.73575888234288467

model SteadyStart "all derivatives 0 at the start, then a step"
  Real x, y;
  Real u = if time < 1 then 2 else 3;
initial equation
  der(x) = 0;
  der(y) = 0;
equation
  der(x) = u - x*y;
  der(y) = x - y;
end SteadyStart;
//= SteadyStart at 0.5: x 1.4142135623730951, y 1.4142135623730951

model SteadyGuess "the same with a guess for the root"
  extends SteadyStart(x(start = -1), y(start = -1));
end SteadyGuess;
//= SteadyGuess at 0.5: x -1.4142135623730951

class Plain "class is as good as model; comments, units and annotations"
  Real x(unit = "m", displayUnit = "mm", quantity = "Length", start = 1, fixed = true, min = 0, max = 10) "x" annotation(Dialog(tab = "a"));
equation
  der(x) = 1 "rate" annotation(__vendor(a = 1, b = {1, 2}));
  annotation(Documentation(info = "<html>text</html>"), Icon(graphics = {Line(points = {{0, 0}, {1, 1}})}));
end Plain;
//= Plain at 1.0: x 2
