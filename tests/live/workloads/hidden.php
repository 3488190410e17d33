<?php
// hidden.php: sleeps 2 ms in a function whose name is in memory that cannot be read, then in one where it can be.
$c = FFI::cdef('extern char executor_globals[1800]; int mprotect(uint64_t at, size_t n, int how);
    void *memcpy(uint64_t *to, uint64_t from, size_t n);');

function word($at)
{
    $word = FFI::new('uint64_t');
    $GLOBALS['c']->memcpy(FFI::addr($word), $at, 8);
    return $word->cdata;
}

function nap()
{
    usleep(2000);
}

function seen()
{
    nap();
}

function address($part) // of the name of the caller
{
    $frame = word(FFI::cast('uint64_t', FFI::addr($GLOBALS['c']->executor_globals))->cdata + 488);
    for (; word($frame + 24) == 0 || word(word($frame + 24) + 8) == 0 || !$part($frame); $frame = word($frame + 48));
    return word(word($frame + 24) + 8);
}

$name = str_repeat('x', 300000);
eval("function $name() { global \$page, \$c; \$page ??= address(fn (\$frame) => word(word(word(\$frame + 24) + 8) + 16) == 300000)
        & -4096;
    foreach ([0, 3] as \$how) { \$c->mprotect(\$page, 4096, \$how) == 0 || exit(1); nap(); } }");
$name();
$name();
seen();
