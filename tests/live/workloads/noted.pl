# Notes its own stacks, as caller() has them, before each sleep: noted.pl FILE writes a list of
# [["function (file:line)", …], how often] there. check-python compares them with those that sonde has seen.
use strict;
use warnings;
no warnings 'recursion';
use Time::HiRes 'usleep';
use List::Util qw(first reduce);

our (%noted, $is_thread);
our @rows = (3, 1, 2);

# Blocks of eval, and evals of C code, are no functions; texts and required files are.
sub note
{
    my ($file, $line, @stack) = (__FILE__, __LINE__ + 10);
    for (my $i = 0; my @entry = caller($i); $i++) {
        my $name = $entry[3];
        if ($name eq '(eval)') { next if !defined $entry[6]; $name = '{main}' }
        $file =~ s{.*/}{};
        push @stack, "\"$name ($file:$line)\"";
        ($file, $line) = @entry[1, 2];
    }
    $file =~ s{.*/}{};
    push @stack, "\"{main} ($file:$line)\"" if ${^GLOBAL_PHASE} eq 'RUN' && !$is_thread;
    $noted{join ', ', @stack}++; usleep(2000);
    return 1;
}

BEGIN { note(); select undef, undef, undef, 0.3 } # until the unwind tables are there

{
    package Shop;
    our $AUTOLOAD;
    sub new { my ($class, $x) = @_; main::note() if $x; return bless { x => $x }, $class }
    sub nap { main::note(); return $_[1] }
    sub each_of { my $self = shift; return map { $self->nap($_) } 1, 2 }
    sub closed { my $self = shift; return sub { $self->nap(1) } }
    sub wrapped { goto &nap }
    sub AUTOLOAD { return if $AUTOLOAD =~ /DESTROY/; main::note() }
}

{
    package Gone;
    sub new { return bless {}, shift }
    sub DESTROY { main::note() }
}

{
    package Sum;
    use overload '+' => \&add, '""' => sub { main::note(); 'sum' }, '<=>' => \&compare, 'bool' => sub { 1 };
    sub new { return bless { n => $_[1] }, $_[0] }
    sub add { eval { main::note(); 1 }; main::note(); return $_[0] }
    sub compare { main::note(); return $_[0]{n} <=> (ref $_[1] ? $_[1]{n} : $_[1]) }
}

{
    package Tied;
    sub TIESCALAR { main::note(); return bless [], shift }
    sub FETCH { main::note(); eval { die "x\n" }; main::note(); return 1 }
    sub STORE { eval { inner() }; eval { inner() }; main::note() }
    sub inner { my $x = Sum->new(1); my $y = $x + 1; eval { main::note(); $y = "$x" }; main::note() }
}

sub deep { my $n = shift; return $n ? deep($n - 1) : note() }
sub by_size { note(); return $a <=> $b }
sub by_eval { eval { note() }; note(); return $a <=> $b }
sub by_proto($$) { note(); return $_[0] <=> $_[1] }
sub fails { my $gone = Gone->new; note(); die "failed\n" }
sub keeps_context { my @l = (note(), note()); return wantarray }
sub loops { for my $i (1, 2) { while (1) { { note(); } last } } }

note();
my $shop = Shop->new(1);
$shop->each_of;
$shop->closed->();
$shop->wrapped;
$shop->missing(1);
Shop->nothing;
deep(50);
loops();
my @s = sort by_size @rows;
@s = sort { note(); $a <=> $b } @rows;
@s = sort { by_size() } @rows;
@s = sort { eval { note(); 1 }; $a <=> $b } @rows;
@s = sort { my $x = eval "note(); 1"; $a <=> $b } @rows;
@s = sort by_eval @rows;
@s = sort by_proto @rows;
@s = reverse sort { $b <=> $a } grep { note() } @rows;
first { note(); 0 } @rows;
first { by_proto(1, 2) } @rows;
first { first { note(); 0 } @rows; 0 } @rows;
reduce { note(); $a + $b } @rows;
eval { note() };
eval { fails() };
eval { eval { fails() }; note(); die "again\n" };
eval "note(); eval { fails() }; note()";
eval "sub made { note() } made()";
eval "BEGIN { note() } note()";
{ my $gone = Gone->new; }
sub { my $gone = Gone->new; 1 }->();
{ local $SIG{__WARN__} = sub { note() }; warn "x\n"; }
eval { local $SIG{__DIE__} = sub { note() }; die "x\n" };
my $sum = Sum->new(1);
my $more = $sum + 1;
my $text = "$sum";
@s = sort { $a <=> $b } map { Sum->new($_) } @rows;
tie my $tied, 'Tied';
my $fetched = $tied;
$tied = 2;
untie $tied;
'abc' =~ /b(?{ note() })c/;
(my $t = 'aab') =~ s/a/note(); 'c'/ge;
my $f = \&deep;
&$f(2);
keeps_context();
{ local $SIG{ALRM} = sub { note() }; kill ALRM => $$; }
{ local $SIG{ALRM} = sub { eval { fails() }; note() }; kill ALRM => $$; }
my $folder = "/tmp/noted-$$";
mkdir $folder;
open my $part, '>', "$folder/Part.pm";
print $part "package Part;\nmain::note();\nuse List::Util 'sum';\nBEGIN { main::note() }\nsub hi { main::note() }\nhi();\n1;\n";
close $part;
push @INC, $folder;
require Part;
do "$folder/Part.pm";
eval "use Part; Part::hi()";
unlink "$folder/Part.pm";
rmdir $folder;
eval q{use feature 'try'; no warnings; sub tries { try { note(); fails() } catch ($e) { note() } note() } tries(); @s = sort { tries(); $a <=> $b } @rows; };
eval q{use feature 'defer'; no warnings; sub defers { defer { note(); eval { note() }; note() } note() } defers();};
sub in_thread { $is_thread = 1; %noted = (); eval { note() }; deep(2); @s = sort by_eval @rows; return %noted }
if (eval { require threads }) {
    my %more = threads->create({ context => 'list' }, \&in_thread)->join;
    $noted{$_} += $more{$_} for keys %more;
}

END {
    note();
    open my $out, '>', $ARGV[0];
    print $out '[', join(', ', map { "[[$_], $noted{$_}]" } sort keys %noted), "]\n";
}
