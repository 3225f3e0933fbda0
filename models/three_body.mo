model ThreeBody "Three masses that attract each other"
  parameter Integer n = 3;
  parameter Real m[n] = {1, 1, 1};
  Real x[n,2](start = [-0.97000436, 0.24308753; 0.97000436, -0.24308753; 0, 0], each fixed = true);
  Real v[n,2](start = [0.466203685, 0.43236573; 0.466203685, 0.43236573; -0.93240737, -0.86473146], each fixed = true);
equation
  for i in 1:n loop
    der(x[i,:]) = v[i,:];
    der(v[i,:]) = {sum(if j == i then 0 else m[j]*(x[j,k] - x[i,k])/
      (if j == i then 1 else ((x[j,1] - x[i,1])^2 + (x[j,2] - x[i,2])^2)^1.5) for j in 1:n) for k in 1:2};
  end for;
  annotation(experiment(StopTime = 6.32591398, Tolerance = 1e-10));
end ThreeBody;
