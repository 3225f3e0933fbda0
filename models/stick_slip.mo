model StickSlip "A block on a moving belt, held by a spring: it sticks and slips"
  parameter Real m = 1, k = 10, belt = 0.5, Fs = 3, Fd = 2 "static, sliding friction";
  Real x(start = 0, fixed = true), v(start = 0.5, fixed = true);
  Real F "friction";
  Boolean sticking(start = true, fixed = true);
equation
  der(x) = v;
  m*der(v) = F - k*x;
  F = if sticking then k*x else Fd;
  when pre(sticking) and k*x > Fs then
    sticking = false;
  elsewhen not pre(sticking) and v >= belt and F > k*x then
    sticking = true;
    reinit(v, belt);
  end when;
  annotation(experiment(StopTime = 5, Tolerance = 1e-7));
end StickSlip;
