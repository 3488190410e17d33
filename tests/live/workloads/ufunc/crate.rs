// SPDX-License-Identifier: Apache-2.0
//! Rust functions, each called once with known values. Usage: crate

use std::hint::black_box;

#[derive(Clone, Copy)]
pub enum Colour {
    Red,
    Green = 7,
}

#[derive(Clone, Copy)]
pub struct Id(u32);

#[derive(Clone, Copy)]
pub struct Pair {
    first: u8,
    second: u32,
}

pub struct Shelf {
    values: [u64; 4],
}

#[inline(never)]
pub fn plain(a: u8, b: i32, c: bool, d: char, e: u64, f: i16, g: i8) {
    black_box((a, b, c, d, e, f, g));
}

#[inline(never)]
pub fn texts(a: i16, text: &str, b: u16, list: &[u32], c: i64) -> usize {
    black_box((a, b, c));
    text.len() + list.len()
}

#[inline(never)]
pub fn wrapped(id: Id, part: f64, colour: Colour, number: i64) {
    black_box((id.0, part, colour as u8, number));
}

#[inline(never)]
pub fn pair(a: u32, pair: Pair, b: u32) {
    black_box((a, pair.first, pair.second, b));
}

#[inline(never)]
pub fn owned(a: u32, b: i32) -> String {
    format!("{}", a as i32 + b)
}

impl Shelf {
    #[inline(never)]
    pub fn at(&self, n: i8) -> u64 {
        self.values[(n as usize) & 3]
    }
}

fn main() {
    plain(200, -3, true, 'x', 1 << 40, -300, -4);
    black_box(texts(-7, "hello", 60000, &[1, 2, 3], -8));
    wrapped(Id(9), 1.5, Colour::Green, -5);
    if black_box(false) {
        wrapped(Id(1), 2.5, Colour::Red, 5);
    }
    pair(1, Pair { first: 2, second: 3 }, 4);
    black_box(owned(5, -6));
    black_box(Shelf { values: [1, 2, 3, 4] }.at(-2));
}
