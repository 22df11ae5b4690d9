//! QEMU's machine protocol over a unix socket: one JSON object per line
//! (docs/interop/qmp-spec.rst of QEMU).

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use crate::failure::{Context, Result, fail};

/// Longest wait for an answer; a screendump on a loaded machine takes a second.
const ANSWER: Duration = Duration::from_secs(30);

pub(crate) struct Client {
    reader: BufReader<UnixStream>,
    /// Events that came while something else was waited for.
    events: Vec<Value>,
}

impl Client {
    /// Greets the QEMU behind `stream`.
    pub(crate) fn new(stream: UnixStream) -> Result<Self> {
        stream.set_read_timeout(Some(ANSWER)).context("set the read timeout of QMP")?;
        let mut client = Self { reader: BufReader::new(stream), events: Vec::new() };
        let greeting = client.read()?;
        if greeting.get("QMP").is_none() {
            return fail(format!("QMP greets with {greeting}"));
        }
        client.execute("qmp_capabilities", json!({}))?;
        Ok(client)
    }

    /// Runs a command and gives what it returns.
    pub(crate) fn execute(&mut self, command: &str, arguments: Value) -> Result<Value> {
        let request = json!({ "execute": command, "arguments": arguments });
        writeln!(self.reader.get_mut(), "{request}").context(format_args!("QMP {command}"))?;
        loop {
            let mut answer = self.read().context(format_args!("QMP {command}"))?;
            if let Some(error) = answer.get("error") {
                return fail(format!("QMP {request}: {error}"));
            }
            if let Some(value) = answer.get_mut("return") {
                return Ok(value.take());
            }
            self.events.push(answer);
        }
    }

    /// Waits until the guest has let a device go, which may have happened already.
    pub(crate) fn deleted(&mut self, device: &str) -> Result<()> {
        let fits = |event: &Value| event["event"] == "DEVICE_DELETED" && event["data"]["device"] == device;
        while !self.events.iter().any(fits) {
            let event = self.read().context(format_args!("wait for the end of device {device}"))?;
            self.events.push(event);
        }
        Ok(())
    }

    /// Writes what the display shows into a PNG file.
    pub(crate) fn screendump(&mut self, file: &Path) -> Result<()> {
        self.execute("screendump", json!({ "filename": file, "format": "png" })).map(drop)
    }

    /// The same of one display device.
    pub(crate) fn screendump_of(&mut self, device: &str, file: &Path) -> Result<()> {
        self.execute("screendump", json!({ "filename": file, "format": "png", "device": device })).map(drop)
    }

    fn read(&mut self) -> Result<Value> {
        let mut line = String::new();
        match self.reader.read_line(&mut line).context("read from QMP")? {
            0 => fail("QEMU closed the QMP connection"),
            _ => serde_json::from_str(&line).context(format_args!("QMP answer {line:?}")),
        }
    }
}
