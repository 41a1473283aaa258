//! Names and what they stand for.

use super::Str;
use super::index::{Index, hash_text};

/// Something by name, in the order in which the names came; equality ignores the order.
#[derive(Clone, Debug)]
pub struct Names<T> {
    names: Places,
    /// In the order of the names.
    values: Vec<T>,
}

/// The names themselves: what is done with them is the same whatever they stand for.
#[derive(Clone, Debug, Default)]
struct Places {
    names: Vec<Str>,
    index: Index,
}

impl Places {
    fn find(&self, name: &str) -> Option<usize> {
        if self.names.is_empty() {
            return None;
        }
        self.index.find(hash_text(0, name), &mut |place| *self.names[place] == *name)
    }

    /// The place of the name, which is a new one at the end when it was not there.
    fn of(&mut self, name: Str) -> usize {
        self.find(&name).unwrap_or_else(|| {
            self.index.push(hash_text(0, &name));
            self.names.push(name);
            self.names.len() - 1
        })
    }
}

impl<T> Names<T> {
    /// How many names there are.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// True without names.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// What `name` stands for.
    pub fn get(&self, name: &str) -> Option<&T> {
        self.values.get(self.names.find(name)?)
    }

    /// The name as it is kept, and what it stands for.
    pub fn get_entry(&self, name: &str) -> Option<(&Str, &T)> {
        let place = self.names.find(name)?;
        self.names.names.get(place).zip(self.values.get(place))
    }

    /// True when the name is there.
    pub fn contains(&self, name: &str) -> bool {
        self.names.find(name).is_some()
    }

    /// Lets `name` stand for `value`; a name that is there keeps its place.
    pub fn insert(&mut self, name: Str, value: T) {
        let place = self.names.of(name);
        match self.values.get_mut(place) {
            Some(before) => *before = value,
            None => self.values.push(value),
        }
    }

    /// Keeps only the names of which `stays` says so.
    pub fn retain(&mut self, stays: impl Fn(&str) -> bool) {
        let before = std::mem::take(self);
        for (name, value) in before.names.names.into_iter().zip(before.values) {
            if stays(&name) {
                self.insert(name, value);
            }
        }
    }

    /// The names in their order, and what they stand for.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&Str, &T)> {
        self.names.names.iter().zip(&self.values)
    }

    /// What stands at a place, counted from 0 in the order in which the names came.
    pub(crate) fn at(&self, place: usize) -> (&Str, &T) {
        (&self.names.names[place], &self.values[place])
    }

    /// What the names stand for, in their order.
    #[inline(always)]
    pub(crate) fn values(&self) -> &[T] {
        &self.values
    }

    /// What the name at a place stands for.
    pub(crate) fn at_mut(&mut self, place: usize) -> &mut T {
        &mut self.values[place]
    }

    /// The place of a name.
    pub(crate) fn place(&self, name: &str) -> Option<usize> {
        self.names.find(name)
    }
}

impl<T> Default for Names<T> {
    fn default() -> Self {
        Names { names: Places::default(), values: Vec::new() }
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
    fn names_keep_their_order_and_their_last_meaning() {
        let names: Names<u32> =
            [("b", 1), ("a", 2), ("b", 3)].map(|(name, value)| (name.into(), value)).into_iter().collect();
        assert_eq!(names.iter().map(|(name, value)| (&**name, *value)).collect::<Vec<_>>(), [("b", 3), ("a", 2)]);
        assert_eq!((names.get("a"), names.get("c"), names.len()), (Some(&2), None, 2));
        let other: Names<u32> = [("a", 2), ("b", 3)].map(|(name, value)| (name.into(), value)).into_iter().collect();
        assert_eq!(names, other);
    }
}
