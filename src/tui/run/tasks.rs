//! Effects that are carried out beside the loop, as a set of tasks.
//!
//! Invariants: each effect answers, also when it panics; effects on the same session, or on the profile's
//! record, that come together are carried out in their order, all others side by side; an undo waits for the commands
//! before it.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio::sync::mpsc::Sender;
use tokio::task::JoinSet;

use super::turns::{Place, Turns};
use crate::app::{Done, Effect, Msg, Subject};
use crate::domain::id::ProfileName;

/// How many agents are waited for at the same time for one command on many sessions; this leaves threads
/// for everything else.
const ALONGSIDE: usize = 8;
/// How many threads carry out effects.
pub(super) const THREADS: usize = 3 * ALONGSIDE;

/// What carries out one effect. Blocking.
type Perform = dyn Fn(Effect) -> Done + Send + Sync;

/// Carries out effects, and answers the loop.
#[derive(Clone)]
pub(super) struct Worker {
    perform: Arc<Perform>,
    profile: ProfileName,
    answers: Sender<Msg>,
}

/// What runs beside the loop.
pub(super) struct Tasks {
    /// Where it runs.
    runtime: Handle,
    /// What changes something: deck finishes it before it quits.
    changing: JoinSet<()>,
    /// What only asks.
    asking: JoinSet<()>,
    slots: Arc<Semaphore>,
    /// Which commands on a profile's record wait for which.
    turns: BTreeMap<ProfileName, Turns>,
}

impl Worker {
    pub fn new(
        profile: ProfileName,
        answers: Sender<Msg>,
        perform: impl Fn(Effect) -> Done + Send + Sync + 'static,
    ) -> Self {
        Self { perform: Arc::new(perform), profile, answers }
    }

    /// Carries out these in their order, in their turn. Each waits for a place among `slots`, if there are any.
    async fn in_order(self, effects: Vec<Effect>, slots: Option<Arc<Semaphore>>, place: Option<Place>) {
        let mut _turn = match place {
            Some(place) => Some(place.await),
            None => None,
        };
        let mut given = effects.len();
        let mut left: VecDeque<Effect> = effects.into();
        while let Some(effect) = left.pop_front() {
            let _slot = match &slots {
                // It is never closed.
                Some(slots) => slots.acquire().await.ok(),
                None => None,
            };
            let failed = {
                let worked_on = effect.work().and_then(|_| effect.session().cloned());
                Done::Failed(worked_on, format!("internal error in {effect:?}"))
            };
            let perform = self.perform.clone();
            let done = tokio::task::spawn_blocking(move || perform(effect)).await.unwrap_or(failed);
            given = given.saturating_sub(1);
            if given == 0 {
                // What follows may take long, and works on one session.
                _turn = None;
            }
            // By the same deck: the user may be in another profile by now.
            left.extend(done.follow_up());
            if self.answers.send(Msg::DoneIn(self.profile.clone(), done)).await.is_err() {
                // A loop that is gone needs no answer, and begins nothing more.
                return;
            }
        }
    }
}

impl Tasks {
    /// On another runtime than the loop's.
    pub fn on(runtime: Handle) -> Self {
        let slots = Arc::new(Semaphore::new(ALONGSIDE));
        Self { runtime, changing: JoinSet::new(), asking: JoinSet::new(), slots, turns: BTreeMap::new() }
    }

    /// Carries out effects that came together.
    pub fn run(&mut self, worker: &Worker, effects: Vec<Effect>) {
        let lanes = lanes(effects);
        let waits = |lane: &[Effect]| lane.iter().any(|e| e.work().is_some());
        let many = lanes.iter().filter(|(_, lane)| waits(lane)).count() > 1;
        for (subject, effects) in lanes {
            // One alone never waits for a place: it may be what ends the wait of the others.
            let slots = (many && waits(&effects)).then(|| self.slots.clone());
            let changes = effects.iter().any(Effect::changes);
            let place = self.turns.entry(worker.profile.clone()).or_default().next(&subject, &effects);
            let runtime = self.runtime.clone();
            self.set(changes).spawn_on(worker.clone().in_order(effects, slots, place), &runtime);
        }
    }

    /// Runs something that answers by itself. When it panics, `failed` answers.
    pub fn run_blocking(
        &mut self,
        changes: bool,
        answers: Sender<Msg>,
        failed: Done,
        work: impl FnOnce(&Sender<Msg>) + Send + 'static,
    ) {
        let task = async move {
            let to_loop = answers.clone();
            if tokio::task::spawn_blocking(move || work(&to_loop)).await.is_err() {
                // A loop that is gone needs no answer.
                let _ = answers.send(Msg::Done(failed)).await;
            }
        };
        let runtime = self.runtime.clone();
        self.set(changes).spawn_on(task, &runtime);
    }

    /// The set for a new task, without those that have ended.
    fn set(&mut self, changes: bool) -> &mut JoinSet<()> {
        let set = if changes { &mut self.changing } else { &mut self.asking };
        while set.try_join_next().is_some() {}
        set
    }

    /// Whether something is still being changed.
    pub fn is_changing(&mut self) -> bool {
        !self.set(true).is_empty()
    }

    /// Waits until one of those that change something has ended.
    pub async fn one_changed(&mut self) {
        // Its answer has said how it went.
        let _ = self.changing.join_next().await;
    }
}

/// Effects by what they work on, in their order.
fn lanes(effects: Vec<Effect>) -> Vec<(Subject, Vec<Effect>)> {
    let mut lanes: Vec<(Subject, Vec<Effect>)> = Vec::new();
    for effect in effects {
        let subject = effect.subject();
        match lanes.iter_mut().find(|(other, _)| *other == subject && subject != Subject::Nothing) {
            Some((_, lane)) => lane.push(effect),
            None => lanes.push((subject, vec![effect])),
        }
    }
    lanes
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::{Condvar, Mutex, PoisonError};
    use std::time::Duration;

    use tokio::sync::mpsc::{Receiver, channel};

    use super::*;
    use crate::domain::group::GroupPath;
    use crate::domain::id::SessionId;

    /// Agents that hang until they are let go of.
    #[derive(Default)]
    struct Agents {
        hanging: Mutex<BTreeSet<SessionId>>,
        moved: Condvar,
        begun: Mutex<Vec<String>>,
    }

    impl Agents {
        fn hang(ids: &[&str]) -> Arc<Self> {
            let agents = Self::default();
            agents.hanging.lock().unwrap().extend(ids.iter().map(|id| SessionId::new((*id).to_owned())));
            Arc::new(agents)
        }

        fn let_go(&self, id: &str) {
            self.hanging.lock().unwrap().remove(&SessionId::new(id.to_owned()));
            self.moved.notify_all();
        }

        fn perform(&self, effect: Effect) -> Done {
            self.begun.lock().unwrap().push(format!("{effect:?}"));
            assert!(!matches!(effect, Effect::Undo), "a fault");
            if let Effect::Create(_) = effect {
                return Done::CreatedPane(id("new"), "started new".to_owned(), Some("hi".to_owned()));
            }
            if let Some(id) = effect.session() {
                let hanging = self.hanging.lock().unwrap();
                drop(
                    self.moved
                        .wait_while(hanging, |h| h.contains(id))
                        .unwrap_or_else(PoisonError::into_inner),
                );
            }
            Done::Ok(Some(format!("{effect:?}")))
        }

        fn worker(self: &Arc<Self>) -> (Worker, Receiver<Msg>) {
            let (sender, messages) = channel(64);
            let agents = self.clone();
            let profile = ProfileName::parse("work").unwrap();
            (Worker::new(profile, sender, move |effect| agents.perform(effect)), messages)
        }
    }

    fn runtime() -> tokio::runtime::Runtime {
        tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .max_blocking_threads(THREADS)
            .build()
            .unwrap()
    }

    fn id(name: &str) -> SessionId {
        SessionId::new(name.to_owned())
    }

    async fn answer(messages: &mut Receiver<Msg>) -> Done {
        let msg = tokio::time::timeout(Duration::from_secs(60), messages.recv()).await;
        match msg {
            Ok(Some(Msg::DoneIn(_, done) | Msg::Done(done))) => done,
            other => panic!("no answer came: {other:?}"),
        }
    }

    fn ended(effect: &Effect) -> Done {
        Done::Ok(Some(format!("{effect:?}")))
    }

    #[test]
    fn no_session_waits_for_another_whose_agent_hangs() {
        for make in
            [Effect::Stop, Effect::Start, |id| Effect::Send(id, "hi".to_owned(), crate::ops::Unsent::Refuse)]
        {
            runtime().block_on(async {
                let agents = Agents::hang(&["a", "b"]);
                let (worker, mut messages) = agents.worker();
                let mut tasks = Tasks::on(Handle::current());
                let effects: Vec<Effect> = ["a", "b", "c"].map(|n| make(id(n))).to_vec();
                tasks.run(&worker, effects.clone());
                assert_eq!(answer(&mut messages).await, ended(&effects[2]));
                assert!(tasks.is_changing(), "two are under way");
                agents.let_go("b");
                assert_eq!(answer(&mut messages).await, ended(&effects[1]));
                agents.let_go("a");
                assert_eq!(answer(&mut messages).await, ended(&effects[0]));
                while tasks.is_changing() {
                    tasks.one_changed().await;
                }
            });
        }
    }

    #[test]
    fn what_is_done_to_one_session_is_done_in_its_order() {
        runtime().block_on(async {
            let agents = Agents::hang(&["a"]);
            let (worker, mut messages) = agents.worker();
            let mut tasks = Tasks::on(Handle::current());
            let effects = vec![Effect::Stop(id("a")), Effect::Start(id("a")), Effect::Start(id("b"))];
            tasks.run(&worker, effects.clone());
            assert_eq!(answer(&mut messages).await, ended(&effects[2]));
            agents.let_go("a");
            assert_eq!(answer(&mut messages).await, ended(&effects[0]));
            assert_eq!(answer(&mut messages).await, ended(&effects[1]));
        });
    }

    #[test]
    fn a_first_prompt_is_sent_by_the_deck_that_made_the_session() {
        runtime().block_on(async {
            let agents = Agents::hang(&[]);
            let (worker, mut messages) = agents.worker();
            let mut tasks = Tasks::on(Handle::current());
            tasks.run(&worker, vec![Effect::Create(Box::default())]);
            assert!(matches!(answer(&mut messages).await, Done::CreatedPane(..)));
            let prompt = Effect::Prompt(id("new"), "hi".to_owned());
            assert_eq!(answer(&mut messages).await, ended(&prompt));
        });
    }

    #[test]
    fn what_changes_the_record_is_done_in_its_order() {
        runtime().block_on(async {
            let agents = Agents::hang(&["a"]);
            let (worker, mut messages) = agents.worker();
            let mut tasks = Tasks::on(Handle::current());
            let effects: Vec<Effect> =
                ["a", "b", "c"].map(|n| Effect::MoveTo(id(n), GroupPath::root())).to_vec();
            tasks.run(&worker, effects.clone());
            // Another one that came later waits for none of them.
            tasks.run(&worker, vec![Effect::Acknowledge(id("d"))]);
            assert_eq!(answer(&mut messages).await, ended(&Effect::Acknowledge(id("d"))));
            let has_begun = |effect: &Effect| agents.begun.lock().unwrap().contains(&format!("{effect:?}"));
            assert!(!has_begun(&effects[1]) && !has_begun(&effects[2]));
            agents.let_go("a");
            for effect in &effects {
                assert_eq!(answer(&mut messages).await, ended(effect));
            }
        });
    }

    #[test]
    fn an_undo_waits_for_the_commands_before_it_and_those_after_wait_for_it() {
        runtime().block_on(async {
            let agents = Agents::hang(&["a"]);
            let (worker, mut messages) = agents.worker();
            let mut tasks = Tasks::on(Handle::current());
            let moved = |n: &str| Effect::MoveTo(id(n), GroupPath::root());
            for effect in [moved("a"), moved("b")] {
                tasks.run(&worker, vec![effect]);
            }
            assert_eq!(answer(&mut messages).await, ended(&moved("b")), "these go side by side");
            for effect in [Effect::Undo, moved("c")] {
                tasks.run(&worker, vec![effect]);
            }
            // What works on no record waits for nothing.
            tasks.run(&worker, vec![Effect::Stop(id("d"))]);
            assert_eq!(answer(&mut messages).await, ended(&Effect::Stop(id("d"))));
            agents.let_go("a");
            assert_eq!(answer(&mut messages).await, ended(&moved("a")));
            // The undo of these agents fails, and the next has its turn all the same.
            assert!(matches!(answer(&mut messages).await, Done::Failed(..)));
            assert_eq!(answer(&mut messages).await, ended(&moved("c")));
            let begun = agents.begun.lock().unwrap().clone();
            let at = |e: &Effect| begun.iter().position(|b| *b == format!("{e:?}"));
            assert!(at(&Effect::Undo) < at(&moved("c")), "{begun:?}");
        });
    }

    #[test]
    fn many_agents_that_hang_hold_up_nothing_else() {
        runtime().block_on(async {
            let names: Vec<String> = (0..40).map(|n| format!("s{n}")).collect();
            let all: Vec<&str> = names.iter().map(String::as_str).collect();
            let agents = Agents::hang(&all);
            let (worker, mut messages) = agents.worker();
            let mut tasks = Tasks::on(Handle::current());
            tasks.run(&worker, all.iter().map(|n| Effect::Stop(id(n))).collect());
            for effect in [Effect::Versions, Effect::Stop(id("other")), Effect::AddGroup(GroupPath::root())] {
                tasks.run(&worker, vec![effect.clone()]);
                assert_eq!(answer(&mut messages).await, ended(&effect));
            }
            let stops = || agents.begun.lock().unwrap().iter().filter(|e| e.contains("\"s")).count();
            assert!(stops() <= ALONGSIDE, "{}", stops());
            all.iter().for_each(|n| agents.let_go(n));
            for _ in &all {
                answer(&mut messages).await;
            }
        });
    }

    #[test]
    fn an_effect_that_panics_answers() {
        runtime().block_on(async {
            let (worker, mut messages) = Agents::hang(&[]).worker();
            let mut tasks = Tasks::on(Handle::current());
            tasks.run(&worker, vec![Effect::Undo]);
            assert_eq!(answer(&mut messages).await, Done::Failed(None, "internal error in Undo".to_owned()));
            let failed = Done::Failed(None, "internal error".to_owned());
            tasks.run_blocking(true, worker.answers.clone(), failed.clone(), |_| panic!("a fault"));
            assert_eq!(answer(&mut messages).await, failed);
        });
    }

    #[test]
    fn what_only_asks_is_not_waited_for() {
        runtime().block_on(async {
            let agents = Agents::hang(&["a"]);
            let (worker, mut messages) = agents.worker();
            let mut tasks = Tasks::on(Handle::current());
            tasks.run(&worker, vec![Effect::CopyAnswer(id("a"))]);
            assert!(!tasks.is_changing());
            agents.let_go("a");
            assert_eq!(answer(&mut messages).await, ended(&Effect::CopyAnswer(id("a"))));
        });
    }
}
