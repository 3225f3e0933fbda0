// Arrays: any rank, slices, constructors, comprehensions, matrix operators, array functions.
model StateSpace "x' = A x + B u with matrices"
  parameter Real A[2, 2] = [0, 1; -2, -3], B[2, 1] = [0; 1], C[1, 2] = [1, 0], D[1, 1] = [0];
  parameter Integer nx = size(A, 1), nu = size(B, 2);
  Real x[nx](each start = 0, each fixed = true), u[nu], y[size(C, 1)];
equation
  u = {1};
  der(x) = A*x + B*u;
  y = C*x + D*u;
end StateSpace;
//= StateSpace at 1: y[1] 0.19978820044686402, x[2] 0.23254415793482963

model Rod "heat conduction, interior by slices"
  parameter Integer n = 10;
  parameter Real L = 1, alpha = 0.5, dx = L/n;
  Real T[n](start = fill(1, n), each fixed = true);
equation
  der(T[1]) = alpha*(T[2] - T[1])/dx^2;
  for i in 2:n - 1 loop
    der(T[i]) = alpha*(T[i + 1] - 2*T[i] + T[i - 1])/dx^2;
  end for;
  der(T[end]) = alpha*(T[end - 1] - T[end])/dx^2 - 2*alpha*T[n]/dx^2;
end Rod;
//= Rod at 0.1: T[1] 0.99561466522922964, T[5] 0.9191015721386907, T[10] 0.12783332580618458

model RodVector "the same by one vector equation with slices"
  parameter Integer n = 10;
  parameter Real a = 50;
  Real T[n](each start = 1, each fixed = true);
equation
  der(T) = a*(cat(1, {T[1]}, T[1:n - 1]) - 2*T + cat(1, T[2:end], {-T[end]}));
end RodVector;
//= RodVector at 0.1: T[1] 0.99561466522922964, T[5] 0.9191015721386907, T[10] 0.12783332580618458

model RodEnds "fixed ends of length 0 arrays and n = size"
  parameter Real T0[:] = {1, 2, 3};
  parameter Integer n = size(T0, 1);
  Real T[n](start = T0, each fixed = true);
  Real none[0], s = sum(none) + product(none);
equation
  T[1] = 1;
  for i in 2:n - 1 loop
    der(T[i]) = T[i - 1] - 2*T[i] + T[i + 1];
  end for;
  T[n] = 3;
end RodEnds;
//= RodEnds at 1: T[2] 2, s 1

model Enumerated "enumerations as indices of arrays: reactions"
  type Species = enumeration(A, B, X);
  Real C[Species](start = {1, 1, 0}, each fixed = true);
  parameter Real k[3] = {0.1, 0.1, 10};
equation
  der(C[Species.A]) = -k[1]*C[Species.A]*C[Species.B] + k[2]*C[Species.X];
  der(C[Species.B]) = -k[1]*C[Species.A]*C[Species.B] + k[2]*C[Species.X] - k[3]*C[Species.B]*C[Species.X];
  der(C[Species.X]) = k[1]*C[Species.A]*C[Species.B] - k[2]*C[Species.X] - k[3]*C[Species.B]*C[Species.X];
end Enumerated;
//= Enumerated at 5: C[Species.A] 0.7180935319458689, C[Species.B] 0.44328214961444064, C[Species.X] 0.0070950857227028353

model EnumeratedLoop "loops over an enumeration and Boolean"
  type Species = enumeration(A, B, X "third");
  Real C[Species](each start = 1, each fixed = true);
  Real b[Boolean] = {3, 4};
  Integer order[Species] = {Integer(s) for s in Species};
  Real total = sum(C);
equation
  for s in Species loop
    der(C[s]) = -(if s == Species.A then 1 else if s > Species.B then 3 else 2)*C[s];
  end for;
end EnumeratedLoop;
//= EnumeratedLoop at 1: C[Species.A] 0.36787944117144232, C[Species.B] 0.13533528323661269, C[Species.X] 0.049787068367863943, order[Species.X] 3, b[true] 4, total 0.55300179277591896

model MatrixFunctions
  parameter Real M[2, 3] = [1, 2, 3; 4, 5, 6], v[3] = {1, 2, 3}, w[3] = {4, 5, 6};
  Real T[3, 2] = transpose(M), G[2, 2] = M*transpose(M), d = v*w, c[3] = cross(v, w), o[3, 3] = outerProduct(v, w);
  Real I[2, 2] = identity(2), D[3, 3] = diagonal(v), S[2, 2] = symmetric([1, 2; 3, 4]), K[3, 3] = skew(v);
  Real z[2, 2] = zeros(2, 2), e[2] = ones(2), f[2, 3] = fill(7, 2, 3), l[5] = linspace(0, 1, 5);
  Real su = sum(M), pr = product(v), mi = min(M), ma = max(M), sc = scalar([5]), ve[3] = vector([1; 2; 3]), ma1[3, 1] = matrix(v);
  Real c1[3, 3] = cat(1, M, [7, 8, 9]), c2[2, 4] = cat(2, M, [10; 11]), b[2, 4] = [M, {1, 2}];
  Integer nd = ndims(M), sz[2] = size(M), s1 = size(M, 2);
  Real e1[2, 3] = M.*M, e2[3] = v./w, e3[3] = v.^2, e4[2, 2] = G^2, e5[3] = v .+ 1, e6[3] = 1 .- v, e7[3] = 2 ./ v;
  Real q = sum(i^2 for i in 1:4), p = product(i for i in 1:5), mx = max(sin(i) for i in 1:3), mn = min(i*j for i in 1:2, j in -1:1);
  Real cp[2, 3] = {10*i + j for j in 1:3, i in 1:2}, ar[3] = array(1, 2, 3), ev[:] = {2*k for k in {1, 3, 7}};
  Real n1 = Modelica.Math.Vectors.norm({3, 4}), n2 = v*transpose(M)*{1, 1};
  Real sl[2] = M[:, 2], sr[3] = M[1, :], si[2] = v[{3, 1}], st[2] = v[1:2:3], se = M[end, end], sn[1, 2] = M[2:2, {1, 3}];
end MatrixFunctions;
//= MatrixFunctions at 1: T[3,2] 6, G[1,2] 32, d 32, c[1] -3, c[2] 6, c[3] -3, o[3,2] 15, I[2,2] 1, D[3,3] 3, D[1,2] 0
//= MatrixFunctions at 1: S[2,1] 2, S[1,2] 2, K[1,2] -3, K[3,2] 1, z[2,2] 0, e[2] 1, f[2,3] 7, l[4] 0.75, su 21, pr 6, mi 1, ma 6, sc 5, ve[3] 3, ma1[3,1] 3
//= MatrixFunctions at 1: c1[3,2] 8, c2[2,4] 11, b[2,4] 2, nd 2, sz[2] 3, s1 3, e1[2,3] 36, e2[2] 0.4, e3[3] 9, e4[1,1] 1220, e5[3] 4, e6[3] -2, e7[2] 1
//= MatrixFunctions at 1: q 30, p 120, mx 0.9092974268256817, mn -2, cp[2,3] 23, ar[3] 3, ev[3] 14, n1 5, n2 46, sl[2] 5, sr[3] 3, si[1] 3, si[2] 1, st[2] 3, se 6, sn[1,2] 6

model NBody "three bodies in a plane by matrices"
  parameter Integer n = 3;
  parameter Real m[n] = {1, 2, 1.5}, G = 1;
  Real r[n, 2](start = [0, 0; 2, 0; 0, 3], each fixed = true), v[n, 2](start = [0, -0.5; 0, 0.5; 0.3, 0], each fixed = true);
  Real E = sum(m[i]*v[i, :]*v[i, :]/2 for i in 1:n) - sum(sum(G*m[i]*m[j]/sqrt((r[i, :] - r[j, :])*(r[i, :] - r[j, :])) for j in i + 1:n) for i in 1:n);
equation
  der(r) = v;
  for i in 1:n loop
    der(v[i, :]) = {sum(if i == j then 0 else G*m[j]*(r[j, k] - r[i, k])/((r[j, 1] - r[i, 1])^2 + (r[j, 2] - r[i, 2])^2 + (if i == j then 1 else 0))^1.5 for j in 1:n) for k in 1:2};
  end for;
end NBody;
//= NBody at 1: r[1,1] 0.25326163494684098, r[2,2] 0.53375180190759679, v[3,1] 0.40464403684779643

model Rank3 "three indices, a subscript that changes in the run"
  Real a[2, 3, 2] = {{{i + 10*j + 100*k for k in 1:2} for j in 1:3} for i in 1:2};
  Integer which = if time < 1 then 1 else 3;
  Real chosen = a[2, which, 1], s[3] = a[1, :, 2], dy = sum(a[:, which, :]);
end Rank3;
//= Rank3 at 2: chosen 132, s[3] 231, dy 726
//= Rank3 at 0.5: chosen 112, a[2,3,2] 232

model Convolution "loops in both indices, and sizes from expressions"
  parameter Real a[3] = {1, 2, 3}, b[2] = {4, 5};
  Real c[size(a, 1) + size(b, 1) - 1];
equation
  for k in 1:size(c, 1) loop
    c[k] = sum(a[i]*b[k + 1 - i] for i in max(1, k + 1 - size(b, 1)):min(k, size(a, 1)));
  end for;
end Convolution;
//= Convolution at 1: c[1] 4, c[2] 13, c[3] 22, c[4] 15

model Grid "diffusion on a square, two for in one"
  parameter Integer n = 4;
  Real u[n, n](start = {{if i == 1 and j == 1 then 1 else 0 for j in 1:n} for i in 1:n}, each fixed = true);
  Real total = sum(u);
equation
  for i in 1:n, j in 1:n loop
    der(u[i, j]) = (if i > 1 then u[i - 1, j] - u[i, j] else 0) + (if i < n then u[i + 1, j] - u[i, j] else 0)
                 + (if j > 1 then u[i, j - 1] - u[i, j] else 0) + (if j < n then u[i, j + 1] - u[i, j] else 0);
  end for;
end Grid;
//= Grid at 1: total 1, u[1,1] 0.2743831209729907, u[2,3] 0.038154990831293187

model LinearSystem "A x = b, as an equation"
  parameter Real A[3, 3] = [4, 1, 0; 1, 3, 1; 0, 1, 2];
  Real x[3], b[3] = {1, time, 2};
equation
  A*x = b;
end LinearSystem;
//= LinearSystem at 2: x[1] 0.16666666666666667, x[2] 0.33333333333333333, x[3] 0.83333333333333333

model RotationMatrix "Poisson's equation"
  Real R[3, 3](start = identity(3), each fixed = true);
  parameter Real w[3] = {0, 0, 2};
equation
  der(R) = skew(w)*R;
end RotationMatrix;
//= RotationMatrix at 1: R[1,1] -0.41614683654714239, R[1,2] -0.9092974268256817, R[3,3] 1

model ArrayAttributes "attributes of arrays given as arrays, scalars and each"
  Real a[3](start = {1, 2, 3}, each fixed = true, each unit = "m");
  Real b[2, 2](start = [1, 2; 3, 4], fixed = fill(true, 2, 2));
  parameter Real p[:, :] = [1, 2; 3, 4];
  parameter Real q[size(p, 1)] = p[:, 1];
equation
  der(a) = -a;
  der(b) = -p.*b;
end ArrayAttributes;
//= ArrayAttributes at 1: a[3] 1.103638323514327, b[2,1] 0.14936120510359183, q[2] 3

model Ranges "of all kinds"
  Real r1[:] = 0:0.25:1, r2[:] = 5:-2:1;
  Integer r3[:] = 1:0, n3 = size(r3, 1), r4[4] = -1:2;
  Real s1 = sum(0.1*i for i in {1, 2, 4}), s2;
equation
  s2 = sum({r1[i]*r2[i] for i in 1:3});
end Ranges;
//= Ranges at 0: r1[2] 0.25, r2[3] 1, n3 0, r4[1] -1, s1 0.7, s2 1.25

model NestedArrayOfArrays "arrays of records and components"
  record P
    Real x, y;
  end P;
  model Particle
    P p;
    parameter Real w = 1;
  equation
    der(p.x) = w*p.y;
    der(p.y) = -w*p.x;
  end Particle;
  Particle a[2](w = {1, 2}, p(x(each start = 0, each fixed = true), y(each start = 1, each fixed = true)));
  Real xs[2] = a.p.x, mean = sum(a.p.y)/2, one = a[2].p.x;
end NestedArrayOfArrays;
//= NestedArrayOfArrays at 1: xs[1] 0.84147098480789651, xs[2] 0.9092974268256817, mean 0.062077734660498665, one 0.9092974268256817
