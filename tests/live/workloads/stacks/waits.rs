// SPDX-License-Identifier: Apache-2.0
//! Waits of a Rust program: below closures, trait objects, iterators, a panic that unwinds, and in threads. Prints
//! the record of record.h, whose addresses are those of libgcc's unwinder, too. `waits-rust ROUNDS` does it more than once.
use std::cell::{Cell, RefCell};
use std::ffi::c_void;
use std::hint::black_box;
use std::time::Duration;

#[repr(C)]
struct Timespec {
    sec: i64,
    nsec: i64,
}

extern "C" {
    fn _Unwind_Backtrace(trace: extern "C" fn(*mut c_void, *mut c_void) -> i32, to: *mut c_void) -> i32;
    fn _Unwind_GetIP(context: *mut c_void) -> usize;
    fn clock_gettime(clock: i32, t: *mut Timespec) -> i32;
    fn gettid() -> i32;
    fn getpid() -> i32;
}

extern "C" fn add_frame(context: *mut c_void, to: *mut c_void) -> i32 {
    unsafe { (*(to as *mut Vec<usize>)).push(_Unwind_GetIP(context)) };
    0
}

fn clock(id: i32) -> i64 {
    let mut t = Timespec { sec: 0, nsec: 0 };
    unsafe { clock_gettime(id, &mut t) };
    t.sec * 1_000_000_000 + t.nsec
}

fn off_cpu() -> i64 {
    let on = clock(3);
    clock(1) - on
}

thread_local!(static EXPECTED: RefCell<(&'static str, &'static str)> = const { RefCell::new(("", "")) });
thread_local!(static SINCE: Cell<Option<i64>> = const { Cell::new(None) });

fn expect(name: &'static str, functions: &'static str) {
    EXPECTED.with(|e| *e.borrow_mut() = (name, functions));
    SINCE.with(|s| s.set(s.get().or_else(|| Some(off_cpu()))));
}

fn end_thread() {
    let (pid, tid) = unsafe { (getpid(), gettid()) };
    let since = SINCE.with(|s| s.get()).unwrap();
    println!("thread {pid} {tid} {}", off_cpu() - since);
}

/// Prints one site. `callers` begins in the function that called the unwinder.
fn print_site(leaf: &str, callers: &[usize], ns: i64) {
    let (name, functions) = EXPECTED.with(|e| *e.borrow());
    let addresses: String = callers[1..].iter().filter(|a| **a != 0).map(|a| format!(" {a:x}")).collect();
    let (pid, tid) = unsafe { (getpid(), gettid()) };
    println!("site {pid} {tid} {ns} 1 {leaf} \"{name}\" \"{functions}\" \"{ns}\"{addresses}");
}

macro_rules! at_site {
    ($leaf:literal, $wait:expr) => {{
        let mut callers: Vec<usize> = Vec::with_capacity(64);
        unsafe { _Unwind_Backtrace(add_frame, &mut callers as *mut _ as *mut c_void) };
        let start = off_cpu();
        $wait;
        let ns = off_cpu() - start;
        print_site($leaf, &callers, ns);
    }};
}

#[no_mangle]
#[inline(never)]
pub extern "C" fn k_sleep() {
    at_site!("k_sleep", std::thread::sleep(Duration::from_millis(20)));
}

#[no_mangle]
#[inline(never)]
pub extern "C" fn k_receive() {
    let (_keep, never) = std::sync::mpsc::channel::<i32>();
    at_site!("k_receive", never.recv_timeout(Duration::from_millis(20)).ok());
}

#[no_mangle]
#[inline(never)]
pub extern "C" fn k_start() {
    at_site!("k_start", std::thread::sleep(Duration::from_millis(300)));
}

pub trait Shape {
    fn area(&self, n: i32) -> i32;
}

struct Square(i32);

#[no_mangle]
#[inline(never)]
pub fn k_area(n: i32) -> i32 {
    k_sleep();
    black_box(n) * n
}

impl Shape for Square {
    fn area(&self, n: i32) -> i32 {
        black_box(k_area(n)) + self.0
    }
}

#[no_mangle]
#[inline(never)]
pub fn k_trait(shape: &dyn Shape) -> i32 {
    black_box(shape.area(3)) + 1
}

#[no_mangle]
#[inline(never)]
pub fn k_sort() -> i32 {
    let mut waited = false;
    let mut numbers = vec![5, 2, 9, 1, 7];
    numbers.sort_by(|a, b| {
        if !waited {
            waited = true;
            k_receive();
        }
        a.cmp(b)
    });
    black_box(numbers)[0]
}

struct WaitsAtEnd;

impl Drop for WaitsAtEnd {
    fn drop(&mut self) {
        k_sleep();
    }
}

#[no_mangle]
#[inline(never)]
pub fn k_panic(n: i32) -> i32 {
    let _at_end = WaitsAtEnd;
    if black_box(n) > 1 {
        panic!("thrown");
    }
    n
}

#[no_mangle]
#[inline(never)]
pub fn k_catch() {
    let result = std::panic::catch_unwind(|| k_panic(3));
    black_box(result.is_err());
}

#[no_mangle]
#[inline(never)]
pub fn k_thread() {
    expect("thread", "k_receive k_thread");
    k_receive();
    end_thread();
}

#[no_mangle]
#[inline(never)]
pub fn k_all() {
    expect("start", "k_start k_all main");
    k_start();
    expect("sleep", "k_sleep k_all main");
    k_sleep();
    expect("channel", "k_receive k_all main");
    k_receive();
    expect("trait object", "k_sleep k_area k_trait k_all main");
    black_box(k_trait(black_box(&Square(3))));
    expect("sort", "k_receive k_sort k_all main");
    black_box(k_sort());
    expect("drop, while a panic unwinds", "k_sleep k_panic k_catch k_all main");
    k_catch();
    std::thread::spawn(k_thread).join().unwrap();
}

fn main() {
    std::panic::set_hook(Box::new(|_| {}));
    let rounds = std::env::args().nth(1).map_or(1, |n| n.parse().unwrap());
    for _ in 0..rounds {
        k_all();
    }
    end_thread();
    let pid = unsafe { getpid() };
    println!("image {pid} {}", std::env::current_exe().unwrap().display());
    for line in std::fs::read_to_string("/proc/self/maps").unwrap().lines() {
        let parts: Vec<&str> = line.split_whitespace().collect();
        if parts[1].contains('x') {
            let (start, end) = parts[0].split_once('-').unwrap();
            println!("map {pid} {start} {end} {} {}", parts[2], parts.get(5).unwrap_or(&""));
        }
    }
}
