# freed.pl: makes and frees 600 functions, one after the other, each of which sleeps.
for my $i (1 .. 600) {
    eval "sub f$i { select undef, undef, undef, 0.0001 } f$i()";
    undef &{"f$i"};
    delete $main::{"f$i"};
}
