model Slices
  parameter Integer n = 6; Real x[n], y[3], z[2, 3], w[3], d[n - 1], s, t[3]; parameter Integer idx[3] = {1, 3, 5}; Boolean up = time > 0.5;
equation x[1:2:n] = {time, 2*time, 3*time}; x[2:2:end] = x[1:2:end - 1] .^ 2; y = x[idx]; z[1, :] = x[end:-2:1]; z[2, 1:2] = {7, 8}; z[2, end] = x[end - 1]; w = if up then z[1, :] else z[2, :]; d = x[2:n] - x[1:n - 1]; s = sum(z*transpose(z)); t = {sum(z[:, j]) for j in 1:3}; end Slices;

// functions: default arguments, named, positional mix, several outputs partly used, arrays of records, vectorised, recursion
