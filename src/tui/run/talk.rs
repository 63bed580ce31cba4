//! What is done to conversations, and what of them is read.

use crate::app::{Done, Keymap, PageText, TalkName, TalkPage, TalkWork, Whose, error_words};
use crate::domain::conversation::{Said, Who};
use crate::domain::id::SessionId;
use crate::domain::talk::{Checkpoint, Speaker};
use crate::domain::text;
use crate::ops::handoff::{self, Receipt, Wish};
use crate::ops::talk::{self, Compacted, Done as CompactionDone, How, TalkError};
use crate::ops::{self, Cx, OpResult};
use crate::ports::conversations::{Page, Talk};

/// How many messages are read.
const MESSAGES: usize = 500;

/// Does one thing. Blocking.
pub(super) fn perform(cx: &Cx, keymap: &Keymap, work: TalkWork) -> Done {
    let words = |error: &ops::OpError| error_words(error, keymap);
    match work {
        TalkWork::List(of) => Done::Talks(list(cx, of.as_ref()).map_err(|e| words(&e))),
        TalkWork::Read(whose, page) => {
            let read = read(cx, &whose, page).map_err(|e| words(&e));
            Done::TalkPage(whose, page, read)
        }
        TalkWork::Pin(whose, text) => match pin(cx, &whose, &text) {
            Ok(said) => Done::TalkChanged(said.0, Ok(said.1)),
            Err(error) => Done::Failed(None, words(&error)),
        },
        TalkWork::Compact(name) => {
            let done = compact(cx, &name).map_err(|e| format!("{}: {}", name.id, words(&e)));
            Done::TalkChanged(name, done)
        }
        TalkWork::Archive(name) => {
            let done = find(cx, &name).and_then(|of| talk::archive(cx, &of, true));
            let how = || format!("archived {0}; `deck conversation unarchive {0}` restores it", name.id);
            Done::TalkChanged(name.clone(), done.map(|_| how()).map_err(|e| words(&e)))
        }
    }
}

/// The conversation as it is now, with what was said last in the session that carries it.
fn find(cx: &Cx, name: &TalkName) -> OpResult<Talk> {
    let talk = talk::read(cx, &name.root, &name.id)?;
    Ok(Talk { state: talk::catch_up(cx, &talk)?.state, ..talk })
}

/// The conversation that a session carries.
fn carried(cx: &Cx, id: &SessionId) -> OpResult<Talk> {
    let carries = cx.session(id)?.carries.ok_or(TalkError::NoneCarried)?;
    find(cx, &TalkName { root: carries.root.into(), id: carries.id })
}

fn list(cx: &Cx, of: Option<&SessionId>) -> OpResult<Vec<talk::Listed>> {
    let session = of.map(|id| cx.session(id)).transpose()?;
    let folder = session.map_or_else(|| cx.caller.cwd.clone(), |session| session.project_path.into());
    talk::overview(cx, &folder)
}

fn read(cx: &Cx, whose: &Whose, page: TalkPage) -> OpResult<PageText> {
    let talk = match (whose, page) {
        (Whose::Session(id), TalkPage::Messages) => return Ok(PageText::Said(ops::said(cx, id)?)),
        (Whose::Session(id), TalkPage::Checkpoint) => {
            return Ok(PageText::Markdown(ops::session_checkpoint_preview(cx, id)?.words));
        }
        (Whose::Session(id), TalkPage::Request) => carried(cx, id)?,
        (Whose::Talk(name), _) => find(cx, name)?,
    };
    Ok(match page {
        TalkPage::Messages => {
            let page = Page { limit: MESSAGES, before: None, archive: true };
            let messages = talk::messages_of(cx, &talk, &page)?.messages;
            let who = |speaker| match speaker {
                Speaker::User => Who::User,
                Speaker::Assistant => Who::Agent,
                Speaker::System => Who::Tool,
            };
            PageText::Said(
                messages
                    .into_iter()
                    .map(|message| Said { who: who(message.speaker), text: message.content })
                    .collect(),
            )
        }
        TalkPage::Checkpoint => {
            let found = cx.conversations.checkpoint(&talk.root, &talk.state.id, None);
            PageText::Markdown(checkpoint_words(&talk, &found.map_err(TalkError::from)?.unwrap_or_default()))
        }
        TalkPage::Request => {
            let made = talk::request(cx, &talk, None, false)?;
            let total = made.total().max(1);
            let parts = made.request.parts().zip(&made.tokens).map(|(part, tokens)| {
                let cut = if part.cut { ", cut to its budget" } else { "" };
                format!("- `{}` ~{tokens} tokens, {} %{cut}\n", part.name, tokens * 100 / total)
            });
            PageText::Markdown(format!(
                "# What a request is made of\n\n{}\n~{} tokens in all\n\n{}\n\n{}\n",
                parts.collect::<String>(),
                made.total(),
                made.request.system_prompt(),
                made.request.user_prompt(),
            ))
        }
    })
}

/// A checkpoint with the pins beside it.
fn checkpoint_words(talk: &Talk, of: &Checkpoint) -> String {
    let names = ["Done", "In progress", "Pending", "Blocked by", "Decided"];
    let pins: Vec<String> = talk.state.pins.iter().map(|pin| pin.text.clone()).collect();
    let users: Vec<String> = of.kept.user_messages.iter().rev().map(|m| m.content.clone()).collect();
    let lists = of.summary.lists().map(|(_, list)| list.clone());
    let more = [
        ("Pinned", pins),
        ("What did not work", of.kept.failed_approaches.clone()),
        ("Facts", of.kept.facts.clone()),
        ("Your words", users),
    ];
    let all = names.into_iter().zip(lists).chain(more);
    let mut words = format!("# Checkpoint {} of {}\n\n", of.version, talk.state.id);
    let mut is_empty = true;
    for (name, list) in all.filter(|(_, list)| !list.is_empty()) {
        is_empty = false;
        words += &format!("## {name}\n\n");
        words.extend(list.iter().map(|item| format!("- {}\n", text::clean(item))));
        words += "\n";
    }
    if is_empty {
        words += "Nothing was compacted yet: all that was said is in the messages.\n";
    }
    words
}

fn pin(cx: &Cx, whose: &Whose, words: &str) -> OpResult<(TalkName, String)> {
    let talk = match whose {
        Whose::Session(id) => carried(cx, id)?,
        Whose::Talk(name) => find(cx, name)?,
    };
    let pin = talk::pin(cx, &talk, words.trim())?;
    let said = format!("pin {} of {}: {}", pin.number, talk.state.id, text::fit(&text::clean(&pin.text), 60));
    Ok((TalkName { root: talk.root, id: talk.state.id }, said))
}

fn compact(cx: &Cx, name: &TalkName) -> OpResult<String> {
    let talk = find(cx, name)?;
    let how = How { force: true, by_hand: true, summarizer: None };
    Ok(match talk::compact(cx, &talk, how)? {
        Compacted::Done(done) => compacted_words(name, &done),
        Compacted::Nothing(why) => format!("{} was not compacted: {why}", name.id),
        Compacted::NotDue { .. } => format!("{} is not large enough to be compacted", name.id),
    })
}

/// `90k → 21k tokens, 2 open items kept by deck`
fn compacted_words(name: &TalkName, done: &CompactionDone) -> String {
    let kept = match done.put_back {
        0 => String::new(),
        n => format!(", {} kept by deck", text::counted(n, "open item")),
    };
    let how = match &done.without_model {
        Some(why) => format!(", without a model: {}", text::fit(&text::clean(why), 80)),
        None => String::new(),
    };
    format!(
        "{}: {} → {} tokens{kept}{how}",
        name.id,
        text::thousands(done.before),
        text::thousands(done.after)
    )
}

/// Hands a session over, and says how far that is proved.
pub(super) fn hand_over(cx: &Cx, keymap: &Keymap, id: SessionId, wish: &Wish) -> Done {
    let done = handoff::hand_over(cx, &id, wish).map(|done| {
        let arrived = match done.receipt {
            Receipt::NotVerified => "keeps no transcript, so nothing proves that it got the checkpoint",
            Receipt::Recorded | Receipt::Answered => "has it in its own transcript",
        };
        let first = match done.parked {
            true => format!("{} is stopped; {} continues it", done.from.title, keymap.key("undo")),
            false => format!("{} is left as it is", done.from.title),
        };
        let words = text::clean(&format!("{} {arrived}; {first}", done.to.title));
        (done.to.id, words)
    });
    Done::HandedOver(id, done.map_err(|error| error_words(&error, keymap)))
}
