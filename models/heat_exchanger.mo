model HeatExchanger "Two streams in counterflow with a wall between them"
  parameter Integer n = 20;
  parameter Real mh = 1, mc = 0.8, c = 4200, hA = 3000, Ch = 2000, Cc = 2000, Cw = 500;
  parameter Real Thin = 360, Tcin = 290;
  Real Th[n](each start = 300, each fixed = true), Tc[n](each start = 300, each fixed = true);
  Real Tw[n](each start = 300, each fixed = true);
  Real Thout, Tcout, Q;
equation
  for i in 1:n loop
    Ch*der(Th[i]) = mh*c*((if i == 1 then Thin else Th[max(i - 1, 1)]) - Th[i]) - hA/n*(Th[i] - Tw[i]);
    Cw*der(Tw[i]) = hA/n*(Th[i] - Tw[i]) - hA/n*(Tw[i] - Tc[i]);
    Cc*der(Tc[i]) = mc*c*((if i == n then Tcin else Tc[min(i + 1, n)]) - Tc[i]) + hA/n*(Tw[i] - Tc[i]);
  end for;
  Thout = Th[n];
  Tcout = Tc[1];
  Q = mc*c*(Tcout - Tcin);
  annotation(experiment(StopTime = 200, Tolerance = 1e-7));
end HeatExchanger;
