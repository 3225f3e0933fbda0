model Pendulum "A mass on a rod, in Cartesian coordinates"
  parameter Real L = 1 "length of the rod";
  parameter Real g = 9.81 "gravity";
  parameter Real m = 1 "mass";
  Real x(start = 1, fixed = true) "position";
  Real y;
  Real vx, vy "velocity";
  Real lambda "force in the rod by its length";
equation
  der(x) = vx;
  der(y) = vy;
  m*der(vx) = -lambda*x;
  m*der(vy) = -lambda*y - m*g;
  x^2 + y^2 = L^2;
  annotation(experiment(StopTime = 10, Tolerance = 1e-8));
end Pendulum;
