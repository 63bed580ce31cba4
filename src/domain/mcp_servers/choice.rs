//! Which servers are attached to something: to a session, or to all sessions of a group.

use serde::{Deserialize, Serialize};

/// What is attached and detached: names of servers, and of sets as `@NAME`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct McpChoice {
    /// What is added to what comes from above.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub attach: Vec<String>,
    /// What is taken away from that.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub detach: Vec<String>,
    /// Shared servers of which it has a process of its own nevertheless.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub own: Vec<String>,
    /// What it has from deck also where the agent's own files give another one of the name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub replace: Vec<String>,
}

/// How something is attached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Attaching {
    /// With a process of its own, also of a server that is shared.
    pub own: bool,
    /// In place of what the agent's own files give under the same name.
    pub replace: bool,
}

impl McpChoice {
    /// Whether nothing is chosen.
    pub fn is_empty(&self) -> bool {
        self.attach.is_empty() && self.detach.is_empty() && self.own.is_empty() && self.replace.is_empty()
    }

    /// Attaches what is named.
    pub fn attach(&mut self, names: &[String], how: Attaching) {
        for (list, wanted) in [(&mut self.own, how.own), (&mut self.replace, how.replace)] {
            list.retain(|name| !names.contains(name));
            if wanted {
                list.extend(names.iter().cloned());
            }
        }
        self.detach.retain(|name| !names.contains(name));
        for name in names {
            if !self.attach.contains(name) {
                self.attach.push(name.clone());
            }
        }
    }

    /// Detaches what is named. `is_there` tells whether it is still there with what is left: from above, or by a set.
    pub fn detach(&mut self, name: &str, is_there: impl Fn(&Self) -> bool) {
        for list in [&mut self.attach, &mut self.own, &mut self.replace] {
            list.retain(|word| word != name);
        }
        if is_there(self) && !self.detach.iter().any(|word| word == name) {
            self.detach.push(name.to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(all: &[&str]) -> Vec<String> {
        all.iter().map(|w| (*w).to_owned()).collect()
    }

    #[test]
    fn what_is_attached_and_detached() {
        let mut choice = McpChoice::default();
        choice.attach(&words(&["memory", "@web", "memory"]), Attaching::default());
        choice.detach("memory", |_| false);
        assert_eq!(choice, McpChoice { attach: words(&["@web"]), ..McpChoice::default() });
        choice.detach("linear", |_| true);
        assert_eq!(choice.detach, ["linear"], "it comes from a group");
        choice.attach(&words(&["linear"]), Attaching { own: true, replace: true });
        assert_eq!(
            (&choice.own[..], &choice.replace[..]),
            (&words(&["linear"])[..], &words(&["linear"])[..])
        );
        choice.attach(&words(&["linear"]), Attaching::default());
        assert_eq!(choice, McpChoice { attach: words(&["@web", "linear"]), ..McpChoice::default() });
    }
}
