model ThermalRod "Heat in a rod, one end held at a temperature, the other one insulated"
  parameter Integer n = 50 "cells";
  parameter Real L = 1, a = 0.01 "length, diffusivity";
  parameter Real T0 = 300, T1 = 400;
  final parameter Real dx = L/n;
  Real T[n](each start = T0, each fixed = true);
  Real q[n + 1] "flows";
equation
  q[1] = 2*a*(T1 - T[1])/dx;
  for i in 2:n loop
    q[i] = a*(T[i - 1] - T[i])/dx;
  end for;
  q[n + 1] = 0;
  for i in 1:n loop
    dx*der(T[i]) = q[i] - q[i + 1];
  end for;
  annotation(experiment(StopTime = 20, Tolerance = 1e-8));
end ThermalRod;
