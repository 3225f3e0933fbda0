// bouncing balls: on a moving table, two balls that collide, with rest
model MovingTable
  Real h(start = 1, fixed = true), v(start = 0, fixed = true), table = 0.1*sin(5*time); Integer n(start = 0, fixed = true); Boolean hit = h <= table;
equation der(h) = v; der(v) = -9.81; when hit then reinit(v, 0.5*cos(5*time) - 0.9*(pre(v) - 0.5*cos(5*time))); n = pre(n) + 1; end when; end MovingTable;
//= MovingTable at 1.2: h 0.167003930567, v 3.537966924445, n 2
model Collision "masses on a line, elastic"
  parameter Real m[2] = {1, 3}; Real x[2](start = {0, 2}, each fixed = true), v[2](start = {1, -0.5}, each fixed = true);
equation der(x) = v; der(v) = {0, 0};
  when x[1] > x[2] then reinit(v[1], ((m[1] - m[2])*pre(v[1]) + 2*m[2]*pre(v[2]))/sum(m)); reinit(v[2], ((m[2] - m[1])*pre(v[2]) + 2*m[1]*pre(v[1]))/sum(m)); end when;
end Collision;
//= Collision at 3: x[1] -0.75, x[2] 1.75, v[1] -1.25, v[2] 0.25
model BallRests "stops by a mode when it is slow"
  Real h(start = 1, fixed = true), v(start = 0, fixed = true); Boolean flying(start = true, fixed = true), impact; Real v_new(start = 0, fixed = true);
equation impact = h <= 0; der(v) = if flying then -9.81 else 0; der(h) = v;
  when {h <= 0 and v <= 0, impact} then v_new = if edge(impact) then -0.5*pre(v) else 0; flying = v_new > 0.05; reinit(v, if v_new > 0.05 then v_new else 0); end when;
end BallRests;
//= BallRests at 3: h 0, v 0, flying 0

// controllers
model TankBangBang "two level switches, pump with a delay by a clock"
  Real h(start = 0.5, fixed = true); Boolean pump(start = false, fixed = true); discrete Real on_since(start = -1, fixed = true); Integer starts(start = 0, fixed = true); discrete Real total(start = 0, fixed = true);
equation
  der(h) = (if pump then 0.3 else 0) - 0.1;
algorithm
  when h < 0.2 then pump := true; on_since := time; starts := pre(starts) + 1;
  elsewhen h > 0.8 then pump := false; total := pre(total) + time - pre(on_since); end when;
end TankBangBang;
// down .3/.1 = 3 s; up .6/.2 = 3 s; down 6 s; up 3 s; ...
//= TankBangBang at 20: h 0.3, starts 2, total 6
model Windup "PI with anti-windup by if-equation"
  Real x(start = 0, fixed = true), I(start = 0, fixed = true), e, u, us; parameter Real Kp = 3, Ki = 2;
equation e = (if time < 4 then 1 else 0) - x; u = Kp*e + I; us = min(max(u, -1), 1); if u > 1 and e > 0 or u < -1 and e < 0 then der(I) = 0; else der(I) = Ki*e; end if; 2*der(x) = -x + 1.5*us; end Windup;
//= Windup at 8: x 0.003092216920809, I 0.007640950529665
model Smith "sampled with a queue of past values in an array"
  parameter Integer n = 5; discrete Real q[n](each start = 0, each fixed = true); Real x(start = 0, fixed = true); discrete Real u(start = 0, fixed = true);
equation der(x) = -x + q[n];
algorithm when sample(0, 0.2) then u := 2*(1 - x); for i in n:-1:2 loop q[i] := pre(q[i - 1]); end for; q[1] := u; end when;
end Smith;
//= Smith at 3.1: x 0.2782080406176, u 1.3176911511, q[3] 0.4601791056836
model Counter3 "three Boolean flip-flops" Boolean b[3](each start = false, each fixed = true); Integer value = sum(if b[i] then integer(2^(i - 1)) else 0 for i in 1:3);
equation
  when sample(0.5, 1) then b[1] = not pre(b[1]); end when;
  when not b[1] then b[2] = not pre(b[2]); end when;
  when not b[2] then b[3] = not pre(b[3]); end when;
end Counter3;
//= Counter3 at 5.9: value 6
model PWM "pulse width by mod and relations of time"
  parameter Real T = 0.01; Real i(start = 0, fixed = true), duty = 0.3 + 0.2*sin(2*time); Boolean on = mod(time, T) < duty0*T; parameter Real duty0 = 0.3;
equation 0.005*der(i) = (if on then 10 else 0) - 2*i; end PWM;
//= PWM at 0.1: i 0.2164362875679
model Generators "signals as blocks with if chains"
  parameter Real table[4, 2] = [0, 0; 1, 2; 2, -1; 4, 3]; Real ramp = if time < 1 then 0 elseif time < 2 then 3*(time - 1) else 3; Real saw = time - floor(time); Real tri = 1 - abs(2*mod(time, 1) - 1); Real steps = integer(time*2)/2; Real y(start = 0, fixed = true), z(start = 0, fixed = true); Real lin = interp(time, table);
  function interp input Real u; input Real t[:, :]; output Real y; algorithm y := t[end, 2]; for i in 1:size(t, 1) - 1 loop if u >= t[i, 1] and u < t[i + 1, 1] then y := t[i, 2] + (u - t[i, 1])/(t[i + 1, 1] - t[i, 1])*(t[i + 1, 2] - t[i, 2]); end if; end for; end interp;
equation der(y) = ramp + saw + tri; der(z) = lin + steps; end Generators;
//= Generators at 3.25: y 8.34375, z 6.3125, lin 1.5, tri 0.5, saw 0.25, steps 3
model Clutch2 "two inertias, locked by a mode of its own"
  Real w1(start = 10, fixed = true), w2(start = 0, fixed = true), tau; Boolean locked(start = false, fixed = true); parameter Real J1 = 1, J2 = 2, tf = 4, load = 0.6;
equation J1*der(w1) = -tau; J2*der(w2) = tau - load; 
  if locked then der(w1) = der(w2); else tau = tf; end if;
  when w1 <= w2 then locked = true; reinit(w1, w2); end when;
end Clutch2;
//= Clutch2 at 3: w1 2.733333333333, w2 2.733333333333, tau 0.2

// differential algebraic
model PendulumSwing "Cartesian, position start only; energy" parameter Real L = 2, g = 9.81; Real x(start = 1.2, fixed = true), y(start = -1.6), vx(start = 0, fixed = true), vy, T; Real E = (vx^2 + vy^2)/2 + g*y;
equation der(x) = vx; der(y) = vy; der(vx) = -T*x/L; der(vy) = -T*y/L - g; x^2 + y^2 = L^2; end PendulumSwing;
//= PendulumSwing at 3: x 1.181828600277, y -1.613468673253, vx -0.4147080370561, E -15.696
model Robot "prescribed path: inverse dynamics" Real q[2](start = {0.2, 1.0}), x, y, tau[2], w[2]; 
equation x = cos(q[1]) + cos(q[1] + q[2]); y = sin(q[1]) + sin(q[1] + q[2]); x = 1.2 + 0.2*cos(time); y = 0.8 + 0.2*sin(time); w = der(q); tau = der(w); end Robot;
//= Robot at 1: q[1] 0.01697489415135, q[2] 1.240516323166, w[1] 0.05384108239202, tau[2] 0.2742980399608
model TwoJoints "a body held by two joints that say the same" Real x(start = 1, fixed = true), y(start = 0), vx, vy(start = 0, fixed = true), a, b; 
equation der(x) = vx; der(y) = vy; der(vx) = -2*x*(a + b); der(vy) = -2*y*(a + b) - 9.81; x^2 + y^2 = 1; 2*x^2 + 2*y^2 = 2; end TwoJoints;
//= TwoJoints at 1: x -0.9862917511319, y -0.1650108531256
model Reactor "index 1 with an implicit temperature" Real c(start = 1, fixed = true), T(start = 300); equation der(c) = -0.5*exp(-100/T)*c; T = 300 + 50*c + 10*log(T/300); end Reactor;
//= Reactor at 2: c 0.4758116026055, T 324.5780146043
model Distillation "implicit algebraic loop of three" Real x, y, z(start = 0.5), s(start = 0, fixed = true); equation x + y^2 = 2 + 0.1*time; y + sin(z) = 1.5; z = x*y/2; der(s) = z; end Distillation;
//= Distillation at 1: x 1.167449036211, y 0.9656867834805, z 0.563695052328, s 0.52415803977
model HeatPDE "method of lines in a function with vectors of unknown size"
  parameter Integer n = 10; Real u[n](start = {sin(3.14159265358979*i/(n + 1)) for i in 1:n}, each fixed = true);
  function laplace input Real u[:]; input Real h; input Real left = 0, right = 0; output Real d[size(u, 1)]; protected Integer n = size(u, 1); Real w[n + 2] = cat(1, {left}, u, {right}); algorithm d := (w[1:n] - 2*w[2:n + 1] + w[3:n + 2])/h^2; end laplace;
equation der(u) = laplace(u, 1/(n + 1)); end HeatPDE;
//= HeatPDE at 0.1: u[1] 0.1057088061853, u[5] 0.3713906696866
model Wave "second order in a vector" parameter Integer n = 5; parameter Real K[n, n] = {{if i == j then 2 else if abs(i - j) == 1 then -1 else 0 for j in 1:n} for i in 1:n}; Real u[n](start = {1, 0, 0, 0, 0}, each fixed = true), v[n](each start = 0, each fixed = true); Real E = (v*v + u*K*u)/2;
equation der(u) = v; der(v) = -K*u; end Wave;
//= Wave at 7: u[1] 0.09215619187828, u[3] 0.2448375926413, E 1
model Optimal "parameters from the steady state, der = 0" parameter Real k(fixed = false, start = 1); Real x(start = 1), y(start = 1); initial equation der(x) = 0; der(y) = 0; x = 2; equation der(x) = k*y - x^2; der(y) = 3 - y - 0.1*x*y + (if time > 1 then 0.5 else 0); end Optimal;
//= Optimal at 3: x 2.133282359835, y 2.856242059268, k 1.6
model Arrays0 "nothing in arrays" parameter Integer n = 0; Real x[n], y[2, n]; Real s = sum(x) + 1; Real m[n + 1] = cat(1, x, {time}); equation for i in 1:n loop x[i] = i; end for; y = zeros(2, n); end Arrays0;
//= Arrays0 at 2: s 1, m[1] 2
