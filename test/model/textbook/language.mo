// oddities of syntax
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
//= Syntax.Use at 1: f.y 0.8646647167634, g.y 0.3995764008937, a 2, b 1, x[1] 3, m 4, el[2] 3, q 7

package Base2
  type Angle = Real(final quantity = "Angle", final unit = "rad", displayUnit = "deg");
  type Vec = Real[3]; type Speed = Real(unit = "m/s", start = 2);
  model Typed Vec r(start = {1, 2, 3}, each fixed = true); Speed s(fixed = true); Angle a[2, 2] = [1, 2; 3, 4]; parameter Angle lim = Modelica.Constants.pi/2; equation der(r) = -r; der(s) = 0; end Typed;
  record Gas parameter Real R = 287; parameter Real cp = 1005; end Gas; record Air = Gas(R = 287.05); record Helium extends Gas(R = 2077, cp = 5193); end Helium;
  model Media parameter Gas g = Helium(); Air a; Helium h; Real x = g.R + a.R + h.cp; end Media;
  model Media2 Air a; Helium h; Real x = a.R + h.cp; parameter Gas g2(R = 1); Real y = g2.R + g2.cp; end Media2;
end Base2;
//= Base2.Typed at 1: r[2] 0.7357588823429, s 2, a[2,1] 3, lim 1.5707963267949
//= Base2.Media2 at 1: x 5480.05, y 1006

// arrays: negative steps, end arithmetic, slices on both sides, matrix of functions, if on arrays, vector when
model Slices
  parameter Integer n = 6; Real x[n], y[3], z[2, 3], w[3], d[n - 1], s, t[3]; parameter Integer idx[3] = {1, 3, 5}; Boolean up = time > 0.5;
equation x[1:2:n] = {time, 2*time, 3*time}; x[2:2:end] = x[1:2:end - 1] .^ 2; y = x[idx]; z[1, :] = x[end:-2:1]; z[2, 1:2] = {7, 8}; z[2, end] = x[end - 1]; w = if up then z[1, :] else z[2, :]; d = x[2:n] - x[1:n - 1]; s = sum(z*transpose(z)); t = {sum(z[:, j]) for j in 1:3}; end Slices;
//= Slices at 2: y[3] 6, z[1,1] 36, z[1,3] 4, w[2] 16, d[5] 30, s 2525, t[2] 24

// functions: default arguments, named, positional mix, several outputs partly used, arrays of records, vectorised, recursion
package Fn
  function line input Real x; input Real k = 2; input Real d = 1; output Real y = k*x + d; algorithm end line;
  function stat input Real v[:]; output Real lo = min(v); output Real hi = max(v); output Real mid; algorithm mid := (lo + hi)/2; end stat;
  function fact input Integer n; output Integer f; algorithm f := if n <= 1 then 1 else n*fact(n - 1); end fact;
  function bisect "root of x^3 = a" input Real a; output Real x; protected Real l = 0; Real h = 10; algorithm while h - l > 1e-13 loop x := (l + h)/2; if x^3 > a then h := x; else l := x; end if; end while; x := (l + h)/2; end bisect;
  function swap input Real a; input Real b; output Real c; output Real d; algorithm c := b; d := a; end swap;
  function eye input Integer n; output Real A[n, n]; algorithm A := zeros(n, n); for i in 1:n loop A[i, i] := i; end for; end eye;
  function norm2 input Real v[:]; output Real r; protected Real s; algorithm s := 0; for i in 1:size(v, 1) loop s := s + v[i]^2; end for; r := s^0.5; end norm2;
  model Use Real a = line(time), b = line(time, d = 5), c = line(time, 3), lo, hi, mid2, e, f; Real v[3] = line({1, 2, 3}, k = {1, 1, 2}); parameter Integer k = fact(6); Real r = bisect(2 + time); Real A[3, 3] = eye(3); Real nn = norm2(A*{1, 1, 1}); Real onlymid;
  equation (lo, hi) = stat({time, 3, -time}); (, , mid2) = stat({time, 5}); (e, f) = swap(1, time); (, onlymid) = swap(time, 2); end Use;
end Fn;
//= Fn.Use at 2: a 5, b 9, c 7, lo -2, hi 3, mid2 3.5, e 2, f 1, v[3] 7, k 720, r 1.587401051968, nn 3.741657386774, onlymid 2

// discrete things
model Mixed "discrete Real and Integer arrays, when in for, sample with start, nested if in when"
  parameter Integer n = 3; discrete Real d[n](each start = 0, each fixed = true); Integer c[n](each start = 0, each fixed = true); Real x(start = 0, fixed = true); Boolean late(start = false, fixed = true);
equation der(x) = 1; 
  for i in 1:n loop when sample(0, i*0.25) then d[i] = x + pre(d[i]); c[i] = if d[i] > 2 then pre(c[i]) + 1 elseif d[i] > 1 then pre(c[i]) + 10 else pre(c[i]); end when; end for;
  when {time > 0.6, c[1] > 12} then late = true; end when;
end Mixed;
//= Mixed at 1.6: d[1] 5.25, d[2] 3, d[3] 2.25, c[1] 13, c[2] 11, late 1
model AlgorithmEvents "assignments to continuous and discrete in one algorithm" Real y; Integer k(start = 0, fixed = true); Real s(start = 0, fixed = true); discrete Real t0(start = 0, fixed = true);
equation der(s) = y;
algorithm y := time - t0; if y > 0.7 then y := 0.7; end if; when sample(1, 1) then t0 := time; k := pre(k) + 1; end when;
end AlgorithmEvents;
//= AlgorithmEvents at 2.5: y 0.5, k 2, s 1.035
model InitialWhen "initial() in a when, and what it sets" discrete Real a(start = 0), b(start = 0); Real x(start = 1, fixed = true); equation der(x) = -x; when {initial(), time > 1} then a = x; end when; when initial() then b = 5; end when; end InitialWhen;
//= InitialWhen at 2: a 0.3678794411714, b 5
model IntegerOps Integer a = div(-7, 2), b = mod(-7, 3), c = rem(-7, 3), d = integer(-2.5), e = sign(-3); Real f = ceil(1.2) + floor(-1.2), g = rem(-7.5, 2), h = mod(-7.5, 2), i = div(7.5, -2); Integer p = integer(floor(time*3)); Real sgn = sign(time - 1); end IntegerOps;
//= IntegerOps at 1.5: a -3, b 2, c -1, d -3, e -1, f 0, g -1.5, h 0.5, i -3, p 4, sgn 1
model Strings parameter String mode = "fast"; parameter Real k = if mode == "fast" then 3 elseif mode == "slow" then 1 else 0; parameter String label = "k=" + String(k) + " n=" + String(5); Real y = k*time; equation assert(y < 100, "too large: " + String(y)); assert(k > 5, "small k", AssertionLevel.warning); end Strings;
//= Strings at 2: y 6
model ConditionalArray parameter Boolean has[3] = {true, false, true}; parameter Boolean extra = false; Sub s1 if has[1]; Sub s2 if has[2]; Real e if extra; Real n = sum(if h then 1 else 0 for h in has); model Sub Real x(start = 1, fixed = true); equation der(x) = -x; end Sub; end ConditionalArray;
//= ConditionalArray at 1: s1.x 0.3678794411714, n 2
model EachFinal model A parameter Real p[2] = {1, 2}; parameter Real q = 3; Real y = p[1]*q + p[2]; end A; A a[2](each p = {5, 6}, q = {1, 2}); A b[2](p = [7, 8; 9, 10], each q = 0); A c(p = {1, 9}); Real s = sum(a.y) + sum(b.y) + c.y; end EachFinal;
//= EachFinal at 1: a[2].y 16, b[2].y 10, s 57
model PlusMinus "power systems with complex numbers as records" record C Real re; Real im; end C; function mul input C a; input C b; output C c; algorithm c := C(a.re*b.re - a.im*b.im, a.re*b.im + a.im*b.re); end mul; C z(re(start = 1, fixed = true), im(start = 0, fixed = true)), dz; constant C j = C(0, 1); equation dz = mul(C(-0.1, 1), z); der(z.re) = dz.re; der(z.im) = dz.im; end PlusMinus;
//= PlusMinus at 2: z.re -0.3407122128773, z.im 0.7444697670369
