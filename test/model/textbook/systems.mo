// Systems: mechanics and circuits of higher index, tanks, motors, controllers, switches, flat models.
model PendulumCartesian "index 3, started by a position"
  parameter Real L = 1, g = 9.81;
  Real x(start = 0.6, fixed = true), y(start = -0.8), vx(start = 0, fixed = true), vy, F;
  Real E = (vx^2 + vy^2)/2 + g*y, phi = atan2(x, -y);
equation
  vx = der(x);
  vy = der(y);
  der(vx) = -F*x;
  der(vy) = -F*y - g;
  x^2 + y^2 = L^2;
end PendulumCartesian;
//= PendulumCartesian at 1: x -0.59793275994755641, y -0.80154626477920654, E -7.848

model CapacitorLoop "two capacitors in parallel, a source beside them"
  Real u1(start = 1, fixed = true), u2, i1, i2;
equation
  1*der(u1) = i1;
  3*der(u2) = i2;
  u1 = u2;
  i1 + i2 + u1/2 = 0;
end CapacitorLoop;
//= CapacitorLoop at 4: u1 0.60653065971263342, i2 -0.22744899739223753

model InductorCutSet
  Real i1(start = 2, fixed = true), i2, i3, v;
equation
  i1 = i2 + i3;
  2*der(i1) = -v - i1;
  1*der(i2) = v;
  i3 = 0.5*i2;
end InductorCutSet;
//= InductorCutSet at 1: i1 1.3745785575819444 

model SliderCrankPlane "a crank and a slider, angle given as a motion"
  parameter Real r = 0.3, l = 1;
  Real phi = 2*time, s, beta, v = der(s), a = der(v);
equation
  r*sin(phi) = l*sin(beta);
  s = r*cos(phi) + l*cos(beta);
end SliderCrankPlane;
//= SliderCrankPlane at 1: s 0.83722977003980575, v -0.47478116061694282, a 0.73875434868906586

model Chain4 "an index-4 chain: the third derivative of a given motion"
  Real x, v, a, j, u;
equation
  x = sin(2*time);
  v = der(x);
  a = der(v);
  j = der(a);
  u = j + x;
end Chain4;
//= Chain4 at 1: v -0.83229367309428477, a -3.6371897073027268, j 3.3291746923771391, u 4.2384721192028208

model TwoTanks "through a valve, with Torricelli and a regularised root"
  function regRoot
    input Real x, delta = 0.1;
    output Real y;
  algorithm
    y := x/(x^2 + delta^2)^0.25;
  end regRoot;
  Real h1(start = 1, fixed = true), h2(start = 0, fixed = true), q12, q2;
equation
  q12 = 0.5*regRoot(h1 - h2);
  q2 = 0.2*regRoot(h2, 0.05);
  der(h1) = -q12;
  2*der(h2) = q12 - q2;
end TwoTanks;
//= TwoTanks at 1: h1 0.59251861027325065, h2 0.17608633144402851

model DCMotor "with armature and friction, by equations"
  parameter Real R = 1, L = 0.1, k = 0.5, J = 0.02, d = 0.01, V = 12;
  Real i(start = 0, fixed = true), w(start = 0, fixed = true), phi(start = 0, fixed = true);
equation
  L*der(i) = V - R*i - k*w;
  J*der(w) = k*i - d*w;
  der(phi) = w;
end DCMotor;
//= DCMotor at 0.5: i -0.34090245765063855, w 23.321660262725112

model PIDLimited "a PID with anti-windup, its derivative part filtered"
  parameter Real Kp = 2, Ti = 1, Td = 0.1, N = 10, umax = 1.5;
  Real y(start = 0, fixed = true), v(start = 0, fixed = true), I(start = 0, fixed = true), D(start = 0, fixed = true), e, u, us;
equation
  e = 1 - y;
  Td/N*der(D) = e - D;
  us = Kp*(e + Td*der(D)) + I;
  u = if us > umax then umax elseif us < -umax then -umax else us;
  der(I) = Kp/Ti*e + 2*(u - us);
  der(y) = v;
  der(v) = u - v - y;
end PIDLimited;
//= PIDLimited at 2: y 1.1681188586193202, I 0.95742165470121087

model Clutch "two shafts, locked by when"
  Real w1(start = 10, fixed = true), w2(start = 0, fixed = true), tau;
  Boolean locked(start = false, fixed = true);
equation
  when w1 - w2 <= 0 then
    locked = true;
  end when;
  1*der(w1) = -tau;
  2*der(w2) = tau;
  if locked then
    tau = 0;
  else
    tau = 4;
  end if;
end Clutch;
//= Clutch at 3: w1 3.3333333333333333, w2 3.3333333333333333, locked 1

model Thyristor "fires on a sampled gate, blocks at zero current"
  Real v = sin(time), i(start = 0, fixed = true);
  Boolean fire = sample(1, 6.283185307179586), on(start = false, fixed = true);
equation
  when fire then
    on = true;
  elsewhen i < 0 then
    on = false;
  end when;
  der(i) = if on then v - 0.5*i else 0;
  when i < 0 then
    reinit(i, 0);
  end when;
end Thyristor;
//= Thyristor at 3: i 0.88363093852018873, on 1

model PetriNet "two places, two transitions fired by times"
  Integer p1(start = 3, fixed = true), p2(start = 0, fixed = true);
  Boolean t1 = sample(1, 1), t2 = sample(2.5, 2);
equation
  when {t1, t2} then
    p1 = pre(p1) - (if t1 and pre(p1) > 0 then 1 else 0) + (if t2 and pre(p2) > 0 then 1 else 0);
    p2 = pre(p2) + (if t1 and pre(p1) > 0 then 1 else 0) - (if t2 and pre(p2) > 0 then 1 else 0);
  end when;
end PetriNet;
//= PetriNet at 5.2: p1 0, p2 3

model StateMachine "a door: opens, waits, closes"
  type S = enumeration(closed, opening, open, closing);
  S s(start = S.closed, fixed = true);
  Real x(start = 0, fixed = true);
  discrete Real since(start = 0, fixed = true);
  Boolean call = time > 1;
equation
  when pre(s) == S.closed and call and time < 2 then
    s = S.opening;
    since = time;
  elsewhen pre(s) == S.opening and x >= 1 then
    s = S.open;
    since = time;
  elsewhen pre(s) == S.open and time > pre(since) + 2 then
    s = S.closing;
    since = time;
  elsewhen pre(s) == S.closing and x <= 0 then
    s = S.closed;
    since = time;
  end when;
  der(x) = if s == S.opening then 2 elseif s == S.closing then -1 else 0;
end StateMachine;
//= StateMachine at 4: s 4, x 0.5, since 3.5

model HydraulicCylinder "pressure, a spring and a valve"
  import Modelica.Units.SI.*;
  parameter Area A = 1e-3;
  parameter Real k = 1e4, d = 100, m = 2, V0 = 1e-4, beta = 1e8;
  Pressure p(start = 0, fixed = true, nominal = 1e5);
  Position x(start = 0, fixed = true);
  Velocity v(start = 0, fixed = true);
  VolumeFlowRate q = 1e-5;
equation
  V0/beta*der(p) = q - A*v;
  der(x) = v;
  m*der(v) = A*p - k*x - d*v;
end HydraulicCylinder;
//= HydraulicCylinder at 0.05: x 0.00049715226827388063, v 0.0116273955102273

model HomotopyStart "a hard start made easier"
  Real x(start = 5);
equation
  homotopy(actual = x^3 - 2*x - 5, simplified = x - 2) = time;
end HomotopyStart;
//= HomotopyStart at 0: x 2.0945514815423266

model SteadyHeat "initial equations of rest for an array"
  parameter Integer n = 4;
  Real T[n], Q = if time < 1 then 1 else 0;
initial equation
  der(T) = zeros(n);
equation
  der(T[1]) = Q + T[2] - T[1];
  for i in 2:n - 1 loop
    der(T[i]) = T[i - 1] - 2*T[i] + T[i + 1];
  end for;
  der(T[n]) = T[n - 1] - 2*T[n];
end SteadyHeat;
//= SteadyHeat at 2: T[1] 3.2981912239673902, T[4] 0.98814068316184616

model Brusselator
  parameter Real A = 1, B = 3;
  Real u(start = 1, fixed = true), v(start = 1, fixed = true);
equation
  der(u) = A + u^2*v - (B + 1)*u;
  der(v) = B*u - u^2*v;
end Brusselator;
//= Brusselator at 3: u 0.34419706180276138, v 3.4804267259058864

model Robertson "stiff kinetics with a balance"
  Real a(start = 1, fixed = true), b(start = 0, fixed = true), c;
equation
  der(a) = -0.04*a + 1e4*b*c;
  der(b) = 0.04*a - 1e4*b*c - 3e7*b^2;
  a + b + c = 1;
end Robertson;
// Hairer, Wanner: Solving ODEs II, at t = 40 (Test Set for IVP Solvers)
//= Robertson at 40: a 0.7158270687194, b 9.185534764558e-06

model StribeckFriction "velocity-dependent friction, smooth"
  Real v(start = 2, fixed = true), x(start = 0, fixed = true);
equation
  der(x) = v;
  der(v) = -tanh(10*v)*(1 + 0.5*exp(-v^2)) + 0.5;
end StribeckFriction;
//= StribeckFriction at 1: x 1.740346255984858, v 1.4729736488953002

model Predator3 "an array of species with an interaction matrix"
  parameter Real r[3] = {1, 0.5, -0.6}, A[3, 3] = [0, -0.4, -0.2; 0.1, -0.1, -0.3; 0.3, 0.2, 0];
  Real n[3](start = {1, 1, 0.5}, each fixed = true);
equation
  der(n) = n.*(r + A*n);
end Predator3;
//= Predator3 at 2: n[1] 1.867477278559587, n[3] 0.65974237095022484

model SemiLinearFlow
  Real x = time - 1, y = semiLinear(x, 2, 3);
  Real z(start = 0, fixed = true);
equation
  der(z) = y;
end SemiLinearFlow;
//= SemiLinearFlow at 2: y 2, z -0.5

package BaseFlat "as other tools write it"
  model 'Tank.flat'
    parameter Real 'tank.A' = 2.0 "area";
    parameter Real 'valve.k'(unit = "1") = 0.5;
    Real 'tank.h'(start = 1.0, fixed = true);
    Real 'valve.q';
    Real 'x[1]', 'x[2]';
  equation
    'tank.A'*der('tank.h') = -'valve.q';
    'valve.q' = 'valve.k'*'tank.h';
    'x[1]' = 1.0;
    'x[2]' = 'x[1]' + 'tank.h';
  end 'Tank.flat';
end BaseFlat;
//= BaseFlat.'Tank.flat' at 1: tank.h 0.77880078307140487, x[2] 1.7788007830714049
