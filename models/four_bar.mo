model FourBar "A planar four-bar linkage: three moving bars, one closed loop"
  parameter Real a = 0.4, b = 1.0, c = 0.8, d = 1.1 "crank, coupler, rocker, ground";
  parameter Real Ja = 0.05, Jb = 0.1, Jc = 0.08 "inertias about the joints";
  parameter Real M = 0.3, k = 0.2 "motor, friction of the rocker";
  Real phi(start = 1, fixed = true), w(start = 0, fixed = true);
  Real beta(start = 0.4), psi(start = 1.6);
  Real lx, ly;
equation
  der(phi) = w;
  Ja*der(w) = M + a*sin(phi)*lx - a*cos(phi)*ly;
  Jb*der(der(beta)) = b*sin(beta)*lx - b*cos(beta)*ly;
  Jc*der(der(psi)) = -c*sin(psi)*lx + c*cos(psi)*ly - k*der(psi);
  a*cos(phi) + b*cos(beta) = d + c*cos(psi);
  a*sin(phi) + b*sin(beta) = c*sin(psi);
  annotation(experiment(StopTime = 2, Tolerance = 1e-8));
end FourBar;
