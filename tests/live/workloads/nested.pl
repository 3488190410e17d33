# nested.pl: sleeps 20 ms five times in Shop::inner(), which middle() calls, which outer() calls by way of C (sort). Prints for
# how long.
use strict;
use Time::HiRes 'time';
my $slept = 0;

sub Shop::inner
{
    my $start = time;
    select undef, undef, undef, 0.02;
    $slept += time - $start;
}

sub middle
{
    Shop->inner;
    return 0;
}

sub outer
{
    my @sorted = sort middle 1 .. 4;
}

outer();
middle();
printf "slept %d ms\n", 1000 * $slept;
