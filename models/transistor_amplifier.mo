model TransistorAmplifier "One transistor between four nodes: five capacitors, index 1"
  parameter Real R0 = 1000, R = 9000, C[3] = {1e-6, 2e-6, 3e-6};
  parameter Real UF = 0.026, alpha = 0.99, beta = 1e-6, Ub = 6;
  Real u[5](start = {0, 3, 3, 6, 0});
  Real f "current through the transistor", Ue;
equation
  Ue = 0.1*sin(200*3.14159265358979*time);
  f = beta*(exp((u[2] - u[3])/UF) - 1);
  C[1]*(der(u[2]) - der(u[1])) = (u[1] - Ue)/R0;
  C[1]*(der(u[1]) - der(u[2])) = u[2]/R + (u[2] - Ub)/R + (1 - alpha)*f;
  C[2]*der(u[3]) = f - u[3]/R;
  C[3]*(der(u[4]) - der(u[5])) = (Ub - u[4])/R - alpha*f;
  C[3]*(der(u[5]) - der(u[4])) = -u[5]/R;
  annotation(experiment(StopTime = 0.2, Tolerance = 1e-7));
end TransistorAmplifier;
