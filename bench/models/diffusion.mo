model Diffusion
  parameter Integer n = 100;
  parameter Real h = 1.0/n;
  Real T[n,n](each start = 1);
  Real fx[n+1,n], fy[n,n+1];
equation
  for i in 1:n+1 loop for j in 1:n loop
    fx[i,j] = if i == 1 or i == n+1 then 0 else (1 + 0.25*(T[max(i-1,1),j] + T[min(i,n),j])^2)*(T[min(i,n),j] - T[max(i-1,1),j])/h;
  end for; end for;
  for i in 1:n loop for j in 1:n+1 loop
    fy[i,j] = if j == 1 or j == n+1 then 0 else (1 + 0.25*(T[i,max(j-1,1)] + T[i,min(j,n)])^2)*(T[i,min(j,n)] - T[i,max(j-1,1)])/h;
  end for; end for;
  for i in 1:n loop for j in 1:n loop
    der(T[i,j]) = (fx[i+1,j] - fx[i,j] + fy[i,j+1] - fy[i,j])/h + exp(-(i*h-0.5)^2 - (j*h-0.5)^2);
  end for; end for;
  annotation(experiment(StopTime=0.01));
end Diffusion;
