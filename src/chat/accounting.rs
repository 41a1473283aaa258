//! What messages cost: their texts by a counter, and what a provider puts around them.

use super::message::{ChatMessage, Part};
use crate::tokens::{Estimate, TokenCounter};
use crate::value::{Names, Str};

/// Whose requests are counted: each provider writes marks of its own around messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Provider {
    /// The marks of OpenAI's chat models.
    #[default]
    OpenAi,
    /// Those of Anthropic's.
    Anthropic,
}

/// Tokens of an image or a file, whose size only its provider knows.
const MEDIA: usize = 1000;

impl Provider {
    /// The provider of a name.
    pub fn named(name: &str) -> Option<Provider> {
        match name {
            "openai" => Some(Provider::OpenAi),
            "anthropic" => Some(Provider::Anthropic),
            _ => None,
        }
    }

    /// Around a message, its role included.
    fn message(self) -> usize {
        match self {
            Provider::OpenAi => 4,
            Provider::Anthropic => 2,
        }
    }

    /// Around a whole request, where the reply begins.
    fn request(self) -> usize {
        match self {
            Provider::OpenAi => 3,
            Provider::Anthropic => 6,
        }
    }

    /// What is said of tools when there are any.
    fn tools(self) -> usize {
        match self {
            Provider::OpenAi => 12,
            Provider::Anthropic => 346,
        }
    }
}

/// Counts texts and messages. A text that only the host can count is noted as missing; doing the
/// same again with its count gives the numbers.
#[derive(Debug, Default)]
pub struct Counts {
    provider: Provider,
    /// Tells counters apart in what messages keep of them; 0 keeps nothing.
    number: u32,
    is_host: bool,
    known: Names<usize>,
    missing: Names<()>,
    /// How often a count was missing: a text may be so more than once.
    misses: usize,
}

impl Counts {
    /// The counter of that number among all that a host has; 1 is the estimate. Nothing is kept
    /// from one request to the next when it is 0.
    pub fn new(provider: Provider, number: u32, is_host: bool) -> Counts {
        Counts { provider, number, is_host, known: Names::default(), missing: Names::default(), misses: 0 }
    }

    /// The tokens of a text.
    pub fn text(&mut self, text: &str) -> usize {
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

    /// The tokens of what a tool gave, with the images and files in it.
    pub(super) fn result(&mut self, text: &str, media: usize) -> usize {
        self.text(text) + media * MEDIA
    }

    /// The tokens of a message with what stands around it.
    pub fn message(&mut self, message: &ChatMessage) -> usize {
        let (number, tokens) = message.tokens.get();
        // The provider's share is added here: one count serves all of them.
        let around = self.provider.message() + usize::from(message.name.is_some());
        if self.number != 0 && number == self.number {
            return around + tokens as usize;
        }
        let before = self.misses;
        let mut sum = message.name.as_deref().map_or(0, |name| self.text(name));
        for part in &message.parts {
            sum += match part {
                Part::Text(text) | Part::Reasoning(text) | Part::Other(text) => self.text(text),
                Part::Call { name, args, .. } => self.text(name) + self.text(args) + self.provider.message(),
                Part::Result { text, media, .. } => self.result(text, *media),
                Part::Media(_) => MEDIA,
            };
        }
        if self.number != 0 && self.misses == before {
            message.tokens.set((self.number, u32::try_from(sum).unwrap_or(u32::MAX)));
        }
        around + sum
    }

    /// What a request costs beside its messages: tools and the schema of the answer, each as JSON.
    pub fn request(&mut self, tools: &[Str], schema: Option<&str>) -> usize {
        let mut sum = self.provider.request();
        if !tools.is_empty() {
            sum += self.provider.tools();
        }
        for tool in tools {
            sum += self.text(tool);
        }
        sum + schema.map_or(0, |schema| self.text(schema))
    }

    /// Texts that the host must count, in order.
    pub fn take_missing(&mut self) -> Vec<Str> {
        let missing = std::mem::take(&mut self.missing);
        missing.iter().map(|(text, ())| text.clone()).collect()
    }

    /// What the host says about a text.
    pub fn supply(&mut self, text: Str, count: usize) {
        self.known.insert(text, count);
    }
}
