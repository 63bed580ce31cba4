//! `--group`: a verb on all sessions of a group.

use crate::cli::error::CliError;
use crate::cli::{Context, complete};
use crate::domain::group::GroupPath;
use crate::domain::tree::in_row_order;
use crate::ops::OpError;

/// The sessions of a group, besides those that are named.
#[derive(Debug, clap::Args)]
pub struct OfGroup {
    /// All sessions of this group and its subgroups.
    #[arg(short, long, value_name = "GROUP", add = complete::groups())]
    group: Option<String>,
}

impl OfGroup {
    /// Whether a group is given: then not each of its sessions has to be one that the verb can be used on.
    pub(super) const fn is_given(&self) -> bool {
        self.group.is_some()
    }
}

impl Context {
    /// The sessions that are named, and those of the group, by their ids; each once.
    pub(super) fn named(&self, sessions: &[String], of: &OfGroup) -> Result<Vec<String>, CliError> {
        let mut all = sessions.to_vec();
        let Some(group) = &of.group else { return Ok(all) };
        let path = GroupPath::parse(group)?;
        let profile = self.wiring.cx().profile.store.load()?.profile;
        if profile.group(&path).is_none() {
            return Err(OpError::no_group(&path).into());
        }
        let named: Vec<_> =
            sessions.iter().filter_map(|n| Some(self.find(&self.wiring.cx(), n).ok()?.id)).collect();
        let rest = in_row_order(&profile, |s| s.group_path.is_within(&path) && !named.contains(&s.id));
        all.extend(rest.iter().map(ToString::to_string));
        if self.out.json {
            // However many they are: the caller can't know.
            *self.collected() = Some(Vec::new());
        } else if all.is_empty() {
            self.out.note(&format!("no sessions in {path}"));
        }
        Ok(all)
    }
}
