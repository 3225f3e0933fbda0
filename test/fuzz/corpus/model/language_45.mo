package Syntax "a \"quoted\" text"
  constant Real 'odd name' = 3; 
  final constant Integer N = 2;
  partial block SISO "single" input Real u "in"; output Real y "out"; annotation(Documentation(info = "<html>a < b && c</html>"), Icon(coordinateSystem(extent = {{-100, -100}, {100, 100}}, preserveAspectRatio = true), graphics = {Line(points = {{-80, 0}, {80, 0}}, color = {0, 0, 255}), Text(extent = {{-150, 150}, {150, 110}}, textString = "%name")})); end SISO;
  block First extends SISO; parameter Real T(final min = 0, unit = "s") = 1 "time constant" annotation(Dialog(group = "main", tab = "x")); protected Real x(start = 0, fixed = true); equation T*der(x) = u - x "the law"; y = x annotation(Evaluate = true); end First;
  model Use
    extends Modelica.Icons.Example;
    First f(T = 0.5, u = 1) annotation(Placement(transformation(extent = {{-10, -10}, {10, 10}}))), g(u = f.y, T = 2*'odd name'/6); /* inline */ Real a, b; // end
    Real 'x[1]' = 'odd name'; parameter Real eps = 1e-3, big = 1.5E+2, half = 0.5e0; Boolean t = not (1 <> 2) or 3 >= 2 and true; Real m = -2^2 + 2^3; Real el[2] = {1, 2} .+ 1; Real q = (if t then 1 else 0) + (if not t then 5 else 6);
  initial equation
  equation
    a + b = 3; a - b = time;
  annotation(experiment(StartTime = 0, StopTime = 2, Tolerance = 1e-8, Interval = 0.01), __Vendor(x = 1, y(z = {1, 2})), uses(Modelica(version = "4.0.0")), version = "1");
  end Use;
end Syntax;

