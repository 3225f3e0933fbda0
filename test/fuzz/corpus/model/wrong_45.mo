model M Integer n(start = 0); equation when time > 0.1 then n = 1; end when; when time > 0.2 then n = 2; end when; end M;
