// Less usual forms of everything.
model TupleAssign "several results in an algorithm, nested calls with named arguments"
  function polar
    input Real x, y = 0;
    output Real r = sqrt(x^2 + y^2), phi = atan2(y, x);
  algorithm
  end polar;
  function both
    input Real x;
    output Real a, b;
  protected
    Real unused;
  algorithm
    (a, unused) := polar(x = x, y = 2*x);
    b := polar(y = a, x = 0)*2;
  end both;
  Real r, phi, a, b, c = 2*polar(3, 4);
algorithm
  (r, phi) := polar(1, time);
equation
  (a, b) = both(time);
end TupleAssign;
//= TupleAssign at 1: r 1.414213562373095, phi 0.78539816339744831, a 2.2360679774997897, b 4.4721359549995794, c 10

model InitialInIf "initial() and terminal() in expressions"
  Real x(start = 0), y;
  Boolean started(start = false, fixed = true);
equation
  when initial() then
    reinit(x, 3);
  end when;
  when {time > 0.5} then
    started = true;
  end when;
  der(x) = 1;
  y = if started then 2 else 1;
end InitialInIf;
//= InitialInIf at 1: x 4, y 2

model WhenInitialAlgorithm
  discrete Real a(start = 0), b(start = 0);
  Real x(start = 2, fixed = true);
equation
  der(x) = -x;
algorithm
  when initial() then
    a := 2*x;
  end when;
  when {initial(), time > 0.5} then
    b := pre(b) + x;
  end when;
end WhenInitialAlgorithm;
//= WhenInitialAlgorithm at 1: a 4, b 3.2130613194252668

model NextEvent "an event that sets the time of the next"
  discrete Real next(start = 0.5, fixed = true);
  Integer n(start = 0, fixed = true);
equation
  when time >= pre(next) then
    n = pre(n) + 1;
    next = pre(next) + 0.5*n;
  end when;
end NextEvent;
//= NextEvent at 4: n 4, next 5.5

model ReinitArray "a vector of states is reset"
  Real x[2](each start = 1, each fixed = true);
equation
  der(x) = -x;
  when time > 0.5 then
    reinit(x, {2, 3});
  end when;
end ReinitArray;
//= ReinitArray at 1: x[1] 1.2130613194252668, x[2] 1.8195919791379003

model DerSlices "derivatives of slices, of rows, of negated and scaled things"
  Real A[2, 3](each start = 1, each fixed = true), s = sum(der(A[1, :])), d = der(2*A[2, 1] + time);
equation
  der(A[1, :]) = -A[1, :];
  for j in 1:3 loop
    der(A[2, j]) = -j*A[2, j];
  end for;
end DerSlices;
//= DerSlices at 1: s -1.103638323514327, d 0.26424111765711536

model HierarchicalFlows "connectors of a subsystem inside and outside"
  connector P
    Real e;
    flow Real f;
  end P;
  model R
    parameter Real R = 1;
    P a, b;
  equation
    a.f + b.f = 0;
    a.e - b.e = R*a.f;
  end R;
  model Parallel "two resistors behind two connectors"
    P a, b;
    R r1(R = 2), r2(R = 2);
  equation
    connect(a, r1.a);
    connect(a, r2.a);
    connect(r1.b, b);
    connect(r2.b, b);
  end Parallel;
  model Twice
    P a, b;
    Parallel p[2];
  equation
    connect(a, p[1].a);
    connect(p[1].b, p[2].a);
    connect(p[2].b, b);
  end Twice;
  model Source
    P p;
    parameter Real e = 0;
  equation
    p.e = e;
  end Source;
  Twice twice;
  Source high(e = 10), low;
equation
  connect(high.p, twice.a);
  connect(twice.b, low.p);
end HierarchicalFlows;
//= HierarchicalFlows at 0: high.p.f -5, twice.p[1].b.e 5, twice.p[2].r1.a.f 2.5

model ArrayConnectors "a connector array inside a component"
  connector P
    Real e;
    flow Real f;
  end P;
  model Star
    parameter Integer n = 3;
    P p[n];
  equation
    for i in 2:n loop
      p[i].e = p[1].e;
    end for;
    sum(p.f) = 0;
  end Star;
  model Cap
    parameter Real C = 1, e0 = 0;
    P p;
    Real e(start = e0, fixed = true);
  equation
    C*der(e) = p.f;
    p.e = e + p.f;
  end Cap;
  Star star(n = 3);
  Cap c[3](e0 = {3, 0, 0});
equation
  connect(star.p, c.p);
end ArrayConnectors;
//= ArrayConnectors at 1: c[1].e 1.7357588823428846, c[2].e 0.63212055882855768

model ParameterArrays "sizes from data, records in arrays, matrices from functions"
  function hilbert
    input Integer n;
    output Real H[n, n];
  algorithm
    for i in 1:n loop
      for j in 1:n loop
        H[i, j] := 1/(i + j - 1);
      end for;
    end for;
  end hilbert;
  record D
    Real k, c;
  end D;
  parameter D data[:] = {D(1, 2), D(3, 4), D(k = 5, c = 6)};
  parameter Integer n = size(data, 1);
  parameter Real H[n, n] = hilbert(n);
  Real x[n](each start = 1, each fixed = true), y[n] = H*x, t = sum(data[i].k*data[i].c for i in 1:n);
equation
  der(x) = -data.k.*x;
end ParameterArrays;
//= ParameterArrays at 1: x[2] 0.049787068367863943, y[1] 0.39501895768840278, t 44

model Sections "public, protected, several sections in any order"
  Real x(start = 1, fixed = true);
protected
  parameter Real k = 2;
public
  Real y;
equation
  der(x) = -k*x;
protected
  Real z = 3*x;
initial equation
  assert(k > 0, "k");
equation
  y = z + 1;
end Sections;
//= Sections at 1: y 1.4060058497098381

model AnnotationsEverywhere
  extends Sections annotation(Icon());
  Real w(start = 1) = 2*y "text" annotation(Placement(transformation(extent = {{-10, -10}, {10, 10}})));
  annotation(Documentation(info = "<html></html>", revisions = ""), uses(Modelica(version = "4.0.0")), version = "1");
end AnnotationsEverywhere;
//= AnnotationsEverywhere at 1: w 2.8120116994196762

model EnumerationUse "texts, order, arrays, parameters and functions of enumerations"
  type Colour = enumeration(red "stop", green "go", blue);
  function next
    input Colour c;
    output Colour d;
  algorithm
    d := if c == Colour.red then Colour.green elseif c == Colour.green then Colour.blue else Colour.red;
  end next;
  parameter Colour c = Colour.green;
  Colour d = next(c), e(start = Colour.red, fixed = true);
  Real w[Colour] = {1, 10, 100};
  Real chosen = w[d], s = sum(w[k] for k in Colour.red:Colour.green);
  Integer n = Integer(d);
  Boolean later = d > c;
equation
  when time > 1 then
    e = next(pre(e));
  end when;
end EnumerationUse;
//= EnumerationUse at 2: chosen 100, n 3, later 1, e 2, s 11

model IntegerArithmetic
  Integer a = 7, b = -2, q = div(a, b), m = mod(a, b), r = rem(a, b), big = 46340*46340, s = sign(b), ab = abs(b);
  Integer mx = max({3, 9, 4}), sm = sum({i*i for i in 1:4}), pr = product({1, 2, 3, 4}), id[2, 2] = identity(2)*3;
  Real h = a/b, p = 2^10, i = integer(-2.5);
end IntegerArithmetic;
//= IntegerArithmetic at 0: q -3, m -1, r 1, big 2147395600, s -1, ab 2, mx 9, sm 30, pr 24, id[2,2] 3, h -3.5, p 1024, i -3

model LoopOverArrays "loops over elements, ranges of Reals, nothing at all"
  parameter Real list[:] = {0.5, 1.5, 2.5};
  Real s = sum(x^2 for x in list), t = sum(x for x in 0:0.5:1.5), u = sum(i for i in 1:0), v[2] = {x + 1 for x in list[1:2]};
  Real a[3];
equation
  for i in {3, 1, 2} loop
    a[i] = i*time;
  end for;
end LoopOverArrays;
//= LoopOverArrays at 2: s 8.75, t 3, u 0, v[2] 2.5, a[3] 6

model FunctionScopes "functions use constants of packages around, and call each other"
  package P
    constant Real k = 3;
    function f
      input Real x;
      output Real y;
    algorithm
      y := k*g(x);
    end f;
    function g
      input Real x;
      output Real y = x + offset;
    protected
      constant Real offset = 1;
    algorithm
    end g;
  end P;
  function local
    extends P.f;
  end local;
  function short = P.g;
  Real a = P.f(1), b = local(2), c = short(3);
end FunctionScopes;
//= FunctionScopes at 0: a 6, b 9, c 4

model WhileReturn "return from inside loops"
  function find
    input Real A[:, :], x;
    output Integer row = 0, column = 0;
  algorithm
    for i in 1:size(A, 1) loop
      for j in 1:size(A, 2) loop
        if A[i, j] == x then
          row := i;
          column := j;
          return;
        end if;
      end for;
    end for;
  end find;
  Integer i, j;
equation
  (i, j) = find([1, 2, 3; 4, 5, 6], 5);
end WhileReturn;
//= WhileReturn at 0: i 2, j 2

model BlockDiagram "a transfer function in controller form, signals by names"
  block TransferFunction
    parameter Real b[:] = {1}, a[:] = {1, 1};
    input Real u;
    output Real y;
  protected
    parameter Integer n = size(a, 1) - 1;
    Real x[n](each start = 0, each fixed = true), bb[n + 1] = cat(1, zeros(n + 1 - size(b, 1)), b);
  equation
    for i in 1:n - 1 loop
      der(x[i]) = x[i + 1];
    end for;
    a[1]*der(x[n]) = u - sum(a[n + 2 - i]*x[i] for i in 1:n);
    y = bb[1]*der(x[n]) + sum(bb[n + 2 - i]*x[i] for i in 1:n);
  end TransferFunction;
  TransferFunction g(b = {2, 1}, a = {1, 3, 2}, u = 1), h(b = {1}, a = {2, 1}, u = g.y);
end BlockDiagram;
// (2 s + 1)/((s + 1)(s + 2)) to a step: 1/2 + e^-t - 3/2 e^-2t
//= BlockDiagram at 1: g.y 0.66487651631652328

model PulseWidth "time events from expressions of parameters"
  parameter Real T = 0.4, duty = 0.25;
  Boolean on = mod(time, T) < duty*T;
  Real x(start = 0, fixed = true);
equation
  der(x) = if on then 1 else 0;
end PulseWidth;
//= PulseWidth at 1: x 0.3

model DiscreteFilter "difference equation with arrays and pre"
  parameter Real a[2] = {1.5, -0.7}, b = 0.2;
  discrete Real y[3](each start = 0, each fixed = true);
equation
  when sample(0, 1) then
    y[1] = a*pre(y[1:2]) + b;
    y[2:3] = pre(y[1:2]);
  end when;
end DiscreteFilter;
//= DiscreteFilter at 3.5: y[1] 1.065

model AliasChain "many names for one thing, with signs"
  Real a, b, c, d(start = 2, fixed = true), e;
equation
  a = b;
  b = -c;
  c + d = 0;
  e = der(a);
  der(d) = -a;
end AliasChain;
//= AliasChain at 1: a 0.73575888234288464, c -0.73575888234288464, e -0.73575888234288464

model Derivatives "of everything that can be differentiated"
  Real x = time + 1, u = 0.3*sin(time);
  Real y[15] = {sqrt(x), exp(u), log(x), log10(x), tan(u), asin(u), acos(u), atan(x), sinh(u), cosh(u), tanh(u), x^2.5, 2^x, atan2(x, 2), x/(1 + x^2)};
  Real d[15] = der(y);
end Derivatives;
//= Derivatives at 1: d[1] 0.35355339059327376, d[2] 0.20863729207364436, d[3] 0.5, d[4] 0.21714724095162591, d[5] 0.17287541456694046, d[6] 0.16751617000047471, d[7] -0.16751617000047471, d[8] 0.2
//= Derivatives at 1: d[9] 0.16728292268709778, d[10] 0.041354369386546576, d[11] 0.15218470676798334, d[12] 7.0710678118654752, d[13] 2.7725887222397812, d[14] 0.25, d[15] -0.12

model SecondDerivative "twice, of a constraint with functions"
  Real phi(start = 0.5, fixed = true), w(start = 1, fixed = true), x = 2*sin(phi), ax = der(der(x));
equation
  der(phi) = w;
  der(w) = -sin(phi);
end SecondDerivative;
//= SecondDerivative at 0: ax -1.8003220620163025
