package Net
  connector Pin Real v; flow Real i; end Pin;
  partial model Two Pin p, n; Real v = p.v - n.v, i = p.i; equation p.i + n.i = 0; end Two;
  model R extends Two; parameter Real R = 1; equation v = R*i; end R;
  model C extends Two; parameter Real C = 1; equation C*der(v) = i; end C;
  model L extends Two; parameter Real L = 1; equation L*der(i) = v; end L;
  model D "smooth" extends Two; equation i = 1e-3*(exp(v/0.1) - 1); end D;
  model G Pin p; equation p.v = 0; end G;
  model U extends Two; parameter Real w = 1; equation v = sin(w*time); end U;
  model Line parameter Integer n = 12; L l[n](each L = 0.1, i(each start = 0, each fixed = true)); C c[n](each C = 0.1, v(each start = 0, each fixed = true)); R end_(R = 1), src(R = 1); G g; U u(w = 3);
  equation connect(u.n, g.p); connect(u.p, src.p); connect(src.n, l[1].p); for k in 1:n loop connect(l[k].n, c[k].p); connect(c[k].n, g.p); if k < n then connect(c[k].p, l[k + 1].p); end if; end for; connect(c[n].p, end_.p); connect(end_.n, g.p); end Line;
  model Massless "capacities between long chains of resistances" parameter Integer n = 15; R a[n], b[n]; C c(C = 2, v(start = 1, fixed = true)); G g; U u(w = 2);
  equation connect(u.n, g.p); connect(u.p, a[1].p); for k in 1:n - 1 loop connect(a[k].n, a[k + 1].p); connect(b[k].n, b[k + 1].p); end for; connect(a[n].n, c.p); connect(c.p, b[1].p); connect(b[n].n, g.p); connect(c.n, g.p); end Massless;
  model Diodes "a ladder of smooth diodes" parameter Integer n = 6; R a[n](each R = 0.5); D d[n]; C c(C = 0.1, v(start = 0, fixed = true)); G g; U u(w = 4);
  equation connect(u.n, g.p); connect(u.p, a[1].p); for k in 1:n loop connect(a[k].n, d[k].p); connect(d[k].n, g.p); if k < n then connect(a[k].n, a[k + 1].p); end if; end for; connect(a[n].n, c.p); connect(c.n, g.p); end Diodes;
  model Bridge "unbalanced, with an inductor in the middle" R r1(R = 1), r2(R = 2), r3(R = 3), r4(R = 5), r5(R = 0.5); L l(L = 0.3, i(start = 0, fixed = true)); G g; U u(w = 1);
  equation connect(u.p, r5.p); connect(r5.n, r1.p); connect(r5.n, r3.p); connect(r1.n, r2.p); connect(r3.n, r4.p); connect(r2.n, u.n); connect(r4.n, u.n); connect(l.p, r1.n); connect(l.n, r3.n); connect(g.p, u.n); end Bridge;
end Net;
//= Net.Line at 4: c[1].v -0.3742189542373, c[12].v 0.4303197033996, l[6].i -0.3844258286694
//= Net.Massless at 5: c.v 0.742127350573, a[7].p.v -0.02956172630441, b[15].p.v 0.04947515670487
//= Net.Diodes at 1: c.v -0.1175257918256, d[1].v -0.6490269172292, d[6].i -0.000691260660094
//= Net.Bridge at 2: l.i 0.01260321626576, r5.i 0.3394872851304, r2.v 0.4846337119965
model Pipe "upwind flow through cells, an implicit valve at the end" parameter Integer n = 20; Real T[n](each start = 300, each fixed = true), m(start = 1), p(start = 2); equation p = 3 - 0.5*m^2; m = 0.8*sqrt(p) + 0.1*sin(time); for i in 1:n loop der(T[i]) = n*m*((if i > 1 then T[i - 1] else 350 + 10*sin(time)) - T[i])/5; end for; end Pipe;
//= Pipe at 6: T[1] 345.3701275338, T[10] 344.7669632164, T[20] 355.042907588, m 1.184818091878
model Beam "implicit midpoint of rods: a matrix equation" parameter Integer n = 8; parameter Real M[n, n] = {{if i == j then 4 elseif abs(i - j) == 1 then 1 else 0 for j in 1:n} for i in 1:n}/6; parameter Real K[n, n] = {{if i == j then 2 elseif abs(i - j) == 1 then -1 else 0 for j in 1:n} for i in 1:n}; Real q[n](start = {i*(n + 1 - i)/20 for i in 1:n}, each fixed = true), v[n](each start = 0, each fixed = true); equation der(q) = v; M*der(v) = -K*q; end Beam;
//= Beam at 5: q[1] -0.05004783731789, q[4] -0.2150828094006, v[8] -0.09480070058678
