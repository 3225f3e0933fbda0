model Andrews "Equations of problems/andrews.c as they are there: sums of angles by addition theorems"
  // E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, section VII.7
  parameter Real m1 = 0.04325, m2 = 0.00365, m3 = 0.02373, m4 = 0.00706, m5 = 0.07050, m6 = 0.00706, m7 = 0.05498;
  parameter Real I1 = 2.194e-6, I2 = 4.410e-7, I3 = 5.255e-6, I4 = 5.667e-7, I5 = 1.169e-5, I6 = 5.667e-7, I7 = 1.912e-5;
  parameter Real d = 0.028, da = 0.0115, e = 0.02, ea = 0.01421, zf = 0.02, fa = 0.01421, rr = 0.007, ra = 0.00092,
    ss = 0.035, sa = 0.01874, sb = 0.01043, sc = 0.018, sd = 0.02, ta = 0.02308, tb = 0.00916, zt = 0.04, u = 0.04,
    ua = 0.01228, ub = 0.00449;
  parameter Real xa = -0.06934, ya = -0.00227, xb = -0.03635, yb = 0.03273, xc = 0.014, yc = 0.072;
  parameter Real c0 = 4530, l0 = 0.07785, motor = 0.033;
  Real beta(start = -0.0617138900142764496, fixed = true), Theta(start = 0), gamma(start = 0.455279819163070380),
    Phi(start = 0.222668390165885885), delta(start = 0.487364979543842550), Omega(start = -0.222668390165885885),
    epsilon(start = 1.23054744454982119);
  Real vb(start = 0, fixed = true), vT, vg, vP, vd, vO, ve;
  Real l[6](start = {98.5668703962410896, -6.12268834425566266, 0, 0, 0, 0});
protected
  Real sbe, cbe, sbt, cbt, sth, cth, sga, cga, sph, cph, sde, cde, som, com, sep, cep, spd, cpd, soe, coe;
  Real xd, yd, L, F, Fx, Fy;
  Real M11, M12, M22, M33, M44, M45, M55, M66, M67, M77;
  Real px, py;
equation
  der(beta) = vb;
  der(Theta) = vT;
  der(gamma) = vg;
  der(Phi) = vP;
  der(delta) = vd;
  der(Omega) = vO;
  der(epsilon) = ve;
  sbe = sin(beta);  cbe = cos(beta);  sbt = sbe*cth + cbe*sth;  cbt = cbe*cth - sbe*sth;
  sth = sin(Theta);  cth = cos(Theta);  sga = sin(gamma);  cga = cos(gamma);
  sph = sin(Phi);  cph = cos(Phi);  sde = sin(delta);  cde = cos(delta);
  som = sin(Omega);  com = cos(Omega);  sep = sin(epsilon);  cep = cos(epsilon);
  spd = sph*cde + cph*sde;  cpd = cph*cde - sph*sde;  soe = som*cep + com*sep;  coe = com*cep - som*sep;
  M11 = m1*ra^2 + m2*(rr^2 - 2*da*rr*cth + da^2) + I1 + I2;
  M12 = m2*(da^2 - da*rr*cth) + I2;
  M22 = m2*da^2 + I2;
  M33 = m3*(sa^2 + sb^2) + I3;
  M44 = m4*(e - ea)^2 + I4;
  M45 = m4*((e - ea)^2 + zt*(e - ea)*sph) + I4;
  M55 = m4*(zt^2 + 2*zt*(e - ea)*sph + (e - ea)^2) + m5*(ta^2 + tb^2) + I4 + I5;
  M66 = m6*(zf - fa)^2 + I6;
  M67 = m6*((zf - fa)^2 - u*(zf - fa)*som) + I6;
  M77 = m6*((zf - fa)^2 - 2*u*(zf - fa)*som + u^2) + m7*(ua^2 + ub^2) + I6 + I7;
  xd = sd*cga + sc*sga + xb;
  yd = sd*sga - sc*cga + yb;
  L = sqrt((xd - xc)^2 + (yd - yc)^2);
  F = -c0*(L - l0)/L;
  Fx = F*(xd - xc);
  Fy = F*(yd - yc);
  M11*der(vb) + M12*der(vT) = motor - m2*da*rr*vT*(vT + 2*vb)*sth
    - (d*sbt - rr*sbe)*(l[1] + l[3] + l[5]) + (d*cbt - rr*cbe)*(l[2] + l[4] + l[6]);
  M12*der(vb) + M22*der(vT) = m2*da*rr*vb^2*sth - d*sbt*(l[1] + l[3] + l[5]) + d*cbt*(l[2] + l[4] + l[6]);
  M33*der(vg) = Fx*(sc*cga - sd*sga) + Fy*(sd*cga + sc*sga) + ss*cga*l[1] + ss*sga*l[2];
  M44*der(vP) + M45*der(vd) = m4*zt*(e - ea)*vd^2*cph + e*cpd*l[3] + e*spd*l[4];
  M45*der(vP) + M55*der(vd) = -m4*zt*(e - ea)*vP*(vP + 2*vd)*cph + (e*cpd - zt*sde)*l[3] + (e*spd + zt*cde)*l[4];
  M66*der(vO) + M67*der(ve) = -m6*u*(zf - fa)*ve^2*com - zf*soe*l[5] + zf*coe*l[6];
  M67*der(vO) + M77*der(ve) = m6*u*(zf - fa)*vO*(vO + 2*ve)*com - (zf*soe - u*cep)*l[5] + (zf*coe + u*sep)*l[6];
  px = rr*cbe - d*cbt;
  py = rr*sbe - d*sbt;
  px - ss*sga - xb = 0;
  py + ss*cga - yb = 0;
  px - e*spd - zt*cde - xa = 0;
  py + e*cpd - zt*sde - ya = 0;
  px - zf*coe - u*sep - xa = 0;
  py - zf*soe + u*cep - ya = 0;
  annotation(experiment(StopTime = 0.03, Tolerance = 1e-8));
end Andrews;
