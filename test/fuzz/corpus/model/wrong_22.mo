model M parameter Real a = b; parameter Real b = a; Real x = a; end M;
