// Composition: connectors, flow, connect, extends, modification, partial, packages, blocks.
package Electrical
  connector Pin
    Modelica.Units.SI.Voltage v;
    flow Modelica.Units.SI.Current i;
  end Pin;
  connector PositivePin = Pin;
  connector NegativePin
    extends Pin;
  end NegativePin;
  partial model TwoPin
    PositivePin p;
    NegativePin n;
    Modelica.Units.SI.Voltage v;
    Modelica.Units.SI.Current i;
  equation
    v = p.v - n.v;
    0 = p.i + n.i;
    i = p.i;
  end TwoPin;
  model Resistor
    extends TwoPin;
    parameter Modelica.Units.SI.Resistance R(start = 1);
  equation
    R*i = v;
  end Resistor;
  model Capacitor
    extends TwoPin(v(start = 0));
    parameter Modelica.Units.SI.Capacitance C = 1e-3;
  equation
    i = C*der(v);
  end Capacitor;
  model Inductor
    extends TwoPin(i(start = 0));
    parameter Modelica.Units.SI.Inductance L;
  equation
    L*der(i) = v;
  end Inductor;
  model Ground
    Pin ground;
  equation
    ground.v = 0;
  end Ground;
  model StepVoltage
    extends TwoPin;
    parameter Real V0 = 0, Vf = 1, stepTime = 0;
  equation
    v = if time >= stepTime then Vf else V0;
  end StepVoltage;
  model Switch "ideal, by a parameter time"
    extends TwoPin;
    parameter Real opens = 1;
    Boolean open = time >= opens;
    Real s;
  equation
    v = s*(if open then 1 else 1e-5);
    i = s*(if open then 1e-5 else 1);
  end Switch;
end Electrical;

model CircuitRLC "series R L with C parallel to R2"
  import Electrical.*;
  StepVoltage source(V0 = 0, Vf = 24, stepTime = 0.5);
  Inductor inductor(L = 1, i(fixed = true));
  Resistor resistor(R = 100);
  Capacitor capacitor(C = 1e-3, v(fixed = true));
  Ground ground;
equation
  connect(source.p, inductor.p) annotation(Line(points = {{0, 1}, {2, 3}}));
  connect(inductor.n, resistor.p);
  connect(inductor.n, capacitor.p);
  connect(capacitor.n, ground.ground);
  connect(resistor.n, ground.ground);
  connect(source.n, ground.ground);
end CircuitRLC;
//= CircuitRLC at 1: capacitor.v 25.930998537646441

model SteadyCircuit "starts at rest by initial equations"
  extends CircuitRLC(source(V0 = 10, Vf = 10), inductor(i(fixed = false)), capacitor(v(fixed = false)));
initial equation
  der(inductor.i) = 0;
  der(capacitor.v) = 0;
end SteadyCircuit;
//= SteadyCircuit at 1: capacitor.v 10, inductor.i 0.1

package Rotational
  connector Flange
    Real phi(unit = "rad");
    flow Real tau(unit = "N.m");
  end Flange;
  model Inertia
    parameter Real J = 1;
    Real phi, w;
    Flange a, b;
  equation
    phi = a.phi;
    phi = b.phi;
    w = der(phi);
    J*der(w) = a.tau + b.tau;
  end Inertia;
  partial model Compliant
    Flange a, b;
    Real dphi(start = 0), tau;
  equation
    dphi = b.phi - a.phi;
    a.tau = -tau;
    b.tau = tau;
  end Compliant;
  model Spring
    parameter Real c = 1, rest = 0;
    extends Compliant;
  equation
    tau = c*(dphi - rest);
  end Spring;
  model Damper
    extends Compliant;
    parameter Real d = 1;
  equation
    tau = d*der(dphi);
  end Damper;
  model SpringDamper "both, with a flag"
    extends Compliant;
    parameter Real c, d = 0;
    parameter Boolean damped = d > 0;
  protected
    Real w_rel = der(dphi);
  equation
    if damped then
      tau = c*dphi + d*w_rel;
    else
      tau = c*dphi;
    end if;
  end SpringDamper;
  model Fixed
    parameter Real phi0 = 0;
    Flange flange;
  equation
    flange.phi = phi0;
  end Fixed;
  model Housing
    Flange flange;
    Real phi = flange.phi, tau = flange.tau;
  end Housing;
  model Torque
    parameter Real tau = 1;
    Flange flange(tau = -tau);
  end Torque;
  model IdealGear
    parameter Real ratio;
    parameter Boolean useSupport = false;
    Flange a, b, support if useSupport;
  protected
    Housing housing;
    Fixed ground if not useSupport;
  equation
    (a.phi - housing.phi) = ratio*(b.phi - housing.phi);
    0 = ratio*a.tau + b.tau;
    housing.tau = -a.tau - b.tau;
    connect(housing.flange, support);
    connect(housing.flange, ground.flange);
  end IdealGear;
end Rotational;

model ThreeInertias "arrays of components and connect in loops"
  import R = Rotational;
  parameter Integer n = 3;
  R.Inertia inertia[n](J = {1, 2, 1}, phi(start = {1, 0, 0}, each fixed = true), w(each start = 0, each fixed = true));
  R.Spring spring[n - 1](each c = 4);
equation
  for i in 1:n - 1 loop
    connect(inertia[i].b, spring[i].a);
    connect(spring[i].b, inertia[i + 1].a);
  end for;
end ThreeInertias;
//= ThreeInertias at 2: inertia[1].phi 0.12572409034689285, inertia[2].phi 0.047454099221301198, inertia[3].w -0.34231333426512849

model ArrayConnect "connect of whole arrays"
  import Rotational.*;
  Inertia m[2](each J = 2, phi(start = {1, 2}, each fixed = true), w(each start = 0, each fixed = true));
  SpringDamper k[2](c = {2, 8}, each d = 0);
  Fixed wall[2];
equation
  connect(m.b, k.a);
  connect(k.b, wall.flange);
end ArrayConnect;
//= ArrayConnect at 1: m[1].phi 0.54030230586813972, m[2].phi -0.83229367309428477

model Geared "an index-3 constraint by a gear, with a conditional support"
  import Rotational.*;
  Inertia motor(J = 1, phi(start = 0, fixed = true), w(start = 0, fixed = true)), load(J = 4);
  IdealGear gear(ratio = 2);
  SpringDamper spring(c = 8, d = 0.8);
  Fixed wall;
  Torque torque;
equation
  connect(torque.flange, motor.a);
  connect(motor.b, gear.a);
  connect(gear.b, load.a);
  connect(load.b, spring.a);
  connect(spring.b, wall.flange);
end Geared;
// load angle x: (4 + 4) x'' = 2 - 8 x - 0.8 x'
//= Geared at 3: load.phi 0.46134797068483461, motor.phi 0.92269594136966922

model GearedSupport "the same gear on a housing that is fixed"
  import Rotational.*;
  Inertia motor(J = 1, phi(start = 0, fixed = true), w(start = 0, fixed = true)), load(J = 4);
  IdealGear gear(ratio = 2, useSupport = true);
  SpringDamper spring(c = 8, d = 0.8);
  Fixed wall;
  Torque torque;
equation
  connect(torque.flange, motor.a);
  connect(motor.b, gear.a);
  connect(gear.b, load.a);
  connect(load.b, spring.a);
  connect(spring.b, wall.flange);
  connect(gear.support, wall.flange);
end GearedSupport;
//= GearedSupport at 3: load.phi 0.46134797068483461, motor.phi 0.92269594136966922

package Thermal
  connector HeatPort
    Real T(unit = "K");
    flow Real Q(unit = "W");
  end HeatPort;
  model Capacity
    parameter Real C = 1, T0;
    HeatPort port;
    Real T(start = T0, fixed = true) = port.T;
  equation
    C*der(T) = port.Q;
  end Capacity;
  model Conductor
    parameter Real G = 1;
    HeatPort a, b;
  equation
    a.Q + b.Q = 0;
    a.Q = G*(a.T - b.T);
  end Conductor;
  model Ambient
    parameter Real T = 300;
    HeatPort port(T = T);
  end Ambient;
end Thermal;

model TwoBodies "heat between two bodies and a room"
  Thermal.Capacity hot(C = 2, T0 = 400), cold(C = 1, T0 = 300);
  Thermal.Conductor between(G = 3);
equation
  connect(hot.port, between.a);
  connect(between.b, cold.port);
end TwoBodies;
//= TwoBodies at 0.3: hot.T 375.30800868819638

model HeatChain "a bar from parts, with a modification by each and sizes by a parameter"
  parameter Integer n = 4;
  Thermal.Capacity c[n](each C = 1, T0 = {400, 300, 300, 300});
  Thermal.Conductor g[n - 1](each G = 1);
equation
  connect(c[1:n - 1].port, g.a);
  connect(g.b, c[2:n].port);
end HeatChain;
//= HeatChain at 1: c[1].T 352.381592279444, c[4].T 304.38517188238664

package Blocks
  connector RealInput = input Real;
  connector RealOutput = output Real;
  connector BooleanOutput = output Boolean;
  partial block SISO
    RealInput u;
    RealOutput y;
  end SISO;
  block Gain
    extends SISO;
    parameter Real k = 1;
  equation
    y = k*u;
  end Gain;
  block Add
    RealInput u1, u2;
    RealOutput y;
    parameter Real k1 = 1, k2 = 1;
  equation
    y = k1*u1 + k2*u2;
  end Add;
  block Integrator
    extends SISO(y(start = y0, fixed = true));
    parameter Real k = 1, y0 = 0;
  equation
    der(y) = k*u;
  end Integrator;
  block FirstOrder
    extends SISO;
    parameter Real T = 1;
  initial equation
    y = 0;
  equation
    T*der(y) = u - y;
  end FirstOrder;
  block Constant
    parameter Real k;
    RealOutput y = k;
  end Constant;
  block Limiter
    extends SISO;
    parameter Real uMax, uMin = -uMax;
  equation
    y = if u > uMax then uMax elseif u < uMin then uMin else u;
  end Limiter;
  block Compare
    RealInput u;
    BooleanOutput above;
    parameter Real limit = 0;
  equation
    above = u > limit;
  end Compare;
  block Mux
    parameter Integer n = 2;
    RealInput u[n];
    RealOutput y;
  equation
    y = sum(u);
  end Mux;
end Blocks;

model Loop "feedback: PI and first order"
  Blocks.Constant ref(k = 1);
  Blocks.Add error(k2 = -1);
  Blocks.Gain P(k = 2);
  Blocks.Integrator I(k = 1);
  Blocks.Add sum;
  Blocks.FirstOrder plant(T = 0.5);
equation
  connect(ref.y, error.u1);
  connect(plant.y, error.u2);
  connect(error.y, P.u);
  connect(error.y, I.u);
  connect(P.y, sum.u1);
  connect(I.y, sum.u2);
  connect(sum.y, plant.u);
end Loop;
//= Loop at 1: plant.y 0.77932487314106158, I.y 0.38350085283514883

model AntiWindup "PI with limits and back calculation"
  Blocks.Limiter limiter(uMax = 1.2);
  Blocks.FirstOrder plant(T = 1);
  Blocks.Compare compare(limit = 0.5);
  Real e = 1 - plant.y, I(start = 0, fixed = true), u = 3*e + I;
equation
  der(I) = 2*e + 5*(limiter.y - u);
  limiter.u = u;
  connect(limiter.y, plant.u);
  connect(plant.y, compare.u);
end AntiWindup;
//= AntiWindup at 2: plant.y 0.82681538777064953, I 0.41067964739396246, compare.above 1

model Subsystem "hierarchy with parameters handed down"
  model Cart
    parameter Real mass, stiffness;
    final parameter Real w2 = stiffness/mass;
    Real x(start = 1, fixed = true), v(start = 0, fixed = true);
  equation
    der(x) = v;
    der(v) = -w2*x;
  end Cart;
  model Train
    parameter Real m = 1;
    Cart first(final mass = m, stiffness = 4), second(mass = 2*m, stiffness = 2);
  end Train;
  Train train(m = 4, second(x(start = 2), stiffness = 8));
end Subsystem;
//= Subsystem at 1: train.first.x 0.54030230586813972, train.second.x 1.0806046117362794

model MultiInput "array of input connectors"
  Blocks.Mux mux(n = 3);
  Blocks.Constant c[3](k = {1, 2, 3});
equation
  connect(c.y, mux.u);
end MultiInput;
//= MultiInput at 0: mux.y 6

model DoubleExtends "from two bases, with modifications of inherited parts"
  partial model HasState
    parameter Real x0 = 1, k = 1;
    Real x(start = x0, fixed = true);
  end HasState;
  partial model HasInput
    Real u;
    parameter Real amplitude = 1;
  equation
    u = amplitude*time;
  end HasInput;
  extends HasState(x0 = 3);
  extends HasInput(amplitude = 2);
equation
  der(x) = -k*x + u;
end DoubleExtends;
//= DoubleExtends at 1: x 1.8393972058572116

model OuterWorld "inner and outer"
  model World
    parameter Real g = 9.81;
  end World;
  model Body
    outer World world;
    Real v(start = 0, fixed = true);
  equation
    der(v) = -world.g;
  end Body;
  inner World world(g = 2);
  Body a, b;
end OuterWorld;
//= OuterWorld at 1.5: a.v -3, b.v -3

package Physics "types, constants, nested packages"
  package Types
    type Speed = Real(final unit = "m/s", min = 0);
    type Vector3 = Real[3];
    type Phase = enumeration(solid, liquid, gas);
  end Types;
  package Constants
    constant Real g = 9.80665;
    constant Types.Vector3 up = {0, 0, 1};
    constant Integer n = size(up, 1);
  end Constants;
  model Fall
    Types.Speed v(start = 0, fixed = true);
    Types.Vector3 a = Constants.g*Constants.up;
    Real height = sum(a)/Constants.n;
  equation
    der(v) = a[3];
  end Fall;
end Physics;
//= Physics.Fall at 1: v 9.80665, height 3.2688833333333333

model ConditionalSource "a component that is there or not"
  parameter Boolean heated = true;
  Thermal.Capacity c(C = 1, T0 = 300);
  Thermal.Ambient room(T = 350) if heated;
  Thermal.Conductor g(G = 2) if heated;
equation
  connect(c.port, g.a);
  connect(g.b, room.port);
end ConditionalSource;
//= ConditionalSource at 1: c.T 343.23323583816937

model Unheated
  extends ConditionalSource(heated = false);
end Unheated;
//= Unheated at 1: c.T 300
