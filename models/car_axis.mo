model CarAxis "A car axis on a bumpy road: two masses, two constraints, index 3"
  parameter Real L = 1, L0 = 0.5, eps = 1e-2, M = 10, h = 0.1, tau = 3.14159265358979/5, w = 10;
  Real xl(start = 0, fixed = true), yl(start = 0.5, fixed = true);
  Real xr(start = 1), yr(start = 0.5, fixed = true);
  Real vxl(start = -0.5), vyl(start = 0), vxr(start = -0.5), vyr(start = 0, fixed = true);
  Real l1, l2, xb, yb, Ll, Lr;
  final parameter Real k = eps^2*M/2;
equation
  yb = h*sin(w*time);
  xb = sqrt(L^2 - yb^2);
  Ll = sqrt(xl^2 + yl^2);
  Lr = sqrt((xr - xb)^2 + (yr - yb)^2);
  der(xl) = vxl;
  der(yl) = vyl;
  der(xr) = vxr;
  der(yr) = vyr;
  k*der(vxl) = (L0 - Ll)*xl/Ll + l1*xb + 2*l2*(xl - xr);
  k*der(vyl) = (L0 - Ll)*yl/Ll + l1*yb + 2*l2*(yl - yr) - k;
  k*der(vxr) = (L0 - Lr)*(xr - xb)/Lr - 2*l2*(xl - xr);
  k*der(vyr) = (L0 - Lr)*(yr - yb)/Lr - 2*l2*(yl - yr) - k;
  xl*xb + yl*yb = 0;
  (xl - xr)^2 + (yl - yr)^2 = L^2;
  annotation(experiment(StopTime = 3, Tolerance = 1e-8));
end CarAxis;
