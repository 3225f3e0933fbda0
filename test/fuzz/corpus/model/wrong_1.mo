connector C Real e; flow Real f, g; end C;
model A C c; equation c.f = c.e; c.g = 0; end A;
model M A a; end M;
