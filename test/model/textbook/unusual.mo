// Less common forms of the language, each alone.
model ElementWise ".* ./ .^ .+ .- on arrays and scalars"
  Real a[3] = {1, 2, time}, b[3] = a .* a, c[3] = 6 ./ a, d[3] = a .^ 2, e[3] = a .+ 1, f[3] = 1 .- a, g = sum(2 .^ a);
end ElementWise;
//= ElementWise at 3.0: b[3] 9, c[3] 2, d[2] 4, e[1] 2, f[3] -2, g 14

model ShapeFunctions "size, ndims, vector, matrix, scalar, symmetric, skew, zeros, ones"
  parameter Real A[2, 3] = [1, 2, 3; 4, 5, 6];
  parameter Integer n[2] = size(A), r = ndims(A), k = size(A, 2);
  Real v[3] = vector(A[1:1, :])*time, s = scalar({{time}}), w = sum(matrix({1, 2})), z = sum(zeros(2, 2)) + sum(ones(3));
  Real S[2, 2] = symmetric([1, 2; 9, 3]), K[3, 3] = skew({1, 2, 3}), p = S[2, 1], u = K[1, 2];
end ShapeFunctions;
//= ShapeFunctions at 2.0: v[3] 6, s 2, w 3, z 3, p 2, u -3, k 3, r 2

model EnumerationRange "loops over literals, Integer() of an enumeration, comparison"
  type Day = enumeration(mon, tue, wed, thu);
  Real x[Day];
  parameter Integer i = Integer(Day.wed);
  parameter Boolean before = Day.mon < Day.thu;
  Real s = sum(x[d] for d in Day.tue:Day.thu);
equation
  for d in Day loop
    x[d] = Integer(d)*time;
  end for;
end EnumerationRange;
//= EnumerationRange at 2.0: s 18, i 3, before 1

type Vec3 = Real[3];

function crossed
  input Vec3 a;
  input Vec3 b;
  output Vec3 c = cross(a, b);
algorithm
end crossed;

model ArrayTypes "types that are arrays"
  type Matrix2 = Real[2, 2](each unit = "1");
  Vec3 r = {time, 0, 0}, w = {0, 0, 1}, v = crossed(w, r);
  Matrix2 M = identity(2)*time;
end ArrayTypes;
//= ArrayTypes at 2.0: v[2] 2

model RecordInherits "records extend records and are compared by fields"
  record A
    Real a;
  end A;
  record B
    extends A(a = 2);
    Real b[2];
  end B;
  B x(b = {time, 3});
  A y;
  parameter A p(a = 7);
equation
  y = p;
end RecordInherits;
//= RecordInherits at 4.0: x.a 2, y.a 7, p.a 7

connector Plug "an array and a flow array"
  Real v[2];
  flow Real i[2];
end Plug;

model PlugSource
  Plug p;
equation
  p.v = {10, 20};
end PlugSource;

model PlugLoad
  Plug p;
  parameter Real R[2] = {1, 4};
equation
  p.v = R .* p.i;
end PlugLoad;

model ArrayPlugs
  PlugSource s;
  PlugLoad a, b(R = {2, 5});
equation
  connect(s.p, a.p);
  connect(s.p, b.p);
end ArrayPlugs;
//= ArrayPlugs at 1.0: a.p.i[1] 10, b.p.i[2] 4

connector Inner
  Real e;
  flow Real f;
end Inner;

connector Nested "a connector in a connector"
  Inner a;
  Inner b;
end Nested;

model NestedEnd
  Nested n;
  parameter Real E = 1, R = 2;
equation
  n.a.e = E;
  n.b.e = R*n.b.f;
end NestedEnd;

model NestedOther
  Nested n;
equation
  n.a.f = 3;
  n.b.f = -5;
end NestedOther;

model NestedConnectors
  NestedEnd x;
  NestedOther y;
equation
  connect(x.n, y.n);
end NestedConnectors;
//= NestedConnectors at 1.0: y.n.a.e 1, x.n.b.e 10

model WhenLoop "when in a for, with pre of elements"
  Integer n[3](each start = 0, each fixed = true);
  Real x[3];
equation
  for k in 1:3 loop
    x[k] = sin(k*time);
    when x[k] > 0.5 then
      n[k] = pre(n[k]) + 1;
    end when;
  end for;
end WhenLoop;
//= WhenLoop at 7.0: n[1] 2, n[2] 3, n[3] 4

model BooleanArrays "discrete equations of arrays"
  Boolean b[3], any, all_;
  Integer count;
equation
  for k in 1:3 loop
    b[k] = time > k;
  end for;
  any = b[1] or b[2] or b[3];
  all_ = b[1] and b[2] and b[3];
  count = sum(if b[k] then 1 else 0 for k in 1:3);
end BooleanArrays;
//= BooleanArrays at 2.5: any 1, all_ 0, count 2

function clipped "assert, nested if, early return"
  input Real u;
  input Real lo = -1;
  input Real hi = 1;
  output Real y;
algorithm
  assert(lo < hi, "limits in the wrong order");
  if u < lo then
    y := lo;
    return;
  elseif u > hi then
    y := hi;
    return;
  end if;
  y := u;
end clipped;

model ClippedFunction
  Real a = clipped(3*time), b = clipped(time, hi = 0.25), c = clipped(-5*time, -2, 2);
end ClippedFunction;
//= ClippedFunction at 0.5: a 1, b 0.25, c -2

partial function Shape "an interface that functions extend"
  input Real x;
  output Real y;
end Shape;

function square
  extends Shape;
algorithm
  y := x^2;
end square;

function cube
  extends Shape;
algorithm
  y := x*square(x);
end cube;

model InheritedFunctions
  Real y = cube(time) - square(time);
end InheritedFunctions;
//= InheritedFunctions at 3.0: y 18

function poly "Horner with a protected array of the size of an input"
  input Real c[:];
  input Real x;
  output Real y;
protected
  Real h[size(c, 1) + 1];
  Integer n = size(c, 1);
algorithm
  h[n + 1] := 0;
  for k in n:-1:1 loop
    h[k] := c[k] + x*h[k + 1];
  end for;
  y := h[1];
end poly;

model SizedLocals
  Real x(start = 1, fixed = true), p = poly({1, 2, 3}, x);
equation
  der(x) = p - 3*x^2 - 2*x;
end SizedLocals;
//= SizedLocals at 2.0: x 3, p 34

model MatrixBlock "state space with sizes from its parameters, extended with final modifications"
  block StateSpace
    parameter Integer nx, nu = 1, ny = 1;
    parameter Real A[nx, nx] = fill(0, nx, nx), B[nx, nu] = fill(0, nx, nu), C[ny, nx] = fill(0, ny, nx);
    parameter Real x0[nx] = fill(0, nx);
    Real x[nx](start = x0, each fixed = true);
    input Real u[nu];
    output Real y[ny];
  equation
    der(x) = A*x + B*u;
    y = C*x;
  end StateSpace;
  extends StateSpace(final nx = 2, final A = [0, 1; -4, 0], final B = [0; 4], final C = [1, 0], x0 = {0, 0}, u = {2});
end MatrixBlock;
//= MatrixBlock at 1.0: y[1] 2.8322936730942847

model StartOnly "a parameter with a start value and no binding"
  parameter Real k(start = 2);
  Real x(start = 1, fixed = true);
equation
  der(x) = -k*x;
end StartOnly;
//= StartOnly at 1.0: x 0.1353352832366127

model Periodic "when with a discrete Real threshold"
  discrete Real next(start = 1, fixed = true);
  Integer n(start = 0, fixed = true);
  Real x(start = 0, fixed = true);
equation
  der(x) = 1;
  when x >= pre(next) then
    next = pre(next)*2;
    n = pre(n) + 1;
  end when;
end Periodic;
//= Periodic at 10.0: n 4, next 16

model Encapsulated
  encapsulated package P
    import Modelica.Constants.pi;
    function area
      input Real r;
      output Real a;
    algorithm
      a := pi*r^2;
    end area;
  end P;
  Real a = P.area(time);
end Encapsulated;
//= Encapsulated at 2.0: a 12.566370614359172

model ExtendsAndModel "short classes with modifications, also of arrays and attributes"
  model Lag
    parameter Real T = 1;
    Real y(start = 0, fixed = true);
  equation
    T*der(y) = 1 - y;
  end Lag;
  model Slow = Lag(T = 4, y(start = 0.5));
  Slow s[2](T = {4, 2});
  type Positive = Real(min = 0, start = 3);
  Positive z(fixed = true);
equation
  der(z) = -z;
end ExtendsAndModel;
//= ExtendsAndModel at 2.0: s[1].y 0.69673467014368329, s[2].y 0.81606027941427883, z 0.40600584970983811

model Shadowing "loop variables and function arguments hide names outside"
  parameter Integer i = 7;
  function f
    input Real i;
    output Real y = 2*i;
  algorithm
  end f;
  Real x[2] = {i*time for i in 1:2}, y = f(i), s = sum(i for i in 1:3) + i;
end Shadowing;
//= Shadowing at 2.0: x[2] 4, y 14, s 13

model NestedIf "if inside if, with else-if chains, continuous at the joints"
  Real x = time, y;
equation
  if x < 1 then
    y = x;
  elseif x < 3 then
    if x < 2 then
      y = 1 + 2*(x - 1);
    else
      y = 3 + 3*(x - 2);
    end if;
  else
    y = 6;
  end if;
end NestedIf;
//= NestedIf at 2.5: y 4.5

model UseOfEnd "end in subscripts of nested arrays and expressions"
  Real x[4] = {1, 2, 3, time}, a = x[end], b = x[end - 1], A[2, 2] = [1, 2; 3, time], c = A[end, end], s = sum(x[2:end]);
end UseOfEnd;
//= UseOfEnd at 5.0: a 5, b 3, c 5, s 10

model RecordArrayStates "states in an array of records, for-equations over it"
  record Body
    Real x;
    Real v;
  end Body;
  Body b[3](x(start = {0, 1, 2}, each fixed = true), v(each start = 1, each fixed = true));
equation
  for k in 1:3 loop
    der(b[k].x) = b[k].v;
    der(b[k].v) = -b[k].x;
  end for;
end RecordArrayStates;
//= RecordArrayStates at 1.0: b[3].x 1.922075596544176, b[1].v 0.54030230586813977

model OneEquationManyNames "equations of vectors with constants, 0 on the left, swapped sides"
  Real x[2](start = {1, 2}, each fixed = true), y[2], z;
equation
  zeros(2) = der(x) + x;
  -x = y;
  0 = z - x[1]*y[2];
end OneEquationManyNames;
//= OneEquationManyNames at 1.0: y[2] -0.73575888234288467, z -0.2706705664732254

model FluidPorts "a junction of three pipes, flows sum to zero by connections"
  connector Port
    Real p;
    flow Real m;
  end Port;
  model Pipe
    Port a, b;
    parameter Real k = 1;
  equation
    a.m + b.m = 0;
    a.m = k*(a.p - b.p);
  end Pipe;
  model Pressure
    Port a;
    parameter Real p = 1;
  equation
    a.p = p;
  end Pressure;
  Pressure s[3](p = {6, 3, 0});
  Pipe q[3](each k = 2);
equation
  for i in 1:3 loop
    connect(s[i].a, q[i].a);
  end for;
  connect(q[1].b, q[2].b);
  connect(q[2].b, q[3].b);
end FluidPorts;
//= FluidPorts at 0.0: q[1].b.p 3, q[3].a.m -6

model WhenNotPre "conditions of discrete variables start other whens at the same instant"
  Integer a(start = 0, fixed = true), b(start = 0, fixed = true);
  Boolean first(start = false, fixed = true);
equation
  when time >= 1 then
    first = true;
    a = pre(a) + 1;
  end when;
  when first then
    b = a*10;
  end when;
end WhenNotPre;
//= WhenNotPre at 2.0: a 1, b 10

model SampledDiscreteState "a discrete state space by matrices"
  parameter Real A[2, 2] = [0.5, 0.1; 0, 0.8];
  discrete Real x[2](start = {0, 1}, each fixed = true);
equation
  when sample(0.1, 0.1) then
    x = A*pre(x);
  end when;
end SampledDiscreteState;
//= SampledDiscreteState at 0.35: x[2] 0.51200000000000001, x[1] 0.129

model ParameterFunctions "parameters by functions with loops, used as sizes and starts"
  function squares
    input Integer n;
    output Real v[n];
  algorithm
    for k in 1:n loop
      v[k] := k^2;
    end for;
  end squares;
  parameter Integer n = integer(sqrt(10));
  parameter Real v[n] = squares(n);
  Real x[n](start = v, each fixed = true);
equation
  der(x) = -x;
end ParameterFunctions;
//= ParameterFunctions at 1.0: x[3] 3.310914970542981

model BreakAndContinue "break out of nested loops in an algorithm"
  Integer n;
algorithm
  n := 0;
  for i in 1:10 loop
    for j in 1:10 loop
      if j > i then
        break;
      end if;
      n := n + 1;
    end for;
    if n > 20 then
      break;
    end if;
  end for;
end BreakAndContinue;
//= BreakAndContinue at 1.0: n 21

model ReinitByClock "a sawtooth by reinit at samples"
  Real x(start = 0, fixed = true), y(start = 0, fixed = true);
equation
  der(x) = 1;
  der(y) = x;
  when sample(1, 1) then
    reinit(x, 0);
  end when;
end ReinitByClock;
//= ReinitByClock at 2.5: x 0.5, y 1.125

model PulseCounter "gear teeth counted by mod of an angle"
  Real phi(start = 0, fixed = true);
  Integer teeth(start = 0, fixed = true);
equation
  der(phi) = 10;
  when mod(phi, 1) > 0.5 then
    teeth = pre(teeth) + 1;
  end when;
end PulseCounter;
//= PulseCounter at 1.02: teeth 10

model ComplexRecord "complex numbers by a record and functions"
  record Z
    Real re;
    Real im;
  end Z;
  function times
    input Z a;
    input Z b;
    output Z c = Z(a.re*b.re - a.im*b.im, a.re*b.im + a.im*b.re);
  end times;
  Z u(re = cos(time), im = sin(time)), v = times(u, u), w = times(Z(0, 1), v);
end ComplexRecord;
//= ComplexRecord at 0.4: v.re 0.69670670934716539, w.re -0.71735609089952279

model SumsOfProducts "a discretised integral with end weights"
  parameter Integer n = 100;
  parameter Real x[n + 1] = linspace(0, 1, n + 1), w[n + 1] = cat(1, {0.5}, ones(n - 1), {0.5})/n;
  Real I = sum(w[k]*(x[k]*time)^2 for k in 1:n + 1);
end SumsOfProducts;
//= SumsOfProducts at 3.0: I 3.0001499999999997

model TwoWays "input and output of blocks bound in declarations"
  block Lin
    input Real u;
    output Real y = 2*u + 1;
  end Lin;
  Lin a(u = time), b(u = a.y);
end TwoWays;
//= TwoWays at 2.0: b.y 11

model PlanarPendulum "a pendulum by angle and in Cartesian coordinates at once: both agree"
  parameter Real g = 9.81;
  Real phi(start = 0.5, fixed = true), w(start = 0, fixed = true), x(start = 0.479, fixed = false), y(start = -0.8), F, dx, dy;
equation
  der(phi) = w;
  der(w) = -g*sin(phi);
  der(der(x)) = -F*x;
  der(der(y)) = -F*y - g;
  x^2 + y^2 = 1;
  dx = x - sin(phi);
  dy = y + cos(phi);
initial equation
  x = sin(phi);
  der(x) = 0;
end PlanarPendulum;
//= PlanarPendulum at 1.5: dx 0, dy 0
