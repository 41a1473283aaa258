use proptest::prelude::*;
use regex_lite::Regex;

use super::class::CharSet;
use super::{Automaton, Expression, Matcher, Positions};

fn automaton(source: &str) -> Result<Automaton, String> {
    Automaton::new(Expression::read(source)?, false, 5000).map_err(|_| "too large".into())
}

/// Returns the positions of the first match from `start` on, found in slices of `slice` steps.
fn first_match(automaton: &Automaton, text: &str, start: usize, slice: u64) -> Option<Vec<Option<(usize, usize)>>> {
    let (mut positions, mut matcher) = (Positions::default(), Matcher::new(automaton, start));
    let mut rounds = 0;
    while !positions.advance(automaton, text, slice, &mut 0)
        || !matcher.advance(automaton, (text, &positions), slice, &mut 0)
        || matcher.find_more_groups(automaton)
    {
        rounds += 1;
        assert!(rounds < 1_000_000, "the search does not end");
    }
    let positions = matcher.take_found()?;
    let range = |pair: &[u32]| (pair[1] < u32::MAX).then_some((pair[0] as usize, pair[1] as usize));
    Some(positions.chunks(2).map(range).collect())
}

/// Finds the same match with an independent implementation of the syntax.
fn oracle(regex: &Regex, text: &str, start: usize) -> Option<Vec<Option<(usize, usize)>>> {
    let mut positions = regex.capture_locations();
    regex.captures_read_at(&mut positions, text, start)?;
    Some((0..positions.len()).map(|group| positions.get(group)).collect())
}

fn expression() -> impl Strategy<Value = String> {
    let part = prop::sample::select(vec![
        "a",
        "b",
        "c",
        "é",
        "1",
        " ",
        "\\n",
        ".",
        "\\d",
        "\\w",
        "\\W",
        "\\s",
        "\\S",
        "\\b",
        "\\B",
        "^",
        "$",
        "\\A",
        "\\z",
        "[ab]",
        "[^a]",
        "[a-c1]",
        "[^\\d\\s]",
        "[[:alpha:]_]",
        "[é-ü]",
        "\\x61",
        "\\u{e9}",
        "(?i)",
        "(?m)",
        "(?s)",
        "(?U)",
        "(?-i)",
        "(?R)",
        "\\b{start}",
        "\\b{end-half}",
        "\\<",
        "\\>",
        "",
        "(?x) a # b\n",
        "\\.",
        "[\\]-]",
    ]);
    part.prop_map(String::from).prop_recursive(5, 40, 4, |inner| {
        prop_oneof![
            4 => prop::collection::vec(inner.clone(), 1..4).prop_map(|parts| parts.concat()),
            2 => (inner.clone(), inner.clone()).prop_map(|(left, right)| format!("{left}|{right}")),
            2 => inner.clone().prop_map(|part| format!("({part})")),
            1 => inner.clone().prop_map(|part| format!("(?:{part})")),
            1 => inner.clone().prop_map(|part| format!("(?i:{part})")),
            1 => inner.clone().prop_map(|part| format!("(?sm-i:{part})")),
            4 => (inner, prop::sample::select(vec![
                "*", "+", "?", "*?", "+?", "??", "{2}", "{1,}", "{2,}?", "{0,2}", "{1,3}?", "{0,1}",
            ]))
                .prop_map(|(part, times)| format!("(?:{part}){times}")),
        ]
    })
}

fn text() -> impl Strategy<Value = String> {
    let parts =
        prop::sample::select(vec!["a", "b", "c", "A", "B", "é", "ü", "1", " ", "\n", "\r", "\r\n", "_", ".", "日"]);
    prop::collection::vec(parts, 0..12).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    #[test]
    fn matches_are_those_of_another_implementation(source in expression(), text in text(), slice in 1..30_u64) {
        let ours = automaton(&source);
        let theirs = Regex::new(&source);
        // With `(?m)`, theirs begins a line after the last line break, as Java's does not.
        let text = if source.contains('^') { text.trim_end_matches(['\n', '\r']) } else { &text };
        prop_assert_eq!(ours.is_ok(), theirs.is_ok(), "{:?} {:?}", ours.err(), theirs.err());
        if let (Ok(ours), Ok(theirs)) = (ours, theirs) {
            for start in (0..=text.len()).filter(|start| text.is_char_boundary(*start)) {
                prop_assert_eq!(first_match(&ours, text, start, slice), oracle(&theirs, text, start), "from {}", start);
            }
        }
    }

    #[test]
    fn look_ahead_holds_where_its_expression_matches(source in expression(), text in text()) {
        if let (Ok(theirs), Ok(ahead), Ok(not_ahead)) =
            (Regex::new(&source), automaton(&format!("(?={source})")), automaton(&format!("(?!{source})")))
        {
            // No line starts after the last line break here.
            let text = if source.contains('^') { text.trim_end_matches(['\n', '\r']) } else { &text };
            for at in (0..=text.len()).filter(|at| text.is_char_boundary(*at)) {
                let matches_at = |found: Option<Vec<Option<(usize, usize)>>>| {
                    found.is_some_and(|found| found[0].is_some_and(|(start, _)| start == at))
                };
                let expected = oracle(&theirs, text, at);
                let is_expected = matches_at(expected.clone());
                for slice in [1, u64::MAX] {
                    let found = first_match(&ahead, text, at, slice);
                    prop_assert_eq!(matches_at(found.clone()), is_expected, "(?={}) at {}", source, at);
                    if is_expected {
                        let groups = |found: Option<Vec<_>>| found.unwrap_or_default().split_off(1);
                        prop_assert_eq!(groups(found), groups(expected.clone()), "(?={}) at {}", source, at);
                    }
                }
                prop_assert_eq!(matches_at(first_match(&not_ahead, text, at, 7)), !is_expected);
            }
        }
    }

    #[test]
    fn look_behind_holds_where_a_match_of_its_expression_ends(
        source in "[abé1][+*?]?([abé1]|\\(\\?:[abé1]{0,2}\\|[ab][+*]?\\)|\\\\d|[.]){0,4}",
        text in text(),
    ) {
        let theirs = Regex::new(&format!("(?:{source})\\z")).unwrap();
        let (behind, not_behind) =
            (automaton(&format!("(?<={source})")).unwrap(), automaton(&format!("(?<!{source})")).unwrap());
        for at in (0..=text.len()).filter(|at| text.is_char_boundary(*at)) {
            let holds = |automaton| first_match(automaton, &text, at, 5).is_some_and(|found| found[0] == Some((at, at)));
            prop_assert_eq!(holds(&behind), theirs.is_match(&text[..at]), "(?<={}) at {}", source, at);
            prop_assert_eq!(holds(&not_behind), !theirs.is_match(&text[..at]), "(?<!{}) at {}", source, at);
        }
    }

    #[test]
    fn any_source_is_refused_or_matches_the_same_in_slices(
        source in "[a-c0-3()\\[\\]{}|*+?^$.\\\\&~:<>=!P,# \n-]{0,25}",
        text in text(),
    ) {
        if let Ok(automaton) = automaton(&source) {
            prop_assert_eq!(first_match(&automaton, &text, 0, 1), first_match(&automaton, &text, 0, u64::MAX));
        }
    }

    #[test]
    fn classes_have_the_characters_of_their_ranges(
        ranges in prop::collection::vec((any::<char>(), any::<char>()), 0..6),
        others in prop::collection::vec((any::<char>(), any::<char>()), 0..6),
        characters in prop::collection::vec(any::<char>(), 20),
    ) {
        let sorted = |ranges: Vec<(char, char)>| ranges.into_iter().map(|(a, b)| (a.min(b), a.max(b))).collect::<Vec<_>>();
        let (ranges, others) = (sorted(ranges), sorted(others));
        let (class, other) = (CharSet::new(ranges.clone()), CharSet::new(others.clone()));
        let ends = ranges.iter().chain(&others).flat_map(|(start, end)| [*start, *end]);
        for character in characters.into_iter().chain(ends) {
            let is_in = |ranges: &[(char, char)]| ranges.iter().any(|(start, end)| (start..=end).contains(&&character));
            prop_assert_eq!(class.contains(character), is_in(&ranges));
            prop_assert_eq!(class.negated().contains(character), !is_in(&ranges));
            prop_assert_eq!(class.and(&other).contains(character), is_in(&ranges) && is_in(&others));
            prop_assert_eq!(&class.negated().negated(), &class);
        }
    }
}

fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(2000)
}

#[test]
fn classes_intersect() {
    let found = |source: &str, text: &str| {
        first_match(&automaton(source).unwrap(), text, 0, 100).map(|positions| positions[0].unwrap())
    };
    assert_eq!(found("[a-z&&[^aeiou]]+", "aeixyz1"), Some((3, 6)));
    assert_eq!(found("[\\w&&[^\\d_]]+", "12_ab3"), Some((3, 5)));
    assert_eq!(found("(?i)[a-c&&[b-d]]+", "aBCd"), Some((1, 3)));
    assert_eq!(found("[a[0-9]]+", "xa1"), Some((1, 3)));
    assert_eq!(found("[^a&&b]", "ab"), Some((0, 1)));
    assert_eq!(automaton("[a-z--b]").unwrap_err(), "only `&&` combines classes");
}

#[test]
fn look_around_stands_anywhere_in_an_expression() {
    let all = |source: &str, text: &str| {
        let (automaton, mut at, mut found) = (automaton(source).unwrap(), 0, Vec::new());
        while let Some(groups) = first_match(&automaton, text, at, 3) {
            let (start, end) = groups[0].unwrap();
            found.push(
                groups.iter().map(|group| group.map_or("-", |(start, end)| &text[start..end])).collect::<Vec<_>>(),
            );
            at = if end == start { end + text[end..].chars().next().map_or(1, char::len_utf8) } else { end };
            if at > text.len() {
                break;
            }
        }
        found.iter().map(|groups| groups.join("/")).collect::<Vec<_>>().join(" ")
    };
    for (source, text, expected) in [
        ("(\\d)(?=(\\d{3})+$)", "1234567", "1/1/567 4/4/567"),
        ("a(?=b(?=c))", "abcab", "a"),
        ("(?=(?=(a))(b)?)\\w", "ab", "a/a/- "),
        ("(?<=\\$)\\d+(?!\\d|%)", "$12 $34% 5", "12"),
        ("(?<!(?<=x)a)b", "xab ab b", "b b"),
        ("(?i)(?<=A)b(?=C)", "abc aBd", "b"),
        ("((?=a)a|(?!a).)+", "ab", "ab/b"),
        ("[(?=a)]+", "a(=)?", "a(=)?"),
        ("\\(?=", "x(= =", "(= ="),
        ("[]](?=[^]])", "]a]]b", "] ]"),
        ("(?<year>\\d{4})(?=-)(?<month>-\\d)", "2024-5", "2024-5/2024/-5"),
    ] {
        assert_eq!(all(source, text).trim(), expected.trim(), "{source} in {text}");
    }
    for (source, problem) in [
        ("(?<=(a))b", "a group in look-behind has to be written as `(?:…)`"),
        ("(?<a>x)(?=(?<a>y))", "two groups have the name `a`"),
        ("ab(?=c[)d", "unclosed group, at character 3"),
        ("é(?=(?!x)*)é[b", "unclosed character class, at character 13"),
        ("é(?=é(?<!b|{2}))", "repetition operator missing expression, at character 12"),
        ("(?x)a # (?=b)\nc(?=d)", "look-around can't stand in a comment"),
        ("\u{10FFFE}", "the character U+10FFFE has no meaning"),
    ] {
        assert_eq!(automaton(source).unwrap_err(), problem, "{source}");
    }
    assert_eq!(
        automaton(&format!("{}a{}", "(?=".repeat(20), ")".repeat(20))).unwrap_err(),
        "look-around is nested too deeply"
    );
}

#[test]
fn categories_are_classes() {
    let found = |source: &str, text: &str| {
        first_match(&automaton(source).unwrap(), text, 0, 100)
            .map(|positions| &text[positions[0].unwrap().0..positions[0].unwrap().1])
            .unwrap_or("")
            .to_owned()
    };
    for (source, text, expected) in [
        ("\\p{L}+", "1Größe中ǅ ", "Größe中ǅ"),
        ("\\pL+\\p{M}*", "e\u{301}", "e\u{301}"),
        ("\\p{Lu}\\p{Ll}+", "ǅa Äße", "Äße"),
        ("\\p{Lt}", "Ǆǅ", "ǅ"),
        ("[^\\p{L}\\p{N}]+", "aé½₂!,–x", "!,–"),
        ("\\P{L}+", "ab1 2c", "1 2"),
        ("[\\p{P}\\p{S}&&[^-]]+", "a-«€»+", "«€»+"),
        ("\\p{Sc}\\d+", "12 €34", "€34"),
        ("\\p{Zs}", "a\u{a0}\u{2028}", "\u{a0}"),
        ("\\p{Punct}+", "–!?$", "!?$"),
        ("\\p{Alpha}+", "éa", "a"),
        ("(?i)\\p{Lu}+", "éA1", "éA"),
        ("\\p{IsAlphabetic}+", "1aⅣ", "aⅣ"),
    ] {
        assert_eq!(found(source, text), expected, "{source} in {text}");
    }
    assert_eq!(automaton("\\p{Greek}").unwrap_err(), "there is no class `\\p{Greek}`");
}

#[test]
fn no_line_starts_after_the_last_line_break() {
    for (source, text, positions) in [
        ("(?m)^", "a\nb\n", vec![0, 2]),
        ("(?m)^", "\n", vec![0]),
        ("(?m)^", "", vec![0]),
        ("(?mR)^", "a\r\nb\r", vec![0, 3]),
        ("(?mR)^", "\r\n", vec![0]),
    ] {
        let automaton = automaton(source).unwrap();
        let starts = (0..=text.len()).filter(|start| {
            first_match(&automaton, text, *start, 100).is_some_and(|found| found[0] == Some((*start, *start)))
        });
        assert_eq!(starts.collect::<Vec<_>>(), positions, "{source} in {text:?}");
    }
}

#[test]
fn steps_grow_with_the_text_and_not_faster() {
    let steps = |source: &str, length: usize| {
        let automaton = automaton(source).unwrap();
        let mut steps = 0;
        assert!(Matcher::new(&automaton, 0).advance(
            &automaton,
            (&"a".repeat(length), &Positions::default()),
            u64::MAX,
            &mut steps
        ));
        steps
    };
    for source in ["(a+)+$b", "(a|aa)+b", "(.*)(.*)(.*)b", "(?:a?){50}b"] {
        let (short, long) = (steps(source, 1000), steps(source, 2000));
        assert!((19 * short..=21 * short).contains(&(10 * long)), "{source} takes {short} and {long} steps");
    }
}

#[test]
fn a_search_skips_to_where_a_match_can_begin() {
    let automaton = automaton("(x|yy)\\d").unwrap();
    let mut steps = 0;
    assert!(Matcher::new(&automaton, 0).advance(
        &automaton,
        (&"a".repeat(80_000), &Positions::default()),
        u64::MAX,
        &mut steps
    ));
    assert_eq!(steps, 10_000);
}
