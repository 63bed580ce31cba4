//! The event loop: one owner of the model, effects run beside it, a frame when something changed.

mod carry_out;
mod complete;
mod handoff;
mod kept_view;
mod leave;
mod mcp_servers;
mod perform;
mod sent;
mod settings;
mod shells;
mod talk;
mod tasks;
mod turns;
mod workers;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::time::Instant;

use self::kept_view::Kept;
use self::tasks::Tasks;
use super::input::{self, Events};
use super::poller::SettingsFile;
use super::settings_file;
use super::signals::{SignalMsg, Signals};
use super::terminal::Terminal;
use super::theme::{Depth, Theme};
use super::workers::{Fit, PollerMsg, PreviewRequest, Target, Workers};
use crate::app::{self, Model, Msg};
use crate::config::{Config, Notify};
use crate::domain::id::SessionId;
use crate::engine::Waker;
use crate::ops::{Cancel, Cx, Watcher, can_fit};
use crate::ports::mux::PaneRef;
use crate::wiring::{self, Wiring};

/// Messages that may wait for the loop.
const BACKLOG: usize = 256;
/// The least time between two frames that no input caused.
const FRAME: Duration = Duration::from_millis(16);
/// How often the TUI checks whether a changed question can be answered by now.
const REST: Duration = Duration::from_millis(100);
/// How often the TUI's ages are updated while something moves.
const SECOND: Duration = Duration::from_secs(1);

/// Opens the TUI and runs until the user quits.
///
/// # Errors
/// The terminal's, or the profile's when it can't be read at all.
pub fn run(wiring: &Wiring) -> io::Result<()> {
    // A thread of its own carries on what runs beside the loop, which stands still while an agent has the terminal.
    let beside = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .thread_name("tasks")
        .enable_all()
        .max_blocking_threads(tasks::THREADS)
        .build()?;
    // The loop itself is woken by its terminal, not by another thread: that would cost each key half a millisecond.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let result = runtime.block_on(async { Program::start(wiring, beside.handle())?.run().await });
    // Unfinished work is abandoned: what it began is on disk.
    beside.shutdown_timeout(Duration::from_millis(100));
    runtime.shutdown_timeout(Duration::from_millis(100));
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
    cx: Cx,
    previewed: Option<Target>,
    /// The pane that was last to be fitted to its preview, its size, and whether the user typed into it.
    fitted: Option<(PaneRef, (u16, u16), bool)>,
    /// How the profile is shown, as it is kept for the next deck.
    kept: Kept,
    /// The runtime of what runs beside the loop.
    beside: Handle,
    /// The session that the user is viewing, as the polling thread was told.
    before_user: Option<SessionId>,
    /// The settings as they were read last, and their file.
    config: Config,
    settings: SettingsFile,
    /// Whether the terminal's background is light, as far as it is known.
    is_light: bool,
    quit: bool,
    signals: Signals,
    /// Ends the reading of what changed in a folder.
    diffing: Cancel,
    /// What runs beside the loop.
    tasks: Tasks,
}

impl<'a> Program<'a> {
    fn start(wiring: &'a Wiring, beside: &Handle) -> io::Result<Self> {
        let (sender, messages) = channel(BACKLOG);
        // Before the terminal is taken: whatever ends deck from here on gives it back.
        let signals = Signals::listen()?;
        // The first frame shows what is on disk: tmux may take its time.
        let on_disk = Watcher::new().read_from_disk(&wiring.cx()).map_err(io::Error::other)?;
        let terminal = Terminal::take(wiring.config.ui.mouse)?;
        let size = terminal.size()?;
        let config = wiring.config.clone();
        let mut model =
            Model::new(Arc::new(settings::of(wiring, &config)), wiring.profile.clone(), on_disk, size);
        model.app.profiles = wiring.profiles.list().unwrap_or_default();
        model.app.sent = sent::read(&wiring.cx());
        let kept = Kept::read(&wiring.paths, &wiring.profile);
        kept.restore(&mut model);
        let depth = Depth::of(|name| wiring.env.get(name).map(str::to_owned));
        let mut terminal = terminal;
        // The first frame waits for nothing; a terminal that turns out to be light is drawn again.
        terminal.draw(&model, &Theme::chosen(&config.ui.theme, depth, &wiring.paths.themes, false).0)?;
        let asks = config.ui.theme == "auto" && depth != Depth::None;
        let (is_light, keys) = if asks { terminal.is_light(&wiring.env)? } else { (false, Vec::new()) };
        for key in keys {
            // Nobody presses more in these milliseconds than the queue can hold.
            let _ = sender.try_send(Msg::Key(key));
        }
        let (theme, _) = Theme::chosen(&config.ui.theme, depth, &wiring.paths.themes, is_light);
        model.app.keymap = Arc::new(app::Keymap::with(&config.key_overrides()).0);
        let problems = settings_file::check(&wiring.settings, &wiring.tools, &wiring.paths);
        settings::report(&mut model, &problems);
        terminal.draw(&model, &theme)?;
        let settings = SettingsFile {
            path: wiring.paths.config_file.clone(),
            slot: Arc::default(),
            tools: wiring.live_tools.clone(),
        };
        let (cx, workers) = Self::connect(wiring, &wiring.profile, &sender, &config.notify, &settings)?;
        Ok(Self {
            config,
            settings,
            is_light,
            wiring,
            terminal,
            theme,
            model,
            cx,
            messages,
            sender,
            workers,
            previewed: None,
            fitted: None,
            kept,
            beside: beside.clone(),
            before_user: None,
            quit: false,
            signals,
            diffing: Cancel::default(),
            tasks: Tasks::on(beside.clone()),
        })
    }

    /// The deck that stays, and the threads that look at it.
    fn connect(
        wiring: &Wiring,
        profile: &crate::domain::id::ProfileName,
        sender: &Sender<Msg>,
        notify: &Notify,
        settings: &SettingsFile,
    ) -> io::Result<(Cx, Workers)> {
        let wake: Arc<std::sync::OnceLock<Waker>> = Arc::default();
        let woken = wake.clone();
        let cx = wiring.lasting_cx(profile, move |event| {
            if let Some(engine) = woken.get() {
                wiring::wake(engine, &event);
            }
        });
        let workers = Workers::start(&cx, sender, notify, settings)?;
        if let Some(waker) = workers.waker() {
            let _ = wake.set(waker);
        }
        Ok((cx, workers))
    }

    async fn run(mut self) -> io::Result<()> {
        let result = self.turn().await;
        self.keep_view_now().await;
        self.diffing.cancel();
        self.finish().await;
        self.leave().await;
        result
    }

    async fn turn(&mut self) -> io::Result<()> {
        let mut events = Events::open();
        let mut drawn = Instant::now();
        // Its own deadline: captures that come faster must not put it off.
        let mut second = Instant::now() + SECOND;
        let (width, height) = self.model.app.size;
        let first = app::update(&mut self.model, Msg::Resize(width, height));
        self.carry_out(first, &mut events).await?;
        while !self.quit {
            let ages = self.model.moves();
            if !ages {
                second = Instant::now() + SECOND;
            }
            if self.model.profile.questions.any_rests() {
                second = second.min(Instant::now() + REST);
            }
            let by_input = tokio::select! {
                biased;
                signal = self.signals.next() => match signal {
                    SignalMsg::End => break,
                    SignalMsg::Suspend => {
                        self.suspend(&mut events)?;
                        true
                    }
                    SignalMsg::Continued => {
                        self.retake(&mut events)?;
                        true
                    }
                },
                event = events.next() => match event {
                    Some(event) => self.take_input(event?, &mut events).await?,
                    None => break,
                },
                Some(msg) = self.messages.recv() => {
                    self.take(msg, &mut events).await?;
                    false
                }
                () = tokio::time::sleep_until(self.kept.due().unwrap_or(second)), if self.kept.due().is_some() => {
                    self.keep_view();
                    continue;
                }
                () = tokio::time::sleep_until(second), if ages => {
                    second = Instant::now() + SECOND;
                    let now = self.cx.clock.now();
                    let msg = if input::waits() { Msg::Clock(now) } else { Msg::Idle(now) };
                    self.take(msg, &mut events).await?;
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
        Ok(())
    }

    /// Has the selected session fitted to its preview: when it is selected, when the preview's size changes, and when the
    /// user does something here after another deck or a terminal gave it another size.
    fn fit_picture(&mut self) {
        let Some(Target { session: id, terminal, pane, .. }) = &self.previewed else {
            self.fitted = None;
            return;
        };
        let at_once = self.model.mode.pass_through().is_some();
        let Some(size) = app::fit_size(&self.model).filter(|_| !self.model.app.working.contains_key(id))
        else {
            return;
        };
        let wanted = Some((pane.clone(), size, at_once));
        if wanted == self.fitted {
            return;
        }
        let session = self.model.record().session(id);
        let row = self.model.state(id).and_then(|state| state.row.clone());
        let terminal = terminal.as_ref().map(|_| pane.clone());
        let row = row.filter(|row| session.is_some_and(|session| can_fit(session, row)));
        if terminal.is_none() && row.is_none() {
            return;
        }
        let fit = Fit { id: id.clone(), row, terminal, size, at_once };
        if self.workers.preview(PreviewRequest::Fit(Box::new(fit))) {
            self.fitted = wanted;
        }
    }

    async fn take_input(&mut self, event: crossterm::event::Event, events: &mut Events) -> io::Result<bool> {
        let size = self.model.capture().map(|capture| capture.size);
        self.fitted.take_if(|(_, wanted, _)| size.is_some_and(|size| size != *wanted));
        if let Some(msg) = input::message(event) {
            self.take(msg, events).await?;
        }
        Ok(true)
    }

    async fn take(&mut self, msg: Msg, events: &mut Events) -> io::Result<()> {
        if !matches!(msg, Msg::Clock(_) | Msg::Idle(_)) {
            // The time matters: for a double click, and for a key on what has only just been shown.
            app::update(&mut self.model, Msg::Clock(self.cx.clock.now()));
        }
        if matches!(msg, Msg::SettingsMoved) {
            self.apply_settings();
        }
        let effects = app::update(&mut self.model, msg);
        self.carry_out(effects, events).await?;
        self.follow_picture();
        self.note_view();
        Ok(())
    }

    /// Sends the painting thread the selected pane; a session's pane may change under it.
    fn follow_picture(&mut self) {
        let id = self.model.view.watched.clone();
        let agent = id.as_ref().and_then(|id| self.model.state(id)?.row.as_ref().map(|r| r.pane.clone()));
        let listed = self.model.terminal().filter(|_| self.model.selected() == id.as_ref());
        let terminal = listed.and_then(|listed| listed.record.as_ref()).map(|record| record.id.clone());
        let pane = listed.map_or(agent, |listed| listed.pane.clone());
        let back = self.model.view.scrolled;
        let target = id.zip(pane).map(|(session, pane)| Target { session, terminal, pane, back });
        if target != self.previewed && self.workers.preview(PreviewRequest::Pane(target.clone())) {
            self.previewed = target;
        }
        self.fit_picture();
        // Nobody looks at a window without the focus, nor at an agent while a terminal is shown in its place.
        let is_agent = self.model.terminal().is_none();
        let before = self.model.view.watched.clone().filter(|_| self.model.app.focused && is_agent);
        if before != self.before_user {
            self.workers.poll(PollerMsg::At(before.clone()));
            self.before_user = before;
        }
    }
}
