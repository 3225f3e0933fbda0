function f input Real x; output Real y; algorithm y := der(x); end f;
model M Real x = f(time); end M;
