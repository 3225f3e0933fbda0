connector Flange "of a shaft"
  Real phi;
  flow Real tau;
end Flange;

connector Pin "of a circuit"
  Real v;
  flow Real i;
end Pin;

partial model OnePort
  Pin p, n;
  Real v, i;
equation
  v = p.v - n.v;
  p.i + n.i = 0;
  i = p.i;
end OnePort;

model Resistor
  extends OnePort;
  parameter Real R = 1;
equation
  v = R*i;
end Resistor;

model Inductor
  extends OnePort;
  parameter Real L = 1;
equation
  v = L*der(i);
end Inductor;

model Source
  extends OnePort;
  parameter Real V = 1;
equation
  v = V;
end Source;

model Ground
  Pin p;
equation
  p.v = 0;
end Ground;

model EMF "from current to torque"
  extends OnePort;
  parameter Real k = 1;
  Flange flange;
  Real w;
equation
  w = der(flange.phi);
  v = k*w;
  flange.tau = -k*i;
end EMF;

model Inertia
  Flange a, b;
  parameter Real J = 1;
  Real phi, w;
equation
  phi = a.phi;
  phi = b.phi;
  w = der(phi);
  J*der(w) = a.tau + b.tau;
end Inertia;

model Gear "without play: a constraint between two inertias"
  Flange a, b;
  parameter Real ratio = 1;
equation
  a.phi = ratio*b.phi;
  0 = ratio*a.tau + b.tau;
end Gear;

model DCMotor "A motor drives a load by a rigid gear"
  Source source(V = 10);
  Resistor R(R = 0.5);
  Inductor L(L = 0.05);
  EMF emf(k = 0.8);
  Inertia rotor(J = 0.02, phi(start = 0, fixed = true), w(start = 0, fixed = true));
  Gear gear(ratio = 5);
  Inertia load(J = 2);
  Ground ground;
initial equation
  L.i = 0;
equation
  connect(source.p, R.p);
  connect(R.n, L.p);
  connect(L.n, emf.p);
  connect(emf.n, source.n);
  connect(source.n, ground.p);
  connect(emf.flange, rotor.a);
  connect(rotor.b, gear.a);
  connect(gear.b, load.a);
  annotation(experiment(StopTime = 2, Tolerance = 1e-8));
end DCMotor;
