//! Names and what they stand for.

use super::Str;
use super::index::{Index, hash_text};

/// Something by name, in the order in which the names came; equality ignores the order.
#[derive(Clone, Debug)]
pub struct Names<T> {
    entries: Vec<(Str, T)>,
    index: Index,
}

impl<T> Names<T> {
    /// How many names there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// True without names.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// What `name` stands for.
    pub fn get(&self, name: &str) -> Option<&T> {
        self.get_entry(name).map(|(_, value)| value)
    }

    /// The name as it is kept, and what it stands for.
    pub fn get_entry(&self, name: &str) -> Option<(&Str, &T)> {
        self.place(name).and_then(|place| self.entries.get(place)).map(|(name, value)| (name, value))
    }

    /// True when the name is there.
    pub fn contains(&self, name: &str) -> bool {
        self.place(name).is_some()
    }

    /// Lets `name` stand for `value`; a name that is there keeps its place.
    pub fn insert(&mut self, name: Str, value: T) {
        match self.place(&name) {
            Some(place) => self.entries[place].1 = value,
            None => {
                self.index.push(hash_text(0, &name));
                self.entries.push((name, value));
            }
        }
    }

    /// The names in their order, and what they stand for.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&Str, &T)> {
        self.entries.iter().map(|(name, value)| (name, value))
    }

    /// What stands at a place, counted from 0 in the order in which the names came.
    pub(crate) fn at(&self, place: usize) -> (&Str, &T) {
        let (name, value) = &self.entries[place];
        (name, value)
    }

    /// What the name at a place stands for.
    pub(crate) fn at_mut(&mut self, place: usize) -> &mut T {
        &mut self.entries[place].1
    }

    /// The place of a name.
    pub(crate) fn place(&self, name: &str) -> Option<usize> {
        self.index.find(hash_text(0, name), &mut |place| *self.entries[place].0 == *name)
    }
}

impl<T> Default for Names<T> {
    fn default() -> Self {
        Names { entries: Vec::new(), index: Index::default() }
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
        entries.into_iter().for_each(|(name, value)| self.insert(name, value));
    }
}

impl<T> IntoIterator for Names<T> {
    type Item = (Str, T);
    type IntoIter = std::vec::IntoIter<(Str, T)>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.into_iter()
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
