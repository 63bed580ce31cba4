//! A job's FIFOs: one by which its supervisor is asked for something, and one for what the job reads.
//!
//! Opening one to write fails at once when nobody reads it: so no process is ever asked by its id.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;

use nix::errno::Errno;
use nix::fcntl::OFlag;
use nix::sys::stat::Mode;

/// Makes a FIFO and opens it to read. It has no end while this is open.
pub fn make(path: &Path) -> io::Result<File> {
    nix::unistd::mkfifo(path, Mode::S_IRUSR | Mode::S_IWUSR)?;
    OpenOptions::new().read(true).write(true).custom_flags(OFlag::O_NONBLOCK.bits()).open(path)
}

/// The lines that were sent.
pub fn lines(control: &mut File) -> Vec<String> {
    let mut bytes = [0; 4096];
    let Ok(n) = control.read(&mut bytes) else { return Vec::new() };
    String::from_utf8_lossy(bytes.get(..n).unwrap_or_default()).lines().map(str::to_owned).collect()
}

/// Makes the FIFO that a job reads, and opens both of its ends.
pub fn make_input(path: &Path) -> io::Result<(File, File)> {
    let both = make(path)?;
    // There is a writer, so this doesn't wait.
    let reader = File::open(path)?;
    let writer = OpenOptions::new().write(true).custom_flags(OFlag::O_NONBLOCK.bits()).open(path)?;
    drop(both);
    Ok((reader, writer))
}

/// Opens a FIFO to write; `None` when nobody reads it, or there is none.
pub fn open(path: &Path) -> io::Result<Option<File>> {
    match path.symlink_metadata() {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
        Ok(meta) if meta.file_type().is_fifo() => {}
        Ok(_) => return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a pipe")),
        Err(e) => return Err(e),
    }
    match OpenOptions::new().write(true).custom_flags(OFlag::O_NONBLOCK.bits()).open(path) {
        Ok(file) => Ok(Some(file)),
        Err(e) if e.kind() == io::ErrorKind::NotFound || e.raw_os_error() == Some(Errno::ENXIO as i32) => {
            Ok(None)
        }
        Err(e) => Err(e),
    }
}

/// Whether somebody reads a FIFO.
pub fn is_read(path: &Path) -> bool {
    matches!(open(path), Ok(Some(_)))
}

/// Sends one line. Returns whether somebody reads it.
pub fn send(path: &Path, line: &str) -> io::Result<bool> {
    let Some(mut file) = open(path)? else { return Ok(false) };
    file.write_all(format!("{line}\n").as_bytes())?;
    Ok(true)
}

/// Writes all of these bytes, however long their reader takes. Returns whether there is one.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<bool> {
    let Some(mut file) = open(path)? else { return Ok(false) };
    let flags = OFlag::from_bits_truncate(nix::fcntl::fcntl(&file, nix::fcntl::FcntlArg::F_GETFL)?);
    nix::fcntl::fcntl(&file, nix::fcntl::FcntlArg::F_SETFL(flags.difference(OFlag::O_NONBLOCK)))?;
    match file.write_all(bytes) {
        Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        other => other.map(|()| true),
    }
}
