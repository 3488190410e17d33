<?php
// busy.php: computes for a second in many ways: C that calls PHP, exceptions, generators, destructors, functions that are made.
class Gone
{
    public function __destruct()
    {
        strrev('gone');
    }
}

function compare($a, $b)
{
    return $b <=> $a;
}

function raises($n)
{
    try {
        return $n ? raises($n - 1) : intdiv(1, 0);
    } catch (DivisionByZeroError) {
        return $n;
    }
}

function numbers($n)
{
    for ($i = 0; $i < $n; $i++) {
        yield $i;
    }
}

function work($n)
{
    $list = range(0, 50);
    usort($list, 'compare');
    raises(5);
    array_sum(iterator_to_array(numbers(50)));
    json_decode(json_encode(['a' => $list]));
    array_map(function ($x) {
        $gone = new Gone;
        return $x;
    }, $list);
    $n > 300 || eval("function made_$n() { return array_sum(range(0, 200)); } made_$n();");
}

function main()
{
    for ($n = 0, $end = hrtime(true) + 1e9; hrtime(true) < $end; $n++) {
        work($n);
    }
}

main();
