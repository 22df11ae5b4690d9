//! Kernel modules with what they depend on, in the order of loading. For the probe only.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{BufReader, Read};
use std::path::Path;

use crate::failure::{Context, Result, fail};

/// File name (without `.xz`) and content of each module, dependencies first.
pub(crate) fn closure(folder: &Path, names: &[&str]) -> Result<Vec<(String, Vec<u8>)>> {
    let read = |file: &str| {
        let path = folder.join(file);
        fs::read_to_string(&path).context(format_args!("read {}", path.display()))
    };
    let depends = read("modules.dep")?;
    let depends: HashMap<String, (&str, Vec<&str>)> = depends
        .lines()
        .filter_map(|line| line.split_once(':'))
        .map(|(path, others)| (stem(path), (path, others.split_whitespace().collect())))
        .collect();
    let builtin: Vec<String> = read("modules.builtin")?.lines().map(stem).collect();
    let mut order: Vec<&str> = Vec::new();
    for name in names {
        let name = stem(name);
        let Some((path, others)) = depends.get(&name) else {
            if builtin.contains(&name) {
                continue;
            }
            return fail(format!("{}: no module {name}", folder.display()));
        };
        // modules.dep lists dependencies so that the last is to be loaded first.
        for path in others.iter().rev().chain([path]) {
            if !order.contains(path) {
                order.push(path);
            }
        }
    }
    order.into_iter().map(|path| Ok((format!("{}.ko", stem(path)), content(&folder.join(path))?))).collect()
}

/// `kernel/drivers/block/virtio-blk.ko.xz` → `virtio_blk`.
fn stem(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.split('.').next().unwrap_or(name).replace('-', "_")
}

fn content(path: &Path) -> Result<Vec<u8>> {
    let name = path.display();
    let file = BufReader::new(File::open(path).context(format_args!("open {name}"))?);
    let mut bytes = Vec::new();
    let read = match path.extension().and_then(|end| end.to_str()) {
        Some("xz") => lzma_rust2::XzReader::new(file, true).read_to_end(&mut bytes),
        Some("ko") => { file }.read_to_end(&mut bytes),
        _ => return fail(format!("{name}: neither .ko nor .ko.xz")),
    };
    read.context(format_args!("read {name}"))?;
    Ok(bytes)
}
