//! fbunlock
fn main() {
    // Keeps the library linked until the commands exist.
    // SAFETY: takes no pointer.
    unsafe { libcryptsetup_rs_sys::crypt_set_debug_level(0) };
    println!("fbunlock");
}
