// Connectors of the standard library, flat models as other tools write them.
model StandardConnectors "a motor from interfaces that are built in"
  extends Modelica.Icons.Example;
  import Modelica.Electrical.Analog.Interfaces.*;
  model Resistor
    extends OnePort;
    parameter Modelica.Units.SI.Resistance R = 1;
  equation
    v = R*i;
  end Resistor;
  model Source
    extends TwoPin;
    parameter Modelica.Units.SI.Voltage V = 1;
  equation
    v = V;
    p.i + n.i = 0;
  end Source;
  model Emf
    PositivePin p;
    NegativePin n;
    Modelica.Mechanics.Rotational.Interfaces.Flange_b flange;
    parameter Real k = 1;
    Modelica.Units.SI.AngularVelocity w = der(flange.phi);
  equation
    p.v - n.v = k*w;
    p.i + n.i = 0;
    flange.tau = -k*p.i;
  end Emf;
  model Inertia
    Modelica.Mechanics.Rotational.Interfaces.Flange_a flange;
    parameter Modelica.Units.SI.Inertia J = 1;
    Modelica.Units.SI.Angle phi(start = 0, fixed = true) = flange.phi;
    Modelica.Units.SI.AngularVelocity w(start = 0, fixed = true) = der(phi);
  equation
    J*der(w) = flange.tau;
  end Inertia;
  block Double
    extends Modelica.Blocks.Interfaces.SISO;
  equation
    y = 2*u;
  end Double;
  Source source(V = 10);
  Resistor r(R = 2);
  Emf emf(k = 0.5);
  Inertia inertia(J = 0.25);
  model Ground
    Pin p;
  equation
    p.v = 0;
  end Ground;
  Ground ground;
  Double double(u = inertia.w);
equation
  connect(source.p, r.p);
  connect(r.n, emf.p);
  connect(emf.n, source.n);
  connect(source.n, ground.p);
  connect(emf.flange, inertia.flange);
end StandardConnectors;
//= StandardConnectors at 1: inertia.w 7.8693868057473315, double.y 15.738773611494663

package 'Flat'
  //! base 0.1.0
  record 'R'
    Real 'x';
    Real 'y';
  end 'R';
  function 'f.g'
    input Real 'u';
    output Real 'v';
  algorithm
    'v' := 'u' ^ 2.0 + 1.0;
  end 'f.g';
  model 'Flat' "comment"
    parameter Real 'a.k' = 2.0;
    final parameter Real 'a.m' = 2.0 * 'a.k';
    parameter Boolean 'a.on' = true;
    constant Integer 'n' = 2;
    Real 'a.x'(start = 1.0, fixed = true);
    Real 'a.v[1]';
    Real 'a.v[2]';
    discrete Real 'c.u'(start = 0.0, fixed = true);
    Boolean 'c.b';
    'R' 'r';
  initial equation
    'c.b' = pre('c.b');
  equation
    der('a.x') = -'a.k' * 'a.x' + (if 'a.on' then 'c.u' else 0.0);
    'a.v[1]' = 'f.g'('a.x');
    'a.v[2]' = 'a.v[1]' + 'a.m';
    'c.b' = time > 0.5;
    when {'c.b'} then
      'c.u' = 'a.k';
    end when;
    'r'.'x' = 'a.x';
    'r'.'y' = time;
  end 'Flat';
end 'Flat';
//= Flat.Flat at 1: a.x 0.76745584206517037, a.v[2] 5.5889884695199597, c.u 2, c.b 1, r.y 1
