model M type E = enumeration(a, b); E e = E.c; end M;
