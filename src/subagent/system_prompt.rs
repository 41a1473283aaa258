//! The SYSTEM message: static text, the same for every mission, so that providers can cache it. Tools and data are in the
//! USER message.

use crate::compression::{Limits, Strategy};
use crate::text::join;

/// The model's task, and how its replies are processed.
const ROLE: &str = include_str!("prompts/role.md");

/// The same for an agent with one turn.
const ROLE_OF_ONE_TURN: &str = include_str!("prompts/role-of-one-turn.md");

/// The language of its programs, for a model that knows Clojure: what it adds, what it changes and what it lacks. `{turns}`
/// is replaced by [`TURNS`], `{whole}` by what `return` ends.
const LANGUAGE_SPEC: &str = include_str!("prompts/language.md");

/// The part on what programs keep and show from one to the next; omitted for an agent with one turn. `{shows}` is replaced
/// by [`MESSAGE_SHOWS`] or [`RESULT_SHOWS`].
const TURNS: &str = include_str!("prompts/turns.md");

/// What the message after a program shows of it. `{shown}` is replaced by how much of its output.
const MESSAGE_SHOWS: &str = "`(println …)` shows values in the next message, {shown}: print only what you need to read. \
    Definitions, or else the program's value, are shown as short samples; the value is `*1` in the next program.";

/// What the result of a call that runs a program shows of it.
const RESULT_SHOWS: &str = "The result shows its definitions as short samples, its tool calls, what it printed \
    `(println …)` and its value, cut when long: give only what you need to read. The value is `*1` in the next program.";

/// The format of a reply.
const OUTPUT_FORMAT: &str = include_str!("prompts/output.md");

/// The same for an agent with one turn.
const OUTPUT_OF_ONE_TURN: &str = include_str!("prompts/output-of-one-turn.md");

/// What the next message shows of the output of a program.
pub fn shown_output(strategy: Option<&Strategy>, limits: &Limits) -> String {
    match strategy {
        None => format!("the first {} characters of each", limits.print_length),
        Some(Strategy::Journal(_)) => format!("the first and the last {} characters", limits.print_length),
        Some(Strategy::PerTurnSummary) => format!("the last {} lines", limits.println),
        Some(_) => format!("the last {} lines of all programs", limits.println),
    }
}

/// The system prompt of an agent with `max_turns` turns. `shown` says how much output is shown. `language_spec` and `output_format` replace the built-in parts;
/// an empty one omits the part.
pub fn system_prompt_with(
    max_turns: usize,
    shown: &str,
    language_spec: Option<&str>,
    output_format: Option<&str>,
) -> String {
    let (role, output) = match max_turns {
        1 => (ROLE_OF_ONE_TURN, OUTPUT_OF_ONE_TURN),
        _ => (ROLE, OUTPUT_FORMAT),
    };
    let own = self::language_spec(max_turns, shown);
    let parts = [role, language_spec.unwrap_or(&own), output_format.unwrap_or(output)];
    join(parts.iter().map(|part| part.trim()).filter(|part| !part.is_empty()), "\n\n")
}

/// The built-in system prompt of an agent with `max_turns` turns.
pub fn system_prompt(max_turns: usize, shown: &str) -> String {
    system_prompt_with(max_turns, shown, None, None)
}

/// The built-in part on the language.
fn language_spec(max_turns: usize, shown: &str) -> String {
    let turns = if max_turns == 1 { "" } else { &TURNS.replace("{shows}", MESSAGE_SHOWS) };
    LANGUAGE_SPEC.replace("{turns}\n", turns).replace("{shown}", shown).replace("{whole}", "mission")
}

/// The language for a model that runs programs with a tool.
pub fn tool_language() -> String {
    let turns = TURNS.replace("{shows}", RESULT_SHOWS);
    LANGUAGE_SPEC.trim().replace("{turns}\n", &turns).replace("{whole}", "program")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lisp::{self, ProgramLimits, Progress, Vm};
    use crate::tokens::{Estimate, TokenCounter};
    use crate::value::{Names, PrintOptions, to_clojure};

    #[test]
    fn the_built_in_prompt_has_at_most_600_tokens() {
        for turns in [1, 5] {
            let prompt = system_prompt(turns, &shown_output(None, &Limits::default()));
            let tokens = Estimate.count(&prompt);
            assert!(tokens <= 600, "{tokens} tokens");
            assert!(is_filled(&prompt) && !prompt.contains("\n\n\n"), "{prompt}");
        }
        assert_eq!((system_prompt(1, "").contains("`*1`"), system_prompt(5, "").contains("`*1`")), (false, true));
        assert!(is_filled(&tool_language()) && tool_language().contains("ends the program"), "{}", tool_language());
    }

    fn is_filled(prompt: &str) -> bool {
        ["{turns}", "{shows}", "{shown}", "{whole}"].iter().all(|part| !prompt.contains(part))
    }

    #[test]
    fn language_spec_and_output_format_replace_parts() {
        let prompt = system_prompt_with(5, "", Some("Write Clojure."), Some(""));
        assert!(prompt.ends_with("\n\nWrite Clojure."), "{prompt}");
    }

    /// The names in the code of a text: those that stand alone, and those that are called.
    fn names(text: &str) -> Vec<&str> {
        let spans = text.split('`').skip(1).step_by(2);
        let words = spans.flat_map(|span| match span.contains('(') {
            false => span.split_whitespace().collect::<Vec<_>>(),
            true => span.split('(').skip(1).filter_map(|call| call.split([' ', ')']).next()).collect(),
        });
        let is_name =
            |name: &&str| name.starts_with(|first: char| first.is_ascii_lowercase()) && !name.ends_with("/name");
        words.filter(is_name).filter(|name| !name.starts_with("tool/")).collect()
    }

    fn exists(name: &str) -> bool {
        let name = name.strip_prefix("str/").unwrap_or(name);
        lisp::is_form(name) || lisp::is_builtin(name)
    }

    #[test]
    fn the_language_spec_names_what_exists_and_what_does_not() {
        let (there, missing) = LANGUAGE_SPEC.split_once("There is no ").unwrap();
        let there: Vec<_> = [names(there), names(TURNS), names(MESSAGE_SHOWS), names(RESULT_SHOWS)].concat();
        let missing = names(missing);
        assert!(there.len() > 25 && missing.len() > 5, "{there:?} {missing:?}");
        for name in there {
            assert!(exists(name), "`{name}` does not exist");
        }
        for name in missing {
            assert!(!exists(name), "`{name}` exists");
        }
    }

    #[test]
    fn the_differences_from_clojure_are_what_they_are() {
        for (program, value) in [
            ("(/ 6 3)", "2.0"),
            ("(:user-name {\"user_name\" 1})", "1"),
            ("(:user-name {\"user-name\" 1})", "1"),
            ("(dissoc {\"a\" 1} :a)", "{}"),
            ("(count (assoc {\"a\" 1} :a 2))", "2"),
            ("(conj (map inc (list 1)) 5)", "[2 5]"),
            ("(contains? [5 6] 5)", "true"),
            ("(string? (first \"abc\"))", "true"),
            ("(filter (where :price > 10) [{:price 9} {:price 11}])", "[{:price 11}]"),
            ("(map :n (sort-by :n :desc [{:n 1} {:n 2}]))", "[2 1]"),
            ("(sum-by :n [{:n 1} {:n 2}])", "3"),
        ] {
            assert_eq!(run(&mut machine(), program), value, "{program}");
        }
    }

    #[test]
    fn what_stays_from_turn_to_turn_is_what_the_prompt_says() {
        let mut vm = machine();
        assert_eq!(run(&mut vm, "(+ 1 1)"), "2");
        assert_eq!(run(&mut vm, "(def x 1) (def y 2) 3"), "3");
        assert_eq!(run(&mut vm, "(def x 5) (def z 6) (+ 1 nil)"), "error");
        assert_eq!(run(&mut vm, "[x y *1 *2]"), "[1 2 3 2]");
        assert_eq!(run(&mut vm, "z"), "error");
    }

    fn machine() -> Vm {
        Vm::new(Names::default(), Names::default(), ProgramLimits::default())
    }

    fn run(vm: &mut Vm, program: &str) -> String {
        match vm.start(program, 0) {
            Progress::Done(outcome) => match outcome.result {
                Ok(value) => to_clojure(&value, &PrintOptions::default()).text,
                Err(_) => "error".into(),
            },
            _ => panic!("{program} waits"),
        }
    }
}
