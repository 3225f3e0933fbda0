model DoublePendulum "Two masses on two rods, in Cartesian coordinates"
  parameter Real g = 9.81 "gravity";
  parameter Real m1 = 1, m2 = 1 "masses";
  parameter Real L1 = 1, L2 = 1 "rods";
  Real x1(start = 1, fixed = true), y1(start = 0), x2(start = 2, fixed = true), y2(start = 0);
  Real vx1, vy1, vx2, vy2;
  Real s1, s2 "forces in the rods by their lengths";
equation
  der(x1) = vx1;
  der(y1) = vy1;
  der(x2) = vx2;
  der(y2) = vy2;
  m1*der(vx1) = -s1*x1 + s2*(x2 - x1);
  m1*der(vy1) = -s1*y1 + s2*(y2 - y1) - m1*g;
  m2*der(vx2) = -s2*(x2 - x1);
  m2*der(vy2) = -s2*(y2 - y1) - m2*g;
  x1^2 + y1^2 = L1^2;
  (x2 - x1)^2 + (y2 - y1)^2 = L2^2;
  annotation(experiment(StopTime = 2, Tolerance = 1e-8));
end DoublePendulum;
