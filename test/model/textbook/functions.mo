// Functions, algorithms, records.
package F
  function polynomial "Horner"
    input Real x;
    input Real c[:] = {1, 0};
    output Real y = 0;
  algorithm
    for i in 1:size(c, 1) loop
      y := y*x + c[i];
    end for;
  end polynomial;
  function interpolate
    input Real x;
    input Real xs[:], ys[size(xs, 1)];
    output Real y;
  protected
    Integer n = size(xs, 1), k = 1;
  algorithm
    assert(n >= 2, "two points at least");
    if x <= xs[1] then
      y := ys[1];
      return;
    elseif x >= xs[n] then
      y := ys[n];
      return;
    end if;
    while k < n - 1 and x > xs[k + 1] loop
      k := k + 1;
    end while;
    y := ys[k] + (x - xs[k])*(ys[k + 1] - ys[k])/(xs[k + 1] - xs[k]);
  end interpolate;
  function factorial
    input Integer n;
    output Integer f;
  algorithm
    f := if n <= 1 then 1 else n*factorial(n - 1);
  end factorial;
  function fibonacci
    input Integer n;
    output Integer f;
  algorithm
    if n <= 2 then
      f := 1;
    else
      f := fibonacci(n - 1) + fibonacci(n - 2);
    end if;
  end fibonacci;
  function statistics "several results"
    input Real v[:];
    output Real mean, largest;
    output Integer at;
  algorithm
    mean := sum(v)/size(v, 1);
    largest := v[1];
    at := 1;
    for i in 2:size(v, 1) loop
      if v[i] > largest then
        largest := v[i];
        at := i;
      end if;
    end for;
  end statistics;
  function gcd
    input Integer a, b;
    output Integer c;
  protected
    Integer x = a, y = b, h;
  algorithm
    while y <> 0 loop
      h := mod(x, y);
      x := y;
      y := h;
    end while;
    c := x;
  end gcd;
  function sortUp "bubbles"
    input Real a[:];
    output Real b[size(a, 1)] = a;
  protected
    Real h;
  algorithm
    for i in 1:size(a, 1) loop
      for j in 1:size(a, 1) - i loop
        if b[j] > b[j + 1] then
          h := b[j];
          b[j] := b[j + 1];
          b[j + 1] := h;
        end if;
      end for;
    end for;
  end sortUp;
  function cube
    input Real x;
    output Real y;
  algorithm
    y := x*x*x;
    annotation(derivative = cube_der, Inline = false);
  end cube;
  function cube_der
    input Real x, dx;
    output Real dy;
  algorithm
    dy := 3*x^2*dx;
  end cube_der;
  function squareRoot "by Newton's method: the run ends the loop"
    input Real a;
    output Real x;
  protected
    Real old = 0;
  algorithm
    x := max(a, 1);
    while abs(x - old) > 1e-14*abs(x) loop
      old := x;
      x := (x + a/x)/2;
    end while;
    annotation(derivative = squareRoot_der);
  end squareRoot;
  function squareRoot_der
    input Real a, da;
    output Real dx;
  algorithm
    dx := da/(2*squareRoot(a));
  end squareRoot_der;
end F;

model Polynomials "default and named arguments"
  Real a = F.polynomial(2), b = F.polynomial(2, {1, 2, 3}), c = F.polynomial(c = {1, 0, -1}, x = time);
  Real x(start = 0, fixed = true);
equation
  der(x) = F.polynomial(time, {3, 2, 1});
end Polynomials;
//= Polynomials at 2: a 2, b 11, c 3, x 14

model Interpolation "a table in the run"
  Real y = F.interpolate(time, {0, 1, 3}, {0, 2, -2}), z(start = 0, fixed = true);
equation
  der(z) = F.interpolate(time, {0, 1, 3}, {0, 2, -2});
end Interpolation;
//= Interpolation at 1: y 2, z 1
//= Interpolation at 3 tight: y -2, z 1

model Recursion
  constant Integer f5 = F.factorial(5);
  parameter Integer n = 7;
  Integer fib = F.fibonacci(n), g = F.gcd(84, 36);
  Real x[f5 - 118];
equation
  x = {F.fibonacci(k) + time for k in 9:10};
end Recursion;
//= Recursion at 1: f5 120, fib 13, g 12, x[2] 56

model ManyResults "tuples, some of them left out"
  Real m, l, m2, l3;
  Integer k;
equation
  (m, l, k) = F.statistics({1, 5, time});
  (m2) = F.statistics({1, 3});
  (, l3) = F.statistics({4, 3*time});
end ManyResults;
//= ManyResults at 3: m 3, l 5, k 2, m2 2, l3 9

model Sorted
  Real s[4] = F.sortUp({3, time, -1, 2}), first = F.sortUp({2, 1})*{1, 0};
end Sorted;
//= Sorted at 2.5: s[1] -1, s[2] 2, s[3] 2.5, s[4] 3, first 1

model Differentiated "a function in a constraint, its derivative by annotation"
  Real x(start = 1, fixed = true), y, v = der(x), w = der(y);
equation
  y = F.cube(x);
  der(x) = -x;
end Differentiated;
//= Differentiated at 1: y 0.049787068367863943, w -0.14936120510359183

model NewtonInside "a loop that ends by numbers, in an equation"
  Real x(start = 4, fixed = true), r = F.squareRoot(x), dr = der(r);
equation
  der(x) = -2*r;
end NewtonInside;
// sqrt(x)' = -1
//= NewtonInside at 1: x 1, r 1, dr -1

package Points
  record Point "with defaults"
    Real x, y;
  end Point;
  record Body
    extends Point;
    parameter Real m = 1;
  end Body;
  function rotate
    input Point p;
    input Real phi;
    output Point q;
  algorithm
    q.x := cos(phi)*p.x - sin(phi)*p.y;
    q.y := sin(phi)*p.x + cos(phi)*p.y;
  end rotate;
  function centre
    input Point p[:];
    output Point c;
  algorithm
    c := Point(x = sum(p.x)/size(p, 1), y = sum(p[i].y for i in 1:size(p, 1))/size(p, 1));
  end centre;
  function distance
    input Point a, b = Point(0, 0);
    output Real d = sqrt((a.x - b.x)^2 + (a.y - b.y)^2);
  algorithm
  end distance;
end Points;

model Records "records in and out of functions, in equations, in arrays"
  import Points.*;
  Point p = Point(1, time), q = rotate(p, time), r;
  Point many[3] = {Point(i, i^2) for i in 1:3}, c = centre(many);
  Body b(x = 3, y = 4, m = 2);
  Real d = distance(b), d2 = distance(Point(x = 1, y = 1), b);
equation
  r = Point(q.x + 1, q.y);
end Records;
//= Records at 2: q.x -2.2347416901985058, q.y 0.077003753731396921, r.x -1.2347416901985058, c.x 2, c.y 4.6666666666666667, d 5, d2 3.6055512754639893

model RecordParameters "a set of data, modified as one"
  record Data
    parameter Real R = 1, C = 1;
    parameter String name = "none";
  end Data;
  model RC
    parameter Data data;
    Real v(start = 1, fixed = true);
  equation
    data.R*data.C*der(v) = -v;
  end RC;
  constant Data slow = Data(R = 2, C = 2, name = "slow");
  parameter Data fast(R = 0.5, C = 1, name = "fast");
  RC a(data = slow), b(data = fast), c(data(R = 4)), d(data = Data(C = 5));
end RecordParameters;
//= RecordParameters at 1: a.v 0.77880078307140487, b.v 0.13533528323661269, c.v 0.77880078307140487, d.v 0.81873075307798186

model RecordUnknowns "records as states"
  record State
    Real x, v;
  end State;
  State s(x(start = 1, fixed = true), v(start = 0, fixed = true));
  State copy;
equation
  der(s.x) = s.v;
  der(s.v) = -s.x;
  copy = s;
end RecordUnknowns;
//= RecordUnknowns at 1: copy.x 0.54030230586813972, copy.v -0.84147098480789651

model Algorithmic "an algorithm section for continuous variables"
  Real x(start = 1, fixed = true), a, b[3], big;
  Integer n;
equation
  der(x) = -a;
algorithm
  a := 0;
  for i in 1:3 loop
    b[i] := x^i;
    a := a + b[i]/i;
  end for;
  a := a - b[2]/2 - b[3]/3;
  big := if b[3] > 0.5 then 1 else 2;
  n := 0;
  for k in {2, 3, 5} loop
    if k == 3 then
      break;
    end if;
    n := n + k;
  end for;
end Algorithmic;
//= Algorithmic at 1: x 0.36787944117144232, b[3] 0.049787068367863943, big 2, n 2

model InitialAlgorithm
  parameter Real p(fixed = false);
  Real x(start = 0), y;
initial algorithm
  p := 3;
  x := 2*p;
equation
  der(x) = -x;
  y = p*x;
end InitialAlgorithm;
//= InitialAlgorithm at 1: x 2.2072766470286539, y 6.6218299410859618

model FunctionOfArrays "called element by element"
  function f
    input Real x;
    output Real y = x^2 + 1;
  algorithm
  end f;
  Real v[3] = f({1, 2, time}), m[2, 2] = f([1, 2; 3, 4]), s[2] = sin({0, time});
end FunctionOfArrays;
//= FunctionOfArrays at 2: v[3] 5, m[2,2] 17, s[2] 0.9092974268256817

model MatrixFunction "matrices in and out, sizes by inputs"
  function power "A^n"
    input Real A[:, size(A, 1)];
    input Integer n;
    output Real B[size(A, 1), size(A, 2)] = identity(size(A, 1));
  algorithm
    for i in 1:n loop
      B := B*A;
    end for;
  end power;
  function trace
    input Real A[:, :];
    output Real t = 0;
  algorithm
    for i in 1:min(size(A)) loop
      t := t + A[i, i];
    end for;
  end trace;
  Real P[2, 2] = power([1, 1; 1, 0], 10), t = trace(P);
end MatrixFunction;
//= MatrixFunction at 0: P[1,1] 89, P[1,2] 55, t 123

model StringParameters
  parameter String name = "a" + "b", other = if name == "ab" then "yes" else "no";
  parameter Real k = if other == "yes" then 2 else 1;
  Real x(start = 1, fixed = true);
equation
  der(x) = -k*x;
  assert(x > -1, "x of " + name + " is " + String(x, significantDigits = 4) + ", count " + String(3) + String(true));
end StringParameters;
//= StringParameters at 1: x 0.13533528323661269

model MathLibrary
  import Modelica.Math.{sin, cos};
  import Modelica.Constants.pi;
  import M = Modelica.Math;
  import Modelica.Units.Conversions.from_deg;
  Real a = sin(pi/2) + cos(0), b = M.exp(0) + M.asin(0), c = from_deg(180), d = Modelica.Units.Conversions.from_degC(20);
  Real e = Modelica.Constants.e, g = Modelica.Constants.g_n;
end MathLibrary;
//= MathLibrary at 0: a 2, b 1, c 3.1415926535897932, d 293.15, e 2.7182818284590452, g 9.80665

model WhileLoop "in a function with constants only"
  function steps "Collatz"
    input Integer n;
    output Integer k = 0;
  protected
    Integer m = n;
  algorithm
    while m > 1 loop
      m := if mod(m, 2) == 0 then div(m, 2) else 3*m + 1;
      k := k + 1;
    end while;
  end steps;
  parameter Integer n = 27;
  Integer k = steps(n);
end WhileLoop;
//= WhileLoop at 0: k 111

model Vectorised "functions of vectors give states their rates"
  function rates
    input Real y[3];
    output Real dy[3];
  protected
    Real r;
  algorithm
    r := 10*(y[2] - y[1]);
    dy[1] := r;
    dy[2:3] := {y[1]*(28 - y[3]) - y[2], y[1]*y[2] - 8/3*y[3]};
  end rates;
  Real y[3](start = {1, 1, 1}, each fixed = true);
equation
  der(y) = rates(y);
end Vectorised;
//= Vectorised at 1: y[1] -9.3785700109250624, y[2] -8.3570337884266447, y[3] 29.362325337363428

model StateSpaceSizes "sizes from each other, as in a library"
  block StateSpace
    parameter Real A[:, size(A, 1)], B[size(A, 1), :], C[:, size(A, 1)];
    parameter Real D[size(C, 1), size(B, 2)] = zeros(size(C, 1), size(B, 2));
    parameter Real x0[size(A, 1)] = zeros(size(A, 1));
    input Real u[size(B, 2)];
    output Real y[size(C, 1)];
    Real x[size(A, 1)](start = x0, each fixed = true);
  equation
    der(x) = A*x + B*u;
    y = C*x + D*u;
  end StateSpace;
  StateSpace s(A = [0, 1; -2, -3], B = [0; 1], C = [1, 0], u = {1}), t(A = [-1], B = [1], C = [2], x0 = {1}, u = {time});
end StateSpaceSizes;
//= StateSpaceSizes at 1: s.y[1] 0.19978820044686402, t.y[1] 1.4715177646857693
