"""Macros and functions of random scripts (generate-scripts)."""

# Macros and functions; each is written at the head of a script that calls it.
DEFINITIONS = {
    "twice": "macro twice(x) { x + x }",
    "keep": "macro keep(x) { let $k = x; $k & 255 }",
    "size_of": "macro size_of(x) { if comptime (is_str(x)) { len(x) } else { x } }",
    "step": "macro step($v) { $v++; $v * 2 }",
    "put": "macro put(@m, k) { @m[k] = count(); if (has_key(@m, k)) { k } else { 0 } }",
    "narrow": "macro narrow(t, x) { let $n : t = (t)(x); $n + sizeof(t) }",
    "bytes_of": "macro bytes_of(t) { sizeof(t) }",
    "member": "macro member(t, f) { offsetof(t, f) }",
    "add": "fn add($a : int64, $b : uint32) : int64 { if ($a > 5) { return $a - $b; } return twice($a) + $b; }",
    "search": "fn search($n : int64) : int64 { for ($i : 0..9) { for ($j : 0..2) { if ($i == ($n & 15)) "
              "{ return $i + $j; } } } return -1; }",
    "rounds": "fn rounds($n : uint64) : uint64 { let $w : uint64 = 0; while ($w < $n) { $w++; if ($w == 5) { break; } } "
              "return $w; }",
    "text": 'fn text($s : string[64], $n : int32) : string[64] { if ($n) { return $s; } return "none"; }',
    "note": "fn note($n : int64) : void { if ($n == 3) { return; } @noted[$n & 7] = sum($n); unroll (2) { @seen++; } }",
    "leave": "fn leave($n : int64) : int64 { for ($i : 0..3) { if ($i == ($n & 7)) { exit(); } } return $n; }",
}
