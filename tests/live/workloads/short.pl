# short.pl: 40 children that live less than 10 ms: each calls born() and sleeps 1 ms. Then the process executes this program
# again, which sleeps 1 ms in again().
use strict;

sub born { select undef, undef, undef, 0.001 }
sub again { select undef, undef, undef, 0.001 }

if (@ARGV) {
    again();
    exit;
}
for (1 .. 40) {
    my $child = fork;
    if (!$child) {
        born();
        kill KILL => $$;
    }
    waitpid $child, 0;
}
exec $^X, $0, 'again';
