model ControlledTank "A tank with a valve and a sampled level controller"
  parameter Real A = 1, kv = 0.1, level = 1 "area, valve, wanted level";
  parameter Real Kp = 2, Ti = 20, Ts = 0.5;
  Real h(start = 0.2, fixed = true), qin, qout;
  discrete Real u(start = 0), e(start = 0), sum_e(start = 0);
equation
  A*der(h) = qin - qout;
  qout = kv*sqrt(max(h, 0));
  qin = min(max(u, 0), 0.3);
  when sample(0, Ts) then
    e = level - h;
    sum_e = pre(sum_e) + (if pre(u) < 0.3 then Ts*e else 0);
    u = Kp*(e + sum_e/Ti);
  end when;
  annotation(experiment(StopTime = 60, Tolerance = 1e-7));
end ControlledTank;
