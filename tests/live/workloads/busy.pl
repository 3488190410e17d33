# busy.pl: computes for a second in many ways: C that calls Perl, exceptions, destructors, functions that are made.
use strict;
use List::Util qw(first reduce);
use Time::HiRes 'time';
my $n = 0;

sub Gone::DESTROY { reverse 'gone' }
sub compare { return $b <=> $a }
sub made { return substr("@_", 1) }

sub raises
{
    my $left = shift;
    return eval { $left ? raises($left - 1) : die "failed\n"; 1 } // $left;
}

sub work
{
    my @list = sort compare 0 .. 50;
    raises(5);
    first { $_ == 40 } @list;
    reduce { $a + made($b) } @list;
    my @more = map { my $gone = bless [], 'Gone'; s/(\d)/made($1)/er } @list;
    eval "sub made_$n { return made(1 .. 20) } made_$n()" if $n++ < 300;
}

sub main
{
    for (my $end = time + 1; time < $end;) {
        work();
    }
}

main();
