model M Real x; algorithm x := 1; while x > 0 loop x := x + 1; end while; end M;
