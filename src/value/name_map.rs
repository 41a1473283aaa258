//! A map from names to values of any type, in insertion order.

use super::Str;
use super::index::{Index, hash_text};

/// A map from names to values, in insertion order; equality ignores the order.
#[derive(Clone, Debug)]
pub struct Names<T> {
    names: NameIndex,
    /// The values, in the order of the names.
    values: Vec<T>,
}

/// The names and their indexes. The struct does not depend on the type of the values, so it is compiled once.
#[derive(Clone, Debug, Default)]
struct NameIndex {
    names: Vec<Str>,
    index: Index,
}

impl NameIndex {
    fn find(&self, name: &str) -> Option<usize> {
        if self.names.is_empty() {
            return None;
        }
        self.index.find(hash_text(0, name), &mut |position| *self.names[position] == *name)
    }

    /// Returns the index of the name; adds a new name at the end.
    fn of(&mut self, name: Str) -> usize {
        self.find(&name).unwrap_or_else(|| {
            self.index.push(hash_text(0, &name));
            self.names.push(name);
            self.names.len() - 1
        })
    }
}

impl<T> Names<T> {
    /// Returns the number of names.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// True without names.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The value of `name`.
    pub fn get(&self, name: &str) -> Option<&T> {
        self.values.get(self.names.find(name)?)
    }

    /// The stored name and its value.
    pub fn get_entry(&self, name: &str) -> Option<(&Str, &T)> {
        let position = self.names.find(name)?;
        self.names.names.get(position).zip(self.values.get(position))
    }

    /// True when the name has a value.
    pub fn contains(&self, name: &str) -> bool {
        self.names.find(name).is_some()
    }

    /// Sets the value of `name`; a known name keeps its position.
    pub fn insert(&mut self, name: Str, value: T) {
        let position = self.names.of(name);
        match self.values.get_mut(position) {
            Some(before) => *before = value,
            None => self.values.push(value),
        }
    }

    /// Keeps only the names for which `stays` returns true.
    pub fn retain(&mut self, stays: impl Fn(&str) -> bool) {
        let before = std::mem::take(self);
        self.extend(before.into_iter().filter(|(name, _)| stays(name)));
    }

    /// Names and values in insertion order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&Str, &T)> {
        self.names.names.iter().zip(&self.values)
    }

    /// Name and value at an index, counted from 0 in insertion order. Panics when out of bounds.
    pub(crate) fn at(&self, position: usize) -> (&Str, &T) {
        (&self.names.names[position], &self.values[position])
    }

    /// The values in insertion order.
    #[inline(always)]
    pub(crate) fn values(&self) -> &[T] {
        &self.values
    }

    /// The value at an index. Panics when out of bounds.
    pub(crate) fn at_mut(&mut self, position: usize) -> &mut T {
        &mut self.values[position]
    }

    /// The index of a name.
    pub(crate) fn position(&self, name: &str) -> Option<usize> {
        self.names.find(name)
    }
}

impl<T> Default for Names<T> {
    fn default() -> Self {
        Names { names: NameIndex::default(), values: Vec::new() }
    }
}

impl<T> IntoIterator for Names<T> {
    type Item = (Str, T);
    type IntoIter = std::iter::Zip<std::vec::IntoIter<Str>, std::vec::IntoIter<T>>;

    fn into_iter(self) -> Self::IntoIter {
        self.names.names.into_iter().zip(self.values)
    }
}

impl<T: PartialEq> PartialEq for Names<T> {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().all(|(name, value)| other.get(name) == Some(value))
    }
}

impl<T> FromIterator<(Str, T)> for Names<T> {
    fn from_iter<I: IntoIterator<Item = (Str, T)>>(entries: I) -> Self {
        let mut names = Names::default();
        names.extend(entries);
        names
    }
}

impl<T> Extend<(Str, T)> for Names<T> {
    fn extend<I: IntoIterator<Item = (Str, T)>>(&mut self, entries: I) {
        for (name, value) in entries {
            self.insert(name, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_keep_their_order_and_their_last_value() {
        let names: Names<u32> =
            [("b", 1), ("a", 2), ("b", 3)].map(|(name, value)| (name.into(), value)).into_iter().collect();
        assert_eq!(names.iter().map(|(name, value)| (&**name, *value)).collect::<Vec<_>>(), [("b", 3), ("a", 2)]);
        assert_eq!((names.get("a"), names.get("c"), names.len()), (Some(&2), None, 2));
        let other: Names<u32> = [("a", 2), ("b", 3)].map(|(name, value)| (name.into(), value)).into_iter().collect();
        assert_eq!(names, other);
    }
}
