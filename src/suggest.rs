//! Suggestions for unknown names: the most similar known name.

/// The known name with the smallest edit distance, if that is small enough for a typing error.
pub fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    nearest_of(name, &mut known.map(|known| (known, ""))).map(|(known, _)| known)
}

/// As [`nearest`], for names with a text each.
pub fn nearest_by<'a>(
    name: &str,
    mut known: impl Iterator<Item = (&'a str, &'static str)>,
) -> Option<(&'a str, &'static str)> {
    nearest_of(name, &mut known)
}

fn nearest_of<'a>(
    name: &str,
    known: &mut dyn Iterator<Item = (&'a str, &'static str)>,
) -> Option<(&'a str, &'static str)> {
    let wanted: Vec<char> = name.chars().take(64).collect();
    // Any two names of one letter differ by one replacement, so none is suggested.
    let most = (wanted.len() / 3).clamp(1, 4).min(wanted.len().saturating_sub(1));
    let mut best: Option<(usize, (&'a str, &'static str))> = None;
    for (found, with) in known {
        if found.chars().count().abs_diff(wanted.len()) > most {
            continue;
        }
        let distance = distance(&wanted, &found.chars().take(80).collect::<Vec<_>>());
        if distance <= most && best.as_ref().is_none_or(|(least, _)| distance < *least) {
            best = Some((distance, (found, with)));
        }
    }
    best.map(|(_, found)| found)
}

/// The edit distance: how many characters are added, removed, replaced, or swapped with a neighbour.
fn distance(left: &[char], right: &[char]) -> usize {
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=right.len()).collect();
    for (row, character) in left.iter().enumerate() {
        let mut next = vec![row + 1];
        for (column, other) in right.iter().enumerate() {
            let replaced = last[column] + usize::from(character != other);
            let mut least = replaced.min(last[column + 1] + 1).min(next[column] + 1);
            if row > 0 && column > 0 && left[row - 1] == *other && right[column - 1] == *character {
                least = least.min(before_last[column - 1] + 1);
            }
            next.push(least);
        }
        before_last = std::mem::replace(&mut last, next);
    }
    last[right.len()]
}

/// At most ten names for a message, each with a prefix and in back quotes.
pub fn list<'a>(names: impl Iterator<Item = &'a str>, prefix: &str) -> String {
    let mut names: Vec<String> = names.take(11).map(|name| format!("`{prefix}{name}`")).collect();
    if names.len() > 10 {
        names[10] = "…".into();
    }
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, known: &[&str], found: Option<&str>) {
        assert_eq!(nearest(name, known.iter().copied()), found);
    }

    #[test]
    fn slips_are_recognised_and_other_names_are_not() {
        check("qurey", &["limit", "query"], Some("query"));
        check("in-stok", &["in-stock?", "in-stock"], Some("in-stock"));
        check("page", &["limit", "query"], None);
        check("x", &["y", "a"], None);
        check("ab", &["ac"], Some("ac"));
        check("", &["a"], None);
    }

    #[test]
    fn long_lists_are_cut() {
        assert_eq!(list(["a", "b"].into_iter(), "tool/"), "`tool/a`, `tool/b`");
        assert!(list(["a"; 12].into_iter(), "").ends_with("`a`, …"));
    }
}
