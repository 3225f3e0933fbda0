record R Real a; Real b; end R; model M R r = R(a = 1, c = 2); end M;
