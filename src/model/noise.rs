//! Numbers for tests that try everything: the same in each run, for what fails must fail again.

/// A row of numbers (xorshift, 64 bits).
pub struct Noise(u64);

impl Noise {
    /// The row that begins behind `seed`, which must not be 0.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number.
    pub fn draw(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// The next number, as one of those below `end`.
    pub fn below(&mut self, end: u64) -> u64 {
        self.draw() % end
    }
}
