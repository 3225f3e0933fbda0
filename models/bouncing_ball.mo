model BouncingBall "A ball that bounces until it lies"
  parameter Real e = 0.7, g = 9.81;
  Real h(start = 1, fixed = true), v(start = 0, fixed = true);
  Boolean flying(start = true, fixed = true);
  Integer bounces(start = 0, fixed = true);
equation
  der(h) = v;
  der(v) = if flying then -g else 0;
  when h <= 0 then
    flying = -e*pre(v) > 1e-2;
    bounces = pre(bounces) + 1;
    reinit(v, if flying then -e*pre(v) else 0);
  end when;
  annotation(experiment(StopTime = 3, Tolerance = 1e-8));
end BouncingBall;
