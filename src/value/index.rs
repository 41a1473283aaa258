//! Finding places by hash: what maps, sets and names have in common.

/// Where things stand in a list that is kept beside it, by their hashes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Index {
    /// The hash of what stands at each place.
    hashes: Vec<u32>,
    /// At its hash, or at the first free slot behind it, a place counted from 1; 0 is a free slot.
    /// As many as a power of two, so that the low bits of a hash say where.
    slots: Vec<u32>,
}

impl Index {
    /// How many places it knows.
    pub fn len(&self) -> usize {
        self.hashes.len()
    }

    /// The place with that hash for which `is_it` holds.
    pub fn find(&self, hash: u64, is_it: &mut dyn FnMut(usize) -> bool) -> Option<usize> {
        let hash = hash as u32;
        let mut slot = hash as usize;
        loop {
            let place = (*self.slots.get(slot & self.slots.len().checked_sub(1)?)? as usize).checked_sub(1)?;
            if self.hashes.get(place) == Some(&hash) && is_it(place) {
                return Some(place);
            }
            slot = slot.wrapping_add(1);
        }
    }

    /// Adds the next place.
    pub fn push(&mut self, hash: u64) {
        self.hashes.push(hash as u32);
        if self.hashes.len() * 4 > self.slots.len() * 3 {
            self.arrange();
        } else {
            self.take_slot(self.hashes.len() - 1);
        }
    }

    /// Takes a place out; those behind it move up.
    pub fn remove(&mut self, place: usize) {
        self.hashes.remove(place);
        self.arrange();
    }

    fn arrange(&mut self) {
        let slots = (self.hashes.len() * 2).next_power_of_two().max(16);
        self.slots.clear();
        self.slots.resize(slots, 0);
        (0..self.hashes.len()).for_each(|place| self.take_slot(place));
    }

    fn take_slot(&mut self, place: usize) {
        let last = self.slots.len() - 1;
        let mut slot = self.hashes[place] as usize & last;
        while self.slots[slot] != 0 {
            slot = (slot + 1) & last;
        }
        self.slots[slot] = place as u32 + 1;
    }
}

/// Spreads what tells values apart over all bits of a hash.
pub(super) fn mix(value: u64) -> u64 {
    let value = (value ^ value >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
    let value = (value ^ value >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
    value ^ value >> 32
}

/// The hash of a text; the same text hashes differently for each `kind` of thing that it names.
pub(crate) fn hash_text(kind: u64, text: &str) -> u64 {
    let mut words = text.as_bytes().chunks_exact(8);
    let mut hash = mix(kind << 32 | text.len() as u64);
    for word in words.by_ref() {
        hash = mix(hash ^ u64::from_le_bytes(word.try_into().unwrap_or_default()));
    }
    let rest = words.remainder().iter().fold(0, |rest, byte| rest << 8 | u64::from(*byte));
    mix(hash ^ rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_found_while_others_come_and_go() {
        let mut list: Vec<String> = Vec::new();
        let mut index = Index::default();
        let hash = |text: &str| hash_text(0, text) % 7;
        assert_eq!(index.find(0, &mut |_| true), None);
        for number in 0..300 {
            list.push(format!("name {number}"));
            index.push(hash(&list[number]));
            if number % 3 == 2 {
                list.remove(number / 3);
                index.remove(number / 3);
                list.push("again".into());
                index.push(hash("again"));
            }
        }
        for text in &list {
            let found = index.find(hash(text), &mut |place| list[place] == *text);
            assert_eq!(found.map(|place| &list[place]), Some(text));
        }
        assert_eq!(index.find(hash("name 1000"), &mut |place| list[place] == "name 1000"), None);
        assert_eq!(index.len(), list.len());
    }

    #[test]
    fn texts_that_are_alike_hash_differently() {
        let texts = ["", "\0", "\0\0", "a", "b", "ab", "ba", "abcdefgh", "abcdefgh\0", "bbcdefgh", "abcdefghabcdefgh"];
        let mut hashes: Vec<_> = texts.iter().flat_map(|text| [hash_text(1, text), hash_text(2, text)]).collect();
        hashes.sort_unstable();
        hashes.dedup();
        assert_eq!(hashes.len(), 2 * texts.len());
    }
}
