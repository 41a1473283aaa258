use super::super::hash::hash;
use super::*;
use proptest::prelude::*;

/// The number of keys to choose from: enough for an index that grows.
const KEYS: usize = 24;

fn key(number: usize) -> Value {
    let int = number as i64;
    match number {
        3 => Value::Float(f64::NAN),
        8 => Value::Float(0.0),
        13 => Value::Float(4.0),
        18 => Value::set([Value::Int(int), Value::map([])]),
        _ if number.is_multiple_of(5) => Value::Int(int),
        _ if number % 5 == 1 => Value::vector([Value::Int(int)]),
        _ if number % 5 == 2 => Value::keyword("long".repeat(number)),
        _ => Value::keyword(format!("k{number}")),
    }
}

proptest! {
    #[test]
    fn maps_that_share_keys_are_maps_of_their_own(
        count in 0..KEYS,
        edits in proptest::collection::vec((0..8_u8, 0..KEYS, 0..8_usize), 0..60),
    ) {
        let entries = (0..count).map(|number| (key(number), Value::Nil)).collect::<Vec<_>>();
        let mut held: Vec<(Map, Vec<(Value, Value)>)> = vec![(entries.iter().cloned().collect(), entries)];
        // Caches that are used for one map after the other, as instructions do.
        let caches: [InlineCache; KEYS] = Default::default();
        for (number, (edit, which, from)) in edits.into_iter().enumerate() {
            let value = Value::Int(number as i64);
            let position = from % held.len();
            let is_copied = edit >= 4;
            if is_copied {
                let copy = held[position].clone();
                held.push(copy);
            }
            let (map, expected) = match is_copied {
                true => held.last_mut().unwrap(),
                false => &mut held[position],
            };
            map.get_cached(&key(which), &caches[which]);
            // The next edit must clear the cached hash of the map, also when it shares its entries with another map.
            let before = (from % 3 == 0).then(|| hash(&Value::Map(map.clone())));
            let found = expected.iter().position(|(found, _)| *found == key(which));
            if edit % 4 == 0 {
                prop_assert_eq!(map.remove(&key(which)).is_some(), found.is_some());
                found.map(|found| expected.remove(found));
            } else if edit % 4 == 1 {
                let mut items = expected.iter().flat_map(|(key, value)| [key.clone(), value.clone()]).collect::<Vec<_>>();
                items.extend([key(which), value.clone()]);
                *map = Map::alternating(items);
                match found {
                    Some(found) => expected[found].1 = value,
                    None => expected.push((key(which), value)),
                }
            } else {
                map.insert(key(which), value.clone());
                match found {
                    Some(found) => expected[found].1 = value,
                    None => expected.push((key(which), value)),
                }
            }
            if before.is_some() {
                let same: Map = expected.iter().rev().cloned().collect();
                prop_assert_eq!(hash(&Value::Map(map.clone())), hash(&Value::Map(same)));
            }
        }
        for (map, _) in &held {
            for (number, cache) in caches.iter().enumerate() {
                prop_assert_eq!(map.get_cached(&key(number), cache), map.get(&key(number)));
            }
        }
        for (map, expected) in held {
            let entries = map.iter().map(|(key, value)| (key.clone(), value.clone())).collect::<Vec<_>>();
            prop_assert_eq!(&entries, &expected);
            for number in 0..KEYS {
                let found = expected.iter().find(|(found, _)| *found == key(number)).map(|(_, value)| value);
                prop_assert_eq!(map.get(&key(number)), found);
            }
            let same: Map = expected.into_iter().rev().collect();
            prop_assert_eq!(hash(&Value::Map(same.clone())), hash(&Value::Map(map.clone())));
            prop_assert_eq!(Value::Map(same), Value::Map(map));
        }
    }

    #[test]
    fn sets_that_share_keys_are_sets_of_their_own(
        edits in proptest::collection::vec((0..9_u8, 0..KEYS, 0..8_usize), 0..60),
    ) {
        let all = (0..12).map(key).collect::<Vec<_>>();
        let mut held: Vec<(Set, Vec<Value>)> = vec![Default::default(), (all.iter().cloned().collect(), all)];
        for (edit, which, from) in edits {
            let position = from % held.len();
            let is_copied = edit >= 6;
            if is_copied {
                let copy = held[position].clone();
                held.push(copy);
            }
            let (set, expected) = match is_copied {
                true => held.last_mut().unwrap(),
                false => &mut held[position],
            };
            if from % 2 == 0 {
                hash(&Value::Set(set.clone()));
            }
            let found = expected.iter().position(|found| *found == key(which));
            prop_assert_eq!(set.contains(&key(which)), found.is_some());
            match (edit % 3, found) {
                (0, found) => {
                    set.remove(&key(which));
                    found.map(|found| expected.remove(found));
                }
                (_, found) => {
                    prop_assert_eq!(set.insert(key(which)), found.is_none());
                    if found.is_none() {
                        expected.push(key(which));
                    }
                }
            }
            let same: Set = expected.iter().rev().cloned().collect();
            prop_assert_eq!(hash(&Value::Set(set.clone())), hash(&Value::Set(same.clone())));
            prop_assert_eq!(Value::Set(set.clone()), Value::Set(same));
        }
        for (set, expected) in held {
            prop_assert_eq!(set.iter().cloned().collect::<Vec<_>>(), expected.clone());
            for number in 0..KEYS {
                prop_assert_eq!(set.contains(&key(number)), expected.contains(&key(number)));
            }
            prop_assert_eq!(set.into_vector().into_vec(), expected);
        }
    }

    #[test]
    fn elements_are_taken_from_vectors_that_nothing_else_holds(
        count in 0..200_usize, start in 0..100_usize, index in 0..200_usize, is_held: bool,
    ) {
        let mut vector: Vector = (0..count).map(|number| Value::Int(number as i64 + 1)).collect();
        vector.keep(start.min(count), count);
        let expected = vector.get(index).cloned().unwrap_or_default();
        let copy = is_held.then(|| vector.clone());
        prop_assert_eq!(vector.take_at(index), expected.clone());
        if let Some(copy) = copy {
            prop_assert_eq!(copy.get(index).cloned().unwrap_or_default(), expected);
        }
    }

    #[test]
    fn ends_of_vectors_are_vectors(
        count in 0..400_usize,
        edits in proptest::collection::vec((0..8_u8, 0..300_usize), 0..16),
    ) {
        let numbers = |range: std::ops::Range<usize>| range.map(|number| Value::Int(number as i64));
        let mut vector: Vector = numbers(0..count).collect();
        let mut expected: Vec<Value> = numbers(0..count).collect();
        let mut held: Vec<(Vector, Vec<Value>)> = Vec::new();
        for (edit, number) in edits {
            match edit {
                0 => {
                    vector.push(Value::Int(number as i64));
                    expected.push(Value::Int(number as i64));
                }
                1 => held.push((vector.clone(), expected.clone())),
                2 => {
                    let start = number.min(vector.len());
                    let copied = vector.keep(start, vector.len());
                    expected.drain(..start);
                    prop_assert!(copied == 0 || copied == expected.len());
                }
                3 => {
                    let start = number.min(vector.len()) / 2;
                    let end = vector.len() - start;
                    vector.keep(start, end);
                    expected.truncate(end);
                    expected.drain(..start);
                }
                4 => {
                    vector.to_mut().reverse();
                    expected.reverse();
                }
                5 if number < expected.len() => {
                    prop_assert_eq!(&vector.take_at(number), &expected[number]);
                    // The element stays when the vector is shared.
                    if vector.get(number) == Some(&Value::Nil) {
                        expected[number] = Value::Nil;
                    }
                }
                6 => {
                    let items = std::mem::take(&mut vector).into_vec();
                    prop_assert_eq!(&items, &expected);
                    vector = Vector::from(items);
                }
                // Continues with a held vector, which may share its elements with this one.
                7 if !held.is_empty() => {
                    let position = number % held.len();
                    let other = held.swap_remove(position);
                    held.push((vector, expected));
                    (vector, expected) = other;
                }
                _ => {}
            }
            prop_assert_eq!(vector.as_slice(), &expected[..]);
            let (same, value) = (Value::vector(expected.iter().cloned()), Value::Vector(vector.clone()));
            prop_assert_eq!(hash(&value), hash(&same));
            prop_assert_eq!(value, same);
        }
        held.push((vector, expected));
        for (vector, expected) in held {
            prop_assert_eq!(vector.as_slice(), &expected[..]);
            prop_assert_eq!(vector.into_vec(), expected);
        }
    }
}
