//! Counts the tokens of messages and requests: their texts by a counter, and the tokens that the provider adds.

use super::media::{MEDIA_TOKENS, NotedText};
use super::message::{ChatMessage, Part};
use crate::tokens::{Estimate, TokenCounter};
use crate::value::{Names, Str};

/// The provider whose requests are counted: each adds its own tokens around messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Provider {
    /// OpenAI.
    #[default]
    OpenAi,
    /// Anthropic.
    Anthropic,
    /// Gemini. It counts declarations of tools like texts.
    Gemini,
}

impl Provider {
    /// Tokens that are added to each message, including its role.
    pub(super) fn message(self) -> usize {
        match self {
            Provider::OpenAi => 4,
            Provider::Anthropic => 2,
            Provider::Gemini => 1,
        }
    }

    /// Tokens that are added to each request, including those that begin the reply.
    fn request(self) -> usize {
        match self {
            Provider::OpenAi => 3,
            Provider::Anthropic => 6,
            Provider::Gemini => 1,
        }
    }

    /// Tokens that the presence of tools adds.
    fn tools(self) -> usize {
        match self {
            Provider::OpenAi => 12,
            Provider::Anthropic => 346,
            Provider::Gemini => 0,
        }
    }
}

/// A provider, the number of a counter and a factor.
pub(super) type CountKey = (Provider, u32, f64);

/// Counts texts and messages.
///
/// With a counter of the host, a text that it has not counted yet is recorded as missing and counts 0. Once all missing
/// counts are supplied, the same calls return the right numbers.
#[derive(Debug)]
pub struct Counts {
    provider: Provider,
    /// The number of the counter. Messages store their tokens under it; with 0 they store nothing.
    number: u32,
    is_host: bool,
    /// How many tokens the provider counts for each token of the counter.
    factor: f64,
    known: Names<usize>,
    missing: Names<()>,
    /// How often a count was missing; the same text may be needed several times.
    misses: usize,
}

impl Counts {
    /// Makes the counts of one counter. `number` identifies the counter among all counters of the host; 1 is the
    /// built-in estimate. With 0, messages do not store their tokens.
    pub fn new(provider: Provider, number: u32, is_host: bool) -> Counts {
        let (known, missing) = (Names::default(), Names::default());
        Counts { provider, number, is_host, factor: 1.0, known, missing, misses: 0 }
    }

    /// What makes the counts of the same messages equal.
    pub(super) fn count_key(&self) -> CountKey {
        (self.provider, self.number, self.factor)
    }

    /// How often a count was missing so far.
    pub(super) fn misses(&self) -> usize {
        self.misses
    }

    /// Multiplies all counts, including the tokens that the provider adds, by a calibration factor.
    pub fn scaled_by(self, factor: f64) -> Counts {
        Counts { factor, ..self }
    }

    fn scaled(&self, tokens: usize) -> usize {
        if self.factor == 1.0 { tokens } else { (tokens as f64 * self.factor).round() as usize }
    }

    /// The tokens of a text.
    pub fn text(&mut self, text: &str) -> usize {
        let tokens = self.counted(text);
        self.scaled(tokens)
    }

    /// The tokens of a text by the counter.
    fn counted(&mut self, text: &str) -> usize {
        if !self.is_host {
            return Estimate.count(text);
        }
        match self.known.get(text) {
            Some(count) => *count,
            None => {
                self.misses += 1;
                self.missing.insert(text.into(), ());
                0
            }
        }
    }

    /// The tokens of a text with the images and files in it.
    pub(super) fn noted(&mut self, text: &NotedText) -> usize {
        let tokens = self.counted_noted(text);
        self.scaled(tokens)
    }

    fn counted_noted(&mut self, text: &NotedText) -> usize {
        let tokens = if self.is_host { self.counted(text) } else { text.estimate() };
        tokens + text.media_tokens
    }

    /// The tokens of a message, with those that the provider adds.
    pub fn message(&mut self, message: &ChatMessage) -> usize {
        // The stored count includes neither the provider's tokens nor the factor, so that it is valid for all of them.
        let around = self.provider.message() + usize::from(message.name.is_some());
        let (number, tokens) = message.tokens.get();
        if self.number != 0 && number == self.number {
            return self.scaled(around + tokens as usize);
        }
        let misses = self.misses;
        let mut sum = message.name.as_deref().map_or(0, |name| self.counted(name));
        // A summary of the provider replaces what is before it.
        for part in &message.parts[message.compaction().unwrap_or(0)..] {
            sum += match part {
                Part::Text(text) | Part::Reasoning(text) | Part::Other(text) | Part::Compaction { text, .. } => {
                    self.counted_noted(text)
                }
                Part::Call { name, args, .. } => {
                    self.counted(name) + self.counted_noted(args) + self.provider.message()
                }
                Part::Result { text, .. } => self.counted_noted(text),
                Part::Media(_) => MEDIA_TOKENS,
                // No provider is sent approvals.
                Part::Approval(_) => 0,
            };
        }
        if self.number != 0 && self.misses == misses {
            message.tokens.set((self.number, u32::try_from(sum).unwrap_or(u32::MAX)));
        }
        self.scaled(around + sum)
    }

    /// The tokens of a request without its messages: tools and the schema of the answer, each as JSON.
    pub fn request(&mut self, tools: &[Str], schema: Option<&str>) -> usize {
        let mut sum = self.provider.request();
        if !tools.is_empty() {
            sum += self.provider.tools();
        }
        for tool in tools {
            sum += self.counted(tool);
        }
        sum += schema.map_or(0, |schema| self.counted(schema));
        self.scaled(sum)
    }

    /// Takes the texts that the host has to count, in the order in which they were needed.
    pub fn take_missing(&mut self) -> Vec<Str> {
        let missing = std::mem::take(&mut self.missing);
        missing.iter().map(|(text, ())| text.clone()).collect()
    }

    /// Supplies the tokens of a text, counted by the host.
    pub fn supply(&mut self, text: Str, count: usize) {
        self.known.insert(text, count);
    }
}
