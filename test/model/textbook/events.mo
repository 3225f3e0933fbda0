// Events: conditions, when, reinit, sample, pre, edge, change, terminate, assert.
model StepCooling "the surroundings change at a time"
  Real T(start = 90, fixed = true), T_inf;
equation
  if time <= 0.5 then
    T_inf = 25;
  else
    T_inf = 25 - 20*(time - 0.5);
  end if;
  der(T) = 2*(T_inf - T);
end StepCooling;
//= StepCooling at 1: T 30.117998998665402, T_inf 15

model BouncingBall "with rest"
  parameter Real e = 0.8, h0 = 1, g = 9.81;
  Real h(start = h0, fixed = true), v(start = 0, fixed = true);
  Boolean flying(start = true, fixed = true);
  Integer n(start = 0, fixed = true);
equation
  v = der(h);
  der(v) = if flying then -g else 0;
  when h <= 0 and v < 0 then
    n = pre(n) + 1;
    reinit(v, -e*pre(v));
  end when;
  when edge(flying) then
  end when;
  flying = true;
end BouncingBall;
//= BouncingBall at 2: n 3, h 0.2607417283270572, v -0.1658691358364714

model StableBouncingBall "settles on the ground"
  parameter Real e = 0.8, h0 = 1.0;
  constant Real eps = 1e-3;
  Boolean done;
  Real h, v;
initial equation
  h = h0;
  v = 0;
  done = false;
equation
  v = der(h);
  der(v) = if done then 0 else -9.81;
  when {h < 0, h < -eps} then
    done = h < -eps;
    reinit(v, -e*(if h < -eps then 0 else pre(v)));
  end when;
end StableBouncingBall;
//= StableBouncingBall at 1: h 0.46800445252603631

model Hysteresis "a heater with two limits"
  parameter Real Tset = 20, dT = 1;
  Real T(start = 15, fixed = true);
  Boolean heat(start = false);
  discrete Integer switches(start = 0);
initial equation
  heat = T < Tset;
equation
  when T < Tset - dT then
    heat = true;
  elsewhen T > Tset + dT then
    heat = false;
  end when;
  when change(heat) then
    switches = pre(switches) + 1;
  end when;
  der(T) = (if heat then 4 else 0) - 0.1*(T - 10);
end Hysteresis;
// up: T = 50 - 35 exp(-t/10) to 21; down: T = 10 + 11 exp(-t/10) to 19; up again
//= Hysteresis at 5: heat 0, T 20.520329985516327, switches 3

model SwitchedRLC "voltage comes at 0.5 s"
  parameter Real Vb = 24, L = 1, R = 100, C = 1e-3;
  Real Vs, V(start = 0, fixed = true), iL(start = 0, fixed = true), iR, iC;
equation
  Vs = if time > 0.5 then Vb else 0;
  iR = V/R;
  iC = C*der(V);
  iL = iR + iC;
  L*der(iL) = Vs - V;
end SwitchedRLC;
//= SwitchedRLC at 1: V 25.930998537646441

model Decay1 "the square root guarded by noEvent"
  Real x(start = 1, fixed = true);
equation
  der(x) = if noEvent(x >= 0) then -sqrt(x) else 0;
end Decay1;
//= Decay1 at 1: x 0.25

model Decay2 "reaches zero and stays"
  Real x(start = 1, fixed = true);
equation
  der(x) = if x > 1e-12 then -2 else 0;
end Decay2;
//= Decay2 at 0.25: x 0.5

model SmoothPoly "smooth(1, ...) makes no event"
  Real x, y(start = 0, fixed = true);
equation
  x = smooth(1, if time < 1 then time^2 else 2*time - 1);
  der(y) = x;
end SmoothPoly;
//= SmoothPoly at 2: x 3, y 2.3333333333333333

model SampledSum "a sampled integrator"
  parameter Real Ts = 0.1;
  discrete Real s(start = 0, fixed = true);
  Integer k(start = 0, fixed = true);
equation
  when sample(0, Ts) then
    k = pre(k) + 1;
    s = pre(s) + Ts*time;
  end when;
end SampledSum;
//= SampledSum at 1.05: k 11, s 0.55

model SampledPI "a sampled PI on a first-order process"
  parameter Real K = 1, Ti = 0.5, T = 0.2;
  Real x(start = 0, fixed = true);
  discrete Real u(start = 0, fixed = true), I(start = 0, fixed = true);
equation
  der(x) = -x + u;
  when sample(0, T) then
    I = pre(I) + K*T/Ti*(1 - x);
    u = K*(1 - x) + I;
  end when;
end SampledPI;
//= SampledPI at 1.1: x 0.92622422155344284, u 1.2967121741293411

model SpeedBySample "shaft speed from sampled angles"
  parameter Real T = 0.1;
  Real phi(start = 0, fixed = true), w = 2 + sin(time);
  discrete Real w_meas(start = 0, fixed = true), last(start = 0, fixed = true);
equation
  der(phi) = w;
  when sample(T, T) then
    last = phi;
    w_meas = (phi - pre(last))/T;
  end when;
end SpeedBySample;
//= SpeedBySample at 0.55: w_meas 2.4347843211251237

model SpeedByInterval "time between teeth"
  parameter Integer teeth = 20;
  parameter Real tooth = 2*Modelica.Constants.pi/teeth;
  Real phi(start = 0, fixed = true);
  discrete Real next(start = 0), prev(start = -1e10), last_time(start = 0), w_meas(start = 0);
initial equation
  next = tooth;
  prev = -tooth;
  last_time = 0;
equation
  der(phi) = 3;
  when {phi >= pre(next), phi <= pre(prev)} then
    next = phi + tooth;
    prev = phi - tooth;
    last_time = time;
    w_meas = tooth/(time - pre(last_time));
  end when;
end SpeedByInterval;
//= SpeedByInterval at 1: w_meas 3, last_time 0.94247779607693797

model Quantised "angle in whole teeth"
  Real phi(start = 0, fixed = true);
  Integer count = integer(phi/0.3);
  Real frac = mod(phi, 0.3);
equation
  der(phi) = 2;
end Quantised;
//= Quantised at 1: count 6, frac 0.2

model WhenPriority "elsewhen comes second"
  Integer a(start = 0, fixed = true), b(start = 0, fixed = true);
  Boolean tick = sample(1, 1);
  Boolean even = sample(2, 2);
equation
  when even then
    a = pre(a) + 10;
  elsewhen tick then
    a = pre(a) + 1;
  end when;
  when {tick, even} then
    b = pre(b) + 1;
  end when;
end WhenPriority;
//= WhenPriority at 5.5: a 23, b 5

model EdgeChange "state machine of three lamps"
  type Lamp = enumeration(red, yellow, green);
  Lamp lamp(start = Lamp.red, fixed = true);
  Integer rounds(start = 0, fixed = true);
equation
  when sample(1, 1) then
    lamp = if pre(lamp) == Lamp.red then Lamp.green elseif pre(lamp) == Lamp.green then Lamp.yellow else Lamp.red;
    rounds = if lamp == Lamp.red and change(lamp) then pre(rounds) + 1 else pre(rounds);
  end when;
end EdgeChange;
//= EdgeChange at 7.5: lamp 3, rounds 2

model TerminateEarly "ends at x = 2"
  Real x(start = 0, fixed = true);
equation
  der(x) = 1;
  when x >= 2 then
    terminate("far enough");
  end when;
end TerminateEarly;
//= TerminateEarly at 5: x 2

model AssertHolds
  Real x(start = 1, fixed = true);
equation
  der(x) = -x;
  assert(x > 0, "x must be positive, but is " + String(x));
  assert(x < 10, "warning only", AssertionLevel.warning);
end AssertHolds;
//= AssertHolds at 1: x 0.36787944117144232

model IdealDiodeRectifier "parametric form of a diode"
  Real s(start = 0), u, i, v = sin(time);
  Boolean off(start = true);
  Real x(start = 0, fixed = true);
equation
  off = s < 0;
  u = if off then s else 0;
  i = if off then 0 else s;
  v = u + 2*i;
  der(x) = i;
end IdealDiodeRectifier;
//= IdealDiodeRectifier at 8: x 1.5727500169043068, i 0.49467912331169089

model StickSlipMode "friction with three modes"
  type Mode = enumeration(forward, stuck, backward);
  parameter Real F0 = 1;
  Real x(start = 0, fixed = true), v(start = 0, fixed = true), f = 2*sin(time), a;
  Mode mode(start = Mode.stuck, fixed = true);
equation
  der(x) = v;
  der(v) = a;
  a = if mode == Mode.stuck then 0 else f - (if mode == Mode.forward then F0 else -F0);
  when pre(mode) == Mode.stuck and f > F0 then
    mode = Mode.forward;
  elsewhen pre(mode) == Mode.stuck and f < -F0 then
    mode = Mode.backward;
  elsewhen pre(mode) == Mode.forward and v < 0 or pre(mode) == Mode.backward and v > 0 then
    mode = Mode.stuck;
  end when;
end StickSlipMode;
//= StickSlipMode at 2: v 1.0879432562614609, mode 1

model Counter "Integer arithmetic at events, when initial()"
  Integer i(start = 0), j(start = 0), m;
  Boolean even;
equation
  when {initial(), sample(0.5, 0.5)} then
    i = pre(i) + 3;
    j = div(i, 2)*2 - mod(i, 5) + rem(i, 4);
  end when;
  m = max(i, 2*j);
  even = mod(i, 2) == 0;
end Counter;
//= Counter at 1.75: i 12, j 10, m 20, even 1

model PulseBySample "a pulse train from two samples"
  Boolean on(start = false, fixed = true);
  Real x(start = 0, fixed = true);
equation
  when sample(0, 1) then
    on = true;
  elsewhen sample(0.25, 1) then
    on = false;
  end when;
  der(x) = if on then 1 else 0;
end PulseBySample;
//= PulseBySample at 3.1: x 0.85

model WhenInAlgorithm "algorithm with when and loops"
  Real x(start = 1, fixed = true);
  Integer n(start = 0, fixed = true);
  Real hist[3](each start = 0, each fixed = true);
equation
  der(x) = -x;
algorithm
  when sample(0, 0.25) then
    n := pre(n) + 1;
    for i in 3:-1:2 loop
      hist[i] := hist[i - 1];
    end for;
    hist[1] := x;
  end when;
end WhenInAlgorithm;
//= WhenInAlgorithm at 1.1: n 5, hist[1] 0.36787944117144232, hist[2] 0.47236655274101471, hist[3] 0.60653065971263342

model Discontinuities "each function of steps makes events"
  Real y1(start = 0, fixed = true), y2(start = 0, fixed = true), y3(start = 0, fixed = true), y4(start = 0, fixed = true);
equation
  der(y1) = floor(2*time);
  der(y2) = ceil(2*time);
  der(y3) = sign(time - 1.25);
  der(y4) = abs(time - 1.25);
end Discontinuities;
//= Discontinuities at 2: y1 3, y2 5, y3 -0.5, y4 1.0625

model DeadZone "and limiter"
  Real u = 2*sin(time), dz, lim, y(start = 0, fixed = true), z(start = 0, fixed = true);
equation
  dz = if u > 1 then u - 1 elseif u < -1 then u + 1 else 0;
  lim = min(max(u, -1), 1);
  der(y) = dz;
  der(z) = lim;
end DeadZone;
//= DeadZone at 3: y 1.3697065127445591, z 2.6102784804563318

model StartTimeEvent "time events from a parameter list"
  parameter Real times[:] = {0.5, 1.5, 2.0};
  Integer k(start = 1, fixed = true);
  Real x(start = 0, fixed = true);
equation
  when k <= size(times, 1) and time >= times[min(k, size(times, 1))] then
    k = pre(k) + 1;
  end when;
  der(x) = k;
end StartTimeEvent;
//= StartTimeEvent at 1: k 2

model WaterTank "with an on-off pump, pre in conditions"
  Real h(start = 0.2, fixed = true);
  Boolean pump(start = true, fixed = true);
equation
  pump = if pre(pump) then h < 1 else h < 0.5;
  der(h) = (if pump then 0.5 else 0) - 0.1;
end WaterTank;
//= WaterTank at 9: h 0.925, pump 0

model NestedIfEquation
  Real x, y;
equation
  if time < 1 then
    if time < 0.5 then
      x = 1;
      y = 2;
    else
      x = 2;
      y = x + 1;
    end if;
  elseif time < 2 then
    x = time;
    x + y = 5;
  else
    y = 0;
    x = 3;
  end if;
end NestedIfEquation;
//= NestedIfEquation at 1.5: x 1.5, y 3.5

model ReinitTwo "two states, one clock"
  Real x(start = 0, fixed = true), v(start = 1, fixed = true);
equation
  der(x) = v;
  der(v) = -x;
  when sample(1, 1) then
    reinit(x, pre(x) + 1);
    reinit(v, 0);
  end when;
end ReinitTwo;
//= ReinitTwo at 1.5: x 1.6160428244945014, v -0.8828482187155379

model TriggeredMax "peak detector by der"
  Real x = exp(-0.1*time)*sin(time);
  Real dx = der(x);
  discrete Real peak(start = 0, fixed = true), at(start = 0, fixed = true);
equation
  when dx < 0 then
    peak = x;
    at = time;
  end when;
end TriggeredMax;
//= TriggeredMax at 5: at 1.4711276743037346, peak 0.85891275076833672

model HalfWaveDiode "an ideal diode that conducts from the start, where its curve parameter is 0"
  parameter Real R = 0.1, C = 1, Rl = 5;
  Real v = sin(time), u(start = 0, fixed = true), s(start = 0), ud, id;
  Boolean on;
equation
  on = s > 0;
  ud = if on then 0 else s;
  id = if on then s else 0;
  v = R*id + ud + u;
  C*der(u) = id - u/Rl;
end HalfWaveDiode;
//= HalfWaveDiode at 4: u 0.6243700114759
