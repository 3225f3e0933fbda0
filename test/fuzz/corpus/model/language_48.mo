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

// discrete things
