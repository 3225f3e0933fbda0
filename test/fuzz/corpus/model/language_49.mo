model Mixed "discrete Real and Integer arrays, when in for, sample with start, nested if in when"
  parameter Integer n = 3; discrete Real d[n](each start = 0, each fixed = true); Integer c[n](each start = 0, each fixed = true); Real x(start = 0, fixed = true); Boolean late(start = false, fixed = true);
equation der(x) = 1; 
  for i in 1:n loop when sample(0, i*0.25) then d[i] = x + pre(d[i]); c[i] = if d[i] > 2 then pre(c[i]) + 1 elseif d[i] > 1 then pre(c[i]) + 10 else pre(c[i]); end when; end for;
  when {time > 0.6, c[1] > 12} then late = true; end when;
end Mixed;
