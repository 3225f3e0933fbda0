model SliderCrank "A crank drives a slider by a rod; the loop is closed by two constraints"
  parameter Real r = 0.3, l = 1 "crank and rod";
  parameter Real J = 0.1, m = 0.5, Jr = 0.05, mr = 0.4 "inertias";
  parameter Real M = 0.2 "torque of the motor";
  parameter Real c = 0.5 "friction of the slider";
  Real phi(start = 0.2, fixed = true), w(start = 0, fixed = true) "crank";
  Real psi(start = -0.06) "rod";
  Real x(start = 1.29) "slider";
  Real lx, ly "forces in the joint of crank and rod";
equation
  der(phi) = w;
  // the rod turns about the slider, its mass is lumped there
  J*der(w) = M + r*sin(phi)*lx - r*cos(phi)*ly;
  Jr*der(der(psi)) = l*sin(psi)*lx - l*cos(psi)*ly;
  (m + mr)*der(der(x)) = lx - c*der(x);
  r*cos(phi) + l*cos(psi) = x;
  r*sin(phi) + l*sin(psi) = 0;
  annotation(experiment(StopTime = 3, Tolerance = 1e-8));
end SliderCrank;
