model ChargePump "A capacitor is charged and its charge handed on, by switches that a clock drives"
  parameter Real C1 = 1e-6, C2 = 5e-6, R = 10, Rload = 1e4, E = 5, period = 1e-3;
  Real u1(start = 0, fixed = true), u2(start = 0, fixed = true), i1, i2;
  discrete Boolean charging(start = true);
equation
  when sample(0, period/2) then
    charging = not pre(charging);
  end when;
  i1 = if charging then (E - u1)/R else 0;
  i2 = if charging then 0 else (u1 - u2)/R;
  C1*der(u1) = i1 - i2;
  C2*der(u2) = i2 - u2/Rload;
  annotation(experiment(StopTime = 0.02, Tolerance = 1e-8));
end ChargePump;
