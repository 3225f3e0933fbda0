connector C flow Real f; end C;
model A C c; equation c.f = 1; end A;
model M A a, b; equation connect(a.c, b.c); end M;
