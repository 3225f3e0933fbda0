// More of the language: names, imports, loops, arrays of records, discrete algorithms, unusual but valid forms.
within ;
package Lib "nested packages, constants that depend on each other, encapsulated"
  constant Real two = 2;
  package Inner
    constant Real four = two*two;
    constant Real table[:, 2] = [0, 1; 1, 3; 2, 2];
    encapsulated model Own
      import Lib.Inner;
      Real x = Inner.four*time;
    end Own;
  end Inner;
  model Uses
    import Lib.Inner.*;
    import c = Lib.Inner.table;
    Real y = four + c[2, 2];
    Own own;
    Lib.Inner.Own other;
  end Uses;
end Lib;
//= Lib.Uses at 2: y 7, own.x 8, other.x 8

model ForNested "loops without range names shadowed, sizes by triangular loops"
  parameter Integer n = 3;
  Real L[n, n];
equation
  for i in 1:n loop
    for j in 1:i loop
      L[i, j] = i + j/10;
    end for;
    for j in i + 1:n loop
      L[i, j] = 0;
    end for;
  end for;
end ForNested;
//= ForNested at 0: L[3,2] 3.2, L[1,3] 0

model IfParameters "if-equations with parameters, different numbers of equations"
  parameter Boolean dynamic = true;
  parameter Integer kind = 2;
  Real x(start = 1), y;
initial equation
  if dynamic then
    x = 1;
  end if;
equation
  if dynamic then
    der(x) = -x;
  else
    x = 0;
  end if;
  if kind == 1 then
    y = x;
  elseif kind == 2 then
    y = 2*x;
  else
    y = 3*x;
  end if;
end IfParameters;
//= IfParameters at 1: y 0.73575888234288464

model StaticVariant
  extends IfParameters(dynamic = false, kind = 3);
end StaticVariant;
//= StaticVariant at 1: x 0, y 0

model DerivativeOfExpression
  Real x(start = 1, fixed = true), y(start = 2, fixed = true);
equation
  der(x*y) = -x*y;
  der(x + 2*y) = 0;
end DerivativeOfExpression;
//= DerivativeOfExpression at 1: x 0.31402602135473014, y 2.3429869893226349

model SampledArray "a shift register and a moving average"
  parameter Integer n = 4;
  discrete Real buffer[n](each start = 0, each fixed = true), mean(start = 0, fixed = true);
  Real u = time^2;
equation
  when sample(0.5, 0.5) then
    buffer[1] = u;
    buffer[2:n] = pre(buffer[1:n - 1]);
    mean = sum(buffer)/n;
  end when;
end SampledArray;
//= SampledArray at 2.2: buffer[1] 4, buffer[4] 0.25, mean 1.875

model TwoRates "two clocks that meet"
  Integer fast(start = 0, fixed = true), slow(start = 0, fixed = true), both(start = 0, fixed = true);
equation
  when sample(0, 0.1) then
    fast = pre(fast) + 1;
  end when;
  when sample(0, 0.3) then
    slow = pre(slow) + 1;
  end when;
  when sample(0, 0.1) and sample(0, 0.3) then
    both = pre(both) + 1;
  end when;
end TwoRates;
//= TwoRates at 1: fast 11, slow 4, both 4

model ElseWhenChain "one of several, in order"
  Real x(start = 0, fixed = true);
  Integer state(start = 0, fixed = true);
equation
  der(x) = 1;
  when x > 3 then
    state = 3;
  elsewhen x > 2 then
    state = 2;
  elsewhen x > 1 then
    state = 1;
  end when;
end ElseWhenChain;
//= ElseWhenChain at 2.5: state 2

model WhenVector "any of a vector of conditions, by comprehension"
  parameter Real limits[3] = {0.3, 0.7, 1.1};
  Real x(start = 0, fixed = true);
  Integer passed(start = 0, fixed = true);
equation
  der(x) = 1;
  when {x > limits[i] for i in 1:3} then
    passed = pre(passed) + 1;
  end when;
end WhenVector;
//= WhenVector at 1: passed 2

model BooleanLogic "discrete equations of Booleans, loops through pre"
  Boolean set = time > 0.2, reset = time > 0.6, q(start = false, fixed = true), nq, x, y;
  Integer level = if q then 2 else 1;
equation
  q = set and (pre(q) or not reset) and not reset;
  nq = not q;
  x = edge(set) or edge(reset);
  y = (set or reset) <> (set and reset);
end BooleanLogic;
//= BooleanLogic at 0.5: q 1, nq 0, level 2, y 1
//= BooleanLogic at 1: q 0, nq 1, level 1, y 0

model IntegerMachine "whole numbers in the run"
  Integer n = integer(floor(3*time)), m = div(n, 2), r = mod(n, 2);
  Real z = n/2, f = rem(time, 0.7);
end IntegerMachine;
//= IntegerMachine at 2.5: n 7, m 3, r 1, z 3.5, f 0.4

model TimeTable "piecewise linear in time by arrays and a sum"
  parameter Real t[4] = {0, 1, 2, 4}, v[4] = {0, 2, 1, 3};
  Real y, z(start = 0, fixed = true);
equation
  y = v[1] + sum(if time > t[i + 1] then v[i + 1] - v[i] elseif time > t[i] then (v[i + 1] - v[i])*(time - t[i])/(t[i + 1] - t[i]) else 0 for i in 1:3);
  der(z) = y;
end TimeTable;
//= TimeTable at 3: y 2, z 4.0

model AlgorithmState "an algorithm with conditions of the run"
  Real u = sin(3*time), y, z(start = 0, fixed = true);
  Boolean high;
algorithm
  if u > 0.5 then
    y := 1;
    high := true;
  elseif u < -0.5 then
    y := -1;
    high := false;
  else
    y := 2*u;
    high := false;
  end if;
equation
  der(z) = y;
end AlgorithmState;
//= AlgorithmState at 1: y 0.28224001611973444, z 0.87009282681877727, high 0

model WhileInAlgorithm "a loop with constants in a section"
  parameter Integer n = 10;
  Integer digits, rest;
  Real s;
algorithm
  digits := 0;
  rest := n*n + 7;
  while rest > 0 loop
    rest := div(rest, 10);
    digits := digits + 1;
  end while;
  s := 0;
  for i in n:-2:1 loop
    s := s + i*time;
  end for;
end WhileInAlgorithm;
//= WhileInAlgorithm at 2: digits 3, s 60

model TypedUnits "types of types, displayUnit, quantity"
  type Angle = Real(final quantity = "Angle", final unit = "rad", displayUnit = "deg");
  type SmallAngle = Angle(min = -0.5, max = 0.5);
  type Angles = SmallAngle[2];
  Angles phi(start = {0.1, 0.2}, each fixed = true);
  Modelica.Units.SI.AngularVelocity w[2] = der(phi);
equation
  der(phi) = -phi;
end TypedUnits;
//= TypedUnits at 1: phi[2] 0.073575888234288464, w[1] -0.036787944117144232

model BreakLoop "leaving a loop when something is found"
  function firstAbove
    input Real v[:], limit;
    output Integer k = 0;
  algorithm
    for i in 1:size(v, 1) loop
      if v[i] > limit then
        k := i;
        break;
      end if;
    end for;
  end firstAbove;
  Integer k = firstAbove({1, 3, 5, 7}, 4);
  discrete Integer l(start = 0);
equation
  when sample(0, 0.5) then
    l = firstAbove({1, 3, 5, 7}, 2*time);
  end when;
end BreakLoop;
//= BreakLoop at 1.2: k 3, l 2

model BooleanFunctions "relations in functions, for discrete variables"
  function above
    input Real x, limit;
    output Boolean b;
  algorithm
    b := x > limit;
  end above;
  Real x(start = 0, fixed = true);
  Boolean b = above(x, 1), c = noEvent(x > 1.5);
  Integer n(start = 0, fixed = true);
equation
  der(x) = 1;
  when {b, c} then
    n = pre(n) + 1;
  end when;
end BooleanFunctions;
//= BooleanFunctions at 1.2: b 1, c 0, n 1
//= BooleanFunctions at 2: b 1, c 1, n 2

model OutputModel "input with a value, output, and a start by an expression of parameters"
  input Real u = 2;
  output Real y;
  parameter Real y0 = 3*k, k = 2;
initial equation
  y = y0;
equation
  der(y) = k*(u - y);
end OutputModel;
//= OutputModel at 1: y 2.5413411329464508

model InheritedEquations "a base with equations, initial equations, algorithms"
  model Base
    Real x, y;
    parameter Real a = 1;
  initial equation
    x = a;
  equation
    der(x) = -x;
  algorithm
    y := 2*x;
  end Base;
  extends Base(a = 5);
  Real z = x + y;
end InheritedEquations;
//= InheritedEquations at 1: z 5.5181916175716348

model DeepModification
  model A
    parameter Real p = 1;
    Real x(start = p, fixed = true);
  equation
    der(x) = -x;
  end A;
  model B
    A a(p = 2), c[2](each p = 3);
  end B;
  model C
    B b(a.p = 5);
  end C;
  C c1(b.a.x.start = 7, b.c.p = {8, 9}), c2(b(c(p = {1, 2}), a(x(start = 4))));
end DeepModification;
//= DeepModification at 0: c1.b.a.x 7, c1.b.c[2].x 9, c2.b.a.x 4, c2.b.c[2].x 2, c2.b.c[1].x 1

model ArrayOfArrays "components in two dimensions"
  model Cell
    parameter Real k = 1;
    Real x(start = k, fixed = true);
  equation
    der(x) = -k*x;
  end Cell;
  Cell cell[2, 3](k = {{i + j for j in 1:3} for i in 1:2});
  Real row[3] = cell[2, :].x, total = sum(cell.x), one = cell[1, 2].x;
end ArrayOfArrays;
//= ArrayOfArrays at 1: row[3] 0.033689734995427335, one 0.14936120510359183, total 0.74960782278570982

model ConnectInIf "connections that depend on a parameter"
  connector P
    Real e;
    flow Real f;
  end P;
  model Source
    parameter Real e = 1;
    P p(e = e);
  end Source;
  model Load
    P p;
    Real q(start = 0, fixed = true);
  equation
    p.f = 2*p.e;
    der(q) = p.f;
  end Load;
  parameter Boolean high = true;
  Source low(e = 1), strong(e = 10);
  Load load;
equation
  if high then
    connect(strong.p, load.p);
  else
    connect(low.p, load.p);
  end if;
end ConnectInIf;
//= ConnectInIf at 1: load.q 20, low.p.f 0, strong.p.f -20

model ExpandedRecordFunction "record with an array, function of it, operator on fields"
  record Poly
    Real c[3];
    Integer degree = 2;
  end Poly;
  function evaluate
    input Poly p;
    input Real x;
    output Real y;
  algorithm
    y := p.c[1];
    for i in 1:p.degree loop
      y := y + p.c[i + 1]*x^i;
    end for;
  end evaluate;
  parameter Poly p(c = {1, 2, 3});
  Poly q = Poly(c = {time, 0, 1});
  Real a = evaluate(p, 2), b = evaluate(q, 3), c = evaluate(Poly({0, 0, 1}), time);
end ExpandedRecordFunction;
//= ExpandedRecordFunction at 2: a 17, b 11, c 4

model StartFromParameterArray
  parameter Real x0[3] = {1, 2, 3};
  Real x[3](start = x0, each fixed = true), y[3](start = 2*x0);
initial equation
  y = 2*x0;
equation
  for i in 1:3 loop
    der(x[i]) = -i*x[i];
    der(y[i]) = x[i];
  end for;
end StartFromParameterArray;
//= StartFromParameterArray at 1: x[3] 0.14936120510359183, y[2] 4.8646647167633873

model NamesWithQuotes "quoted identifiers, keywords inside"
  Real 'x y' = 1, 'end' = 2, 'a.b' "prime";
equation
  'a.b' = 'x y' + 'end';
end NamesWithQuotes;
//= NamesWithQuotes at 0: a.b 3
