//! Who may use the web deck: browsers that were paired, and codes with which one can be.
//!
//! Invariants: of a code and of a cookie only the checksum is kept; a code is used once; what another process revokes is
//! refused by the next look at the file.

use std::io;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::place::Place;
use super::secret;

/// How long a code can be used.
const CODE_LIFE: SignedDuration = SignedDuration::from_mins(5);
/// How long a device may be unused.
const DEVICE_LIFE: SignedDuration = SignedDuration::from_hours(30 * 24);
/// How often the last use is written down.
const USE_NOTED: SignedDuration = SignedDuration::from_hours(1);
/// How many devices there may be: the ones unused for longest leave.
const MAX_DEVICES: usize = 100;

/// A browser that was paired.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Device {
    pub id: String,
    /// What it calls itself.
    pub name: String,
    /// Of its cookie's secret.
    sha256: String,
    pub created_at: Timestamp,
    pub last_used: Timestamp,
    /// Whether it may only read.
    #[serde(default)]
    pub read_only: bool,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Devices {
    devices: Vec<Device>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Codes {
    codes: Vec<PairingCode>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct PairingCode {
    sha256: String,
    until: Timestamp,
    #[serde(default)]
    read_only: bool,
}

const DEVICES: &str = "devices.json";
const CODES: &str = "codes.json";

impl Place {
    /// Makes a code with which one browser can be paired.
    ///
    /// # Errors
    /// The system's.
    pub fn new_code(&self, now: Timestamp, read_only: bool) -> io::Result<String> {
        let code = secret::new(16)?;
        let until = now + CODE_LIFE;
        self.change_json(CODES, |all: &mut Codes| {
            all.codes.retain(|c| c.until > now);
            all.codes.push(PairingCode { sha256: secret::checksum(&code), until, read_only });
        })?;
        Ok(code)
    }

    /// Uses a code: the device that it made, and its cookie. None for a code that isn't valid.
    pub(super) fn pair(
        &self,
        code: &str,
        name: &str,
        now: Timestamp,
    ) -> io::Result<Option<(Device, String)>> {
        let sum = secret::checksum(code);
        let used = self.change_json(CODES, |all: &mut Codes| {
            all.codes.retain(|c| c.until > now);
            let at = all.codes.iter().position(|c| secret::is_same(&c.sha256, &sum))?;
            Some(all.codes.remove(at))
        })?;
        let Some(used) = used else { return Ok(None) };
        let (id, value) = (secret::new(6)?, secret::new(32)?);
        let device = Device {
            id: id.clone(),
            name: crate::domain::text::fit(&crate::domain::text::clean(name), 60),
            sha256: secret::checksum(&value),
            created_at: now,
            last_used: now,
            read_only: used.read_only,
        };
        self.change_json(DEVICES, |all: &mut Devices| {
            all.devices.retain(|d| d.last_used + DEVICE_LIFE > now);
            all.devices.sort_by_key(|d| d.last_used);
            let over = (all.devices.len() + 1).saturating_sub(MAX_DEVICES);
            all.devices.drain(..over);
            all.devices.push(device.clone());
        })?;
        Ok(Some((device, format!("{id}.{value}"))))
    }

    /// The device of a cookie.
    pub(super) fn device_of(&self, cookie: &str, now: Timestamp) -> io::Result<Option<Device>> {
        let Some((id, value)) = cookie.split_once('.') else { return Ok(None) };
        let sum = secret::checksum(value);
        let found = self.devices(now)?.into_iter().find(|d| d.id == id && secret::is_same(&d.sha256, &sum));
        if let Some(device) = &found
            && device.last_used + USE_NOTED < now
        {
            self.change_json(DEVICES, |all: &mut Devices| {
                all.devices.iter_mut().filter(|d| d.id == device.id).for_each(|d| d.last_used = now);
            })?;
        }
        Ok(found)
    }

    /// All paired devices.
    ///
    /// # Errors
    /// The system's.
    pub fn devices(&self, now: Timestamp) -> io::Result<Vec<Device>> {
        let all: Devices = self.read_json(DEVICES)?;
        Ok(all.devices.into_iter().filter(|d| d.last_used + DEVICE_LIFE > now).collect())
    }

    /// Revokes a device, by its id or the start of it; without one, all of them and the token of scripts. Returns those that
    /// were revoked.
    ///
    /// # Errors
    /// The system's.
    pub fn revoke(&self, id: Option<&str>) -> io::Result<Vec<Device>> {
        let gone = self.change_json(DEVICES, |all: &mut Devices| {
            let is_meant = |d: &Device| id.is_none_or(|id| d.id == id);
            let (gone, left) = std::mem::take(&mut all.devices).into_iter().partition(is_meant);
            all.devices = left;
            gone
        })?;
        if id.is_none() {
            self.change_json(CODES, |all: &mut Codes| all.codes.clear())?;
            let token = self.folder().join("token");
            match std::fs::remove_file(token) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        Ok(gone)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_pairs_once_and_a_revoked_device_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let place = Place::in_state(folder.path());
        let now = Timestamp::UNIX_EPOCH;
        let code = place.new_code(now, false).unwrap();
        assert!(place.pair("guessed", "x", now).unwrap().is_none());
        assert!(place.pair(&code, "x", now + CODE_LIFE).unwrap().is_none(), "it is old");
        let code = place.new_code(now, true).unwrap();
        let (device, cookie) = place.pair(&code, "phone\u{1b}[2J", now).unwrap().unwrap();
        assert_eq!((device.name.as_str(), device.read_only), ("phone", true));
        assert!(place.pair(&code, "x", now).unwrap().is_none(), "it was used");
        assert_eq!(place.device_of(&cookie, now).unwrap().map(|d| d.id), Some(device.id.clone()));
        assert!(place.device_of(&format!("{}.other", device.id), now).unwrap().is_none());
        assert!(place.device_of(&cookie, now + DEVICE_LIFE).unwrap().is_none(), "it was not used for long");
        let text = crate::sys::files::read_text(&folder.path().join("web/devices.json"), 10_000).unwrap();
        assert!(!text.contains(cookie.split_once('.').unwrap().1));
        assert_eq!(place.revoke(Some(&device.id)).unwrap().len(), 1);
        assert!(place.device_of(&cookie, now).unwrap().is_none());
    }

    #[test]
    fn revoking_all_revokes_the_token_too() {
        let folder = tempfile::tempdir().unwrap();
        let place = Place::in_state(folder.path());
        let token = place.token().unwrap();
        assert_eq!(place.token().unwrap(), token);
        place.revoke(None).unwrap();
        assert_ne!(place.token().unwrap(), token);
    }
}
