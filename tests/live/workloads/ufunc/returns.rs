// SPDX-License-Identifier: Apache-2.0
//! Small results of Rust, each returned with known values. Usage: returns_rust

use std::hint::black_box;

#[derive(Clone, Copy)]
pub enum Colour {
    Red,
    Green = 7,
}

pub struct Spot {
    x: i16,
    y: u8,
}

pub enum Shape {
    Circle(u32),
    Square { side: u16 },
    Point,
}

pub struct Large {
    all: [u64; 3],
}

#[inline(never)]
pub fn numbers(n: u32) -> (u32, u32) {
    (n + 1, n + 2)
}

#[inline(never)]
pub fn wide(n: u64) -> (u64, i32) {
    (n << 40, -(n as i32))
}

#[inline(never)]
pub fn three(n: u8) -> (u8, u16, u8) {
    (n, 1000 + n as u16, n + 2)
}

#[inline(never)]
pub fn some(n: u32) -> Option<u32> {
    if n > 0 { Some(n) } else { None }
}

#[inline(never)]
pub fn truth(n: u32) -> Option<bool> {
    if n > 0 { Some(n > 1) } else { None }
}

#[inline(never)]
pub fn boxed(n: u32) -> Option<Box<u32>> {
    if n > 0 { Some(Box::new(n)) } else { None }
}

#[inline(never)]
pub fn tried(n: i32) -> Result<u32, i8> {
    if n < 0 { Err(n as i8) } else { Ok(n as u32 + 70000) }
}

#[inline(never)]
pub fn checked(n: u64) -> Result<u64, Colour> {
    if n > 5 { Err(if n > 6 { Colour::Green } else { Colour::Red }) } else { Ok(n << 33) }
}

#[inline(never)]
pub fn done(n: u8) -> Result<(), u8> {
    if n > 0 { Err(n) } else { Ok(()) }
}

#[inline(never)]
pub fn text(n: u32) -> &'static str {
    if n > 0 { "text" } else { "" }
}

#[inline(never)]
pub fn named(n: u32) -> Option<&'static str> {
    if n > 0 { Some("name") } else { None }
}

#[inline(never)]
pub fn list(n: usize) -> &'static [u16] {
    &[1, 2, 3][..n]
}

#[inline(never)]
pub fn spot(n: i16) -> Spot {
    Spot { x: -n, y: n as u8 + 200 }
}

#[inline(never)]
pub fn shape(n: u32) -> Shape {
    match n {
        0 => Shape::Point,
        1 => Shape::Square { side: 9 },
        _ => Shape::Circle(n),
    }
}

#[inline(never)]
pub fn bytes(n: u8) -> [u8; 5] {
    [n, 2, 3, 4, n + 4]
}

#[inline(never)]
pub fn real(n: f32) -> (f32, f32) {
    (n, n + 1.0)
}

#[inline(never)]
pub fn large(n: u64) -> Large {
    Large { all: [n, n + 1, n + 2] }
}

// Through an address, so that the compiler keeps the calling convention.
fn main_calls<A, R>(function: fn(A) -> R, argument: A) -> R {
    black_box(black_box(function)(black_box(argument)))
}

fn main() {
    main_calls(numbers, 1);
    main_calls(wide, 1);
    main_calls(three, 1);
    main_calls(some, 5);
    main_calls(some, 0);
    main_calls(truth, 2);
    main_calls(truth, 1);
    main_calls(truth, 0);
    main_calls(boxed, 0);
    main_calls(boxed, 3);
    main_calls(tried, 3);
    main_calls(tried, -3);
    main_calls(checked, 4);
    main_calls(checked, 6);
    main_calls(checked, 7);
    main_calls(done, 0);
    main_calls(done, 8);
    main_calls(text, 0);
    main_calls(text, 1);
    main_calls(named, 0);
    main_calls(named, 1);
    main_calls(list, 2);
    main_calls(shape, 0);
    main_calls(shape, 1);
    main_calls(shape, 2);
    main_calls(bytes, 1);
    main_calls(real, 1.5);
    let p = main_calls(spot, 3);
    black_box((p.x, p.y));
    let l = main_calls(large, 6);
    black_box(l.all);
}
