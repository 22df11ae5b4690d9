//! What the display shows, and whether it is what it should be, to the pixel.

use std::fs::{self, File};
use std::io::{BufReader, BufWriter};
use std::path::Path;

use crate::failure::{Context, Result, fail};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Point {
    pub(crate) x: u32,
    pub(crate) y: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Size {
    pub(crate) width: u32,
    pub(crate) height: u32,
}

/// Red, green, blue of every pixel, row by row.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Frame {
    pub(crate) size: Size,
    pub(crate) pixels: Vec<[u8; 3]>,
}

impl Size {
    /// The other way round after an odd number of quarter turns.
    pub(crate) fn turned(self, quarters: u32) -> Self {
        if quarters.is_multiple_of(2) { self } else { Self { width: self.height, height: self.width } }
    }
}

impl Point {
    /// Where a point of a picture of `size` is on a panel on which it is turned clockwise.
    pub(crate) fn turned(self, size: Size, quarters: u32) -> Self {
        let Self { x, y } = self;
        match quarters % 4 {
            0 => self,
            _ => Self { x: size.height - 1 - y, y: x }.turned(size.turned(1), quarters % 4 - 1),
        }
    }
}

impl Frame {
    /// The picture as a panel has it on which it is turned clockwise.
    pub(crate) fn turned(&self, quarters: u32) -> Self {
        let size = self.size.turned(quarters);
        let mut pixels = vec![[0; 3]; self.pixels.len()];
        for (index, pixel) in (0..).zip(&self.pixels) {
            let at = Point { x: index % self.size.width, y: index / self.size.width }.turned(self.size, quarters);
            pixels[(at.y * size.width + at.x) as usize] = *pixel;
        }
        Self { size, pixels }
    }

    /// In the middle of a larger screen, the rest black.
    pub(crate) fn centred(&self, size: Size) -> Self {
        let (left, top) = ((size.width - self.size.width) / 2, (size.height - self.size.height) / 2);
        let inside = |at: u32, start: u32, length: u32| at.checked_sub(start).filter(|at| *at < length);
        Self::draw(size, |x, y| match (inside(x, left, self.size.width), inside(y, top, self.size.height)) {
            (Some(x), Some(y)) => self.pixels[(y * self.size.width + x) as usize],
            _ => [0; 3],
        })
    }

    /// In the middle of a screen that is too small for it: as large as it can be there, each pixel the
    /// mean of what it covers, the rest black.
    pub(crate) fn shrunk(&self, size: Size) -> Self {
        let (from, to) = (self.size, size);
        let by =
            |part: u32, whole: u32, side: u32| (f64::from(side) * f64::from(part) / f64::from(whole)).round() as u32;
        let inner = if to.width * from.height < to.height * from.width {
            Size { width: to.width, height: by(to.width, from.width, from.height) }
        } else {
            Size { width: by(to.height, from.height, from.width), height: to.height }
        };
        // Where pixel `at` begins and ends, in so many parts of a pixel of the picture.
        let edges = |at: u32, from: u32| (u64::from(at * from), u64::from((at + 1) * from));
        let overlap = |(start, end): (u64, u64), pixel: u64, parts: u32| {
            let (first, last) = (pixel * u64::from(parts), (pixel + 1) * u64::from(parts));
            end.min(last).saturating_sub(start.max(first))
        };
        let small = Self::draw(inner, |x, y| {
            let (across, down) = (edges(x, from.width), edges(y, from.height));
            let (mut sums, mut whole) = ([0; 3], 0);
            for row in down.0 / u64::from(inner.height)..down.1.div_ceil(u64::from(inner.height)) {
                for column in across.0 / u64::from(inner.width)..across.1.div_ceil(u64::from(inner.width)) {
                    let weight = overlap(down, row, inner.height) * overlap(across, column, inner.width);
                    let pixel = self.pixels[(row * u64::from(from.width) + column) as usize];
                    sums.iter_mut().zip(pixel).for_each(|(sum, sample)| *sum += weight * u64::from(sample));
                    whole += weight;
                }
            }
            sums.map(|sum| ((sum + whole / 2) / whole) as u8)
        });
        small.centred(size)
    }

    /// A frame whose pixels `colour` decides.
    pub(crate) fn draw(size: Size, colour: impl Fn(u32, u32) -> [u8; 3]) -> Self {
        let rows = (0..size.height).flat_map(|y| (0..size.width).map(move |x| (x, y)));
        Self { size, pixels: rows.map(|(x, y)| colour(x, y)).collect() }
    }

    /// Reads a PNG; an alpha channel is dropped.
    pub(crate) fn read(file: &Path) -> Result<Self> {
        let name = file.display();
        let source = BufReader::new(File::open(file).context(format_args!("open {name}"))?);
        let mut decoder = png::Decoder::new(source);
        decoder.set_transformations(png::Transformations::EXPAND | png::Transformations::STRIP_16);
        let mut reader = decoder.read_info().context(format_args!("decode {name}"))?;
        let Some(length) = reader.output_buffer_size() else { return fail(format!("decode {name}: too large")) };
        let mut bytes = vec![0; length];
        let info = reader.next_frame(&mut bytes).context(format_args!("decode {name}"))?;
        let pixels = bytes[..info.buffer_size()].chunks_exact(info.color_type.samples());
        let pixels = pixels.map(|samples| match *samples {
            [red, green, blue, ..] => [red, green, blue],
            [grey, ..] => [grey; 3],
            [] => [0; 3],
        });
        let size = Size { width: info.width, height: info.height };
        Ok(Self { size, pixels: pixels.collect() })
    }

    /// Writes a PNG without alpha.
    pub(crate) fn write(&self, file: &Path) -> Result<()> {
        let name = file.display();
        let target = BufWriter::new(File::create(file).context(format_args!("create {name}"))?);
        let mut encoder = png::Encoder::new(target, self.size.width, self.size.height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        let mut writer = encoder.write_header().context(format_args!("encode {name}"))?;
        writer.write_image_data(self.pixels.as_flattened()).context(format_args!("encode {name}"))
    }

    /// How this differs from `expected`, in a sentence; `None` when every pixel is the same.
    pub(crate) fn difference(&self, expected: &Self) -> Option<String> {
        if self.size != expected.size {
            return Some(format!("the screen is {:?}, expected {:?}", self.size, expected.size));
        }
        let pairs = || self.pixels.iter().zip(&expected.pixels);
        let first = pairs().position(|(seen, wanted)| seen != wanted)?;
        let count = pairs().filter(|(seen, wanted)| seen != wanted).count();
        let width = self.size.width as usize;
        Some(format!(
            "{count} pixels differ, the first at x={} y={}: {:02x?}, expected {:02x?}",
            first % width,
            first / width,
            self.pixels[first],
            expected.pixels[first]
        ))
    }

    /// Leaves `seen.png`, `expected.png` and `difference.png` in `folder`; red marks what differs.
    pub(crate) fn explain(&self, expected: &Self, folder: &Path) -> Result<()> {
        fs::create_dir_all(folder).context(format_args!("create {}", folder.display()))?;
        self.write(&folder.join("seen.png"))?;
        expected.write(&folder.join("expected.png"))?;
        if self.size != expected.size {
            return Ok(());
        }
        let marked = self.pixels.iter().zip(&expected.pixels).map(|(seen, wanted)| match seen == wanted {
            true => seen.map(|sample| sample / 4),
            false => [255, 0, 0],
        });
        Self { size: self.size, pixels: marked.collect() }.write(&folder.join("difference.png"))
    }
}
