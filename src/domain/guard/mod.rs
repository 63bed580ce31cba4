//! What an agent may do to other sessions. It keeps accidents and injected prompts from spreading; it is no wall: an agent
//! runs with its user's rights.
//!
//! Invariant: everything here is about agents. What a user does is never refused here.

mod refusal;
mod talk;

pub use refusal::Refusal;
pub use talk::{Said, Talk, digest_of};

use super::id::SessionId;
use super::mcp_scope::{Scope, allow};
use super::profile::Profile;
use super::session::Session;

/// How far agents may go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// How many sessions deep they may start others, below a session of their user's.
    pub depth: usize,
    /// How many running sessions one may have started.
    pub children: usize,
    /// How many may run below a session of their user's.
    pub tree: usize,
    /// How many messages the sessions of such a tree may send until their user acts in one of them.
    pub messages: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self { depth: 2, children: 4, tree: 12, messages: 40 }
    }
}

/// What a session is to an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kin {
    Itself,
    /// The session that it belongs under.
    Parent,
    /// What it started itself.
    Child,
    /// What those started.
    Descendant,
    /// Anything else.
    Other,
}

/// What an agent wants to do to a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Act {
    #[cfg_attr(
        not(any(feature = "mcp", test)),
        expect(dead_code, reason = "commands that read are not restricted")
    )]
    Look,
    Talk,
    /// Stop, restart, archive or delete it.
    End,
    /// Start it again.
    Start,
    /// Answer what it asks; whether that is about permission, trust or a login.
    Answer {
        is_permission: bool,
    },
    /// Press keys in it: whatever they do.
    Press,
    /// Start another one from its conversation.
    Fork,
    /// Change how it is started.
    Configure,
}

/// What a session is to another one.
pub fn kin(profile: &Profile, of: &SessionId, to: &SessionId) -> Kin {
    if of == to {
        return Kin::Itself;
    }
    let parent = |id: &SessionId| profile.session(id).and_then(|s| s.parent_id.as_ref());
    if parent(of) == Some(to) {
        return Kin::Parent;
    }
    match ancestors(profile, to).iter().position(|s| s.id == *of) {
        Some(0) => Kin::Child,
        Some(_) => Kin::Descendant,
        None => Kin::Other,
    }
}

/// The sessions above one, the nearest first. A record that leads in a circle ends where that closes.
pub fn ancestors<'a>(profile: &'a Profile, of: &SessionId) -> Vec<&'a Session> {
    let mut all: Vec<&Session> = Vec::new();
    let mut at = profile.session(of);
    while let Some(parent) = at.and_then(|s| s.parent_id.as_ref()).and_then(|id| profile.session(id)) {
        if parent.id == *of || all.iter().any(|s| s.id == parent.id) {
            break;
        }
        all.push(parent);
        at = Some(parent);
    }
    all
}

/// The top of the tree that a session is in: a session of the user's.
pub fn root(profile: &Profile, of: &SessionId) -> SessionId {
    ancestors(profile, of).last().map_or_else(|| of.clone(), |s| s.id.clone())
}

/// All live sessions below one.
pub fn below<'a>(profile: &'a Profile, top: &SessionId) -> Vec<&'a Session> {
    profile
        .live_sessions()
        .filter(|s| s.id != *top && ancestors(profile, &s.id).iter().any(|above| above.id == *top))
        .collect()
}

impl Act {
    /// What it is called, with a session to follow.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Look => "look at",
            Self::Talk => "send a message to",
            Self::End => "end",
            Self::Start => "start",
            Self::Answer { .. } => "answer",
            Self::Press => "press keys in",
            Self::Fork => "fork",
            Self::Configure => "change",
        }
    }
}

/// The scope by which an agent with these may do this to a session that is `kin` to it.
///
/// # Errors
/// The scope that it would need, or why no scope gives it.
pub fn may(scopes: &[Scope], act: Act, kin: Kin) -> Result<Scope, Denied> {
    use Kin::{Child, Descendant, Itself, Parent};
    let needed = match (act, kin) {
        (Act::Look, Kin::Other) => Scope::LookAll,
        (Act::Look, _) => Scope::Look,
        (Act::Talk, Itself) => return Err(Denied::Never("an agent can't send messages to itself")),
        (Act::Talk, Parent | Child) => Scope::Talk,
        (Act::Talk, _) => Scope::TalkAll,
        (Act::End | Act::Start, Child | Descendant) => Scope::Spawn,
        (Act::End | Act::Start, _) => {
            return Err(Denied::Never("an agent can stop and start only sessions that it started itself"));
        }
        (Act::Answer { is_permission: false }, Child) => Scope::Answer,
        (Act::Answer { is_permission: true } | Act::Press, Child) => Scope::AnswerPermissions,
        (Act::Answer { .. } | Act::Press, _) => {
            return Err(Denied::Never("an agent can answer only sessions that it started itself"));
        }
        (Act::Fork, _) => return Err(Denied::Never("only a user can fork a session")),
        (Act::Configure, _) => {
            return Err(Denied::Never("only its user can change how a session is started"));
        }
    };
    if allow(scopes, needed) { Ok(needed) } else { Err(Denied::Needs(needed)) }
}

/// Why an agent may not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Denied {
    /// It was not given this scope.
    Needs(Scope),
    /// No scope gives it.
    Never(&'static str),
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::Timestamp;

    fn family() -> Profile {
        let mut profile = Profile::default();
        let all = [
            ("user", None),
            ("lead", Some("user")),
            ("a", Some("lead")),
            ("b", Some("lead")),
            ("deep", Some("a")),
        ];
        for (id, parent) in all {
            let mut session = Session::new(SessionId::new(id), id, Timestamp::UNIX_EPOCH);
            session.parent_id = parent.map(SessionId::new);
            profile.sessions.push(session);
        }
        profile
    }

    #[test]
    fn who_is_what_to_whom() {
        let profile = family();
        let of = |of: &str, to: &str| kin(&profile, &SessionId::new(of), &SessionId::new(to));
        assert_eq!(of("lead", "lead"), Kin::Itself);
        assert_eq!(of("lead", "user"), Kin::Parent);
        assert_eq!(of("lead", "a"), Kin::Child);
        assert_eq!(of("lead", "deep"), Kin::Descendant);
        assert_eq!(of("a", "b"), Kin::Other);
        assert_eq!(of("deep", "lead"), Kin::Other, "a grandparent");
        assert_eq!(root(&profile, &SessionId::new("deep")).as_str(), "user");
        let ids: Vec<&str> = below(&profile, &SessionId::new("lead")).iter().map(|s| s.id.as_str()).collect();
        assert_eq!(ids, ["a", "b", "deep"]);
    }

    #[test]
    fn records_that_lead_in_a_circle_have_an_end() {
        let mut profile = family();
        profile.session_mut(&SessionId::new("user")).unwrap().parent_id = Some(SessionId::new("deep"));
        assert_eq!(ancestors(&profile, &SessionId::new("deep")).len(), 3);
        assert_eq!(kin(&profile, &SessionId::new("b"), &SessionId::new("a")), Kin::Other);
    }

    /// Every act on every kin with every scope alone: what is allowed, as a table.
    #[test]
    fn what_each_scope_allows() {
        let acts = [
            Act::Look,
            Act::Talk,
            Act::End,
            Act::Start,
            Act::Answer { is_permission: false },
            Act::Answer { is_permission: true },
            Act::Press,
            Act::Fork,
            Act::Configure,
        ];
        let kins = [Kin::Itself, Kin::Parent, Kin::Child, Kin::Descendant, Kin::Other];
        let mut lines = Vec::new();
        for act in acts {
            for kin in kins {
                let by: Vec<&str> = Scope::ALL
                    .into_iter()
                    .filter(|s| may(&[*s], act, kin).is_ok())
                    .map(Scope::word)
                    .collect();
                let act = format!("{act:?}").replace("is_permission: ", "");
                lines.push(
                    format!("{act:<20} {:<10} {}", format!("{kin:?}"), by.join(" ")).trim_end().to_owned(),
                );
            }
        }
        insta::assert_snapshot!(lines.join("\n"));
    }
}
