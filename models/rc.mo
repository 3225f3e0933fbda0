model RC "A capacitor is charged by a resistor"
  parameter Real R = 1e3, C = 1e-6, E = 5;
  Real u(start = 0, fixed = true), i;
equation
  R*i + u = E;
  C*der(u) = i;
  annotation(experiment(StopTime = 5e-3, Tolerance = 1e-8));
end RC;
