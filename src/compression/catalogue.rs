//! The list of tools, within a budget of tokens.
//!
//! The list depends on the tools alone, so it stays the same from turn to turn: what programs look up is in the messages
//! of their turns.

use std::rc::Rc;

use crate::lisp::ToolSpec;
use crate::text::join;
use crate::tokens::{Estimate, TokenCounter};
use crate::unicode::is_upper;
use crate::value::{Names, Str, in_order};

/// A tool by its name.
type Named = (Str, Rc<ToolSpec>);

/// How much a list says of a tool, from the most to the least.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Detail {
    Parameters,
    Description,
    Usage,
    Name,
    Group,
}

impl Detail {
    const ALL: [Detail; 4] = [Detail::Parameters, Detail::Description, Detail::Usage, Detail::Name];

    /// The next detail that says more, in a list that has this one.
    fn more(self) -> Detail {
        match self {
            Detail::Parameters | Detail::Description => Detail::Parameters,
            Detail::Usage => Detail::Description,
            Detail::Name | Detail::Group => Detail::Usage,
        }
    }

    fn text(self, (name, spec): &Named) -> String {
        match self {
            Detail::Parameters => join([spec.line(name)].into_iter().chain(spec.parameter_lines()), "\n"),
            Detail::Description => spec.line(name),
            Detail::Usage => spec.usage(name),
            Detail::Name => format!("{name}, "),
            Detail::Group => String::new(),
        }
    }

    fn size(self, tool: &Named) -> usize {
        match self {
            Detail::Group => 0,
            Detail::Name => Estimate.count(&self.text(tool)),
            _ => Estimate.count(&(self.text(tool) + "\n")),
        }
    }

    /// The line that says what the list omits.
    fn note(self, shown: usize, all: usize) -> Option<String> {
        let calls = r#"(find-doc "word") prints those about a word, (doc tool/name) one of them. The others:"#;
        Some(match self {
            Detail::Parameters => return None,
            Detail::Description => ";; (doc tool/name) prints the parameters of a tool".to_owned(),
            Detail::Usage => ";; (doc tool/name) prints the description of a tool".to_owned(),
            Detail::Name | Detail::Group => format!(";; {shown} of {all} tools shown. {calls}"),
        })
    }
}

/// The lines of the tools in the order of their names, of at most `budget` tokens by the estimate.
///
/// All tools have the most detail for which there are tokens: usage, description and parameters; without the parameters;
/// the usage; the name; the number of tools with a prefix. The tokens that are left give the first tools of the host more.
pub fn lines(tools: &[Named], budget: Option<usize>) -> Vec<String> {
    let limit = budget.unwrap_or(usize::MAX);
    let (common, mut left) = match budget {
        Some(budget) => common_detail(tools, budget),
        None => (Detail::Parameters, 0),
    };
    let mut detailed: Vec<(&Named, Detail)> = Vec::with_capacity(tools.len());
    for tool in tools {
        let more = common.more();
        let size = if more == common { 0 } else { more.size(tool).saturating_sub(common.size(tool)) };
        detailed.push((tool, if size <= left { more } else { common }));
        left = left.checked_sub(size).unwrap_or(left);
    }
    let by_name = in_order(&detailed, |(left, _), (right, _)| left.0.cmp(&right.0));
    let (shown, others): (Vec<_>, Vec<_>) = by_name.partition(|(_, detail)| *detail <= Detail::Usage);
    let mut lines: Vec<String> = shown.iter().map(|(tool, detail)| detail.text(tool)).collect();
    lines.extend(common.note(shown.len(), tools.len()));
    let names = others.iter().map(|((name, _), _)| &**name);
    match common {
        Detail::Name => lines.push(format!(";;   {}", join(names, ", "))),
        Detail::Group => lines.push(groups(names, limit)),
        _ => {}
    }
    lines
}

/// The most detail that all tools can have, and the tokens that it leaves.
fn common_detail(tools: &[Named], budget: usize) -> (Detail, usize) {
    let note = |detail: Detail| detail.note(tools.len(), tools.len()).map_or(0, |note| Estimate.count(&note));
    for detail in Detail::ALL {
        let mut sizes = tools.iter().map(|tool| detail.size(tool));
        let left = budget.checked_sub(note(detail)).and_then(|left| sizes.try_fold(left, usize::checked_sub));
        if let Some(left) = left {
            return (detail, left);
        }
    }
    let groups = groups(tools.iter().map(|(name, _)| &**name), budget);
    (Detail::Group, budget.saturating_sub(note(Detail::Group) + Estimate.count(&groups)))
}

/// How many names have each prefix, the most frequent first, in at most a quarter of the budget.
fn groups<'a>(names: impl Iterator<Item = &'a str>, budget: usize) -> String {
    let mut counts: Names<(usize, &str)> = Names::default();
    for name in names {
        let prefix = prefix(name);
        let (count, first) = counts.get(prefix).copied().unwrap_or((0, name));
        counts.insert(prefix.into(), (count + 1, first));
    }
    let counts: Vec<_> = counts.iter().collect();
    let mut left = budget / 4;
    let mut texts = Vec::new();
    let by_count = in_order(&counts, |(_, (left, _)), (_, (right, _))| right.cmp(left));
    for (index, (prefix, (count, first))) in by_count.enumerate() {
        let text = if *count == 1 { (*first).to_owned() } else { format!("{prefix}* ({count})") };
        match left.checked_sub(Estimate.count(&text) + 1) {
            Some(rest) => left = rest,
            None => {
                texts.push(format!("{} more groups", counts.len() - index));
                break;
            }
        }
        texts.push(text);
    }
    format!(";;   {}", join(&texts, ", "))
}

/// The first word of a name with the separator behind it; the name when it is one word.
fn prefix(name: &str) -> &str {
    let mut before = 'A';
    for (position, character) in name.char_indices().skip(1) {
        if matches!(character, '_' | '-' | '.' | '/') {
            return &name[..=position];
        }
        if is_upper(character) && !is_upper(before) {
            return &name[..position];
        }
        before = character;
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signature::parse;

    fn tools(count: usize) -> Vec<Named> {
        let nouns = ["orders", "customers", "invoices", "refunds"];
        let tool = |index: usize| {
            let verb = ["list", "get", "create", "delete", "find"][index % 5];
            let signature = parse("(state (\"open\" | \"paid\")?, limit :int?) -> [{id :int, total :float}]").unwrap();
            let spec = ToolSpec {
                signature: Some(signature),
                description: Some(format!("{verb} the {} of a shop", nouns[index / 5 % 4]).into()),
                field_descriptions: vec![("limit".into(), "1 to 100".into())],
                ..ToolSpec::default()
            };
            (format!("{verb}-{}-{index}", nouns[index / 5 % 4]).into(), Rc::new(spec))
        };
        (0..count).map(tool).collect()
    }

    #[test]
    fn a_list_is_within_its_budget_and_says_more_in_a_larger_one() {
        let tools = tools(200);
        let whole = Estimate.count(&join(lines(&tools, None), "\n"));
        let mut before = 0;
        for budget in [100, 300, 1000, 2000, 4000, 6000, 8000, whole + 500] {
            let text = join(lines(&tools, Some(budget)), "\n");
            let size = Estimate.count(&text);
            assert!(size <= budget + budget / 20, "{size} of {budget}: {text}");
            assert!(size >= before.min(budget / 2), "{size} of {budget}: {text}");
            before = size;
        }
        assert_eq!(before, whole);
    }

    #[test]
    fn details_go_one_after_the_other_and_the_first_tools_keep_theirs() {
        let mut tools = tools(4);
        tools.reverse();
        let size = |detail: Detail| tools.iter().map(|tool| detail.size(tool)).sum::<usize>();
        let text = |budget: usize| join(lines(&tools, Some(budget)), "\n");
        let without_parameters = text(size(Detail::Parameters) - 1);
        assert_eq!(without_parameters.matches("limit: 1 to 100").count(), 2, "{without_parameters}");
        assert!(without_parameters.contains("(doc tool/name) prints the parameters"), "{without_parameters}");
        let usages = text(size(Detail::Usage) + 30);
        assert_eq!(usages.lines().filter(|line| line.starts_with("tool/")).count(), 4, "{usages}");
        assert!(usages.contains("prints the description of a tool"), "{usages}");
        let names = text(size(Detail::Name) + 60);
        assert!(names.starts_with("tool/delete-orders-3("), "{names}");
        assert!(
            names.contains("1 of 4 tools shown.") && names.ends_with("create-orders-2, get-orders-1, list-orders-0")
        );
        let nothing = text(0);
        assert_eq!(nothing.lines().count(), 2, "{nothing}");
        assert!(nothing.ends_with(";;   4 more groups"), "{nothing}");
    }

    #[test]
    fn names_are_grouped_by_their_first_word() {
        assert_eq!(
            ["github_issue", "list-orders", "listOrders", "HTTPGet", "now"].map(prefix),
            ["github_", "list-", "list", "HTTPGet", "now"]
        );
        let names = ["get-a", "list-b", "list-c", "now"];
        assert_eq!(groups(names.into_iter(), 1000), ";;   list-* (2), get-a, now");
    }
}
