// Parts of larger things.
model NestedRecords "constant arrays in packages of functions, nested records with arrays of records"
  record In Real v[2]; end In;
  record Out In i[2]; Real s; end Out;
  function make input Real a; output Out o; algorithm
    o.i[1].v := {a, 2*a}; o.i[2] := In({3*a, 4*a}); o.s := sum(o.i[1].v) + o.i[2].v[2]; end make;
  Out o = make(time); Real t = o.i[2].v[1];
end NestedRecords;
//= NestedRecords at 1: o.s 7, t 3
model SignalChain "connect with subscripts of component arrays and slices"
  connector In_ = input Real; connector Out_ = output Real;
  block G In_ u; Out_ y; parameter Real k = 2; equation y = k*u; end G;
  G g[3](k = {2,3,4}); Real s;
equation
  g[1].u = time; for i in 1:2 loop connect(g[i].y, g[i+1].u); end for; s = g[end].y;
end SignalChain;
//= SignalChain at 1: s 24
model PlainInputs "block with input Real as connector of component: plain equation"
  block B input Real u; output Real y; equation der(y) = u - y; end B;
  B b(y(start=0, fixed=true));
equation b.u = 1;
end PlainInputs;
//= PlainInputs at 1: b.y 0.6321205588285577
model BoundInputs "modification with a binding of input"
  block B input Real u; output Real y = 3*u; end B;
  B b(u = time), c(u = b.y);
end BoundInputs;
//= BoundInputs at 2: c.y 18
model PackageOfConstants "package extends and constants override"
  package Base constant Real k = 1; function f input Real x; output Real y; algorithm y := k*x; end f; end Base;
  package Der extends Base(k = 5); end Der;
  Real a = Base.f(2), b = Der.f(2), c = Der.k;
end PackageOfConstants;
//= PackageOfConstants at 0: a 2, b 10, c 5
model ProtectedInside "protected in extends used inside"
  model P protected Real h = 2*time; parameter Real q = 3; end P;
  extends P; Real y = h*q;
end ProtectedInside;
//= ProtectedInside at 1: y 6
model AssertInFunction "assert in function and warnings"
  function f input Real x; output Real y; algorithm assert(x >= 0, "negative"); y := sqrt(x); end f;
  Real y = f(time);
end AssertInFunction;
//= AssertInFunction at 4: y 2
model StartOfAnother "start attribute by other component's parameter"
  model T parameter Real x0 = 2; Real x(start = x0, fixed = true); equation der(x) = 0; end T;
  T a(x0 = 3), b(x0 = a.x0 + 1);
end StartOfAnother;
//= StartOfAnother at 1: b.x 4
model InitialLoops "initial equation with for and arrays"
  parameter Integer n = 3; Real x[n], y[n];
initial equation
  for i in 1:n loop x[i] = i; end for;
  y = {10, 20, 30};
equation
  der(x) = -x; for i in 1:n loop der(y[i]) = x[i]; end for;
end InitialLoops;
//= InitialLoops at 1: x[2] 0.7357588823428847, y[3] 31.896361676485673
model WhenOfLogic "Boolean expression in when of array and not"
  Real x(start=0,fixed=true); Integer k(start=0,fixed=true);
equation
  der(x)=1;
  when not (x < 0.5) and (x < 2 or x > 3) then k = pre(k)+1; end when;
end WhenOfLogic;
//= WhenOfLogic at 4: k 2
model CutSetByParts "flow sign and three-way junction with inductors (cut set)"
  connector P Real v; flow Real i; end P;
  model L parameter Real L=1; P p,n; Real i; equation p.i+n.i=0; i=p.i; L*der(i)=p.v-n.v; end L;
  model R parameter Real R=1; P p,n; equation p.i+n.i=0; p.v-n.v=R*p.i; end R;
  model G P p; equation p.v=0; end G;
  L l1(i(start=1,fixed=true)), l2(L=2), l3; R r1, r2, r3; G g;
initial equation
  l2.i = -0.25;
equation
  connect(l1.n,l2.p); connect(l1.n,l3.p); connect(l1.p,r1.n); connect(r1.p,g.p);
  connect(l2.n,r2.p); connect(r2.n,g.p); connect(l3.n,r3.p); connect(r3.n,g.p);
end CutSetByParts;
//= CutSetByParts at 0: l3.i 1.25
model FunctionsOfMatrices "elementwise functions of matrices and vectors of functions"
  Real A[2,2] = exp([0, log(2); log(3), 1]), b[3] = abs({-1, 2, -3}), c = norm2({3,4});
  function norm2 input Real v[:]; output Real n = sqrt(sum(v.^2)); algorithm end norm2;
end FunctionsOfMatrices;
//= FunctionsOfMatrices at 0: A[1,2] 2, A[2,1] 3, b[3] 3, c 5
model NothingInArrays "Integer parameter expressions in sizes, zero-size arrays in sums and loops"
  parameter Integer n = 0; Real x[n], y[n+1] = ones(n+1), z = sum(x) + sum(y);
equation
  for i in 1:n loop x[i] = i; end for;
end NothingInArrays;
//= NothingInArrays at 0: z 1
model DefaultsByName "min/max with several, nested limiter function"
  function lim input Real u, lo = -1, hi = 1; output Real y = min(max(u, lo), hi); algorithm end lim;
  Real y = lim(3*sin(time), hi = 2), w(start=0,fixed=true);
equation der(w) = lim(3*sin(time));
end DefaultsByName;
//= DefaultsByName at 1.5707963267948966: y 2, w 1.4025322926044
model DerivativeOfPieces "derivative of a piecewise function through its branches"
  Real x = time, y = if x < 1 then x^2 else 2*x - 1, d = der(y);
end DerivativeOfPieces;
//= DerivativeOfPieces at 0.5: d 1
//= DerivativeOfPieces at 2: d 2
model RelayByPre "delayed switch by state"
  Real x(start=1,fixed=true); Boolean b(start=true,fixed=true);
equation
  der(x) = if b then -1 else 1;
  b = if pre(b) then x > 0.2 else x > 0.8;
end RelayByPre;
//= RelayByPre at 1: x 0.4, b 0
//= RelayByPre at 2: x 0.2, b 1
