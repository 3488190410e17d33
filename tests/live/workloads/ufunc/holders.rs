// SPDX-License-Identifier: Apache-2.0
//! Strings, slices and options of Rust, passed once with known values. Usage: holders_rust

use std::hint::black_box;

pub struct Person {
    name: String,
    age: u32,
    marks: Vec<u16>,
    nick: Option<u32>,
    boss: Option<Box<u32>>,
    word: &'static str,
}

pub enum Shape {
    Circle(u32),
    Square { side: u16 },
}

#[inline(never)]
pub fn meets(who: &Person, text: &str, list: &[u32], some: &Option<u32>, none: &Option<u64>, shape: &Shape) -> usize {
    black_box((who.age, text, list, some, none));
    if let Shape::Circle(x) = shape {
        black_box(x);
    }
    let boss = who.boss.is_some() as usize;
    who.name.len() + who.marks.len() + who.word.len() + who.nick.unwrap_or(0) as usize + boss
}

#[inline(never)]
pub fn greets(n: usize) -> String {
    "hi".repeat(n)
}

fn main() {
    let who = Person {
        name: "Ann".to_string(),
        age: 30,
        marks: vec![1, 2, 3],
        nick: Some(5),
        boss: None,
        word: "static",
    };
    if black_box(false) {
        black_box(Shape::Circle(1));
    }
    black_box(meets(&who, "borrowed", &[1, 2], &Some(7), &None, &Shape::Square { side: 4 }));
    black_box(greets(2));
}
