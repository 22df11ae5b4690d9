//! Files of both formats, made by other code than reads them, and files that are broken.

use super::*;
use crate::model::noise::Noise;

/// A picture with plain areas, slow and fast changes, and holes: every kind of chunk is needed for it.
fn picture(width: u32, height: u32) -> Vec<Pixel> {
    let mut random = Noise::new(0x1234_5678_9abc_def1);
    let mut last = [10, 20, 30, 255];
    let mut pixels: Vec<Pixel> = Vec::new();
    for at in 0..(width * height) as usize {
        let noise = random.draw().to_le_bytes();
        last = match noise[7] % 6 {
            0 => [noise[0], noise[1], noise[2], noise[3]],
            1 => [noise[0], noise[1], noise[2], last[3]],
            2 => {
                let [red, green, blue, alpha] = last;
                let step = |number: u8| (number % 4).wrapping_sub(2);
                [
                    red.wrapping_add(step(noise[0])),
                    green.wrapping_add(step(noise[1])),
                    blue.wrapping_add(step(noise[2])),
                    alpha,
                ]
            }
            3 => last.map(|color| color.wrapping_add(if color == last[3] { 0 } else { 11 })),
            4 => pixels.get(at.saturating_sub(usize::from(noise[0] % 9) + 1)).copied().unwrap_or(last),
            _ => last,
        };
        pixels.push(last);
    }
    pixels
}

/// Writes QOI in the way of the specification's own text: the first chunk that can hold a pixel is taken.
fn qoi(width: u32, height: u32, pixels: &[Pixel]) -> Vec<u8> {
    let mut file = [b"qoif".as_slice(), &width.to_be_bytes(), &height.to_be_bytes(), &[4, 0]].concat();
    let (mut seen, mut last, mut run) = ([[0_u8; 4]; 64], [0, 0, 0, 255], 0_u8);
    for (at, pixel) in pixels.iter().enumerate() {
        if *pixel == last {
            run += 1;
            if run == 62 || at + 1 == pixels.len() {
                file.push(0xc0 | (run - 1));
                run = 0;
            }
            continue;
        }
        if run > 0 {
            file.push(0xc0 | (run - 1));
            run = 0;
        }
        let [r, g, b, a] = pixel.map(u32::from);
        let hash = ((r * 3 + g * 5 + b * 7 + a * 11) % 64) as usize;
        let [dr, dg, db] = [0, 1, 2].map(|color: usize| i32::from(pixel[color].wrapping_sub(last[color]) as i8));
        let small = |step: i32| (-2..=1).contains(&step);
        if seen[hash] == *pixel {
            file.push(hash as u8);
        } else if pixel[3] != last[3] {
            file.push(0xff);
            file.extend(pixel);
        } else if small(dr) && small(dg) && small(db) {
            file.push(0x40 | ((dr + 2) << 4 | (dg + 2) << 2 | (db + 2)) as u8);
        } else if (-32..=31).contains(&dg) && (-8..=7).contains(&(dr - dg)) && (-8..=7).contains(&(db - dg)) {
            file.extend([0x80 | (dg + 32) as u8, ((dr - dg + 8) << 4 | (db - dg + 8)) as u8]);
        } else {
            file.push(0xfe);
            file.extend(&pixel[..3]);
        }
        seen[hash] = *pixel;
        last = *pixel;
    }
    file.extend([0, 0, 0, 0, 0, 0, 0, 1]);
    file
}

/// Writes BMP in 24 bits a pixel, the lowest row first.
fn bmp(width: u32, height: u32, pixels: &[Pixel]) -> Vec<u8> {
    let row = (width as usize * 3).next_multiple_of(4);
    let data = row * height as usize;
    let mut file = b"BM".to_vec();
    file.extend((54 + data as u32).to_le_bytes());
    file.extend([0; 4]);
    for number in [54, 40, width, height, 24 << 16 | 1, 0, data as u32, 2835, 2835, 0, 0] {
        file.extend(number.to_le_bytes());
    }
    for line in pixels.chunks_exact(width as usize).rev() {
        let mut bytes: Vec<u8> = line.iter().flat_map(|[red, green, blue, _]| [*blue, *green, *red]).collect();
        bytes.resize(row, 0);
        file.extend(bytes);
    }
    file
}

#[test]
fn qoi_files_are_read() {
    for (width, height) in [(1, 1), (7, 3), (64, 50), (1, 300)] {
        let pixels = picture(width, height);
        let file = qoi(width, height, &pixels);
        let logo = Logo::parse(&file).unwrap();
        assert_eq!(logo.size(), Size::new(width, height));
        assert!(logo.pixels == pixels, "{width}x{height}");
    }
    // Every kind of chunk was there.
    let file = qoi(64, 50, &picture(64, 50));
    for tags in [0x00..=0x3f, 0x40..=0x7f, 0x80..=0xbf, 0xc0..=0xfd, 0xfe..=0xfe, 0xff..=0xff] {
        assert!(file.iter().skip(14).any(|byte| tags.contains(byte)), "{tags:?}");
    }
}

#[test]
fn bmp_files_are_read() {
    for (width, height) in [(1, 1), (7, 3), (64, 50)] {
        let opaque: Vec<Pixel> = picture(width, height).iter().map(|[r, g, b, _]| [*r, *g, *b, 255]).collect();
        let logo = Logo::parse(&bmp(width, height, &opaque)).unwrap();
        assert_eq!(logo.size(), Size::new(width, height));
        assert!(logo.pixels == opaque, "{width}x{height}");
    }
}

/// The header of a BMP file whose masks or palette are `tables`, then what follows it.
fn bmp_of((width, height): (u32, i32), (depth, compression): (u32, u32), tables: &[u32], data: &[u8]) -> Vec<u8> {
    let info = if compression == 3 { 56 } else { 40 };
    let start = 14 + 40 + 4 * tables.len() as u32;
    let mut file = [b"BM".as_slice(), &(start + data.len() as u32).to_le_bytes(), &[0; 4]].concat();
    let fields = [start, info, width, height.cast_unsigned(), depth << 16 | 1, compression, 0, 0, 0, 0, 0];
    fields.iter().chain(tables).for_each(|number| file.extend(number.to_le_bytes()));
    file.extend(data);
    file
}

#[test]
fn bmp_files_of_other_kinds_are_read() {
    let parse = |file: &[u8]| Logo::parse(file).map(|logo| logo.pixels);
    let masks = [0xff, 0xff00, 0xff_0000, 0xff00_0000];
    let words = [1, 2, 3, 4, 5, 6, 7, 8];
    // From the top, with alpha.
    assert_eq!(parse(&bmp_of((1, -2), (32, 3), &masks, &words)), Ok(vec![[1, 2, 3, 4], [5, 6, 7, 8]]));
    assert_eq!(parse(&bmp_of((1, 2), (32, 0), &[], &words)), Ok(vec![[7, 6, 5, 255], [3, 2, 1, 255]]));
    let palette = [0x00_102030, 0x00_405060];
    let rows = [1, 0, 1, 0, 0, 9, 0, 0];
    let [dark, light, none] = [[0x10, 0x20, 0x30, 255], [0x40, 0x50, 0x60, 255], [0, 0, 0, 255]];
    assert_eq!(parse(&bmp_of((3, -2), (8, 0), &palette, &rows)), Ok(vec![light, dark, light, dark, none, dark]));
    for (depth, compression) in [(4, 0), (8, 1), (16, 0), (32, 4), (0, 0)] {
        assert!(parse(&bmp_of((1, 1), (depth, compression), &masks, &words)).is_err(), "{depth} {compression}");
    }
    for (width, height) in [(1, i32::MIN), (u32::MAX, 1), (0, 1), (3, 2)] {
        assert!(parse(&bmp_of((width, height), (32, 0), &[], &words)).is_err(), "{width}x{height}");
    }
}

#[test]
fn alpha_lets_the_ground_be_seen() {
    let pixels = [[200, 100, 0, 255], [200, 100, 0, 0], [200, 100, 0, 51]];
    let frame = Logo::parse(&qoi(3, 1, &pixels)).unwrap().on(Rgb888::new(0, 50, 100));
    assert_eq!(frame.pixels(), [0xc86400, 0x003264, 0x283c50]);
}

#[test]
fn broken_files_are_refused_with_a_reason() {
    let whole = qoi(64, 50, &picture(64, 50));
    for length in 0..whole.len() - 8 {
        assert!(Logo::parse(&whole[..length]).is_err(), "{length}");
    }
    let sized = |width: u32, height: u32| {
        let mut file = whole.clone();
        file[4..8].copy_from_slice(&width.to_be_bytes());
        file[8..12].copy_from_slice(&height.to_be_bytes());
        Logo::parse(&file).err()
    };
    assert_eq!(sized(0, 5), Some("it has no pixels"));
    assert_eq!(sized(u32::MAX, u32::MAX), Some("it is larger than a million pixels"));
    assert_eq!(sized(1025, 1024), Some("it is larger than a million pixels"));
    assert_eq!(sized(1024, 1024), Some("it is cut short"));
    assert_eq!(Logo::parse(b"\x89PNG").err(), Some("it is neither a QOI nor a BMP file"));
    assert!(Logo::parse(&bmp(2, 2, &[[0; 4]; 4])[..30]).is_err());
}

#[test]
fn noise_never_panics_and_stays_small() {
    let mut random = Noise::new(0xfeed_5eed_0000_0001);
    let (qoi, bmp) = (qoi(20, 20, &picture(20, 20)), bmp(20, 20, &picture(20, 20)));
    let mut read = 0;
    for round in 0..60_000 {
        let mut file = if round % 2 == 0 { qoi.clone() } else { bmp.clone() };
        for _ in 0..1 + random.draw() % 8 {
            // Mostly in the headers.
            let reach = if random.draw().is_multiple_of(4) { file.len() } else { 60 };
            let at = random.draw() as usize % reach;
            file[at] = match random.draw() % 3 {
                0 => 0xff,
                1 => file[at] ^ 1 << (random.draw() % 8),
                _ => random.draw() as u8,
            };
        }
        file.truncate(file.len() - random.draw() as usize % 3 * (random.draw() as usize % 40));
        if let Ok(logo) = Logo::parse(&file) {
            assert!(logo.pixels.len() <= PIXELS_MAX);
            assert_eq!(logo.pixels.len(), (logo.size.width * logo.size.height) as usize);
            read += 1;
        }
    }
    assert!(read > 1000, "only {read} were pictures");
}
