model RectifierBridge "Four ideal diodes, a capacitor and a load"
  parameter Real C = 1e-3, R = 100, Rs = 1, Rd = 1e-3, Gd = 1e-6;
  Real u "source", is "its current";
  Real va, vb, vp(start = 0), vn "nodes";
  Real uc(start = 0, fixed = true);
  Real s[4] "diode k: voltage where it blocks, current where it conducts";
  Boolean off[4](each start = true);
  Real ud[4], id[4];
equation
  u = 10*sin(2*3.14159265358979*50*time);
  va - vb = u - Rs*is;
  vn = 0;
  uc = vp - vn;
  for k in 1:4 loop
    off[k] = s[k] < 0;
    ud[k] = s[k]*(if off[k] then 1 else Rd);
    id[k] = s[k]*(if off[k] then Gd else 1);
  end for;
  ud[1] = va - vp;
  ud[2] = vb - vp;
  ud[3] = vn - va;
  ud[4] = vn - vb;
  is = id[1] - id[3];
  -is = id[2] - id[4];
  C*der(uc) = id[1] + id[2] - uc/R;
  annotation(experiment(StopTime = 0.1, Tolerance = 1e-7));
end RectifierBridge;
