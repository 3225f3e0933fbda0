// Lotka-Volterra by components: populations as potentials, rates as flows
package Biology
  connector Population "a population and what is added to it"
    Real number; flow Real rate;
  end Population;
  partial model Sink Population a; protected Real decline; equation decline = a.rate; end Sink;
  partial model Interaction Population a, b; protected Real growth, decline;
  equation decline = a.rate; growth = -b.rate; end Interaction;
  model Region parameter Real initial_number(fixed = true) = 10; Population species;
  protected Real count(start = initial_number, fixed = true) = species.number;
  equation der(count) = species.rate; end Region;
  model Births extends Sink; parameter Real alpha; equation decline = -alpha*a.number; end Births;
  model Starvation extends Sink; parameter Real gamma; equation decline = gamma*a.number; end Starvation;
  model Predation extends Interaction; parameter Real beta, delta;
  equation decline = beta*a.number*b.number; growth = delta*a.number*b.number; end Predation;
  model Classic
    parameter Real alpha = 0.1, beta = 0.02, gamma = 0.4, delta = 0.02;
    Region rabbits(initial_number = 10), foxes(initial_number = 10);
    Births births(alpha = alpha); Starvation starvation(gamma = gamma);
    Predation predation(beta = beta, delta = delta);
  equation
    connect(births.a, rabbits.species); connect(starvation.a, foxes.species);
    connect(predation.a, rabbits.species); connect(predation.b, foxes.species);
  end Classic;
  model Third "with wolves" extends Classic(delta = 0.01);
    Region wolves(initial_number = 4); Starvation ws(gamma = 0.4);
    Predation p2(beta = 0.04, delta = 0.08), p3(beta = 0.0008, delta = 0.0016);
  equation
    connect(ws.a, wolves.species); connect(p2.a, foxes.species); connect(p2.b, wolves.species);
    connect(p3.a, rabbits.species); connect(p3.b, wolves.species);
  end Third;
  model Migration "two regions, rows of connectors"
    Population left[2], right[2]; parameter Real k = 0.05;
  equation
    left.rate = k*(left.number - right.number); right.rate = -left.rate;
  end Migration;
  model TwoRegions
    Region r[2](initial_number = {10, 6}), f[2](each initial_number = 5);
    Births b[2](each alpha = 0.1); Starvation s[2](each gamma = 0.4);
    Predation p[2](each beta = 0.02, each delta = 0.02);
    Migration m;
  equation
    connect(b.a, r.species); connect(s.a, f.species); connect(p.a, r.species); connect(p.b, f.species);
    connect(m.left[1], r[1].species); connect(m.right[1], r[2].species);
    connect(m.left[2], f[1].species); connect(m.right[2], f[2].species);
  end TwoRegions;
end Biology;
//= Biology.Classic at 30: rabbits.species.number 25.36288489158, foxes.species.number 15.41489743544
//= Biology.Third at 5: rabbits.species.number 11.18520642171, foxes.species.number 0.9342274533316, wolves.species.number 2.580833255986
//= Biology.TwoRegions at 10: r[1].species.number 15.49197086896, r[2].species.number 13.43001405555, f[1].species.number 0.8536160181453, f[2].species.number 0.6117835512544

// reactions with an enumeration as index, parameters by enumeration
package Chemistry
  type Species = enumeration(A, B, X);
  model Mixture
    Real C[Species](start = {1, 1, 0}, each fixed = true); Real R[Species];
    parameter Real k[3] = {0.1, 0.1, 10};
  equation
    for s in Species loop der(C[s]) = R[s]; end for;
    R[Species.A] = -k[1]*C[Species.A]*C[Species.B] + k[2]*C[Species.X];
    R[Species.B] = -k[1]*C[Species.A]*C[Species.B] + k[2]*C[Species.X] - k[3]*C[Species.B]*C[Species.X];
    R[Species.X] = k[1]*C[Species.A]*C[Species.B] - k[2]*C[Species.X] - k[3]*C[Species.B]*C[Species.X];
  end Mixture;
  connector Port Real C[Species]; flow Real R[Species]; end Port;
  model Solution Port port; Real C[Species](each start = 0, each fixed = true) = port.C; parameter Real V = 0.001;
  equation der(V*port.C) = port.R; end Solution;
  partial model Reaction Port port; parameter Real k; protected Real rate, f[Species];
  equation port.R = f*rate; end Reaction;
  model One extends Reaction; equation
    rate = k*port.C[Species.A]*port.C[Species.B]*0.001; f = {1, 1, -1}; end One;
  model Two extends Reaction; equation
    rate = k*port.C[Species.X]*0.001; f[Species.A] = -1; f[Species.B] = -1; f[Species.X] = 1; end Two;
  model Three extends Reaction; equation
    rate = k*port.C[Species.B]*port.C[Species.X]*0.001; f = {if s == Species.A then 0.0 else 1.0 for s in Species}; end Three;
  model ByParts
    Solution s(C(start = {1, 1, 0})); One one(k = 0.1); Two two(k = 0.1); Three three(k = 10);
  equation connect(one.port, s.port); connect(two.port, s.port); connect(three.port, s.port); end ByParts;
end Chemistry;
//= Chemistry.Mixture at 10: C[Species.A] 0.6136714248073, C[Species.B] 0.2332932316105, C[Species.X] 0.005950381995907
//= Chemistry.ByParts at 10: s.C[Species.A] 0.6136714248073, s.C[Species.B] 0.2332932316105, s.C[Species.X] 0.005950381995907

// rows of components with lengths by a formula; an array of pendulums
package Pendula
  model Pendulum
    import Modelica.Constants.pi; import SI = Modelica.Units.SI;
    parameter Integer oscillations; parameter SI.Length L = 9.81/(2*pi*oscillations/60)^2;
    SI.Angle phi(start = phi0, fixed = true); SI.AngularVelocity w(start = 0, fixed = true);
    parameter SI.Angle phi0 = 1;
  equation der(phi) = w; L*der(w) = -9.81*sin(phi); end Pendulum;
  model Row
    parameter Integer n = 5, x = 51;
    Pendulum p[n](oscillations = linspace(x, x + n - 1, n), each phi0 = 0.5);
  equation
  end Row;
  model Row2 parameter Integer n = 4; Pendulum p[n](oscillations = x:x + n - 1, phi0 = {0.1*i for i in 1:n}); parameter Integer x = 51; end Row2;
end Pendula;
//= Pendula.Row2 at 3: p[1].phi -0.09541209011264, p[4].phi -0.1865021138111, p[4].w 1.984815370332

// heat conduction: arrays of components connected in a loop, a boundary by a record of data
package HeatParts
  record Material parameter Real k = 1, c = 1; end Material;
  constant Material copper = Material(k = 2.5, c = 4);
  connector HeatPort Real T; flow Real Q; end HeatPort;
  model Capacity HeatPort node; parameter Real C = 1, T0 = 0; Real T(start = T0, fixed = true);
  equation T = node.T; C*der(T) = node.Q; end Capacity;
  model Conduct HeatPort a, b; parameter Real G = 1; equation a.Q = G*(a.T - b.T); a.Q + b.Q = 0; end Conduct;
  model Fix HeatPort node; parameter Real T = 0; equation node.T = T; end Fix;
  model Rod
    parameter Integer n(min = 2) = 6; parameter Material m = copper; parameter Real T0 = 20;
    HeatPort a, b;
    Capacity c[n](each final C = m.c/n, each T0 = T0);
    Conduct w[n - 1](each G = m.k*n), ends[2](each G = 2*m.k*n);
  equation
    for i in 1:n - 1 loop connect(c[i].node, w[i].a); connect(w[i].b, c[i + 1].node); end for;
    connect(a, ends[1].a); connect(ends[1].b, c[1].node); connect(ends[2].a, c[end].node); connect(ends[2].b, b);
  end Rod;
  model Test Rod rod(n = 4); Fix left(T = 100); Rod second(n = 3, m(k = 1, c = 2), T0 = 30);
  equation connect(left.node, rod.a); connect(rod.b, second.a); end Test;
end HeatParts;
//= HeatParts.Test at 0.7: rod.c[1].T 92.4399357466, rod.c[4].T 57.15272135283, second.c[3].T 32.64891696336, rod.b.T 54.57361660094

// SIR with vaccination from a day on, and peak found by an event
model Epidemic
  parameter Real beta = 0.4, gamma = 0.1, v = 0.02; parameter Real N = 1000;
  Real S(start = N - 1, fixed = true), I(start = 1, fixed = true), R(start = 0, fixed = true);
  Boolean vaccinating(start = false); discrete Real peak(start = 0), t_peak(start = 0);
  Real dI = der(I);
equation
  der(S) = -beta*S*I/N - (if vaccinating then v*S else 0);
  dI = beta*S*I/N - gamma*I;
  S + I + R = N;
  vaccinating = time > 20;
  when dI < 0 then peak = I; t_peak = time; end when;
end Epidemic;
//= Epidemic at 60: S 14.21413698498, I 28.11151452222, R 957.6743484928, peak 379.0563432917, t_peak 26.49294293032

// a rocket that loses mass, stages
model TwoStages
  type Phase = enumeration(first, second, coast);
  parameter Real g = 9.81, fuel[2] = {600, 200}, dry[2] = {100, 50}, rate[2] = {20, 5}, ve = 2500;
  Phase phase(start = Phase.first, fixed = true);
  Real m(start = 950, fixed = true), h(start = 0, fixed = true), v(start = 0, fixed = true), thrust, burn;
equation
  burn = if phase == Phase.first then rate[1] elseif phase == Phase.second then rate[2] else 0;
  thrust = ve*burn; der(m) = -burn; der(h) = v; der(v) = thrust/m - g;
  when m <= 350 then phase = Phase.second; reinit(m, 250);
  elsewhen pre(phase) == Phase.second and m <= 50 then phase = Phase.coast; end when;
end TwoStages;
//= TwoStages at 100: m 50, h 337478.8045738, v 5538.916856363

// pursuit: the dog aims at the master
model Pursuit
  Real x[2](start = {0, 0}, each fixed = true), p[2], d[2]; Real dist;
  parameter Real speed = 1.6;
equation
  p = {10, time}; d = p - x; dist = sqrt(d*d); der(x) = speed*d/dist;
  when dist < 0.5 then terminate("caught"); end when;
end Pursuit;
//= Pursuit at 5: x[1] 7.385418587579, x[2] 2.541858902679

// ball in a staircase
model Stairs
  Real x(start = 0, fixed = true), y(start = 1.5, fixed = true), vx(start = 0.8, fixed = true), vy(start = 0, fixed = true);
  Integer stair(start = 0, fixed = true), bounces(start = 0, fixed = true); parameter Real e = 0.8;
equation
  der(x) = vx; der(y) = vy; der(vx) = 0; der(vy) = -9.81;
  stair = -integer(floor(x));
  when y < stair then reinit(vy, -e*pre(vy)); bounces = pre(bounces) + 1; end when;
end Stairs;
//= Stairs at 3.3: x 2.64, y -0.5712480777109, vy 0.5252972536464, bounces 3

// hysteresis block with pre, in a loop with a delayless plant
block Relay input Real u; output Real y; parameter Real low = -1, high = 1; Boolean on(start = false, fixed = true);
equation on = not pre(on) and u > high or pre(on) and u >= low; y = if on then 1 else 0; end Relay;
model RelayLoop Relay r(low = 0.4, high = 0.6); Real x(start = 0, fixed = true);
equation r.u = 1 - x; der(x) = 2*r.y - x; end RelayLoop;
//= RelayLoop at 3: x 0.5257790449084

