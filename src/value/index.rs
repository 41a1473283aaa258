//! A hash index from keys to their positions in a list, which maps, sets and names share.
//!
//! The hash has no secret key, because the core draws no random numbers, so an attacker can compute it.
//! Two properties prevent hash flooding: keys with one and the same hash can't be computed from the
//! hash, and keys that agree in the bits that choose the first slot differ in the other bits, which
//! choose the next slots.
//!
//! With the crate indexmap instead, the download is 4.9 kB (1.4 %) larger, typical programs take 5 % longer, and only
//! 32 bits of a hash count, so that crafted keys make a map quadratic. With hashbrown, 100,000 keys that agree in the
//! lowest 17 bits of their hashes, which trying finds soon, take ten seconds to insert.

use crate::work;

/// Finds the positions of items in a list by their hashes. The owner keeps the list and compares the items.
#[derive(Clone, Debug, Default)]
pub(crate) struct Index {
    /// The hash of the item at each position.
    hashes: Vec<u64>,
    /// Each position, counted from 1, in the slot that was the first free one for its hash; 0 is a free
    /// slot. The number of slots is a power of two.
    slots: Vec<u32>,
    /// The number of slots that are [`TOMBSTONE`].
    tombstones: usize,
}

/// The slot of a removed position: searches continue after it.
const TOMBSTONE: u32 = u32::MAX;

/// The number of consecutive slots that are tried before the probe jumps.
const RUN: usize = 32;

/// The number of such runs; keys that collide in all of them must share their whole hash.
const RUNS: usize = 8;

/// Returns the probe sequence of a hash, which visits every one of `count` slots in the end.
fn slots_of(mut hash: u64, count: usize) -> impl Iterator<Item = usize> {
    (0..).map(move |step: usize| {
        if step.is_multiple_of(RUN) && (1..RUNS).contains(&(step / RUN)) {
            hash = mix(hash.wrapping_add(1));
        }
        (hash as usize).wrapping_add(step) & (count - 1)
    })
}

impl Index {
    /// Returns the number of positions.
    pub fn len(&self) -> usize {
        self.hashes.len()
    }

    /// Returns the position with that hash for which `is_it` returns true.
    pub fn find(&self, hash: u64, is_it: &mut dyn FnMut(usize) -> bool) -> Option<usize> {
        if self.slots.is_empty() {
            return None;
        }
        for slot in slots_of(hash, self.slots.len()) {
            let position = (*self.slots.get(slot)? as usize).checked_sub(1)?;
            if self.hashes.get(position) == Some(&hash) && is_it(position) {
                return Some(position);
            }
        }
        None
    }

    /// The hash of the item at each position.
    pub fn hashes(&self) -> &[u64] {
        &self.hashes
    }

    /// Adds the next position.
    pub fn push(&mut self, hash: u64) {
        let position = self.hashes.len();
        self.hashes.push(hash);
        if (self.hashes.len() + self.tombstones) * 4 <= self.slots.len() * 3 {
            self.take_slot(position);
        } else {
            self.rehash();
        }
    }

    /// Inserts a position; later positions increase by one.
    pub fn insert(&mut self, position: usize, hash: u64) {
        self.hashes.insert(position, hash);
        if (self.hashes.len() + self.tombstones) * 4 > self.slots.len() * 3 {
            return self.rehash();
        }
        for slot in &mut self.slots {
            *slot += u32::from(*slot != TOMBSTONE && *slot > position as u32);
        }
        self.take_slot(position);
    }

    /// Removes a position; later positions decrease by one.
    pub fn remove(&mut self, position: usize) {
        self.hashes.remove(position);
        // Each removal visits all slots, so they must not be many more than the positions.
        if 4 * self.wanted_slots() < self.slots.len() {
            return self.rehash();
        }
        let number = position as u32 + 1;
        // One pass in memory order; rehashing all positions takes five times as long.
        for slot in &mut self.slots {
            match *slot {
                TOMBSTONE => {}
                found if found == number => *slot = TOMBSTONE,
                found => *slot = found - u32::from(found > number),
            }
        }
        self.tombstones += 1;
    }

    /// Returns the number of slots after a rehash.
    fn wanted_slots(&self) -> usize {
        (self.hashes.len() * 2).next_power_of_two().max(16)
    }

    fn rehash(&mut self) {
        let slots = self.wanted_slots();
        self.tombstones = 0;
        self.slots.clear();
        self.slots.resize(slots, 0);
        (0..self.hashes.len()).for_each(|position| self.take_slot(position));
    }

    fn take_slot(&mut self, position: usize) {
        let mut slots = slots_of(self.hashes[position], self.slots.len());
        if let Some(slot) = slots.find(|slot| self.slots[*slot] == 0) {
            self.slots[slot] = position as u32 + 1;
        }
    }
}

/// Spreads the differing bits of values over all bits of a hash.
pub(crate) fn mix(value: u64) -> u64 {
    let value = (value ^ value >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
    let value = (value ^ value >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
    value ^ value >> 32
}

/// SipHash-1-3 with a key of zeros, fed whole words: no way is known to find texts with a given hash
/// except by trying.
pub(super) struct Sip([u64; 4]);

impl Sip {
    /// Starts a hash that differs for each `kind` of value.
    pub fn new(kind: u64) -> Sip {
        let sip = [0x736f_6d65_7073_6575, 0x646f_7261_6e64_6f6d, 0x6c79_6765_6e65_7261, 0x7465_6462_7974_6573];
        Sip(sip).add(kind)
    }

    pub fn add(mut self, word: u64) -> Sip {
        self.0[3] ^= word;
        self.round();
        self.0[0] ^= word;
        self
    }

    pub fn finish(mut self) -> u64 {
        self.next_hash(2)
    }

    fn next_hash(&mut self, lane: usize) -> u64 {
        self.0[lane] ^= 0xff;
        (0..3).for_each(|_| self.round());
        self.0.iter().fold(0, |hash, lane| hash ^ lane)
    }

    fn round(&mut self) {
        let [a, b, c, d] = &mut self.0;
        *a = a.wrapping_add(*b);
        *b = b.rotate_left(13) ^ *a;
        *c = c.wrapping_add(*d);
        *d = d.rotate_left(16) ^ *c;
        *a = a.rotate_left(32).wrapping_add(*d);
        *d = d.rotate_left(21) ^ *a;
        *c = c.wrapping_add(*b);
        *b = b.rotate_left(17) ^ *c;
        *c = c.rotate_left(32);
    }
}

/// The most bytes of a text that are hashed, which takes a millisecond: of a longer text, half of them from each end.
const HASHED: usize = 1 << 18;

/// Returns the hash of a text; the same text hashes differently for each `kind` of value.
pub(crate) fn hash_text(kind: u64, text: &str) -> u64 {
    read_text(kind, text).finish()
}

/// Returns two hashes of a text, which is read once.
pub(crate) fn hashes_of_text(kind: u64, text: &str) -> [u64; 2] {
    let mut sip = read_text(kind, text);
    [2, 1].map(|lane| sip.next_hash(lane))
}

fn read_text(kind: u64, text: &str) -> Sip {
    let bytes = text.as_bytes();
    work::read(bytes.len().min(HASHED));
    let (start, end) = match bytes.len() {
        ..=HASHED => (&[][..], bytes),
        length => (&bytes[..HASHED / 2], &bytes[length - HASHED / 2..]),
    };
    let (words, rest) = end.as_chunks();
    let words = start.as_chunks().0.iter().chain(words);
    let sip = words.fold(Sip::new(kind), |sip, word| sip.add(u64::from_le_bytes(*word)));
    let last = rest.iter().rfold(0, |word, byte| word << 8 | u64::from(*byte));
    sip.add((text.len() as u64 + 8) << 56 | last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::hash::{DefaultHasher, Hasher};

    #[test]
    fn positions_are_found_while_others_come_and_go() {
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
            let found = index.find(hash(text), &mut |position| list[position] == *text);
            assert_eq!(found.map(|position| &list[position]), Some(text));
        }
        assert_eq!(index.find(hash("name 1000"), &mut |position| list[position] == "name 1000"), None);
        assert_eq!(index.len(), list.len());
    }

    #[test]
    fn positions_are_inserted_between_others() {
        let hash = |number: usize| mix(number as u64) % 50;
        let (mut numbers, mut index) = (Vec::new(), Index::default());
        for number in 0..500 {
            let position = mix(number as u64 + 7) as usize % (numbers.len() + 1);
            numbers.insert(position, number);
            index.insert(position, hash(number));
            if number % 7 == 6 {
                numbers.remove(position / 2);
                index.remove(position / 2);
            }
            for (position, number) in numbers.iter().enumerate() {
                assert_eq!(index.find(hash(*number), &mut |position| numbers[position] == *number), Some(position));
            }
        }
    }

    #[test]
    fn positions_of_a_large_one_are_found_while_others_come_and_go() {
        let hash = |number: usize| mix(number as u64 % 50_000 + 1);
        let mut numbers: Vec<usize> = (0..100_000).collect();
        let mut index = Index::default();
        numbers.iter().for_each(|number| index.push(hash(*number)));
        let (mut random, mut next) = (1, numbers.len());
        for round in 0..40 {
            random = mix(random);
            // Few, some and many positions are added between removals.
            for _ in 0..random % [3, 3000, 30_000][round % 3] {
                index.push(hash(next));
                numbers.push(next);
                next += 1;
            }
            for removed in 0..round % 3 {
                let position = mix(random + removed as u64) as usize % numbers.len();
                numbers.remove(position);
                index.remove(position);
            }
            for step in 0..200 {
                let position = mix(random + step) as usize % numbers.len();
                let number = numbers[position];
                assert_eq!(index.find(hash(number), &mut |position| numbers[position] == number), Some(position));
                let gone = next + step as usize;
                assert_eq!(index.find(hash(gone), &mut |position| numbers[position] == gone), None);
            }
        }
        for (position, number) in numbers.iter().enumerate() {
            assert_eq!(index.find(hash(*number), &mut |position| numbers[position] == *number), Some(position));
        }
    }

    #[test]
    fn keys_that_begin_in_the_same_slot_are_found_soon() {
        // An attacker can find keys that agree in some 32 bits by trying.
        let hash = |number: usize| (number as u64) << 32 | 7;
        let mut index = Index::default();
        for number in 0..100_000 {
            assert_eq!(index.find(hash(number), &mut |_| true), None);
            index.push(hash(number));
        }
        let mut tried = 0;
        for number in 0..100_000 {
            assert_eq!(index.find(hash(number), &mut |_| true), Some(number));
            let slots = &index.slots;
            tried +=
                1 + slots_of(hash(number), slots.len()).position(|slot| slots[slot] as usize == number + 1).unwrap();
        }
        assert!(tried < 2 * RUN * 100_000, "{tried} slots");
    }

    #[test]
    fn texts_hash_as_the_standard_library_does_it() {
        for text in ["", "a", "abcdefg", "abcdefgh", "größe 😀 and more"] {
            let mut hasher = DefaultHasher::new();
            hasher.write_u64(18);
            hasher.write(text.as_bytes());
            assert_eq!(hash_text(18, text), hasher.finish(), "{text}");
        }
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
