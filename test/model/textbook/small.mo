// Small things.
model RotatedVector "function with array default and matrix result in equation"
  function rot input Real a; output Real R[2,2] = [cos(a), -sin(a); sin(a), cos(a)]; algorithm end rot;
  Real x[2] = rot(time)*{1,0};
end RotatedVector;
//= RotatedVector at 1: x[1] 0.5403023058681398
model IntegerChooses "Real equality in if with discrete"
  Integer k(start=0,fixed=true); Real y = if k == 2 then 5 else 1;
equation
  when sample(0.1,0.1) then k = pre(k)+1; end when;
end IntegerChooses;
//= IntegerChooses at 0.25: y 5
model InputStays "input with start, top-level"
  input Real u(start=3); Real y = 2*u;
end InputStays;
//= InputStays at 1: y 6
model DerivativeOfParameter "der of a parameter is 0"
  parameter Real p = 2; Real x = der(p) + der(p*time);
end DerivativeOfParameter;
//= DerivativeOfParameter at 1: x 2
model SphereAndPlane "constraint on algebraic by three"
  Real x(start=1), y(start=1), z;
equation
  x^2 + y^2 + z^2 = 3; x = y; z = 1;
end SphereAndPlane;
//= SphereAndPlane at 0: x 1
model RecordParts "record extends with equation of whole"
  record B Real a; end B;
  record C extends B; Real b[2]; end C;
  C c = C(a = time, b = {1,2}), d;
equation
  d.a = 2*c.a; d.b = c.b .+ 1;
end RecordParts;
//= RecordParts at 2: d.a 4, d.b[2] 3
model TextChooses "parameter from function with string"
  function pick input String s; output Real x; algorithm
    if s == "a" then x := 1; elseif s == "b" then x := 2; else x := 3; end if; end pick;
  parameter String kind = "b"; parameter Real v = pick(kind); Real y = v*time;
end TextChooses;
//= TextChooses at 1: y 2
model WhenAfterWhen "nested when variables across algorithm/eq"
  Boolean b = sample(0.5,1); Integer c(start=0,fixed=true); Integer d(start=0,fixed=true);
equation
  when b then c = pre(c)+1; end when;
  when change(c) then d = pre(d) + c; end when;
end WhenAfterWhen;
//= WhenAfterWhen at 3: c 3, d 6
model BooleanVector "array of Booleans, any/all"
  Boolean b[3] = {time > i for i in 1:3}; Integer n = sum(if b[i] then 1 else 0 for i in 1:3);
  Boolean any = max(b), all_ = min(b);
end BooleanVector;
//= BooleanVector at 2.5: n 2, any 1, all_ 0
model SizedType "constants in expressions of types"
  constant Integer N = 3; type V = Real[N]; V x(each start = 1, each fixed=true); 
equation der(x) = -{1,2,3}.*x;
end SizedType;
//= SizedType at 1: x[3] 0.049787068367863944
model MatrixModification "modification of array element-wise attribute with each and subscript"
  model M parameter Real k[2] = {1,2}; Real s = sum(k)*time; end M;
  M m[2](k = {{3,4},{5,6}}), n[2](each k = {7,8});
end MatrixModification;
//= MatrixModification at 1: m[2].s 11, n[1].s 15
model AssignedSlices "algorithm with array whole assignment and slices"
  Real v[4], w[2,2];
algorithm
  v := zeros(4); v[2:3] := {1,2}; v[end] := sum(v);
  w := [1,2;3,4]; w[1,:] := v[3:4]; w[:,1] := 2*w[:,1];
end AssignedSlices;
//= AssignedSlices at 0: v[4] 3, w[1,1] 4, w[1,2] 3, w[2,1] 6
model ArrayBranches "if-expression with arrays; nested comprehension with condition"
  Real v[3] = if time > 1 then {1,2,3} else zeros(3), u[:] = {if mod(i,2)==0 then i else -i for i in 1:4};
end ArrayBranches;
//= ArrayBranches at 2: v[3] 3, u[4] 4, u[3] -3
model ThreePieces "semantics of elseif at events, equality of times"
  Real x; equation
  if time < 1 then x = 1; elseif time < 2 then x = 2; else x = 3; end if;
end ThreePieces;
//= ThreePieces at 1: x 2
//= ThreePieces at 2: x 3
model WholeAndReal "sums and Integer conversions"
  Integer n = 3; Real x = n; Real y = n*0.5; Integer m = integer(y) + n;
end WholeAndReal;
//= WholeAndReal at 0: x 3, m 4
model GuardedRoot "smooth limiter and noEvent sqrt"
  Real x(start=1,fixed=true); Real s = noEvent(if x > 0 then sqrt(x) else 0);
equation der(x) = -s;
end GuardedRoot;
//= GuardedRoot at 1: x 0.25
