// long algebraic chains: recursions from one end to the other would lose all digits
model SteadyRod "conduction with losses: x[i-1] - (2 + c) x[i] + x[i+1] = 0 between 1 and 0"
  parameter Integer n = 60; Real c = 0.5 + time; Real x[n];
equation
  for i in 1:n loop (if i > 1 then x[i - 1] else 1) - (2 + c)*x[i] + (if i < n then x[i + 1] else 0) = 0; end for;
end SteadyRod;
//= SteadyRod at 1: x[1] 0.3138593383655, x[2] 0.09850768427923, x[5] 0.0030456169054
package Ladders
  connector Pin Real v; flow Real i; end Pin;
  model R Pin p, n; parameter Real R = 1; equation p.v - n.v = R*p.i; p.i + n.i = 0; end R;
  model G Pin p; equation p.v = 0; end G;
  model Source Pin p, n; equation p.v - n.v = 1 + time; p.i + n.i = 0; end Source;
  model Ladder parameter Integer n = 40; parameter Real series = 1, shunt = 1; R a[n](each R = series), b[n](each R = shunt); G g; Source u;
  equation connect(u.n, g.p); connect(u.p, a[1].p); for k in 1:n loop connect(a[k].n, b[k].p); connect(b[k].n, g.p); if k < n then connect(a[k].n, a[k + 1].p); end if; end for; end Ladder;
  model Steep extends Ladder(series = 1000, n = 25); end Steep;
  model Flat extends Ladder(shunt = 1000, n = 50); end Flat;
end Ladders;
//= Ladders.Ladder at 1: b[1].p.v 0.7639320225002, b[2].p.v 0.2917960675006, b[6].p.v 0.006211240030284, u.p.i -1.2360679775
//= Ladders.Steep at 1: b[1].p.v 0.001996009972084, b[2].p.v 1.992027904329e-06, b[3].p.v 1.988053780855e-09, u.p.i -0.001998003990028
//= Ladders.Flat at 1: b[1].p.v 1.942731033343, b[20].p.v 1.169050915771, b[50].p.v 0.7782849893835, u.p.i -0.05726896665722
model TridiagonalDynamics "states with an algebraic coupling: a consistent mass matrix of finite elements"
  parameter Integer n = 30; Real u[n](start = {sin(3.14159265358979323846*i/(n + 1)) for i in 1:n}, each fixed = true);
equation
  for i in 1:n loop ((if i > 1 then der(u[i - 1]) else 0) + 4*der(u[i]) + (if i < n then der(u[i + 1]) else 0))/6 = ((if i > 1 then u[i - 1] else 0) - 2*u[i] + (if i < n then u[i + 1] else 0))*(n + 1)^2; end for;
end TridiagonalDynamics;
//= TridiagonalDynamics at 0.1: u[1] 0.03767437932371, u[15] 0.3719150796302
