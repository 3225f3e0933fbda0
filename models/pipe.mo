model Pipe "Flow in a pipe between two reservoirs: masses in cells, momentum between them"
  parameter Integer n = 10;
  parameter Real V = 0.1, K = 2e5, I = 20, R = 300 "volume, stiffness, inertance, friction";
  parameter Real p0 = 3e5, p1 = 1e5;
  Real p[n](each start = p1, each fixed = true) "pressures";
  Real m[n + 1](each start = 0, each fixed = true) "mass flows";
equation
  for i in 1:n loop
    V/K*der(p[i]) = 1e-3*(m[i] - m[i + 1]);
  end for;
  I*der(m[1]) = p0 - p[1] - R*m[1]*abs(m[1]);
  for i in 2:n loop
    I*der(m[i]) = p[i - 1] - p[i] - R*m[i]*abs(m[i]);
  end for;
  I*der(m[n + 1]) = p[n] - p1 - R*m[n + 1]*abs(m[n + 1]);
  annotation(experiment(StopTime = 5, Tolerance = 1e-6));
end Pipe;
