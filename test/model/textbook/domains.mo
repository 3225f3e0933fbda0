// electrical library with partial classes, package in package, high index by sources on capacitors and inductors in series
package Electric
  package Interfaces
    connector Pin "of a circuit" Modelica.Units.SI.Voltage v; flow Modelica.Units.SI.Current i; annotation(Icon(graphics = {Rectangle(extent = {{-1, -1}, {1, 1}})})); end Pin;
    connector PositivePin = Pin "other name"; connector NegativePin = Pin;
    partial model TwoPin PositivePin p; NegativePin n; Real v, i; equation v = p.v - n.v; 0 = p.i + n.i; i = p.i; end TwoPin;
  end Interfaces;
  package Basic
    import Electric.Interfaces.*;
    model R extends TwoPin; parameter Real R(unit = "Ohm") = 1; equation R*i = v; end R;
    model C extends TwoPin; parameter Real C = 1; equation i = C*der(v); end C;
    model L extends TwoPin; parameter Real L = 1; equation L*der(i) = v; end L;
    model Ground Pin p; equation p.v = 0; end Ground;
    model Transformer PositivePin p1, p2; NegativePin n1, n2; parameter Real n = 2; equation
      p1.v - n1.v = n*(p2.v - n2.v); p1.i + n1.i = 0; p2.i + n2.i = 0; p2.i = -n*p1.i; end Transformer;
    model OpAmp PositivePin inp; NegativePin inn; Pin out; equation inp.v = inn.v; inp.i = 0; inn.i = 0; end OpAmp;
  end Basic;
  package Sources
    partial model Source extends Interfaces.TwoPin; protected parameter Real offset = 0; end Source;
    model Sine extends Source; parameter Real V = 1, w = 1, phase = 0; equation v = offset + V*sin(w*time + phase); end Sine;
    model Step extends Source; parameter Real V = 1, t0 = 0; equation v = if time < t0 then offset else offset + V; end Step;
  end Sources;
  package Examples
    import B = Electric.Basic; import S = Electric.Sources;
    model ParallelCapacitors "index 2: a capacitor on a source"
      S.Sine u(V = 2, w = 3, phase = 0.5); B.R r(R = 4); B.C c1(C = 0.5), c2(C = 0.25, v(start = 1, fixed = true)); B.Ground g;
    equation connect(u.p, c1.p); connect(u.n, c1.n); connect(u.p, r.p); connect(r.n, c2.p); connect(c2.n, u.n); connect(g.p, u.n); end ParallelCapacitors;
    model Transformed S.Sine u(V = 10, w = 2); B.Transformer t(n = 5); B.R r1(R = 1), r2(R = 3); B.L l(L = 2, i(start = 0, fixed = true)); B.Ground g1, g2;
    equation connect(u.p, r1.p); connect(r1.n, t.p1); connect(t.n1, u.n); connect(g1.p, u.n); connect(t.p2, r2.p); connect(r2.n, l.p); connect(l.n, t.n2); connect(g2.p, t.n2); end Transformed;
    model Integrator "with an ideal amplifier" S.Step u(V = 0.5, t0 = 0.25); B.R r(R = 2); B.C c(C = 0.1, v(start = 0, fixed = true)); B.OpAmp a; B.Ground g;
    equation connect(u.n, g.p); connect(u.p, r.p); connect(r.n, a.inn); connect(a.inp, g.p); connect(c.p, a.inn); connect(c.n, a.out); end Integrator;
    model TwoInductors "in series: one state" S.Step u(V = 6); B.L l1(L = 1), l2(L = 2, i(start = 0, fixed = true)); B.R r(R = 3); B.Ground g;
    equation connect(u.p, l1.p); connect(l1.n, l2.p); connect(l2.n, r.p); connect(r.n, u.n); connect(u.n, g.p); end TwoInductors;
  end Examples;
end Electric;
//= Electric.Examples.ParallelCapacitors at 2: c1.i 2.929762877184, c2.v -0.3493092020481, u.i -3.12465017174
//= Electric.Examples.Transformed at 2: l.i 0.0400318882872, u.i -0.00800637765744
//= Electric.Examples.Integrator at 1: c.v 1.875, a.out.v -1.875
//= Electric.Examples.TwoInductors at 1: l1.i 1.264241117657, l2.v 1.471517764686

// rotational: flanges, a rigid gear with both inertias, brake by if-equation
package Rotating
  connector Flange Real phi; flow Real tau; end Flange;
  model Inertia Flange a, b; parameter Real J = 1; Real phi(stateSelect = StateSelect.prefer), w(stateSelect = StateSelect.prefer), acc;
  equation phi = a.phi; phi = b.phi; w = der(phi); acc = der(w); J*acc = a.tau + b.tau; end Inertia;
  model Gear Flange a, b; parameter Real ratio = 2; equation a.phi = ratio*b.phi; 0 = ratio*a.tau + b.tau; end Gear;
  model Spring Flange a, b; parameter Real c = 1, d = 0; Real rel(start = 0), wrel; equation rel = b.phi - a.phi; wrel = der(rel); b.tau = c*rel + d*wrel; a.tau = -b.tau; end Spring;
  model Torque Flange f; input Real u; equation f.tau = -u; end Torque;
  model Wall Flange f; equation f.phi = 0; end Wall;
  model Drive Inertia i1(J = 2, phi(start = 0, fixed = true), w(start = 1, fixed = true)), i2(J = 8); Gear g(ratio = 4); Torque t(u = 3*sin(time)); Spring s(c = 5, d = 0.5); Wall w;
  equation connect(t.f, i1.a); connect(i1.b, g.a); connect(g.b, i2.a); connect(i2.b, s.a); connect(s.b, w.f); end Drive;
  model Chain "an array of inertias and springs" parameter Integer n = 3; Inertia i[n](J = {1, 2, 3}, phi(start = {0.1, 0, 0}, each fixed = true), w(each start = 0, each fixed = true)); Spring s[n - 1](each c = 4);
  equation connect(i[1:n - 1].b, s.a); connect(s.b, i[2:n].a); end Chain;
end Rotating;
//= Rotating.Drive at 2: i1.phi 3.079162596413, i1.w 2.33750248143, i2.w 0.5843756203575
//= Rotating.Chain at 3: i[1].phi 0.003470898039144, i[3].phi 0.02055997749251

// planar mechanics by parts: bodies with joints, a loop (four bar) through constraint equations
model Rhombus "two rods hinged at a wall and at each other, the end slides: closed loop"
  parameter Real L = 1, m = 1, g = 9.81; Real x1, y1, x2, y2(start = 0), F1, F2, N; Real phi(start = 0.5, fixed = true), w(start = 0, fixed = true);
equation
  x1 = L*cos(phi); y1 = L*sin(phi); w = der(phi);
  m*der(der(x1)) = -F1*x1 + F2*(x2 - x1); m*der(der(y1)) = -F1*y1 + F2*(y2 - y1) - m*g;
  (x2 - x1)^2 + (y2 - y1)^2 = L^2; y2 = 0; m*der(der(x2)) = -F2*(x2 - x1); N = -F2*(y1 - y2) ;
initial equation x2 = 2*L*cos(phi);
end Rhombus;
//= Rhombus at 0.5: phi -0.3036393584798, w -3.354069037986, x2 1.908509321708

// hydraulics: a pipe of many cells with arrays of ports, square root turbulence regularised
package Fluid
  connector Port Real p(nominal = 1e5); flow Real m; end Port;
  model Tank Port port; parameter Real A = 1, rho = 1000, g = 10; Real h(start = 1, fixed = true); equation rho*A*der(h) = port.m; port.p = 1e5 + rho*g*h; end Tank;
  function law input Real dp; input Real k; input Real small = 1; output Real m; algorithm m := k*dp/sqrt(sqrt(dp*dp + small*small)); annotation(Inline = true, smoothOrder = 2); end law;
  model Valve Port a, b; parameter Real k = 1; equation a.m + b.m = 0; a.m = law(a.p - b.p, k, small = 10); end Valve;
  model Three Tank t[3](h(start = {3, 1, 0.5}), A = {1, 2, 1}); Valve v[2](k = {0.5, 0.8});
  equation for i in 1:2 loop connect(t[i].port, v[i].a); connect(v[i].b, t[i + 1].port); end for; end Three;
end Fluid;
//= Fluid.Three at 50: t[1].h 1.375000011447, t[2].h 1.374999998011, t[3].h 1.374999992531

// operators on arrays of records, functions of records with several outputs
package Vectors
  record Vector Real x; Real y; end Vector;
  function add input Vector a; input Vector b; output Vector c; algorithm c := Vector(a.x + b.x, a.y + b.y); end add;
  function scale input Vector a; input Real k; output Vector c; algorithm c.x := k*a.x; c.y := k*a.y; end scale;
  function polar input Vector v; output Real r; output Real phi; algorithm r := sqrt(v.x^2 + v.y^2); phi := atan2(v.y, v.x); end polar;
  function centre input Vector v[:]; output Vector c; algorithm c := Vector(0, 0); for i in 1:size(v, 1) loop c := add(c, scale(v[i], 1/size(v, 1))); end for; end centre;
  model Use Vector p(x(start = 1, fixed = true), y(start = 0, fixed = true)), q[3], c; Real r, phi;
  equation der(p.x) = -p.y; der(p.y) = p.x; for i in 1:3 loop q[i] = scale(p, i); end for; c = centre(q); (r, phi) = polar(c); end Use;
end Vectors;
//= Vectors.Use at 1: c.x 1.080604611736, c.y 1.682941969616, r 2, phi 1, q[3].y 2.524412954424

// a function with its derivative given, in a constraint that is differentiated
function track input Real s; output Real y; algorithm y := 0.2*s^2; annotation(derivative = track_d); end track;
function track_d input Real s; input Real ds; output Real dy; algorithm dy := 0.4*s*ds; annotation(derivative(order = 2) = track_dd); end track_d;
function track_dd input Real s; input Real ds; input Real dds; output Real ddy; algorithm ddy := 0.4*ds^2 + 0.4*s*dds; end track_dd;
model Bead "on a parabola" Real x(start = 1, fixed = true), y, vx(start = 0, fixed = true), vy, N; equation der(x) = vx; der(y) = vy; der(vx) = -0.4*x*N; der(vy) = N - 9.81; y = track(x); end Bead;
//= Bead at 2: x -0.7935822849641, y 0.1259545686018, vx 1.14881896025

// sampled Kalman-like filter with matrices in an algorithm
model MatrixFilter
  parameter Real A[2, 2] = [1, 0.1; 0, 1], Q[2, 2] = 0.01*identity(2), H[1, 2] = [1, 0], Rm = 0.1; discrete Real P[2, 2](start = identity(2), each fixed = true), x[2](each start = 0, each fixed = true); discrete Real K[2](each start = 0, each fixed = true); Real z = sin(time);
algorithm
  when sample(0.1, 0.1) then
    x := A*pre(x); P := A*pre(P)*transpose(A) + Q; K := P[:, 1]/(P[1, 1] + Rm);
    x := x + K*(z - x[1]); P := (identity(2) - matrix(K)*H)*P;
  end when;
end MatrixFilter;
//= MatrixFilter at 2.05: x[1] 1.036937216321, x[2] 0.3421612832037, P[1,1] 0.03397041633919, K[2] 0.2871977161533

// nested for with arrays in `in`, while with break, products
model Loops
  parameter Integer primes[:] = {2, 3, 5, 7}; Real s, p, t; Integer n, m;
algorithm
  s := 0; for i in primes loop for j in {1, i, i^2} loop s := s + i*j; end for; end for;
  p := product(primes); t := 0; for x in {0.5, time, 2*time} loop t := t*2 + x; end for;
  n := 0; m := 27; while true loop if m == 1 then break; end if; m := if mod(m, 2) == 0 then div(m, 2) else 3*m + 1; n := n + 1; end while;
  for k in 10:-3:1 loop if k == 4 then break; end if; m := m + k; end for;
end Loops;
//= Loops at 1.5: s 607, p 210, t 8, n 111, m 18

// if-equations with states, noEvent and smooth, min and max, abs
model Kinks
  Real x(start = 0, fixed = true), y(start = 1, fixed = true), z(start = 0, fixed = true), w(start = 0, fixed = true), u(start = 0, fixed = true);
equation
  der(x) = abs(sin(3*time)); der(z) = max(cos(2*time), 0.3); der(w) = smooth(0, if time < 1.2 then time else 1.2); der(u) = noEvent(if time > 1 then time - 1 else 0);
  if y > 0.5 then der(y) = -1; elseif y > 0.2 then der(y) = -0.5; else der(y) = -0.1; end if;
end Kinks;
//= Kinks at 2: x 1.320056762217, y 0.11, z 0.8870540497915, w 1.68, u 0.5

// semiLinear, homotopy at a hard start, terminal, strings
model Odd Real m = sin(time), h; Real q(start = 5); parameter String name = "a" + "b"; parameter Integer len = if name == "ab" then 2 else 0; Boolean last = terminal();
equation h = semiLinear(m, 2, 3); homotopy(q^3 + q - 10, q - 2) = 0; end Odd;
//= Odd at 4: h -2.270407485924, q 2, len 2
