//! Folders in memory: empty ones.

use std::io;
use std::path::Path;

use crate::ports::folders::{Below, Folders, Kind};

/// Folders in which there is nothing.
#[derive(Debug, Default)]
pub struct FakeFolders;

impl Folders for FakeFolders {
    fn kind(&self, _: &Path) -> Option<Kind> {
        None
    }

    fn is_empty(&self, _: &Path) -> bool {
        true
    }

    fn below(&self, _: &Path, _: usize) -> io::Result<Below> {
        Ok(Below::default())
    }

    fn device(&self, _: &Path) -> Option<u64> {
        None
    }

    fn content(&self, _: &Path, _: u64) -> io::Result<Vec<u8>> {
        Err(io::ErrorKind::NotFound.into())
    }

    fn checksum(&self, _: &Path) -> io::Result<String> {
        Err(io::ErrorKind::NotFound.into())
    }

    fn is_writable(&self, _: &Path) -> bool {
        true
    }

    fn replace_same(&self, _: &Path, before: Option<&[u8]>, _: Option<&[u8]>) -> io::Result<bool> {
        Ok(before.is_none())
    }

    fn copy_new(&self, _: &Path, _: &Path) -> io::Result<bool> {
        Ok(true)
    }

    fn link_new(&self, _: &Path, _: &Path) -> io::Result<bool> {
        Ok(true)
    }

    fn add_line(&self, _: &Path, _: &str) -> io::Result<()> {
        Ok(())
    }
}
