//! Regular expressions: compiled once, matched in linear time, and metered before they run.

use std::rc::Rc;

use regex_lite::{CaptureLocations, Regex};

use super::fault::{EvalResult, Fault, error_with_hint};
use super::meter::Meter;
use crate::diagnostic::Diagnostic;
use crate::value::Str;
use crate::work;

/// How many compiled expressions a program keeps.
const MOST_KEPT: usize = 32;

/// How large an expression may be, with its repetitions written out.
const MOST_STATES: u64 = 10_000;

/// Bytes of a text times states that a match may take: a third of a second where all states stay in play, and much less for
/// what is written to match something.
const MOST_WORK: u64 = 20_000_000;

/// How many groups an expression may have. The matcher keeps the places of all groups for each state.
const MOST_GROUPS: usize = 100;

/// A compiled regular expression.
#[derive(Debug)]
pub struct Pattern {
    regex: Regex,
    weight: Weight,
    /// The text that the expression matches when it is nothing but a text. Most separators are, and
    /// searching is much faster than matching.
    literal: Option<String>,
}

/// The cost of an expression, derived from its source so that it is the same on every machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Weight {
    /// Single characters and classes, repetitions written out.
    states: u64,
    /// The matcher may read far beyond the end of a match, as for `.*x|a`: then many matches in one text
    /// take more than linear time.
    looks_ahead: bool,
}

/// The expressions that a program uses, the latest last.
#[derive(Debug, Default)]
pub struct Patterns(Vec<(Str, bool, Rc<Pattern>)>);

impl Patterns {
    /// The compiled expression of a source. A `whole` one matches texts as a whole only.
    pub fn get(&mut self, source: &Str, whole: bool) -> EvalResult<Rc<Pattern>> {
        if let Some(place) = self.0.iter().position(|(found, kind, _)| *kind == whole && found == source) {
            let found = self.0.remove(place);
            self.0.push(found);
        } else {
            let pattern = match whole {
                true => Pattern::new(&format!("^(?:{source})$")),
                false => Pattern::new(source),
            };
            let pattern = pattern.map_err(|problem| Box::new(Fault::Error(problem)))?;
            if self.0.len() == MOST_KEPT {
                self.0.remove(0);
            }
            self.0.push((source.clone(), whole, Rc::new(pattern)));
        }
        Ok(self.0.last().map(|(_, _, pattern)| pattern.clone()).expect("one was just put there"))
    }
}

/// The positions of a match and its groups.
pub enum Found {
    /// A match of an expression.
    Groups(CaptureLocations),
    /// A match of a text, from its start to its end.
    Literal(usize, usize),
}

impl Found {
    /// Start and end of a group; of the whole match for 0.
    pub fn group(&self, index: usize) -> Option<(usize, usize)> {
        match self {
            Found::Groups(places) => places.get(index),
            Found::Literal(start, end) => (index == 0).then_some((*start, *end)),
        }
    }

    /// Start and end of the match.
    pub fn whole(&self) -> (usize, usize) {
        self.group(0).unwrap_or_default()
    }
}

impl Pattern {
    /// Compiles a source. Fails with `invalid_regex`.
    pub fn new(source: &str) -> Result<Pattern, Diagnostic> {
        let weight = Weight::of(source);
        if weight.states > MOST_STATES {
            let message = format!("`{}` is too large", start_of(source));
            return Err(
                Diagnostic::new("invalid_regex", message).with_hint("repeat fewer times, as in `{1,100}`, or use `*`")
            );
        }
        work::charge(weight.states / 2 + source.len() as u64 / 2);
        match Regex::new(source) {
            Ok(regex) if regex.captures_len() > MOST_GROUPS + 1 => {
                let message = format!("`{}` has more than {MOST_GROUPS} groups", start_of(source));
                Err(Diagnostic::new("invalid_regex", message)
                    .with_hint("write groups that are not needed as `(?:…)`, or match parts of the text one by one"))
            }
            Ok(regex) => Ok(Pattern { regex, weight, literal: literal_of(source) }),
            Err(problem) => {
                let message = format!("`{}` is no regular expression: {problem}", start_of(source));
                Err(Diagnostic::new("invalid_regex", message).with_hint(hint_for(source)))
            }
        }
    }

    /// The number of groups without the whole match.
    pub fn groups(&self) -> usize {
        self.regex.captures_len() - 1
    }

    /// The number of a named group.
    pub fn group_named(&self, name: &str) -> Option<usize> {
        self.regex.capture_names().position(|found| found == Some(name))
    }

    /// The first match that begins at `start` or later.
    pub fn find(&self, meter: &mut Meter, text: &str, start: usize) -> EvalResult<Option<Found>> {
        let rest = text.len() - start;
        if start == 0 {
            self.check_length(text)?;
        }
        meter.afford(self.cost(rest))?;
        if let Some(literal) = &self.literal {
            let found = text[start..].find(literal.as_str()).map(|at| start + at);
            let end = found.map_or(text.len(), |at| at + literal.len());
            meter.visit(usize::try_from(self.cost(end - start)).unwrap_or(usize::MAX))?;
            return Ok(found.map(|at| Found::Literal(at, end)));
        }
        let mut places = self.regex.capture_locations();
        let found = self.regex.captures_read_at(&mut places, text, start);
        let cost = match found {
            None => self.cost(rest),
            Some(found) if self.weight.looks_ahead => self.cost(found.end() - start) + self.cost(rest) / 2,
            Some(found) => self.cost(found.end() - start),
        };
        meter.visit(usize::try_from(cost).unwrap_or(usize::MAX))?;
        Ok(found.map(|_| Found::Groups(places)))
    }

    /// Adds matches from `place` on, from left to right and without overlap, until there are `most` or so many steps are
    /// taken; true when there are no more to be found.
    pub fn find_some(
        &self,
        meter: &mut Meter,
        text: &str,
        place: &mut usize,
        (matches, most): (&mut Vec<Found>, usize),
        steps: u64,
    ) -> EvalResult<bool> {
        let enough = meter.fuel.saturating_add(steps);
        while matches.len() < most && *place <= text.len() {
            if meter.fuel > enough {
                return Ok(false);
            }
            let Some(found) = self.find(meter, text, *place)? else { break };
            meter.elements(1 + 2 * self.groups())?;
            let (start, end) = found.whole();
            matches.push(found);
            *place = end;
            if start == end {
                *place += text.get(end..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8);
            }
        }
        Ok(true)
    }

    fn cost(&self, bytes: usize) -> u64 {
        4 + bytes as u64 * (1 + self.width() / 4) / 4
    }

    /// How much is followed at once: all states, each with the places of its groups.
    fn width(&self) -> u64 {
        self.weight.states * (1 + self.groups() as u64 / 4)
    }

    /// Fails for a text that is too long: a match goes on without a look at the clock until it is found.
    fn check_length(&self, text: &str) -> EvalResult<()> {
        if self.literal.is_some() || text.len() as u64 * self.width() <= MOST_WORK {
            return Ok(());
        }
        let source = start_of(self.regex.as_str());
        let message = format!("`{source}` is too large for a text of {} bytes", text.len());
        let hint = "match its lines one by one, `(mapcat #(re-seq re %) (split-lines s))`, or use a shorter expression";
        error_with_hint("invalid_regex", message, hint)
    }
}

/// Characters with a meaning that a backslash removes.
const ESCAPED: &str = "\\.^$|?*+()[]{}-/";

/// The text that a source matches, when it is nothing but a text.
fn literal_of(source: &str) -> Option<String> {
    let mut literal = String::with_capacity(source.len());
    let mut signs = source.chars();
    while let Some(sign) = signs.next() {
        literal.push(match sign {
            '\\' => signs.next().filter(|escaped| ESCAPED.contains(*escaped))?,
            '.' | '^' | '$' | '|' | '?' | '*' | '+' | '(' | ')' | '[' | ']' | '{' | '}' => return None,
            sign => sign,
        });
    }
    (!literal.is_empty()).then_some(literal)
}

impl Weight {
    fn of(source: &str) -> Weight {
        let mut signs = source.chars().peekable();
        // States of each open group, and those of the last part of it, which a repetition repeats.
        let mut groups = vec![(0_u64, 0_u64)];
        let (mut has_choice, mut goes_on_behind_loop, mut behind_loop) = (false, false, false);
        while let Some(sign) = signs.next() {
            let mut part = 1;
            match sign {
                '\\' => {
                    let escaped = signs.next();
                    if signs.peek() == Some(&'{') && matches!(escaped, Some('x' | 'u' | 'U' | 'p' | 'P' | 'b')) {
                        signs.by_ref().find(|sign| *sign == '}');
                    }
                }
                '[' => {
                    signs.next_if_eq(&'^');
                    let mut is_first = true;
                    while let Some(sign) = signs.next() {
                        match sign {
                            ']' if !is_first => break,
                            '\\' => drop(signs.next()),
                            '[' if signs.peek() == Some(&':') => drop(signs.by_ref().find(|sign| *sign == ']')),
                            _ => {}
                        }
                        is_first = false;
                    }
                }
                '(' => {
                    goes_on_behind_loop |= std::mem::take(&mut behind_loop);
                    let has_flags = signs.next_if_eq(&'?').is_some();
                    match has_flags.then(|| signs.by_ref().find(|sign| matches!(sign, ':' | '>' | ')'))).flatten() {
                        Some(')') => {}
                        _ => groups.push((0, 0)),
                    }
                    continue;
                }
                ')' => {
                    let (states, _) = if groups.len() > 1 { groups.pop().unwrap_or_default() } else { (0, 0) };
                    if let Some(group) = groups.last_mut() {
                        *group = (group.0 + states, states);
                    }
                    has_choice |= matches!(signs.peek(), Some('?' | '*' | '+' | '{'));
                    continue;
                }
                '|' => {
                    has_choice = true;
                    behind_loop = false;
                    continue;
                }
                '*' | '+' | '?' => {
                    behind_loop |= sign != '?';
                    has_choice |= sign == '?';
                    signs.next_if_eq(&'?');
                    continue;
                }
                '{' => {
                    let counts: String = signs.by_ref().take_while(|sign| *sign != '}').collect();
                    let (least, most) = counts.split_once(',').unwrap_or((&counts, &counts));
                    let times = [least, most].map(|times| times.trim().parse::<u64>().unwrap_or(0));
                    let times = times[0].max(times[1]).max(1);
                    if let Some(group) = groups.last_mut() {
                        *group = (group.0.saturating_add(group.1.saturating_mul(times - 1)), 0);
                    }
                    has_choice |= times > 1 && least != most;
                    behind_loop |= most.is_empty();
                    signs.next_if_eq(&'?');
                    continue;
                }
                '^' | '$' => part = 0,
                _ => {}
            }
            goes_on_behind_loop |= std::mem::take(&mut behind_loop);
            if let Some(group) = groups.last_mut() {
                *group = (group.0.saturating_add(part), part);
            }
        }
        let states = groups.iter().fold(0_u64, |sum, group| sum.saturating_add(group.0));
        Weight { states, looks_ahead: has_choice && goes_on_behind_loop }
    }
}

fn start_of(source: &str) -> String {
    match source.char_indices().nth(60) {
        Some((end, _)) => format!("{}...", source.get(..end).unwrap_or_default()),
        None => source.into(),
    }
}

/// What to write instead of syntax of Java that linear-time matching can't support.
fn hint_for(source: &str) -> &'static str {
    let has = |parts: &[&str]| parts.iter().any(|part| source.contains(part));
    let has_back_reference =
        source.as_bytes().windows(2).any(|pair| pair[0] == b'\\' && (b'1'..=b'9').contains(&pair[1]));
    if has(&["(?=", "(?!", "(?<=", "(?<!"]) {
        "there is no look-around: match what stands around it too and take a group, `(second (re-find #\"a(b)c\" s))`, or filter the matches"
    } else if has(&["\\p", "\\P"]) {
        "there are no Unicode classes: name the characters, `[a-zA-Zäöüß]`, or exclude others, `[^\\s\\d.,]`"
    } else if has_back_reference || has(&["\\k"]) {
        "there are no backreferences: take groups with `re-seq` and compare them with `=`"
    } else if has(&["(?>", "*+", "++", "?+"]) {
        "there are no possessive or atomic groups, and no need for them: every match takes linear time"
    } else if has(&["&&", "--", "[["]) {
        "name all characters of a class in one pair of brackets: `[a-z0-9_]`"
    } else if has(&["\\Q", "\\E", "\\R", "\\h", "\\Z", "\\G", "\\X", "\\e", "\\c"]) {
        "write characters themselves, and a backslash before signs that have a meaning: `\\.`"
    } else {
        "a backslash before a sign makes it plain: `\\(`, `\\[`, `\\.`, `\\*`, `\\+`, `\\?`"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(source: &str, states: u64, looks_ahead: bool) {
        assert_eq!(Weight::of(source), Weight { states, looks_ahead }, "{source}");
    }

    #[test]
    fn repetitions_are_written_out() {
        check("abc", 3, false);
        check("a{100}", 100, false);
        check("(ab{10}){10}", 110, false);
        check("(?:(?:a{100}){100}){100}", 1_000_000, false);
        check("[^]a-z\\]]{2,5}x", 6, false);
        check("(?i)\\x{41}[[:alpha:]]", 2, false);
        check("))((", 0, false);
    }

    #[test]
    fn loops_before_a_choice_look_ahead() {
        check(".*x|a", 3, true);
        check("a(?:.*b)?", 3, true);
        check("\\w+|\\s+", 2, false);
        check("\"[^\"]*\"", 3, false);
        check("(\\w+)=(\\d+)", 3, false);
    }

    #[test]
    fn matches_that_look_ahead_are_paid_for() {
        let limits = crate::lisp::meter::Limits { fuel: 50_000, ..Default::default() };
        let text = "a".repeat(2000);
        let matches = |source| {
            let mut meter = Meter::new(limits.clone(), 0);
            let mut found = Vec::new();
            let matches = (&mut found, usize::MAX);
            Pattern::new(source).unwrap().find_some(&mut meter, &text, &mut 0, matches, u64::MAX).map(|_| found.len())
        };
        assert_eq!(matches("a").unwrap(), 2000);
        assert!(matches(".*x|a").is_err());
    }

    #[test]
    fn a_literal_is_found_where_its_expression_matches() {
        assert_eq!(literal_of("a\\.b").as_deref(), Some("a.b"));
        for source in ["a.", "\\<a", "\\d", "(a)", "a|b", "", "[a]", "a\\"] {
            assert_eq!(literal_of(source), None, "{source}");
        }
        for (source, text) in [(",", ",a,,b,"), ("aa", "aaaaa"), ("\\|", "ä|ö||"), ("é", "aébé"), ("xyz", "")] {
            let pattern = Pattern::new(source).unwrap();
            let plain = Pattern { literal: None, ..Pattern::new(source).unwrap() };
            let places = |pattern: &Pattern| {
                let (mut meter, mut found) = (Meter::new(Default::default(), 0), Vec::new());
                pattern.find_some(&mut meter, text, &mut 0, (&mut found, usize::MAX), u64::MAX).unwrap();
                found.iter().map(Found::whole).collect::<Vec<_>>()
            };
            assert_eq!(places(&pattern), places(&plain), "{source}");
        }
    }

    #[test]
    fn what_is_too_large_is_refused() {
        assert_eq!(Pattern::new("(?:a{200}){200}").unwrap_err().kind, "invalid_regex");
        assert_eq!(Pattern::new(&"(".repeat(100_000)).unwrap_err().kind, "invalid_regex");
        assert_eq!(Pattern::new(&"(a?)".repeat(9000)).unwrap_err().kind, "invalid_regex");
        assert_eq!(Pattern::new(&"(a?)".repeat(MOST_GROUPS)).unwrap().groups(), MOST_GROUPS);
        let mut meter = Meter::new(Default::default(), 0);
        let wide = Pattern::new("(?:a?){1000}b").unwrap();
        assert!(wide.find(&mut meter, &"a".repeat(19_000), 0).is_ok());
        assert!(wide.find(&mut meter, &"a".repeat(21_000), 0).is_err());
        assert!(Pattern::new("\\d{4}-\\d\\d").unwrap().find(&mut meter, &"a".repeat(2_000_000), 0).is_ok());
    }
}
