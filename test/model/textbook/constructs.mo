
/* A library in one file: nested packages, imports of every kind, constants that depend on each other */
package MyLib "a small library"
  package Units
    type Length = Real(final quantity = "Length", final unit = "m", displayUnit = "mm");
    type Velocity = Real(final unit = "m/s"); type Acceleration = Real(unit = "m/s2");
    type Mass = Real(unit = "kg", min = 0);
  end Units;
  package Constants
    constant Real g(final unit = "m/s2") = 9.80665; constant Real two_g = 2*g;
    constant Integer n = 3; constant Real table[n, 2] = [0, 0; 1, 10; 3, 20];
  end Constants;
  package Functions
    function lookup "piecewise linear in a table" input Real u; input Real t[:, 2]; output Real y;
    protected Integer i = 1; Integer m = size(t, 1);
    algorithm
      while i < m - 1 and u >= t[i + 1, 1] loop i := i + 1; end while;
      y := t[i, 2] + (u - t[i, 1])*(t[i + 1, 2] - t[i, 2])/(t[i + 1, 1] - t[i, 1]);
    end lookup;
    function meanAndSpread input Real x[:]; output Real mean; output Real spread; output Integer n = size(x, 1);
    algorithm mean := sum(x)/n; spread := sqrt(sum((x[i] - mean)^2 for i in 1:n)/n); end meanAndSpread;
    function horner input Real a[:]; input Real x; output Real y = 0;
    algorithm for c in a loop y := y*x + c; end for; end horner;
    function cumulative input Real u[:]; output Real y[size(u, 1)];
    algorithm for i in 1:size(u, 1) loop y[i] := (if i > 1 then y[i - 1] else 0) + u[i]; end for; end cumulative;
    function isPrime input Integer n; output Boolean p;
    algorithm
      p := n > 1;
      for d in 2:n - 1 loop if mod(n, d) == 0 then p := false; return; end if; end for;
    end isPrime;
  end Functions;
  model ImportsAndTables
    import MyLib.Constants.*; import F = MyLib.Functions; import MyLib.Units.{Length, Velocity}; import MyLib.Functions.horner;
    Length x(start = 10, fixed = true); Velocity v(start = 0, fixed = true); Real a, b, m, s, c[3], p; Integer count;
  equation
    der(x) = v; der(v) = -g; a = F.lookup(time, table); b = horner({1, -2, 3}, time);
    (m, s, count) = F.meanAndSpread({time, 2*time, 6*time}); c = F.cumulative({1, time, time^2});
    p = sum(if F.isPrime(k) then 1 else 0 for k in 1:30) + two_g*0;
  end ImportsAndTables;
end MyLib;
//= MyLib.ImportsAndTables at 2: x -9.6133, v -19.6133, a 15, b 3, m 6, s 4.320493798939, c[3] 7, p 10, count 3

// der of expressions, products, nested
model DerExpr
  Real x(start = 1, fixed = true), y, z; Real e;
equation
  der(x^2) = -x; y = der(sin(x)*exp(-time)); z = der(der(x*x)); e = der(if time < 10 then x else 2*x);
end DerExpr;
// x' = -1/2: x = 1 - t/2; (x^2)'' = 1/2
//= DerExpr at 1: x 0.5, y -0.33779309045, z 0.5, e -0.5

// der of a vector expression and matrix products, cross, skew, outerProduct
model RigidBody
  parameter Real J[3, 3] = diagonal({1, 2, 3}); Real w[3](start = {0.1, 1, 0.2}, each fixed = true); Real E, H, S[3, 3], O[3, 3];
  Real Q[3, 3](start = identity(3), each fixed = true);
equation
  der(J*w) = -cross(w, J*w); E = w*J*w/2; H = sqrt((J*w)*(J*w));
  S = skew(w); O = outerProduct(w, w); der(Q) = Q*skew(w);
end RigidBody;
//= RigidBody at 4: w[1] -0.9082469486316, w[2] 0.4302179451178, w[3] 0.558245023772, E 1.065, H 2.090454496037, Q[1,1] -0.7103911489695, Q[3,2] 0.8875605471135, S[1,2] -0.558245023772, O[1,3] -0.5070243394297

// matrices: constructors, concatenation, transpose, slices with end, product, min max with reductions
model MatrixZoo
  parameter Real A[2, 3] = [1, 2, 3; 4, 5, 6]; parameter Real B[:, :] = transpose(A); Real C[2, 2] = A*B;
  Real D[4, 2] = cat(1, C, [1, 0; 0, 1]); Real e = product(A[1, :]) + max(A) - min(B[end, :]) ;
  Real f = sum(A[i, j]*i for i in 1:2, j in 1:3); Real g = max(abs(A[i, 2] - 3) for i in 1:2);
  Real h[3] = A[end, end:-1:1]; Real k[2, 1] = [A[1, 1]; time]; Real l[:] = vector(k); Real m = scalar([7]);
  Real n[3] = fill(time, 3) .* linspace(0, 1, 3); Real o[2, 2] = symmetric([1, 2; 3, 4]); Real p[2] = {A[i, i] for i in 1:2};
  Real q = ndims(A) + size(A, 2); Real r[0] = zeros(0); Real s = sum(r) + product(r); Real t[2, 3] = A .^ 2 ./ A;
  Real u[2, 2] = [1, 1; 1, 0]^5; Real v[3, 1] = matrix({1, 2, 3});
end MatrixZoo;
//= MatrixZoo at 2: C[1,1] 14, C[2,1] 32, D[4,2] 1, D[2,2] 77, e 9, f 36, g 2, h[1] 6, h[3] 4, l[2] 2, m 7, n[2] 1, n[3] 2, o[2,1] 2, p[2] 5, q 5, s 1, t[2,3] 6, u[1,1] 8, v[2,1] 2

// enumerations in if, ranges, arrays of Booleans, reductions
model Enums
  type Day = enumeration(mon, tue, wed, thu, fri "last"); parameter Day d0 = Day.tue; Integer i = Integer(d0);
  Real load[Day] = {Integer(d)*time for d in Day}; Boolean free[Day] = {d > Day.wed for d in Day};
  Real work; Day today(start = Day.mon, fixed = true); Integer days(start = 0, fixed = true);
  Real part = sum(load[d] for d in Day.tue:Day.thu); Day best = max(Day.mon, Day.wed);
equation
  work = sum(if free[d] then 0 else load[d] for d in Day);
algorithm
  when sample(1, 1) then
    days := pre(days) + 1;
    today := if pre(today) == Day.fri then Day.mon else Day(Integer(pre(today)) + 1);
  end when;
end Enums;
//= Enums at 6.5: i 2, work 39, days 6, part 58.5, today 2, best 3

// state machine in an algorithm, elevator
model Elevator
  type State = enumeration(idle, up, down, door);
  Real h(start = 0, fixed = true); State s(start = State.idle, fixed = true); Integer target(start = 0, fixed = true);
  discrete Real since(start = 0, fixed = true); Integer served(start = 0, fixed = true); parameter Integer calls[4] = {3, 1, 2, 0};
  Boolean atTarget;
equation
  der(h) = if s == State.up then 1 elseif s == State.down then -1.5 else 0;
  atTarget = if pre(s) == State.up then h >= pre(target) else if pre(s) == State.down then h <= pre(target) else false;
algorithm
  when s == State.idle and time >= since + 0.5 and served < size(calls, 1) then
    target := calls[pre(served) + 1]; s := if calls[pre(served) + 1] > h then State.up else State.down;
  elsewhen atTarget then
    s := State.door; since := time; served := pre(served) + 1;
  elsewhen pre(s) == State.door and time >= since + 1 then
    s := State.idle; since := time;
  end when;
end Elevator;
// idle till .5, up 3: 3.5 door, 4.5 idle, 5 down 2/1.5 -> 6.333.., door 7.333, idle, 7.8333 up 1 -> 8.8333, 9.8333, 10.3333 down: h = 2 - 1.5(t - 10.3333)
//= Elevator at 11: h 1, served 3, target 0

// inner/outer with parameters and connectors, arrays of bodies
package Field
  model World parameter Real g = 9.81; parameter Real drag = 0; function pull input Real h, g; output Real a; algorithm a := g/(1 + h/100)^2; end pull; end World;
  model Stone outer World world; Real h(start = 10, fixed = true), v(start = 0, fixed = true);
  equation der(h) = v; der(v) = -world.g - world.drag*v; end Stone;
  model Several inner World world(g = 1.6, drag = 0.1); Stone s[2](h(start = {5, 8})); inner parameter Integer k = 4; Sub sub; model Sub outer parameter Integer k; Real y = k*time; end Sub; end Several;
end Field;
//= Field.Several at 2: s[1].h 2.003079507523, s[2].h 5.003079507523, sub.y 8

// conditional connectors and parts, block diagram with arrays of signals
package Diagram
  connector In = input Real; connector Out = output Real; connector BIn = input Boolean;
  block Integrator In u; Out y(start = 0, fixed = true); parameter Real k = 1; equation der(y) = k*u; end Integrator;
  block Gain parameter Integer n = 1; parameter Real K[n, n] = identity(n); In u[n]; Out y[n]; equation y = K*u; end Gain;
  block Limiter parameter Boolean useLimit = false; In u; Out y; In limit if useLimit; parameter Real fixedLimit = 1; protected In lim;
  equation connect(limit, lim); if not useLimit then lim = fixedLimit; end if; y = if u > lim then lim elseif u < -lim then -lim else u; end Limiter;
  block Const Out y; parameter Real k; equation y = k; end Const;
  model Plant
    Integrator i[2](k = {1, 2}); Gain g(n = 2, K = [0, 1; -1, 0]); Limiter l1(fixedLimit = 0.5), l2(useLimit = true); Const c(k = 0.8), one(k = 1); Out total = i[1].y + i[2].y;
    Gain drive(K = [2]);
  equation
    connect(i.y, g.u); connect(one.y, drive.u[1]);
    connect(g.y[1], l1.u); connect(g.y[2], l2.u); connect(c.y, l2.limit);
    i[1].u = drive.y[1] - l1.y; connect(l2.y, i[2].u);
  end Plant;
end Diagram;
//= Diagram.Plant at 1: i[1].y 2.334084500603, i[2].y -1.287814080386, total 1.046270420217

// modifications: if-expressions, each, final, deep, arrays of records
model Modified
  record Data Real a = 1; Real b = 2*a; Integer n = 2; end Data;
  parameter Boolean fast = true;
  model Lag parameter Real T = 1; parameter Data d; Real y(start = d.a, fixed = true); equation T*der(y) = d.b - y; end Lag;
  Lag l[3](T = if fast then {0.1, 0.2, 0.3} else fill(1, 3), each d(a = 3), each y.fixed = true); Lag m(final T = 2, d = Data(a = 5, n = 7));
  Lag p(d(b = 10)); parameter Data ds[2] = {Data(a = 1), Data(a = 2, b = 7)}; Real s = sum(ds.b) + ds[2].a;
end Modified;
//= Modified at 0.5: l[1].y 5.979786159003, l[3].y 5.433373191487, m.y 6.105996084643, p.y 4.541224062586, s 11

// parameters that follow from the start; initial equations with der
model Calibrated
  parameter Real k(fixed = false, start = 1), T0(fixed = false); Real T(start = 80), Tm; parameter Real Tinf = 20;
initial equation T = 80; der(T) = -6; T0 = T + Tm;
equation der(T) = -k*(T - Tinf); Tm = T/2;
end Calibrated;
//= Calibrated at 10: k 0.1, T 42.07276647029, T0 120

// initial algorithm, arrays of parameters computed by functions, protected
model InitialWork
  parameter Integer n = 4; parameter Real w[n] = normalise({2^i for i in 1:n}); Real x[n](each fixed = false); protected Real hidden = sum(x); public Real shown = hidden;
  function normalise input Real a[:]; output Real b[size(a, 1)]; protected Real s = sum(a); algorithm b := a/s; end normalise;
initial algorithm for i in 1:n loop x[i] := w[i]*i; end for;
equation for i in 1:n loop der(x[i]) = -i*x[i]; end for;
end InitialWork;
//= InitialWork at 0.5: shown 0.6057559606501, x[4] 0.2887152709048

// when with vectors, edge, change, pre of Integers and Booleans
model WhenVectors
  Integer n(start = 0, fixed = true), ch(start = 0, fixed = true), m(start = 0, fixed = true); Boolean a, b; Real y(start = 0, fixed = true); Boolean flag(start = false, fixed = true);
equation
  a = sin(3*time) > 0.5; b = cos(2*time) < -0.5; der(y) = if a and not b then 1 else 0;
  when {a, b} then n = pre(n) + 1; end when;
  when change(a) then ch = pre(ch) + 1; end when;
  when {edge(b), not a} then flag = not pre(flag); m = pre(m) + (if edge(b) then 10 else 1); end when;
end WhenVectors;
//= WhenVectors at 5: n 5, ch 5, m 22, flag 0, y 1.396263401595

// sampled PID with limits, in an algorithm
model SampledPID
  parameter Real Ts = 0.1, Kp = 2, Ki = 1.5, Kd = 0.2, umax = 3; discrete Real u(start = 0, fixed = true), I(start = 0, fixed = true), e1(start = 0, fixed = true);
  Real x(start = 0, fixed = true), v(start = 0, fixed = true); discrete Real e(start = 0, fixed = true);
equation der(x) = v; der(v) = u - v - x;
algorithm
  when sample(0, Ts) then
    e := 1 - x; I := pre(I) + Ki*Ts*e; u := Kp*e + I + Kd*(e - pre(e1))/Ts;
    if u > umax then u := umax; I := pre(I); elseif u < -umax then u := -umax; I := pre(I); end if;
    e1 := e;
  end when;
end SampledPID;
//= SampledPID at 2.05: x 1.30580782299, v -0.04478365295894, u 0.1787388512195, I 0.8056195858714
