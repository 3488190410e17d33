# hidden.pl: sleeps 2 ms in a function whose name is in memory that cannot be read, then in one where it can be.
use strict;
use Sub::Util 'set_subname';
my $page;

sub word { return unpack 'Q', unpack 'P8', pack 'Q', shift }
sub nap { select undef, undef, undef, 0.002 }

my $hidden = set_subname('main::' . 'x' x 300000, sub {
    for my $how (0, 3) {
        syscall(10, $page, 4096, $how) == 0 || exit 1; # mprotect
        nap();
    }
});
my $glob = word(word($hidden + 0) + 56);
$page = word(word($glob) + 32) & ~4095;
$hidden->();
$hidden->();
