//! Answering the questions of agents: lists of choices, lines of text, and what follows.

use std::sync::Arc;

use super::world::{World, composer};
use super::*;
use crate::domain::screen::{ChoiceSpec, Confirms, Take};
use crate::domain::status::{BlockKind, Resized};
use crate::domain::tool::Tool;
use crate::ports::fake::{FakeTools, Frame, Input};

const DIALOG: &str = "Proceed?\n❯ 1. Yes\n  2. No, and tell it why\n  3. Never\n";
const DONE: &str = "done\n> \n";

fn key(name: &str) -> Input {
    Input::Key(name.into())
}

fn text(words: &str) -> Input {
    Input::Text(words.into())
}

fn words(of: &str) -> Pick {
    Pick::Words(of.into())
}

/// A deck with one more tool.
fn world_with(tool: Tool) -> World {
    let mut w = World::new();
    w.cx.tools = Arc::new(FakeTools::of(vec![tool]));
    w
}

/// One that is done once it has this key.
fn done_at(want: &'static str) -> impl FnMut(&Input) -> Vec<Frame> + Send {
    move |input| if *input == key(want) { vec![Frame::at(50, DONE)] } else { Vec::new() }
}

#[test]
fn a_choice_is_taken_by_its_digit() {
    let w = World::new();
    let id = w.running("composer", DIALOG, done_at("2"));
    let answered = answer(&w.cx, &id, &Pick::Number(2), None).unwrap();
    assert_eq!((answered.choice.number, answered.choice.label.as_str()), (2, "No, and tell it why"));
    assert_eq!(w.mux.typed(), [key("2")]);
    let tagged = w.mux.tagged.lock().unwrap();
    assert!(
        tagged.iter().any(|(_, t)| t.name == TagName::Answered),
        "what was reported of it counts no more"
    );
}

#[test]
fn a_choice_is_found_by_its_words_or_the_start_of_them() {
    let w = World::new();
    let id = w.running("composer", DIALOG, done_at("2"));
    assert_eq!(answer(&w.cx, &id, &words("no, AND"), None).unwrap().choice.number, 2);
    for (no_choice, why) in [
        ("N", "several choices of session \"a\" begin with \"N\""),
        ("maybe", "session \"a\" has no choice \"maybe\""),
        ("", "session \"a\" has no choice \"\""),
    ] {
        w.mux.play("a", vec![Frame::at(0, DIALOG)], done_at("2"));
        let before = w.mux.typed().len();
        let error = answer(&w.cx, &id, &words(no_choice), None).unwrap_err();
        assert_eq!(error.to_string(), why);
        let offered = match error {
            OpError::NoChoice { choices, .. } | OpError::SeveralChoices { choices, .. } => choices.len(),
            other => panic!("{other}"),
        };
        assert_eq!(offered, if no_choice == "N" { 2 } else { 3 }, "those that could be meant");
        assert_eq!(w.mux.typed().len(), before);
    }
    assert!(matches!(answer(&w.cx, &id, &Pick::Number(4), None), Err(OpError::NoChoice { .. })));
    let any = Pick::Text("anything".into());
    assert!(matches!(answer(&w.cx, &id, &any, None), Err(OpError::NoText(_))));
}

#[test]
fn a_wrapped_label_is_one_choice() {
    let w = World::new();
    let long = "Proceed?\n❯ 1. Yes, and allow access to\n     everything in this folder\n  2. No\n";
    let id = w.running("composer", long, done_at("1"));
    let pick = words("yes, and allow access to everything in this folder");
    assert_eq!(answer(&w.cx, &id, &pick, None).unwrap().choice.number, 1);
}

#[test]
fn enter_follows_a_digit_that_only_moved_the_cursor() {
    let w = World::new();
    let moved = DIALOG.replace("❯ 1", "  1").replace("  3", "❯ 3");
    let agent = move |input: &Input| match input {
        Input::Key(k) if k == "3" => vec![Frame::at(50, moved.clone())],
        _ => vec![Frame::at(50, DONE)],
    };
    let id = w.running("composer", DIALOG, agent);
    answer(&w.cx, &id, &Pick::Number(3), None).unwrap();
    assert_eq!(w.mux.typed(), [key("3"), key("Enter")]);
}

#[test]
fn a_question_that_stays_was_not_answered() {
    let w = World::new();
    let id = w.running("composer", DIALOG, |_: &Input| Vec::new());
    let error = answer(&w.cx, &id, &Pick::Number(2), None).unwrap_err();
    assert!(matches!(error, OpError::NotTaken { choice, .. } if choice.starts_with("No")));
    assert_eq!(w.mux.typed(), [key("2")], "the cursor is elsewhere: Enter would take another choice");
    assert!(w.mux.tagged.lock().unwrap().iter().all(|(_, t)| t.name != TagName::Answered));
}

#[test]
fn a_question_that_changes_before_the_key_is_not_answered() {
    let w = World::new();
    let frames = vec![Frame::at(0, DIALOG), Frame::at(150, DIALOG.replace("Never", "Always"))];
    let id = w.running("composer", "", done_at("1"));
    w.mux.play("a", frames, done_at("1"));
    assert!(matches!(answer(&w.cx, &id, &Pick::Number(1), None), Err(OpError::DialogChanged(_))));
    // Only the cursor moved: its user is choosing.
    let moved = DIALOG.replace("❯ 1", "  1").replace("  3", "❯ 3");
    w.mux.play("a", vec![Frame::at(0, DIALOG), Frame::at(150, moved)], done_at("1"));
    assert!(matches!(answer(&w.cx, &id, &Pick::Number(1), None), Err(OpError::DialogChanged(_))));
    assert_eq!(w.mux.typed(), []);
}

#[test]
fn other_choices_than_those_shown_are_not_answered() {
    let w = World::new();
    let id = w.running("composer", DIALOG, done_at("1"));
    let shown = Question::of(Watcher::new().tick(&w.cx).unwrap().state(&id).unwrap()).unwrap();
    w.mux.play("a", vec![Frame::at(0, DIALOG.replace("Never", "Always"))], done_at("1"));
    assert!(matches!(answer(&w.cx, &id, &Pick::Number(1), Some(&shown)), Err(OpError::DialogChanged(_))));
    assert_eq!(w.mux.typed(), []);
    w.mux.play("a", vec![Frame::at(0, DIALOG)], done_at("1"));
    answer(&w.cx, &id, &Pick::Number(1), Some(&shown)).unwrap();
    assert_eq!(w.mux.typed(), [key("1")]);
}

#[test]
fn a_question_that_changed_while_its_window_got_another_size_is_not_answered() {
    let mut tool = composer();
    tool.prompt_patterns.clear();
    let rule = "name = 'ask'\nin = 'last'\nall = ['Proceed?']\nis = 'blocked'\nkind = 'permission'\n\
                capture = 'raw:(?P<asks>Run [a-z]+)'";
    tool.rules.push(toml::from_str(rule).unwrap());
    tool.choices[0].rules = vec!["ask".into()];
    let w = world_with(tool);
    let asking = |command: &str| format!("Run {command}\n{DIALOG}");
    let id = w.running("composer", &asking("make"), done_at("1"));
    let shown = Question::of(Watcher::new().tick(&w.cx).unwrap().state(&id).unwrap()).unwrap();
    assert_eq!(shown.asks.as_deref(), Some("Run make"));
    // The choices are the same. While the agent lays out its screen, what is remembered of it counts: the old words.
    w.mux.play("a", vec![Frame::at(0, asking("rm"))], done_at("1"));
    let resized = Resized { at: w.cx.clock.now().as_millisecond(), drawn: 0 }.to_text();
    w.mux.change("a", |s| drop(s.tags.insert(TagName::Resized, resized)));
    assert!(matches!(answer(&w.cx, &id, &Pick::Number(1), Some(&shown)), Err(OpError::DialogChanged(_))));
    assert_eq!(w.mux.typed(), []);
}

#[test]
fn the_same_question_about_something_else_is_left_to_the_user() {
    let w = World::new();
    let next = format!("rm -rf build\n{DIALOG}");
    // The next one comes at once, and looks the same.
    let agent = move |_: &Input| vec![Frame::at(50, next.clone())];
    let id = w.running("composer", &format!("make\n{DIALOG}"), agent);
    answer(&w.cx, &id, &Pick::Number(1), None).unwrap();
    assert_eq!(w.mux.typed(), [key("1")], "no Enter");
}

#[test]
fn who_asks_nothing_or_is_gone_is_not_answered() {
    let w = World::new();
    let id = w.running("composer", DONE, |_: &Input| Vec::new());
    assert!(matches!(answer(&w.cx, &id, &Pick::Number(1), None), Err(OpError::NothingAsked(_))));
    assert!(matches!(question(&w.cx, &id), Err(OpError::NothingAsked(_))));
    w.mux.change("a", |s| s.dead = Some(Exit::Code(0)));
    assert!(matches!(answer(&w.cx, &id, &Pick::Number(1), None), Err(OpError::NotRunning(_))));
    assert!(matches!(question(&w.cx, &id), Err(OpError::NotRunning(_))));
    assert_eq!(w.mux.typed(), []);
}

#[test]
fn a_question_that_is_reported_before_it_is_drawn_is_waited_for() {
    let w = World::new();
    let id = w.running("composer", "", |_: &Input| Vec::new());
    let blocked = Observation::Blocked(BlockKind::Permission);
    *w.reports.0.lock().unwrap() = Report {
        evidence: Some(Evidence::new(Source::Report, blocked, w.cx.clock.now())),
        ..Report::default()
    };
    w.mux.play("a", vec![Frame::at(600, DIALOG)], |_: &Input| Vec::new());
    assert_eq!(question(&w.cx, &id).unwrap().choices.len(), 3);
    w.mux.play("a", vec![Frame::at(0, DONE)], |_: &Input| Vec::new());
    assert!(matches!(question(&w.cx, &id), Err(OpError::NothingAsked(_))), "but not for ever");
}

/// A deck whose second choice opens a field.
fn world_with_a_field() -> World {
    let mut tool = composer();
    tool.choices[0].text = vec!["^No, and tell".into()];
    world_with(tool)
}

/// One whose second choice is a field: its digit goes there, and what is typed stands for its words.
fn with_field(after: &'static str) -> impl FnMut(&Input) -> Vec<Frame> + Send {
    let mut typed = String::new();
    move |input| {
        match input {
            Input::Text(text) => typed.push_str(text),
            Input::Key(k) if k == "Enter" => return vec![Frame::at(50, after)],
            _ => {}
        }
        let there = DIALOG.replace("❯ 1", "  1").replace("  2", "❯ 2");
        let label = if typed.is_empty() { "No, and tell it why" } else { typed.as_str() };
        vec![Frame::at(50, there.replace("No, and tell it why", label))]
    }
}

fn into(choice: Pick, text: &str) -> Pick {
    Pick::Into(Box::new(choice), text.into())
}

#[test]
fn text_is_written_into_the_field_of_a_choice() {
    let why = "because\nit is \u{1b}[31mlate ?";
    let typed = [key("2"), text("because it is late ?"), key("Enter")];
    for pick in [into(Pick::Number(2), why), into(words("no, and"), why), Pick::Text(why.into())] {
        let w = world_with_a_field();
        let id = w.running("composer", DIALOG, with_field(DONE));
        assert_eq!(answer(&w.cx, &id, &pick, None).unwrap().choice.number, 2);
        assert_eq!(w.mux.typed(), typed, "one line, and Enter when it is seen");
    }
    // In the field already the digit would be text.
    let w = world_with_a_field();
    let there = DIALOG.replace("❯ 1", "  1").replace("  2", "❯ 2");
    let id = w.running("composer", &there, with_field(DONE));
    answer(&w.cx, &id, &into(Pick::Number(2), "late"), None).unwrap();
    assert_eq!(w.mux.typed(), [text("late"), key("Enter")]);
}

#[test]
fn text_that_came_too_late_is_not_written_twice() {
    let mut tool = composer();
    tool.choices[0].text = vec!["^No, and tell".into(), "^it is".into()];
    let w = world_with(tool);
    let id = w.running("composer", DIALOG, with_field(DONE));
    let late = DIALOG.replace("❯ 1", "  1").replace("  2. No, and tell it why", "❯ 2. it is late");
    w.mux.change("a", |s| s.screen = late);
    answer(&w.cx, &id, &into(Pick::Number(2), "it is late"), None).unwrap();
    assert_eq!(w.mux.typed(), [key("Enter")]);
}

#[test]
fn text_goes_only_into_a_field_that_opened_in_the_same_dialog() {
    let late = || into(Pick::Number(2), "late");
    // The digit was an answer, or something else asks by then.
    for next in [DONE.to_owned(), DIALOG.replace("Never", "Always")] {
        let w = world_with_a_field();
        let id = w.running("composer", DIALOG, move |_: &Input| vec![Frame::at(50, next.clone())]);
        assert!(matches!(answer(&w.cx, &id, &late(), None), Err(OpError::DialogChanged(_))));
        assert_eq!(w.mux.typed(), [key("2")]);
    }
    // What is typed is not seen: Enter would send something else.
    let w = world_with_a_field();
    let there = DIALOG.replace("❯ 1", "  1").replace("  2", "❯ 2");
    let id = w.running("composer", DIALOG, move |_: &Input| vec![Frame::at(50, there.clone())]);
    assert!(matches!(answer(&w.cx, &id, &late(), None), Err(OpError::NotTaken { .. })));
    assert_eq!(w.mux.typed(), [key("2"), text("late")]);
    // A choice without a field, and no text at all.
    let w = world_with_a_field();
    let id = w.running("composer", DIALOG, with_field(DONE));
    assert!(matches!(answer(&w.cx, &id, &into(Pick::Number(1), "late"), None), Err(OpError::NoText(_))));
    let empty = into(Pick::Number(2), " \n");
    assert!(matches!(answer(&w.cx, &id, &empty, None), Err(OpError::NotAChoice { is_text: true, .. })));
    assert_eq!(w.mux.typed(), []);
}

#[test]
fn a_choice_that_takes_more_than_a_key_is_not_taken() {
    let w = world_with_a_field();
    let id = w.running("composer", DIALOG, done_at("2"));
    assert!(matches!(answer(&w.cx, &id, &Pick::Number(2), None), Err(OpError::NotAChoice { .. })));
    let mut tool = composer();
    tool.choices[0].option = r"^(?P<cursor>❯ |  )(?P<number>\d+)\. (?P<mark>\[.\]) (?P<label>\S.*)$".into();
    let w = world_with(tool);
    let several = "Proceed?\n❯ 1. [ ] One\n  2. [x] Two\n";
    let id = w.running("composer", several, done_at("1"));
    assert!(matches!(answer(&w.cx, &id, &Pick::Number(1), None), Err(OpError::NotAChoice { .. })));
    assert_eq!(w.mux.typed(), []);
}

#[test]
fn where_digits_mean_nothing_the_cursor_goes_there() {
    let mut tool = composer();
    tool.choices[0].take = Take::Cursor;
    let w = world_with(tool);
    let id = w.running("composer", DIALOG, done_at("Enter"));
    answer(&w.cx, &id, &Pick::Number(3), None).unwrap();
    assert_eq!(w.mux.typed(), [key("Down"), key("Down"), key("Enter")]);
    let at_the_end = DIALOG.replace("❯ 1", "  1").replace("  3", "❯ 3");
    w.mux.play("a", vec![Frame::at(0, at_the_end)], done_at("Enter"));
    answer(&w.cx, &id, &Pick::Number(2), None).unwrap();
    assert_eq!(w.mux.typed()[3..], [key("Up"), key("Enter")]);
}

#[test]
fn buttons_are_taken_by_their_letter_or_by_a_click() {
    let buttons = |option: &str, take| {
        let choices = ChoiceSpec {
            rules: vec!["prompt_patterns".into()],
            region: "last".into(),
            option: option.into(),
            take,
            ..ChoiceSpec::default()
        };
        world_with(Tool { choices: vec![choices], ..composer() })
    };
    let done = |_: &Input| vec![Frame::at(50, DONE)];
    let w = buttons("^(?P<buttons>y .*)$", Take::Key);
    let id = w.running("composer", "Proceed?\ny Yes   n No\n", done);
    assert_eq!(answer(&w.cx, &id, &words("no"), None).unwrap().choice.number, 2);
    assert_eq!(w.mux.typed(), [text("n")]);
    let w = buttons("^(?P<buttons>Yes .*)$", Take::Click);
    let id = w.running("composer", "Proceed?\nYes   No\n", done);
    answer(&w.cx, &id, &words("no"), None).unwrap();
    assert_eq!(w.mux.typed(), [text("\x1b[<0;8;2M\x1b[<0;8;2m")]);
}

/// A tool whose third choice asks to confirm it.
fn confirming() -> Tool {
    let mut tool = composer();
    let mut second = tool.choices[0].clone();
    second.confirms = Some(Confirms { choice: "Never".into(), by: "Really".into() });
    second.region = "sure".into();
    tool.choices.insert(0, second);
    let sure = crate::domain::screen::RegionSpec { start: vec!["^Sure".into()], ..Default::default() };
    tool.regions.insert("sure".into(), sure);
    tool.prompt_patterns.push("Sure?".into());
    tool
}

#[test]
fn what_only_confirms_the_choice_is_answered_along() {
    let w = world_with(confirming());
    let agent = |input: &Input| match input {
        Input::Key(k) if k == "3" => vec![Frame::at(200, "Sure?\n❯ 1. Really\n  2. Back\n")],
        _ => vec![Frame::at(50, DONE)],
    };
    let id = w.running("composer", DIALOG, agent);
    assert_eq!(answer(&w.cx, &id, &words("never"), None).unwrap().choice.number, 3);
    assert_eq!(w.mux.typed(), [key("3"), key("1")]);
}

#[test]
fn another_question_that_follows_is_the_users() {
    let w = world_with(confirming());
    let agent = |input: &Input| match input {
        Input::Key(k) if k == "3" => vec![Frame::at(200, "Proceed? Again\n❯ 1. Really\n  2. Back\n")],
        _ => vec![Frame::at(50, DONE)],
    };
    let id = w.running("composer", DIALOG, agent);
    let answered = answer(&w.cx, &id, &words("never"), None).unwrap();
    assert_eq!(w.mux.typed(), [key("3")]);
    assert_eq!(answered.state.unwrap().verdict.status, Status::Waiting, "and it is reported");
}

/// One that reads a line behind its prompt: what is typed is drawn, Enter takes it.
fn reader(
    prompt: &'static str,
    held: &'static str,
    after: &'static str,
) -> impl FnMut(&Input) -> Vec<Frame> + Send {
    let mut line = held.to_owned();
    move |input| {
        match input {
            Input::Text(text) => line.push_str(text),
            Input::Key(k) if k == "C-u" => line.clear(),
            _ => return vec![Frame::at(50, after.replace("{}", &line)).cursor(0, 1)],
        }
        vec![Frame::at(10, format!("{prompt}{line}")).cursor(0, 0)]
    }
}

#[test]
fn a_prompt_for_a_line_is_answered_by_typing() {
    let w = World::new();
    let (prompt, after) = ("allow? [y/n] ", "allow? [y/n] {}\nok\n");
    let id = w.running("mint", prompt, reader(prompt, "", after));
    assert_eq!(answer(&w.cx, &id, &words("yes"), None).unwrap().choice.label, "y");
    assert_eq!(w.mux.typed(), [text("y"), key("Enter")]);
    // What is typed there already goes first.
    w.mux.play("a", vec![Frame::at(0, "allow? [y/n] n").cursor(14, 0)], reader(prompt, "n", after));
    answer(&w.cx, &id, &words("y"), None).unwrap();
    assert_eq!(w.mux.typed()[2..], [key("C-u"), text("y"), key("Enter")]);
    // Anything else may be meant.
    w.mux.play("a", vec![Frame::at(0, prompt)], reader(prompt, "", after));
    answer(&w.cx, &id, &Pick::Text("only once".into()), None).unwrap();
    assert_eq!(w.mux.typed()[5..], [text("only once"), key("Enter")]);
}

#[test]
fn a_prompt_that_comes_again_had_its_line() {
    let w = World::new();
    let prompt = "allow? [y/n] ";
    let id = w.running("mint", prompt, reader(prompt, "", "allow? [y/n] {}\nallow? [y/n] "));
    answer(&w.cx, &id, &words("n"), None).unwrap();
    assert_eq!(w.mux.typed(), [text("n"), key("Enter")]);
}

#[test]
fn a_line_that_stays_on_its_prompt_was_not_taken() {
    let w = World::new();
    let prompt = "allow? [y/n] ";
    let agent = |input: &Input| match input {
        Input::Text(text) => vec![Frame::at(10, format!("allow? [y/n] {text}")).cursor(14, 0)],
        _ => Vec::new(),
    };
    let id = w.running("mint", prompt, agent);
    assert!(matches!(answer(&w.cx, &id, &words("y"), None), Err(OpError::NotTaken { .. })));
    assert_eq!(w.mux.typed(), [text("y"), key("Enter")]);
}
