//! Players of every kind, looked up by their names.

use anyhow::{Context, Result, bail};

use super::given::GivenGame;
use crate::base::durable::checksum;
use crate::cli::Failure;
use crate::games::{AnyVariant, Game, Variant};
use crate::play::arena::Contestant;
use crate::play::players::search::Budget;
use crate::play::players::{External, Name, Opponent, Plain, Policy, Searcher, Seat};
use crate::runs::ladder::{Entry, Training};
use crate::runs::trained::{PlayEvaluator, Trained};

/// A player that was looked up.
pub struct Entrant {
    /// Its name, with everything that was left out.
    pub name: String,
    kind: Kind,
}

enum Kind {
    Plain(Plain),
    /// Another program.
    External(External),
    /// A network and its search.
    Trained(Box<Trained>),
    /// A network alone.
    Policy(Box<Trained>),
}

impl Entrant {
    /// Looks up a player.
    pub fn load(name: Name) -> Result<Self, Failure> {
        match name {
            Name::Plain(plain) => Ok(Self { name: plain.to_string(), kind: Kind::Plain(plain) }),
            Name::External(external) => {
                Ok(Self { name: external.to_string(), kind: Kind::External(external) })
            }
            Name::Policy(run) => {
                let trained = Box::new(Trained::load(&run)?);
                Ok(Self { name: format!("policy:{}", trained.name), kind: Kind::Policy(trained) })
            }
            Name::Search(run) => {
                let trained = Box::new(Trained::load(&run)?);
                Ok(Self { name: trained.name.clone(), kind: Kind::Trained(trained) })
            }
        }
    }

    /// Whether what it plays depends on the clock.
    pub fn is_timed(&self) -> bool {
        match &self.kind {
            Kind::Plain(plain) => plain.is_timed(),
            // Nobody knows, so that it is to be left in peace.
            Kind::External(_) => true,
            Kind::Trained(trained) => trained.time.is_some(),
            Kind::Policy(_) => false,
        }
    }
}

#[cfg(feature = "serve")]
impl Entrant {
    /// Whether it is another program.
    pub fn is_external(&self) -> bool {
        matches!(self.kind, Kind::External(_))
    }
}

/// The entry of a player who is nothing but his name.
fn entry_of(name: &str) -> Entry {
    let checksum = format!("{:08x}", checksum(name.as_bytes()));
    Entry { name: name.to_owned(), checksum, training: None }
}

impl Entrant {
    /// The game it was trained for.
    pub fn variant(&self) -> Option<AnyVariant> {
        match &self.kind {
            Kind::Plain(_) | Kind::External(_) => None,
            Kind::Trained(trained) | Kind::Policy(trained) => Some(trained.variant),
        }
    }

    /// Whether it searches and its name does not say how long.
    pub fn is_left_to_default(&self) -> bool {
        self.trained().is_some_and(|it| it.simulations.is_none() && it.time.is_none())
    }

    /// The trained player, if it is one with a search.
    pub fn trained(&self) -> Option<&Trained> {
        match &self.kind {
            Kind::Trained(trained) => Some(trained),
            Kind::Plain(_) | Kind::External(_) | Kind::Policy(_) => None,
        }
    }

    /// How it enters a ladder, with so many simulations unless its name says otherwise.
    pub fn entry(&self, simulations: u32) -> Result<Entry> {
        let entry = entry_of(&self.name);
        let (trained, search) = match &self.kind {
            Kind::Trained(it) => {
                let limits = (it.simulations.unwrap_or(simulations), it.time);
                (it, Some((it.search, limits)))
            }
            Kind::Policy(it) => (it, None),
            Kind::Plain(_) | Kind::External(_) => return Ok(entry),
        };
        let identity = serde_json::to_string(&(trained.weights, trained.engine, search))?;
        let options = self.name.find('?').map_or("", |at| &self.name[at..]);
        let policy = if self.name.starts_with("policy:") { "policy:" } else { "" };
        let training = Training {
            run: format!("{policy}{}{options}", trained.folder),
            iteration: trained.iteration,
            seconds: trained.seconds,
        };
        let checksum = format!("{:08x}", checksum(identity.as_bytes()));
        Ok(Entry { checksum, training: Some(training), ..entry })
    }

    /// How it plays many games at once, if it can.
    pub fn contestant(&self, simulations: u32) -> Option<Contestant<PlayEvaluator>> {
        let trained = self.trained().filter(|trained| trained.time.is_none())?;
        Some(Contestant {
            evaluator: trained.evaluator.clone(),
            search: trained.search,
            simulations: trained.simulations.unwrap_or(simulations),
        })
    }

    /// The player at its board, searching on so many threads if it is a trained one, with so many
    /// simulations unless its name says otherwise.
    pub fn seated<G: Game>(
        &self,
        variant: &Variant<G>,
        seat: Seat,
        simulations: u32,
        threads: usize,
    ) -> Result<Box<dyn Opponent<G>>> {
        Ok(match &self.kind {
            Kind::Plain(plain) => return plain.seated(seat),
            Kind::External(external) => return external.seated(variant),
            Kind::Policy(trained) => Box::new(Policy::new(trained.evaluator.clone())),
            Kind::Trained(trained) => {
                let budget = match (trained.time, trained.simulations) {
                    (Some(time), _) => Budget::Time(time),
                    (None, Some(simulations)) => Budget::Simulations(simulations),
                    (None, None) => Budget::Otherwise(simulations),
                };
                let evaluators = vec![trained.evaluator.clone(); threads.max(1)];
                Box::new(Searcher::new(evaluators, trained.search, budget))
            }
        })
    }
}

/// The trained player of this name for a command that needs its search.
pub fn load_searcher(name: &str, command: &str) -> Result<Trained, Failure> {
    match crate::cli::usage(name.parse::<Name>())? {
        Name::Search(run) => Ok(Trained::load(&run)?),
        _ => crate::cli::usage(Err(anyhow::anyhow!(
            "`{name}` has no network to search with; {command} takes a trained player: a run, or \
             RUN@ITERATION"
        ))),
    }
}

/// The game of trained players, or the one given where there are none, or else the one known.
pub fn game_of(
    entrants: &[Entrant],
    given: &GivenGame,
    known: Option<AnyVariant>,
) -> Result<AnyVariant> {
    let mut trained = entrants.iter().filter_map(Entrant::variant);
    let played = trained.next();
    if trained.any(|other| Some(other) != played) {
        bail!("the players do not all play the same game under the same rules")
    }
    given.of(played)?.or(known).with_context(|| {
        let names: Vec<&str> = entrants.iter().map(|entrant| entrant.name.as_str()).collect();
        format!(
            "none of {} belongs to a game; say which by --game NAME (`tavoliere games` lists them)",
            names.join(", ")
        )
    })
}
