package Base2
  type Angle = Real(final quantity = "Angle", final unit = "rad", displayUnit = "deg");
  type Vec = Real[3]; type Speed = Real(unit = "m/s", start = 2);
  model Typed Vec r(start = {1, 2, 3}, each fixed = true); Speed s(fixed = true); Angle a[2, 2] = [1, 2; 3, 4]; parameter Angle lim = Modelica.Constants.pi/2; equation der(r) = -r; der(s) = 0; end Typed;
  record Gas parameter Real R = 287; parameter Real cp = 1005; end Gas; record Air = Gas(R = 287.05); record Helium extends Gas(R = 2077, cp = 5193); end Helium;
  model Media parameter Gas g = Helium(); Air a; Helium h; Real x = g.R + a.R + h.cp; end Media;
  model Media2 Air a; Helium h; Real x = a.R + h.cp; parameter Gas g2(R = 1); Real y = g2.R + g2.cp; end Media2;
end Base2;

// arrays: negative steps, end arithmetic, slices on both sides, matrix of functions, if on arrays, vector when
