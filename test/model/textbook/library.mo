// Assemblies with connectors of several domains, hybrid parts, initialisation, index by connections.
package Hydraulic
  connector Port
    Real p(nominal = 1e5, unit = "Pa");
    flow Real q(unit = "m3/s");
  end Port;
  model Tank
    parameter Real A = 1, h0 = 1, rho = 1000, g = 10;
    Port port;
    Real h(start = h0, fixed = true, unit = "m");
  equation
    A*der(h) = port.q;
    port.p = rho*g*h;
  end Tank;
  model Pipe "laminar"
    parameter Real R = 1e4;
    Port a, b;
  equation
    a.q + b.q = 0;
    a.p - b.p = R*a.q;
  end Pipe;
  model Pump
    parameter Real q = 0.1;
    Port out(q = -q);
  end Pump;
end Hydraulic;

model ThreeTanks
  import Hydraulic.*;
  Tank t[3](h0 = {3, 2, 1});
  Pipe p[2];
  Pump pump(q = 0.3);
equation
  connect(pump.out, t[1].port);
  connect(t[1].port, p[1].a);
  connect(p[1].b, t[2].port);
  connect(t[2].port, p[2].a);
  connect(p[2].b, t[3].port);
end ThreeTanks;
//= ThreeTanks at 2: t[1].h 2.4816603448815097, t[2].h 2.1667492917392222, t[3].h 1.9515903633792681

model MultiDomain "a motor with heat, load and a sampled speed controller"
  connector Pin Real v; flow Real i; end Pin;
  connector Flange Real phi; flow Real tau; end Flange;
  connector Heat Real T; flow Real Q; end Heat;
  connector In = input Real;
  connector Out = output Real;
  model Motor
    parameter Real R = 1, L = 0.5, k = 0.2, J = 0.1;
    Pin p, n;
    Flange flange;
    Heat heat;
    Real i(start = 0, fixed = true), w(start = 0, fixed = true);
  equation
    p.i + n.i = 0;
    i = p.i;
    p.v - n.v = R*i + L*der(i) + k*w;
    w = der(flange.phi);
    J*der(w) = k*i + flange.tau;
    heat.Q = -R*i^2;
  end Motor;
  model Load
    parameter Real d = 0.1;
    Flange flange;
    Real phi(start = 0, fixed = true) = flange.phi;
  equation
    flange.tau = d*der(phi);
  end Load;
  model Body
    parameter Real C = 10;
    Heat heat;
    Real T(start = 20, fixed = true) = heat.T;
  equation
    C*der(T) = heat.Q;
  end Body;
  model Drive
    In u;
    Pin p, n;
  equation
    p.v - n.v = u;
    p.i + n.i = 0;
  end Drive;
  model Ground
    Pin p(v = 0);
  end Ground;
  block Controller
    In w;
    Out u;
    parameter Real K = 2, wref = 1, Ts = 0.1;
    discrete Real command(start = 0, fixed = true);
  equation
    when sample(0, Ts) then
      command = pre(command) + K*Ts*(wref - w);
    end when;
    u = command;
  end Controller;
  Motor motor;
  Load load;
  Body body;
  Drive drive;
  Ground ground;
  Controller control;
equation
  connect(drive.p, motor.p);
  connect(drive.n, motor.n);
  connect(motor.n, ground.p);
  connect(motor.flange, load.flange);
  connect(motor.heat, body.heat);
  connect(control.u, drive.u);
  control.w = motor.w;
end MultiDomain;
//= MultiDomain at 1: motor.w 0.68110731304748849, motor.i 1.0204143947328576, body.T 20.030213721115313

model ParallelCapacitors "capacitors in a loop by connections, index 2"
  connector Pin Real v; flow Real i; end Pin;
  model C
    parameter Real C = 1;
    Pin p, n;
    Real u;
  equation
    u = p.v - n.v;
    p.i + n.i = 0;
    C*der(u) = p.i;
  end C;
  model R
    parameter Real R = 1;
    Pin p, n;
  equation
    p.i + n.i = 0;
    p.v - n.v = R*p.i;
  end R;
  model G
    Pin p;
  equation
    p.v = 0;
  end G;
  C c1(C = 1, u(start = 5, fixed = true)), c2(C = 2);
  R r(R = 2);
  G g;
equation
  connect(c1.p, c2.p);
  connect(c2.p, r.p);
  connect(c1.n, g.p);
  connect(c2.n, g.p);
  connect(r.n, g.p);
end ParallelCapacitors;
//= ParallelCapacitors at 3: c2.u 3.0326532985631671, c2.p.i -1.010884432854389

model DoublePendulumJoints "bodies in a plane, joined: index 3 by connectors"
  connector Frame Real x, y, phi; flow Real fx, fy, t; end Frame;
  model World Frame f; equation f.x = 0; f.y = 0; f.phi = 0; end World;
  model Revolute
    Frame a, b;
    Real phi, w;
  equation
    a.x = b.x;
    a.y = b.y;
    phi = b.phi - a.phi;
    w = der(phi);
    a.fx + b.fx = 0;
    a.fy + b.fy = 0;
    b.t = 0;
    a.t = 0;
  end Revolute;
  model PointRod
    parameter Real L = 1, m = 1, g = 9.81;
    Frame a, b;
    Real x, y, vx, vy;
  equation
    b.phi = a.phi;
    b.x = a.x + L*sin(a.phi);
    b.y = a.y - L*cos(a.phi);
    x = b.x;
    y = b.y;
    vx = der(x);
    vy = der(y);
    m*der(vx) = a.fx + b.fx;
    m*der(vy) = a.fy + b.fy - m*g;
    0 = a.t + b.t + (b.x - a.x)*b.fy - (b.y - a.y)*b.fx - (b.x - a.x)*m*(g + der(vy)) + (b.y - a.y)*m*der(vx);
  end PointRod;
  World world;
  Revolute j1(phi(start = 1, fixed = true), w(start = 0, fixed = true)), j2(phi(start = 0.5, fixed = true), w(start = 0, fixed = true));
  PointRod r1, r2;
equation
  connect(world.f, j1.a);
  connect(j1.b, r1.a);
  connect(r1.b, j2.a);
  connect(j2.b, r2.a);
end DoublePendulumJoints;
//= DoublePendulumJoints at 1: r1.x -0.61730645354376993, r2.y -1.520030120603071

model SteadyInitialisation "operating point of a nonlinear circuit, parameter to be found"
  parameter Real Vbias(fixed = false, start = 1);
  Real vd(start = 0.6), i, vc(start = 1);
initial equation
  der(vc) = 0;
  i = 1e-3;
equation
  i = 1e-12*(exp(vd/0.025) - 1);
  Vbias = 1000*i + vd;
  1e-6*der(vc) = i - vc/2000;
end SteadyInitialisation;
//= SteadyInitialisation at 0.01: Vbias 1.5180816459486603, vc 2, vd 0.51808164594866028

model LimitedIntegrator "stops at its limits by modes"
  Real x(start = 0, fixed = true), u = 2*cos(time);
  Boolean up, down;
equation
  up = x >= 1 and u > 0;
  down = x <= -1 and u < 0;
  der(x) = if up or down then 0 else u;
end LimitedIntegrator;
//= LimitedIntegrator at 3: x -0.71775998388026556

model BacklashGear "play between two shafts"
  Real phi1 = sin(2*time), phi2(start = 0, fixed = true), w2(start = 0, fixed = true), tau;
  parameter Real b = 0.2, c = 50, d = 1;
equation
  tau = if phi1 - phi2 > b then c*(phi1 - phi2 - b) elseif phi1 - phi2 < -b then c*(phi1 - phi2 + b) else 0;
  der(phi2) = w2;
  der(w2) = tau - d*w2;
end BacklashGear;
//= BacklashGear at 1: phi2 1.4597015966802247, w2 -1.0241835965196768
