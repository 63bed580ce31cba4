//! The event loop: one owner of the model, effects run beside it, a frame when something changed.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crossterm::event::EventStream;
use futures_util::StreamExt;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::time::Instant;

use super::signals::{self, Ending};
use super::terminal::{self, Terminal};
use super::theme::{Depth, Theme};
use super::workers::{Look, Paint, Workers};
use super::{input, theme};
use crate::app::{self, Done, Effect, Model, Msg, Settings, ToolInfo};
use crate::domain::id::SessionId;
use crate::ops::{Deck, Watcher};
use crate::ports::{Catalogue, Host};
use crate::sys::host::SystemHost;
use crate::wiring::Wiring;

/// Messages that may wait for the loop.
const BACKLOG: usize = 256;
/// The least time between two frames that no input caused.
const FRAME: Duration = Duration::from_millis(16);
/// How long deck waits at its end for what it has begun.
const FINISH: Duration = Duration::from_secs(15);
/// How often a screen ages on which something moves.
const SECOND: Duration = Duration::from_secs(1);

/// Opens the screen and runs until the user leaves.
///
/// # Errors
/// The terminal's, or the profile's when it can't be read at all.
pub fn run(wiring: &Wiring) -> io::Result<()> {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().max_blocking_threads(8).build()?;
    let result = runtime.block_on(Program::start(wiring)?.run());
    // Effects that are under way may finish: what they began is on disk.
    runtime.shutdown_timeout(Duration::from_millis(200));
    result
}

struct Program<'a> {
    wiring: &'a Wiring,
    terminal: Terminal,
    theme: Theme,
    model: Model,
    messages: Receiver<Msg>,
    sender: Sender<Msg>,
    /// Before the deck, so that the threads have let go of it when its connection leaves.
    workers: Workers,
    deck: Deck,
    painted: Option<(SessionId, crate::ports::mux::Pane)>,
    quit: bool,
    /// Effects that change something and have not answered yet.
    under_way: usize,
}

fn settings(wiring: &Wiring) -> Settings {
    let path = wiring.env.get("PATH").unwrap_or_default();
    let tool = |entry: &Arc<crate::ports::ToolEntry>| {
        let tool = &entry.tool;
        let program = tool.command.split_whitespace().next().unwrap_or_default();
        ToolInfo {
            name: tool.name.clone(),
            title: tool.display_title().to_owned(),
            found: program == "$SHELL" || SystemHost.find_program(program, path, Path::new("/")).is_some(),
            options: tool.options.iter().map(|o| (o.label.clone(), o.args.clone())).collect(),
        }
    };
    Settings {
        home: wiring.env.get("HOME").map(str::to_owned),
        cwd: wiring.env.cwd.clone(),
        ascii: wiring.config.ui.ascii,
        split: wiring.config.ui.split,
        default_tool: wiring.config.default_tool.clone(),
        tools: wiring.tools.all().iter().map(tool).collect(),
    }
}

impl<'a> Program<'a> {
    fn start(wiring: &'a Wiring) -> io::Result<Self> {
        let (sender, messages) = channel(BACKLOG);
        // The first frame shows what is on disk: tmux may take its time.
        let on_disk = Watcher::new().from_disk(&wiring.deck()).map_err(io::Error::other)?;
        let terminal = Terminal::take(wiring.config.ui.mouse)?;
        let size = terminal.size()?;
        let mut model = Model::new(Arc::new(settings(wiring)), wiring.profile.clone(), on_disk, size);
        model.profiles = wiring.profiles.list().unwrap_or_default();
        let depth = Depth::of(|name| wiring.env.get(name).map(str::to_owned));
        let theme = theme::Theme::named(&wiring.config.ui.theme, depth);
        let mut terminal = terminal;
        terminal.draw(&model, &theme)?;
        let (deck, workers) = Self::connect(wiring, &wiring.profile, &sender)?;
        Ok(Self {
            wiring,
            terminal,
            theme,
            model,
            deck,
            messages,
            sender,
            workers,
            painted: None,
            quit: false,
            under_way: 0,
        })
    }

    /// The deck that stays, and the threads that look at it.
    fn connect(
        wiring: &Wiring,
        profile: &crate::domain::id::ProfileName,
        sender: &Sender<Msg>,
    ) -> io::Result<(Deck, Workers)> {
        let wake: Arc<std::sync::OnceLock<std::sync::mpsc::SyncSender<Look>>> = Arc::default();
        let woken = wake.clone();
        let deck = wiring.lasting_deck(profile, move |_| {
            if let Some(watch) = woken.get() {
                // A full queue means that a look is due anyway.
                let _ = watch.try_send(Look::Now);
            }
        });
        let workers = Workers::start(&deck, sender)?;
        if let Some(waker) = workers.waker() {
            let _ = wake.set(waker);
        }
        Ok((deck, workers))
    }

    async fn run(mut self) -> io::Result<()> {
        let mut ending = Ending::listen()?;
        let mut events = EventStream::new();
        let mut drawn = Instant::now();
        // A deadline of its own: pictures that come faster must not put it off.
        let mut second = Instant::now() + SECOND;
        let (width, height) = self.model.size;
        let first = app::update(&mut self.model, Msg::Resize(width, height));
        self.carry_out(first, &mut events).await?;
        while !self.quit {
            let ages = self.model.moves();
            if !ages {
                second = Instant::now() + SECOND;
            }
            let by_input = tokio::select! {
                biased;
                () = ending.wait() => break,
                event = events.next() => match event {
                    Some(event) => self.take_input(event?, &mut events).await?,
                    None => break,
                },
                Some(msg) = self.messages.recv() => {
                    self.take(msg, &mut events).await?;
                    false
                }
                () = tokio::time::sleep_until(second), if ages => {
                    second = Instant::now() + SECOND;
                    self.take(Msg::Clock(self.deck.clock.now()), &mut events).await?;
                    false
                }
            };
            // Whatever else has come is taken first: one frame shows it all.
            while let Ok(msg) = self.messages.try_recv() {
                self.take(msg, &mut events).await?;
            }
            if !by_input && drawn.elapsed() < FRAME {
                tokio::time::sleep(FRAME.saturating_sub(drawn.elapsed())).await;
                while let Ok(msg) = self.messages.try_recv() {
                    self.take(msg, &mut events).await?;
                }
            }
            if !self.quit {
                self.terminal.draw(&self.model, &self.theme)?;
                drawn = Instant::now();
            }
        }
        self.finish().await;
        Ok(())
    }

    /// What was begun is finished before deck leaves: an agent that was ended to be restarted must
    /// not stay ended. The terminal is the user's again meanwhile.
    async fn finish(&mut self) {
        if self.under_way == 0 {
            return;
        }
        terminal::restore();
        let deadline = Instant::now() + FINISH;
        while self.under_way > 0 {
            match tokio::time::timeout_at(deadline, self.messages.recv()).await {
                Ok(Some(Msg::Done(done))) => self.count_down(&done),
                Ok(Some(_)) => {}
                Ok(None) | Err(_) => return,
            }
        }
    }

    fn count_down(&mut self, done: &Done) {
        if !matches!(done, Done::Prepared(..) | Done::Completed(..)) {
            self.under_way = self.under_way.saturating_sub(1);
        }
    }

    async fn take_input(
        &mut self,
        event: crossterm::event::Event,
        events: &mut EventStream,
    ) -> io::Result<bool> {
        if let Some(msg) = input::message(event) {
            if matches!(msg, Msg::Mouse(_)) {
                // A double click is told by the time between two.
                self.take(Msg::Clock(self.deck.clock.now()), events).await?;
            }
            self.take(msg, events).await?;
        }
        Ok(true)
    }

    async fn take(&mut self, msg: Msg, events: &mut EventStream) -> io::Result<()> {
        if let Msg::Done(done) = &msg {
            self.count_down(done);
        }
        let effects = app::update(&mut self.model, msg);
        self.carry_out(effects, events).await?;
        self.follow_picture();
        Ok(())
    }

    /// Tells the painting thread which pane is selected; a session's pane may change under it.
    fn follow_picture(&mut self) {
        let id = self.model.watched.clone();
        let pane = id.as_ref().and_then(|id| self.model.look(id)?.row.as_ref().map(|r| r.pane.clone()));
        let target = id.zip(pane);
        if target != self.painted && self.workers.paint(Paint::Pane(target.clone())) {
            self.painted = target;
        }
    }

    async fn carry_out(&mut self, effects: Vec<Effect>, events: &mut EventStream) -> io::Result<()> {
        let mut beside = Vec::new();
        for effect in effects {
            match effect {
                Effect::Quit => self.quit = true,
                Effect::Refresh => self.look_now(),
                Effect::Watch(_) => {}
                Effect::Attach(id) => self.attach(&id, events)?,
                Effect::Suspend => self.suspend(events)?,
                Effect::Profile(name) => self.switch(name)?,
                other => beside.push(other),
            }
        }
        if !beside.is_empty() {
            self.perform(beside);
        }
        Ok(())
    }

    fn look_now(&self) {
        self.workers.look(Look::Now);
    }

    /// Runs effects beside the loop, in their order; each answers, also when it panics.
    fn perform(&mut self, effects: Vec<Effect>) {
        let lasting = |e: &&Effect| !matches!(e, Effect::Prepare(..) | Effect::CompletePath(..));
        self.under_way += effects.iter().filter(lasting).count();
        let (deck, settings, sender) = (self.deck.clone(), self.model.settings.clone(), self.sender.clone());
        tokio::spawn(async move {
            for effect in effects {
                let what = format!("{effect:?}");
                let of = app::session_of(&effect);
                let (deck, settings) = (deck.clone(), settings.clone());
                let work = tokio::task::spawn_blocking(move || app::perform(&deck, &settings, effect));
                let done =
                    work.await.unwrap_or_else(|_| Done::Badly(of, format!("deck failed inside: {what}")));
                if sender.send(Msg::Done(done)).await.is_err() {
                    return;
                }
            }
        });
    }

    /// Hands the terminal to a session and takes it back.
    fn attach(&mut self, id: &SessionId, events: &mut EventStream) -> io::Result<()> {
        let row = self.model.look(id).and_then(|l| l.row.as_ref());
        let Some(command) = row.and_then(|r| self.wiring.attach_command(&r.name)) else {
            self.model.say("there is nothing to attach to yet");
            return Ok(());
        };
        let mut command = command;
        self.workers.look(Look::Rest);
        self.paint_nothing();
        let status = self.away(events, || command.status())?;
        match status {
            Ok(status) if !status.success() => self.model.complain("tmux could not attach to the session"),
            Err(error) => self.model.complain(format!("tmux could not be started: {error}")),
            Ok(_) => {}
        }
        // Its answer wakes the thread that looks: no look may come before the acknowledgement.
        self.perform(vec![Effect::Acknowledge(id.clone())]);
        Ok(())
    }

    fn suspend(&mut self, events: &mut EventStream) -> io::Result<()> {
        self.workers.look(Look::Rest);
        self.paint_nothing();
        self.away(events, signals::suspend)??;
        self.look_now();
        Ok(())
    }

    fn paint_nothing(&mut self) {
        if self.workers.paint(Paint::Pane(None)) {
            self.painted = None;
        }
    }

    /// Gives the terminal away while `act` runs, and takes it back: the very same screen, from memory.
    fn away<T>(&mut self, events: &mut EventStream, act: impl FnOnce() -> T) -> io::Result<T> {
        // The stream's thread must not read a key that is meant for someone else.
        drop(std::mem::replace(events, EventStream::new()));
        terminal::restore();
        let result = act();
        self.terminal.retake()?;
        *events = EventStream::new();
        let (width, height) = self.terminal.size()?;
        self.model.size = (width, height);
        Ok(result)
    }

    fn switch(&mut self, name: crate::domain::id::ProfileName) -> io::Result<()> {
        let on_disk = match Watcher::new().from_disk(&self.wiring.deck_for(&name)) {
            Ok(snapshot) => snapshot,
            Err(error) => {
                self.model.complain(error.to_string());
                return Ok(());
            }
        };
        let mut model = Model::new(self.model.settings.clone(), name.clone(), on_disk, self.model.size);
        model.profiles = self.wiring.profiles.list().unwrap_or_default();
        if !self.wiring.profiles.exists(&name) {
            model.say(format!("{name} is a new profile: n adds its first session"));
        }
        self.model = model;
        // The old threads first: nothing of theirs may arrive after the new profile's.
        self.workers.stop();
        while let Ok(msg) = self.messages.try_recv() {
            if let Msg::Done(done) = &msg {
                self.count_down(done);
            }
        }
        let (deck, workers) = Self::connect(self.wiring, &name, &self.sender)?;
        self.workers = workers;
        (self.deck, self.painted) = (deck, None);
        Ok(())
    }
}
