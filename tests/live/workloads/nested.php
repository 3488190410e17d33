<?php
// nested.php: sleeps 20 ms five times in Shop::inner(), which middle() calls, which outer() calls by way of C (array_map).
// Prints for how long.
class Shop
{
    public $slept = 0;

    function inner()
    {
        $start = hrtime(true);
        usleep(20000);
        $this->slept += hrtime(true) - $start;
    }
}

function middle($shop)
{
    $shop->inner();
}

function outer($shop)
{
    array_map('middle', array_fill(0, 5, $shop));
}

$shop = new Shop;
outer($shop);
printf("slept %d ms\n", $shop->slept / 1e6);
