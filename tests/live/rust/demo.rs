// demo N - calls functions of modules, generic ones, methods and one that panics, N times each.
// Its names are those the Rust compiler makes; the known answers are in tests/live/rust/rust.test.
use std::ops::Add;

mod shapes {
    #[inline(never)]
    pub fn area(width: u64, height: u64) -> u64 {
        std::hint::black_box(width) * std::hint::black_box(height)
    }
}

trait Shape {
    fn edges(&self, times: u64) -> u64;
}

struct Square;
struct Hexagon;

impl Shape for Square {
    #[inline(never)]
    fn edges(&self, times: u64) -> u64 {
        std::hint::black_box(4) * times
    }
}

impl Shape for Hexagon {
    #[inline(never)]
    fn edges(&self, times: u64) -> u64 {
        std::hint::black_box(6) * times
    }
}

struct Counter {
    sum: u64,
}

impl Counter {
    #[inline(never)]
    fn add(&mut self, n: u64) -> u64 {
        self.sum += std::hint::black_box(n);
        self.sum
    }
}

#[inline(never)]
fn twice<T: Add<Output = T> + Copy>(x: T) -> T {
    std::hint::black_box(x) + std::hint::black_box(x)
}

// Panics at every fifth, which main catches: these calls are left without a return.
#[inline(never)]
fn fails(i: u64) -> u64 {
    if std::hint::black_box(i) % 5 == 4 {
        std::panic::panic_any(());
    }
    std::hint::black_box(i) + 1
}

fn main() {
    let n: u64 = std::env::args().nth(1).map_or(10, |s| s.parse().unwrap());
    let mut counter = Counter { sum: 0 };
    let mut total = 0;

    std::panic::set_hook(Box::new(|_| {}));
    for i in 0..n {
        total += shapes::area(i, 2);
        total += Square.edges(i) + Hexagon.edges(i);
        total += counter.add(i);
        total += twice::<u64>(i) + u64::from(twice::<u32>(i as u32));
        total += std::panic::catch_unwind(|| fails(i)).unwrap_or(0);
    }
    println!("{total}");
}
