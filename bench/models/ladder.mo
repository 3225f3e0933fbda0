model Ladder
  parameter Integer n = 500;
  parameter Real R = 1e3, C = 1e-6, L = 1e-3, Is = 1e-12, Vt = 0.026;
  Real u[n](each start=0), i[n](each start=0);
equation
  for k in 1:n loop
    L*der(i[k]) = (if k == 1 then sin(1000*time) else u[max(k-1,1)]) - u[k] - R*i[k];
    C*der(u[k]) = i[k] - (if k == n then 0 else i[min(k+1,n)]) - Is*(exp(u[k]/Vt) - 1);
  end for;
  annotation(experiment(StopTime=1e-3));
end Ladder;
