//! What an edit or a patch among the arguments or results of calls changes.

use std::borrow::Cow;

use super::digest_facts::is_break;
use crate::value::Value;

/// A line of an edit.
pub(super) struct Change<'t> {
    pub kind: Kind,
    pub text: Cow<'t, str>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    File,
    Added,
    Removed,
}

impl Kind {
    pub fn sign(self) -> &'static str {
        match self {
            Kind::File => "",
            Kind::Added => "+ ",
            Kind::Removed => "- ",
        }
    }
}

/// Returns the members with the old and the new text of an edit, and its changes.
pub(super) fn edit_in<'v>(members: &[(&'v str, &'v Value)]) -> Option<(&'v str, &'v str, Vec<Change<'v>>)> {
    members.iter().find_map(|&(old, value)| {
        let ending = old.strip_prefix("old")?;
        let (new, after) = members.iter().find(|(key, _)| key.strip_prefix("new") == Some(ending))?;
        Some((old, *new, changes_between(value.as_str()?, after.as_str()?)))
    })
}

/// Returns the changes of a list of edits.
pub(super) fn edits_in(value: &Value) -> Option<Vec<Change<'_>>> {
    let Value::Vector(edits) = value else { return None };
    let mut changes = Vec::new();
    for edit in edits.iter() {
        let Value::Map(members) = edit else { return None };
        let members: Vec<_> = members.iter().map(|(key, value)| (key.as_str().unwrap_or_default(), value)).collect();
        changes.extend(edit_in(&members)?.2);
    }
    (!changes.is_empty()).then_some(changes)
}

/// Returns the lines that an edit removes and adds.
fn changes_between<'t>(old: &'t str, new: &'t str) -> Vec<Change<'t>> {
    let lines = |text: &'t str| text.split(is_break).collect::<Vec<_>>();
    let (old, new) = (lines(old), lines(new));
    let same = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let (old, new) = (&old[same..], &new[same..]);
    let same = old.iter().rev().zip(new.iter().rev()).take_while(|(old, new)| old == new).count();
    let change = |kind| {
        move |line: &&'t str| (!line.trim().is_empty()).then(|| Change { kind, text: Cow::Borrowed(line.trim_end()) })
    };
    let removed = old[..old.len() - same].iter().filter_map(change(Kind::Removed));
    removed.chain(new[..new.len() - same].iter().filter_map(change(Kind::Added))).collect()
}

/// Returns the changed lines of a patch, with the files, if the text has one.
pub(super) fn changes_of_patch(text: &str) -> Option<Vec<Change<'_>>> {
    let is_diff = text.starts_with("diff --git ") || text.starts_with("@@ -") || text.contains("\n@@ -");
    let text = match text.find("*** Begin Patch") {
        Some(start) => &text[start..],
        None if is_diff => text,
        None => return None,
    };
    let mut changes = Vec::new();
    for line in text.split(is_break) {
        let (kind, text) = if line.starts_with("*** End Patch") {
            break;
        } else if let Some(file) = line.strip_prefix("*** ") {
            (Kind::File, file)
        } else if let Some(file) = line.strip_prefix("+++ ") {
            (Kind::File, file)
        } else if line.starts_with("--- ") {
            continue;
        } else if let Some(added) = line.strip_prefix('+') {
            (Kind::Added, added)
        } else if let Some(removed) = line.strip_prefix('-') {
            (Kind::Removed, removed)
        } else {
            continue;
        };
        if !text.trim().is_empty() && text != "Begin Patch" {
            changes.push(Change { kind, text: text.trim_end().into() });
        }
    }
    (!changes.is_empty()).then_some(changes)
}
