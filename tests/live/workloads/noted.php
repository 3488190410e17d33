<?php
// Notes its own stacks, as debug_backtrace() has them, before each sleep: noted.php FILE writes a list of
// [["function (file:line)", …], how often] there. check-python compares them with those that sonde has seen.

const NAP = 2000;
$noted = [];

function add(array &$stack, array $entry, ?string $file, ?int $line): void
{
    $name = $entry['function'];
    if (isset($entry['class'])) $name = strtok($entry['class'], "\0") . "::$name";
    elseif (in_array($name, ['include', 'require', 'eval'])) $name = '{main}';
    $stack[] = $name . ' (' . ($line ? basename($file) : '?') . ':' . (int)$line . ')';
}

function note(): void
{
    global $noted;
    $stack = ['usleep (?:0)'];
    $line = __LINE__ + 7;
    $file = __FILE__;
    foreach (debug_backtrace(DEBUG_BACKTRACE_IGNORE_ARGS) as $entry) {
        add($stack, $entry, $file, $line);
        [$file, $line] = [$entry['file'] ?? null, $entry['line'] ?? null];
    }
    if ($line) add($stack, ['function' => '{main}'], $file, $line);
    $noted[json_encode($stack)] = ($noted[json_encode($stack)] ?? 0) + 1; usleep(NAP);
}

trait Loud
{
    function shout() { note(); }
}

class Shop
{
    use Loud;
    private array $parts = [1, 2];
    function __construct(public bool $isNoted = false) { if ($isNoted) note(); }
    function each() { return array_map(fn ($x) => $this->nap($x), $this->parts); }
    function nap($x) { note();
        return $x; }
    static function sorted(array $l) { usort($l, function ($a, $b) { note(); return $a <=> $b; }); return $l; }
    function __get($name) { note(); return $name; }
    function __set($name, $value) { note(); }
    function __call($name, $arguments) { note(); }
    static function __callStatic($name, $arguments) { note(); }
    function __toString(): string { note(); return 'shop'; }
    function __invoke() { note(); }
}

class Gone
{
    function __destruct() { note(); }
}

class Rows implements IteratorAggregate, Countable, ArrayAccess
{
    function getIterator(): Iterator { note(); yield 1; note(); yield from $this->more(); }
    function more() { note(); yield 2; yield from $this->last(); note(); }
    function last() { note(); yield 3; }
    function count(): int { note(); return 3; }
    function offsetExists($at): bool { note(); return true; }
    function offsetGet($at): mixed { note(); return $at; }
    function offsetSet($at, $value): void { note(); }
    function offsetUnset($at): void { note(); }
}

function deep(int $n) { $n ? deep($n - 1) : note(); }
function numbers() { for ($i = 0; $i < 3; $i++) { note(); yield $i => $i; } }
function lets_go() { $gone = new Gone; return 1; }
function fails() { try { throw new Exception('x'); } finally { note(); } }
function throws_with_gone() { $gone = new Gone; throw new Exception('y'); }
function by_name(int $a, int $b) { note(); }

$folder = sys_get_temp_dir() . '/noted-' . getmypid();
mkdir($folder);
file_put_contents("$folder/part.php", "<?php\nnote();\nfunction of_part() {\n    note();\n}\nof_part();\nreturn 7;\n");
file_put_contents("$folder/Late.php", "<?php\nnote();\nclass Late {\n    function hi() { note(); }\n}\n");
spl_autoload_register(function ($class) use ($folder) { note(); require "$folder/$class.php"; });
set_error_handler(function () { note(); return true; });

$shop = new Shop(true);
$shop->each();
$shop->shout();
Shop::sorted([3, 1, 2]);
$shop->missing;
$shop->missing = 1;
$shop->someMethod();
Shop::someStatic();
"$shop";
$shop();
deep(30);
array_map([$shop, 'nap'], [1]);
call_user_func_array('by_name', ['b' => 1, 'a' => 2]);
array_walk($GLOBALS['argv'], function ($x) { note(); });
preg_replace_callback('/a/', function ($m) { note(); return 'b'; }, 'aa');
foreach (numbers() as $n) note();
iterator_to_array(numbers());
array_sum(iterator_to_array((function () { yield from numbers(); })()));
foreach (new Rows as $row) note();
count(new Rows);
$rows = new Rows;
isset($rows[1]);
$rows[1];
$rows[1] = 2;
unset($rows[1]);
lets_go();
array_map(function () { $gone = new Gone; return 1; }, [1, 2]);
array_map('lets_go', []);
array_map(fn ($x) => lets_go(), [1]);
try { fails(); } catch (Exception $e) { note(); }
try { throws_with_gone(); } catch (Exception $e) { note(); }
try { array_map(function () { throws_with_gone(); }, [1]); } catch (Exception $e) { note(); }
include "$folder/part.php";
(new Late)->hi();
eval("note();\nfunction evaluated() { note(); }\nevaluated();");
echo $undefined;
(function () { note(); })->call($shop);
(new class { function hi() { note(); } })->hi();
$gone = new Gone;
$gone = null;
$f = by_name(...);
$f(1, 2);
array_map(fn ($x) => array_map(fn ($y) => array_map(fn ($z) => note(), [1]), [1]), [1, 2]);
(new ReflectionMethod('Shop', 'nap'))->invoke($shop, 1);
ob_start();
note();
ob_end_clean();
register_shutdown_function(function () {
    global $noted, $argv;
    array_map(fn ($x) => note(), [1]);
    $rows = [];
    foreach ($noted as $stack => $n) $rows[] = [json_decode($stack), $n];
    file_put_contents($argv[1], json_encode($rows));
});
array_map('unlink', glob("$folder/*"));
rmdir($folder);
