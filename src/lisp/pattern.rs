//! Regular expressions: compiled once, with searches for one match that take linear time and can pause.

use std::cell::RefCell;
use std::rc::Rc;
use std::task::Poll;

use super::fault::{EvalResult, Fault};
use super::regex::{Automaton, Expression, Matcher, Positions};
use crate::diagnostic::Diagnostic;
use crate::value::Str;
use crate::work;

/// How many compiled expressions a program keeps.
const MAX_CACHED: usize = 32;

/// The largest number of characters of an expression.
const LONGEST: usize = 10_000;

/// The largest number of states of an expression with its repetitions expanded: about one state for each character,
/// class, group and choice.
const MAX_STATES: usize = 20_000;

/// The largest number of groups of an expression.
const MAX_GROUPS: usize = 100;

/// The largest product of states and groups. The matcher keeps the positions of all groups for each state.
const MAX_POSITIONS: usize = 400_000;

/// The largest number of states with which a matcher is kept for the next search.
const MAX_REUSED_STATES: usize = 500;

/// The number of steps of the matcher that cost one unit of fuel.
const STEPS: u64 = 4;

/// A compiled regular expression.
#[derive(Debug)]
pub struct Pattern {
    automaton: Automaton,
    names: Vec<(String, usize)>,
    /// The text that the expression matches if it is a literal text. Most separators are literal texts, and searching
    /// for a text is much faster than matching.
    literal: Option<String>,
    /// The matcher of the last search, which the next search reuses.
    spare: RefCell<Option<Matcher>>,
}

/// The expressions that a program uses, the latest last.
#[derive(Debug, Default)]
pub struct Patterns(Vec<(Str, bool, Rc<Pattern>)>);

impl Patterns {
    /// Returns the compiled expression of a source. A `whole` expression matches only whole texts.
    pub fn get(&mut self, source: &Str, whole: bool) -> EvalResult<Rc<Pattern>> {
        if let Some(position) = self.0.iter().position(|(found, kind, _)| *kind == whole && found == source) {
            let found = self.0.remove(position);
            self.0.push(found);
        } else {
            let pattern = Pattern::new(source, whole).map_err(|problem| Box::new(Fault::Error(problem)))?;
            if self.0.len() == MAX_CACHED {
                self.0.remove(0);
            }
            self.0.push((source.clone(), whole, Rc::new(pattern)));
        }
        Ok(self.0.last().map(|(_, _, pattern)| pattern.clone()).expect("one was just put there"))
    }
}

/// The positions of a match and its groups.
pub enum Found {
    /// The match of an expression: the start and end of each group, the whole match first.
    Groups(Box<[u32]>),
    /// A match of a text, from its start to its end.
    Literal(usize, usize),
}

impl Found {
    /// Returns the start and end of a group; group 0 is the whole match.
    pub fn group(&self, index: usize) -> Option<(usize, usize)> {
        match self {
            Found::Groups(positions) => match positions.get(2 * index..2 * index + 2)? {
                [_, u32::MAX] | [u32::MAX, _] => None,
                [start, end] => Some((*start as usize, *end as usize)),
                _ => None,
            },
            Found::Literal(start, end) => (index == 0).then_some((*start, *end)),
        }
    }

    /// Returns the start and end of the match.
    pub fn whole(&self) -> (usize, usize) {
        self.group(0).unwrap_or_default()
    }
}

/// A search for the matches in a text, from left to right and without overlap.
#[derive(Debug, Default)]
pub struct Search {
    /// The position at which the search for the next match begins.
    position: usize,
    /// The matcher of a search that is paused.
    matcher: Option<Matcher>,
    /// Where look-around holds in the text.
    around: Positions,
}

impl Pattern {
    /// Compiles a source. A `whole` expression matches only whole texts. Fails with `invalid_regex`.
    pub fn new(source: &str, whole: bool) -> Result<Pattern, Diagnostic> {
        let invalid = |message: &str, hint: &str| {
            let message = format!("`{}` {message}", start_of(source));
            Err(Diagnostic::new("invalid_regex", message).with_hint(hint))
        };
        if source.chars().nth(LONGEST).is_some() {
            let hint = "look for a long text with `includes?`, or match parts of it one by one";
            return invalid(&format!("has more than {LONGEST} characters"), hint);
        }
        work::charge(source.len() as u64);
        let mut expression = match Expression::read(source) {
            Ok(expression) => expression,
            Err(problem) => return invalid(&format!("is no regular expression: {problem}"), hint_for(source)),
        };
        if expression.groups > MAX_GROUPS {
            let hint = "write groups that are not needed as `(?:…)`, or match parts of the text one by one";
            return invalid(&format!("has more than {MAX_GROUPS} groups"), hint);
        }
        let literal = if whole { None } else { expression.node.literal() };
        let (names, groups) = (std::mem::take(&mut expression.names), expression.groups + 1);
        match Automaton::new(expression, whole, MAX_STATES.min(MAX_POSITIONS / groups)) {
            Ok(automaton) => {
                work::charge(automaton.states.len() as u64 / 2);
                Ok(Pattern { automaton, names, literal, spare: RefCell::default() })
            }
            Err(_) => invalid("is too large", "repeat fewer times, as in `{1,100}`, or use `*`"),
        }
    }

    /// Returns the number of groups, not counting the whole match.
    pub fn groups(&self) -> usize {
        self.automaton.groups - 1
    }

    /// Returns the number of a named group.
    pub fn group_named(&self, name: &str) -> Option<usize> {
        self.names.iter().find(|(found, _)| found == name).map(|(_, group)| *group)
    }

    /// Returns the next match of a search in a text; none when there are no more. Returns pending when about `fuel`
    /// units of fuel are used first; the next call then continues the search. Also returns the fuel that was used.
    pub fn find(&self, text: &str, search: &mut Search, fuel: u64) -> (Poll<Option<Found>>, usize) {
        if search.position > text.len() {
            return (Poll::Ready(None), 0);
        }
        let used;
        let found = if let Some(literal) = &self.literal {
            let found = text[search.position..].find(literal.as_str()).map(|at| search.position + at);
            let end = found.map_or(text.len(), |at| at + literal.len());
            used = 1 + (end - search.position) / 16;
            found.map(|at| Found::Literal(at, end))
        } else {
            let fuel = fuel.saturating_mul(STEPS);
            let mut steps = 0;
            let mut matcher = search.matcher.take().unwrap_or_else(|| match self.spare.take() {
                Some(mut spare) => {
                    spare.restart(&self.automaton, search.position);
                    spare
                }
                None => Matcher::new(&self.automaton, search.position),
            });
            let mut has_ended = search.around.advance(&self.automaton, text, fuel, &mut steps);
            while has_ended {
                let left = fuel.saturating_sub(steps);
                has_ended = matcher.advance(&self.automaton, (text, &search.around), left, &mut steps);
                if has_ended && !matcher.find_more_groups(&self.automaton) {
                    break;
                }
            }
            used = 1 + usize::try_from(steps / STEPS).unwrap_or(usize::MAX);
            if !has_ended {
                search.matcher = Some(matcher);
                return (Poll::Pending, used);
            }
            let found = matcher.take_found();
            if self.automaton.states.len() <= MAX_REUSED_STATES {
                self.spare.replace(Some(matcher));
            }
            found.map(Found::Groups)
        };
        search.position = match &found {
            Some(found) => {
                let (start, end) = found.whole();
                let skipped = text[end..].chars().next().map_or(1, char::len_utf8);
                if start == end { end + skipped } else { end }
            }
            None => text.len() + 1,
        };
        (Poll::Ready(found), used)
    }
}

fn start_of(source: &str) -> String {
    match source.char_indices().nth(60) {
        Some((end, _)) => format!("{}...", source.get(..end).unwrap_or_default()),
        None => source.into(),
    }
}

/// Returns a hint for syntax of Java that is not supported.
fn hint_for(source: &str) -> &'static str {
    let has = |parts: &[&str]| parts.iter().any(|part| source.contains(part));
    let has_back_reference =
        source.as_bytes().windows(2).any(|pair| pair[0] == b'\\' && (b'1'..=b'9').contains(&pair[1]));
    if has(&["\\p", "\\P"]) {
        "there are `\\p{L}` (letters), `\\p{Lu}`, `\\p{Ll}`, `\\p{Lt}`, `\\p{M}` (marks), `\\p{N}` (numbers), `\\p{P}` (punctuation), `\\p{S}` (symbols), and Java's ASCII classes such as `\\p{Alpha}`"
    } else if has_back_reference || has(&["\\k"]) {
        "there are no backreferences: take groups with `re-seq` and compare them with `=`"
    } else if has(&["(?>", "*+", "++", "?+", "}+"]) {
        "there are no possessive or atomic groups, and no need for them: every match takes linear time"
    } else if has(&["(?<=", "(?<!"]) {
        "write groups in look-behind as `(?:…)`"
    } else if has(&["--", "~~"]) {
        "name all characters of a class in one pair of brackets, `[a-z0-9_]`, or exclude some: `[a-z&&[^aeiou]]`"
    } else if has(&["\\Q", "\\E", "\\R", "\\h", "\\Z", "\\G", "\\X", "\\e", "\\c"]) {
        "write characters themselves, and a backslash before signs that have a meaning: `\\.`"
    } else {
        "a backslash before a sign makes it plain: `\\(`, `\\[`, `\\.`, `\\*`, `\\+`, `\\?`"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lisp::meter::Meter;

    fn ranges(pattern: &Pattern, text: &str, fuel: u64) -> Vec<(usize, usize)> {
        let (mut meter, mut search, mut ranges) = (Meter::new(Default::default(), 0), Search::default(), Vec::new());
        loop {
            match meter.find(pattern, text, &mut search, fuel).unwrap() {
                Poll::Ready(Some(found)) => ranges.push(found.whole()),
                Poll::Ready(None) => return ranges,
                Poll::Pending => {}
            }
        }
    }

    #[test]
    fn a_literal_is_found_where_its_expression_matches() {
        assert_eq!(Pattern::new("a\\.b", false).unwrap().literal.as_deref(), Some("a.b"));
        for source in ["a.", "\\<a", "\\d", "(a)", "a|b", "", "[ab]", "(?i)a"] {
            assert_eq!(Pattern::new(source, false).unwrap().literal, None, "{source}");
        }
        for (source, text) in [(",", ",a,,b,"), ("aa", "aaaaa"), ("\\|", "ä|ö||"), ("é", "aébé"), ("xyz", "")] {
            let pattern = Pattern::new(source, false).unwrap();
            let plain = Pattern { literal: None, ..Pattern::new(source, false).unwrap() };
            assert_eq!(ranges(&pattern, text, 1000), ranges(&plain, text, 1000), "{source}");
        }
    }

    #[test]
    fn a_search_that_pauses_finds_the_same() {
        let text = "one, two;  three".repeat(20);
        for source in ["\\w+", "[,;]\\s*", "", ".*x|o", "(t)(w|h)*", "\\bt"] {
            let pattern = Pattern::new(source, false).unwrap();
            assert_eq!(ranges(&pattern, &text, 1), ranges(&pattern, &text, u64::MAX), "{source}");
        }
    }

    #[test]
    fn matches_that_look_ahead_are_paid_for() {
        let fuel = |source| {
            let pattern = Pattern::new(source, false).unwrap();
            let (mut meter, mut search) = (Meter::new(Default::default(), 0), Search::default());
            let text = "a".repeat(2000);
            while let Poll::Ready(Some(_)) | Poll::Pending = meter.find(&pattern, &text, &mut search, 1000).unwrap() {}
            meter.fuel
        };
        assert!(fuel("a") < 10_000);
        assert!(fuel(".*x|a") > 1_000_000);
    }

    #[test]
    fn what_is_too_large_is_refused() {
        let problem = |source: &str| Pattern::new(source, false).unwrap_err();
        assert!(problem("(?:a{200}){200}").message.ends_with("is too large"));
        assert!(problem("(?:(?:a{1000}){1000}){1000}").message.ends_with("is too large"));
        assert!(problem(&"(".repeat(100_000)).message.ends_with("more than 10000 characters"));
        assert_eq!(problem(&"(".repeat(10_000)).kind, "invalid_regex");
        assert!(problem(&"(a?)".repeat(101)).message.ends_with("more than 100 groups"));
        assert!(problem(&format!("{}(?:a{{100}}){{100}}", "(a)".repeat(50))).message.ends_with("is too large"));
        assert_eq!(Pattern::new(&"(a?)".repeat(MAX_GROUPS), false).unwrap().groups(), MAX_GROUPS);
        assert!(Pattern::new("(?:(?:){1000000000}){1000000000}", false).is_ok());
    }

    #[test]
    fn a_large_expression_pauses_in_a_long_text() {
        let pattern = Pattern::new("(?:a?){9000}b", false).unwrap();
        let (mut meter, mut search) = (Meter::new(Default::default(), 0), Search::default());
        let found = meter.find(&pattern, &"a".repeat(100_000), &mut search, 10_000).unwrap();
        assert!(found.is_pending());
        assert!((10_000..30_000).contains(&meter.fuel), "{}", meter.fuel);
    }
}
