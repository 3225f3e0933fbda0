model Attemperator "Steam is cooled by injected water so that its temperature follows a curve: index 3"
  parameter Real m = 10, c = 2.1, L = 2400, tau = 2, T_in = 500 "steam, latent heat, lag";
  Real w "injected water";
  Real Tm(start = 480) "temperature after mixing";
  Real Ts "of the metal", T "at the outlet";
equation
  m*c*(T_in - Tm) = w*(L + c*Tm);
  tau*der(Ts) = Tm - Ts;
  tau*der(T) = Ts - T;
  T = 450 + 10*(1 - cos(0.1*time));
  annotation(experiment(StopTime = 60, Tolerance = 1e-8));
end Attemperator;
