enum { FROM_HEADER = 3 };
