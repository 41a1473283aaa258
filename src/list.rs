//! Lists from iterators.

/// Collects into a list, in the fewest bytes of code: `collect` brings its own copy of several
/// functions of the standard library for every kind of iterator, and so does asking for its size.
pub(crate) trait IntoList: Iterator + Sized {
    fn list(self) -> Vec<Self::Item> {
        let mut list = Vec::new();
        for item in self {
            list.push(item);
        }
        list
    }
}

impl<I: Iterator> IntoList for I {}

/// The texts with `separator` between them, for the same reason without `join`.
pub(crate) fn joined<T: AsRef<str>>(texts: impl IntoIterator<Item = T>, separator: &str) -> String {
    let mut joined = String::new();
    for (index, text) in texts.into_iter().enumerate() {
        joined.push_str(if index > 0 { separator } else { "" });
        joined.push_str(text.as_ref());
    }
    joined
}

/// True for one of the words that stand between spaces.
pub(crate) fn has_word(words: &str, word: &str) -> bool {
    words.split(' ').any(|known| known == word)
}
