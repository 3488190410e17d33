<?php
// short.php: 40 children that live less than 10 ms: each calls born() and sleeps 1 ms. Then the process executes this program
// again, which sleeps 1 ms in again().
function born()
{
    usleep(1000);
}

function again()
{
    usleep(1000);
}

if ($argc > 1) {
    again();
    exit;
}
for ($i = 0; $i < 40; $i++) {
    $child = pcntl_fork();
    if (!$child) {
        born();
        posix_kill(getmypid(), SIGKILL);
    }
    pcntl_waitpid($child, $status);
}
pcntl_exec(PHP_BINARY, [__FILE__, 'again']);
