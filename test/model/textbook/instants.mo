// small things that happen at instants
model A "reinit through an algebraic alias, and in a loop" Real x(start=1,fixed=true), y, z(start=0,fixed=true); equation der(x) = -y; y = 2*x; der(z) = 1; when z > 0.5 then reinit(x, 3*pre(x)); reinit(z, 0); end when; end A;
//= A at 0.75: x 0.66939048044529, z 0.25
model C "derivative in a condition" Real x(start=0,fixed=true), v(start=1,fixed=true); Integer turns(start=0,fixed=true); equation der(x)=v; der(v)=-x; when der(x) < 0 then turns = pre(turns)+1; end when; end C;
//= C at 14: turns 2
model D "max of a state and a constant at rest on it" Real x(start=1,fixed=true); equation der(x) = -max(x - 0.5, 0); end D;
//= D at 1: x 0.68393972058572
model E "nested when priority and elsewhen at the same time" Integer a(start=0,fixed=true), b(start=0,fixed=true); equation when time >= 1 then a = 1; elsewhen time >= 2 then a = 2; end when; when time >= 1 then b = a + 5; end when; end E;
//= E at 3: a 2, b 6
model F "table lookup by a parameter matrix and integer index computed at events" parameter Real t[5] = {1, 4, 9, 16, 25}; Integer k(start=1,fixed=true); Real y, s(start=0,fixed=true); equation when sample(0.5,0.5) then k = min(pre(k)+1, 5); end when; y = t[k]; der(s) = y; end F;
//= F at 1.25: y 9, s 4.75
model G "implicit equation with two solutions, start chooses" Real x(start=-2), w(start=0,fixed=true); equation x^2 = 4 + time; der(w) = x; end G;
//= G at 1: x -2.2360679775, w -2.12022659167
model H "smooth if with time and state, two crossing events at once" Real x(start=-1,fixed=true), y(start=0,fixed=true); equation der(x)=1; der(y) = (if x > 0 then 1 else 0) + (if time > 1 then 10 else 0); end H;
//= H at 2: y 11
model I "parameter expression chain with arrays of records" record P Real k=1; Real m=k*2; end P; parameter P p[3](k={1,2,3}); Real s = sum(p.m); Real q[3] = p.k .* p.m; end I;
//= I at 1: s 12, q[3] 18
model J "events at both ends of a period: sin > 0" Real c(start=0,fixed=true); Integer n(start=0,fixed=true); Boolean b = sin(2*Modelica.Constants.pi*time) >= 0; equation der(c) = if b then 1 else 0; when b then n = pre(n)+1; end when; end J;
//= J at 2.75: c 1.5, n 2
model K "two clocks with a common tick, order" Integer a(start=0,fixed=true), b(start=0,fixed=true); equation when sample(0,1) then a = pre(a)+1; end when; when sample(0,2) then b = a*10; end when; end K;
//= K at 4.5: a 5, b 50
