//! A framebuffer in the guest's memory: told to the kernel by a `simple-framebuffer` node in the
//! device tree, read back through QMP, and decoded with nothing taken from the product.
//!
//! Formats as in Documentation/devicetree/bindings/display/simple-framebuffer.yaml and
//! include/linux/platform_data/simplefb.h of the kernel.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::json;

use crate::failure::{Context, Failure, Result, fail};
use crate::qmp::Client;
use crate::screen::{Frame, Size};
use crate::tool::{Tools, run};

/// From the start of the RAM: above kernel and initramfs, below the end of the smallest machine.
const ADDRESS: u64 = 0x1c00_0000;
/// Room that is reserved for it.
const ROOM: u64 = 0x80_0000;

/// Where a panel hangs in the tree: somewhere.
const PANEL: &str = "/display/dsi@0/panel@0";

/// Offset and length of a field in bits.
type Field = (u32, u32);

/// How the pixels lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Scanout {
    /// The word in the device tree.
    pub(crate) format: &'static str,
    pub(crate) size: Size,
    /// Bytes from one row to the next.
    pub(crate) stride: u32,
}

/// Bytes a pixel; red, green, blue; alpha, of length 0 when there is none.
struct Layout {
    bytes: usize,
    colors: [Field; 3],
    alpha: Field,
}

impl Scanout {
    fn layout(&self) -> Result<Layout> {
        let (bytes, colors, alpha) = match self.format {
            "r5g6b5" => (2, [(11, 5), (5, 6), (0, 5)], (0, 0)),
            "x1r5g5b5" => (2, [(10, 5), (5, 5), (0, 5)], (0, 0)),
            "r8g8b8" => (3, [(16, 8), (8, 8), (0, 8)], (0, 0)),
            "a8b8g8r8" => (4, [(0, 8), (8, 8), (16, 8)], (24, 8)),
            "x2r10g10b10" => (4, [(20, 10), (10, 10), (0, 10)], (0, 0)),
            other => return fail(format!("no layout known for the format {other}")),
        };
        Ok(Layout { bytes, colors, alpha })
    }

    fn length(&self) -> u64 {
        u64::from(self.stride) * u64::from(self.size.height)
    }

    /// Adds the node to a device tree, and takes its memory away from the kernel.
    pub(crate) fn describe(&self, tools: &Tools, tree: &Path, (ram_start, rotation): (u64, u32)) -> Result<()> {
        let put = |words: &[&str]| {
            let (options, rest) = words.split_at(words.iter().take_while(|word| word.starts_with('-')).count());
            run(Command::new(tools.program("fdtput")).args(options).arg(tree).args(rest)).map(drop)
        };
        let address = ram_start + ADDRESS;
        let (reserved, node) =
            (format!("/reserved-memory/scanout@{address:x}"), format!("/chosen/scanout@{address:x}"));
        put(&["-cp", &reserved, &node])?;
        for parent in ["/reserved-memory", "/chosen"] {
            put(&[parent, "#address-cells", "2"])?;
            put(&[parent, "#size-cells", "2"])?;
            put(&[parent, "ranges"])?;
        }
        let region = |length: u64| [address >> 32, address & 0xffff_ffff, 0, length].map(|cell| cell.to_string());
        let reg = |path: &str, length: u64| {
            let [a, b, c, d] = region(length);
            put(&[path, "reg", &a, &b, &c, &d])
        };
        reg(&reserved, ROOM)?;
        put(&[&reserved, "no-map"])?;
        reg(&node, self.length())?;
        for (name, value) in [("width", self.size.width), ("height", self.size.height), ("stride", self.stride)] {
            put(&[&node, name, &value.to_string()])?;
        }
        for (name, value) in [("compatible", "simple-framebuffer"), ("format", self.format), ("status", "okay")] {
            put(&["-ts", &node, name, value])?;
        }
        if rotation > 0 {
            put(&["-cp", PANEL])?;
            put(&[PANEL, "rotation", &(rotation * 90).to_string()])?;
        }
        Ok(())
    }

    /// What a panel shows that scans this memory out.
    pub(crate) fn read(&self, qmp: &mut Client, ram_start: u64, folder: &Path) -> Result<Frame> {
        let file = folder.join("scanout");
        let range = json!({ "val": ram_start + ADDRESS, "size": self.length(), "filename": file });
        qmp.execute("pmemsave", range)?;
        let memory = fs::read(&file).context(format_args!("read {}", file.display()))?;
        self.decode(&memory)
    }

    /// Every pixel, to eight bits a colour.
    fn decode(&self, memory: &[u8]) -> Result<Frame> {
        let layout = self.layout()?;
        let value = |pixel: u32, (offset, length): Field| (pixel >> offset) & ((1 << length) - 1);
        let mut pixels = Vec::new();
        for row in memory.chunks_exact(self.stride as usize) {
            let (row, padding) = row.split_at(self.size.width as usize * layout.bytes);
            for bytes in row.chunks_exact(layout.bytes) {
                let pixel = bytes.iter().rev().fold(0, |sum, byte| sum << 8 | u32::from(*byte));
                if value(pixel, layout.alpha) != (1 << layout.alpha.1) - 1 {
                    return fail(format!("pixel {} is not opaque: {pixel:08x}", pixels.len()));
                }
                let fields = layout.colors.iter().chain([&layout.alpha]);
                let unused = fields.fold(pixel, |rest, (offset, length)| rest & !(((1 << length) - 1) << offset));
                if unused != 0 {
                    return fail(format!("pixel {} has bits beside its fields: {pixel:08x}", pixels.len()));
                }
                pixels.push(layout.colors.map(|field| widen(value(pixel, field), field.1)));
            }
            if padding.iter().any(|byte| *byte != 0) {
                return fail("the padding at the end of a row was written");
            }
        }
        Ok(Frame { size: self.size, pixels })
    }

    /// What can be seen of a frame through this format: the nearest that its fields can hold.
    pub(crate) fn seen(&self, frame: &Frame) -> Result<Frame> {
        let [red, green, blue] = self.layout()?.colors.map(|(_, length)| length);
        let near = |sample: u8, length: u32| widen(narrow(sample, length), length);
        let pixels = frame.pixels.iter().map(|pixel| {
            let [r, g, b] = *pixel;
            [near(r, red), near(g, green), near(b, blue)]
        });
        Ok(Frame { size: frame.size, pixels: pixels.collect() })
    }

    /// The device tree's file for QEMU, made from the machine's own.
    /// `rotation`: quarter turns of a panel that the tree tells of, 0 for none.
    pub(crate) fn tree(
        &self,
        tools: &Tools,
        qemu: &[String],
        (ram_start, rotation): (u64, u32),
        folder: &Path,
    ) -> Result<Vec<String>> {
        let tree = folder.join("machine.dtb");
        let mut dump = qemu.to_vec();
        let Some(machine) = dump.iter_mut().find(|word| word.starts_with("virt")) else {
            return fail("only the machine virt has a device tree");
        };
        machine.push_str(&format!(",dumpdtb={}", tree.display()));
        let Some((program, words)) = dump.split_first() else { return fail("no program to run") };
        run(Command::new(program).args(words))?;
        self.describe(tools, &tree, (ram_start, rotation))
            .map_err(|Failure(text)| Failure(format!("device tree: {text}")))?;
        Ok(vec!["-dtb".to_owned(), tree.display().to_string()])
    }
}

/// Red, green and blue of a picture in the 246 colours that fbunlock gives a palette: six levels of each,
/// and the greys of five bits but black and white. Each pixel, cut to five bits a colour, is shown by what
/// comes nearest, the first of equals, where differences of red, green and blue count 2, 4 and 3.
pub(crate) fn seen_palette(frame: &Frame) -> Vec<u8> {
    let steps = || (0..6).map(|level| level * 51);
    let cube = steps().flat_map(|r| steps().flat_map(move |g| steps().map(move |b| [r, g, b])));
    let five = |value: i32| value << 3 | value >> 2;
    let entries: Vec<[i32; 3]> = cube.chain((1..31).map(|grey| [five(grey); 3])).collect();
    let far = |[r, g, b]: [i32; 3]| r * r * 2 + g * g * 4 + b * b * 3;
    let mut known = HashMap::new();
    let mut seen = |pixel: &[u8; 3]| {
        let wanted = pixel.map(|value| five(i32::from(value >> 3)));
        let away = |entry: &[i32; 3]| far([0, 1, 2].map(|color: usize| entry[color] - wanted[color]));
        *known
            .entry(wanted)
            .or_insert_with(|| entries.iter().min_by_key(|entry| away(entry)).copied().unwrap_or(wanted))
    };
    frame.pixels.iter().flat_map(|pixel| seen(pixel).map(|value| value as u8)).collect()
}

/// The bytes of a picture in 16 or 24 bits, blue in the upper ones.
pub(crate) fn blue_first(frame: &Frame, bits: u32) -> Vec<u8> {
    let pixels = frame.pixels.iter();
    if bits == 24 {
        return pixels.flat_map(|pixel| *pixel).collect();
    }
    let number = |[red, green, blue]: [u8; 3]| narrow(blue, 5) << 11 | narrow(green, 6) << 5 | narrow(red, 5);
    pixels.flat_map(|pixel| (number(*pixel) as u16).to_le_bytes()).collect()
}

/// What QEMU shows of a picture in pixels of 5, 6 and 5 bits: it fills the bits that are missing with
/// the upper ones (pixman).
pub(crate) fn seen_565(frame: &Frame) -> Frame {
    let near = |sample: u8, length: u32| {
        let value = narrow(sample, length);
        (value << (8 - length) | value >> (2 * length - 8)) as u8
    };
    let pixels = frame.pixels.iter().map(|[red, green, blue]| [near(*red, 5), near(*green, 6), near(*blue, 5)]);
    Frame { size: frame.size, pixels: pixels.collect() }
}

fn widen(value: u32, length: u32) -> u8 {
    let most = f64::from((1_u32 << length) - 1);
    (f64::from(value) * 255.0 / most).round() as u8
}

fn narrow(sample: u8, length: u32) -> u32 {
    let most = f64::from((1_u32 << length) - 1);
    (f64::from(sample) * most / 255.0).round() as u32
}
