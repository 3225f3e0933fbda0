model AlgorithmEvents "assignments to continuous and discrete in one algorithm" Real y; Integer k(start = 0, fixed = true); Real s(start = 0, fixed = true); discrete Real t0(start = 0, fixed = true);
equation der(s) = y;
algorithm y := time - t0; if y > 0.7 then y := 0.7; end if; when sample(1, 1) then t0 := time; k := pre(k) + 1; end when;
end AlgorithmEvents;
