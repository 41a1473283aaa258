//! What a line of a digest says about a program that a tool ran: what a turn becomes when it is folded. Definitions as
//! samples, calls, prints and the value; the program itself is left out.

use std::borrow::Cow;

use super::digest_line::DigestLine;
use crate::text::join;
use crate::value::{Value, read_json};

/// The longest definition, list of calls, and value, as multiples of `Digest::head`.
const PART: usize = 2;

/// The longest output, as a multiple of `Digest::head`.
const OUTPUT: usize = 4;

/// The sections of the result of a program, by the beginnings of their headers, and what a line calls them.
const SECTIONS: [(&str, &str); 4] =
    [(";; === user/", "defined"), (";; Tool calls made:", "called"), (";; Output:", "printed"), (";; Value", "value")];

/// A program with its result.
pub(super) struct ProgramRun<'t> {
    program: String,
    /// What a line calls each section, and its lines.
    sections: Vec<(&'static str, Vec<&'t str>)>,
    /// The definition that has the value.
    value_of: Option<&'t str>,
    /// What is after the sections: an error.
    rest: Vec<&'t str>,
}

/// Reads a call and its result; `None` when they are not those of a program.
pub(super) fn program_run<'t>(args: &str, result: &'t str) -> Option<ProgramRun<'t>> {
    section_of(result.lines().next()?)?;
    let Ok(Value::Map(members)) = read_json(args, false) else { return None };
    let program = members.iter().find(|(key, _)| key.as_str() == Some("program"))?.1.as_str()?.to_owned();
    let mut run = ProgramRun { program, sections: Vec::new(), value_of: None, rest: Vec::new() };
    let (mut is_open, mut is_after_blank) = (false, true);
    for line in result.lines() {
        match section_of(line).filter(|_| is_after_blank) {
            Some(name) => {
                run.value_of = line.strip_prefix(";; Value of ").map(|name| name.trim_end_matches(':'));
                run.sections.push((name, Vec::new()));
                is_open = true;
            }
            // The error follows a blank line; an output may have blank lines of its own.
            None if is_after_blank && line.starts_with("Error: ") => {
                run.rest.push(line);
                is_open = false;
            }
            None if !is_open => run.rest.push(line),
            None => run.sections.last_mut()?.1.push(line),
        }
        is_after_blank = line.is_empty();
    }
    Some(run)
}

fn section_of(line: &str) -> Option<&'static str> {
    SECTIONS.iter().find(|(header, _)| line.starts_with(header)).map(|(_, name)| *name)
}

impl<'t> DigestLine<'t> {
    /// Adds a program and what it left.
    pub fn add_program(&mut self, name: &str, run: &ProgramRun<'t>, head: usize) {
        self.text.push_str(name);
        self.text.push('(');
        // Without its last line, a value says nothing.
        let last = run.program.lines().map(str::trim).rfind(|line| !line.is_empty()).unwrap_or_default();
        match run.sections.last() {
            Some(("value", _)) => self.add(Cow::Owned(last.to_owned()), head),
            _ => self.text.push('…'),
        }
        self.text.push_str(") →");
        for (index, (name, lines)) in run.sections.iter().enumerate() {
            self.text.push_str(if index == 0 { " " } else { " ¶ " });
            if *name == "value" {
                // `;; Value of top:`
                let of = run.value_of.map_or(String::new(), |of| format!(" of {of}"));
                self.text.push_str(&format!("value{of} "));
            } else if *name != "defined" {
                self.text.push_str(&format!("{name} "));
            }
            match *name {
                "defined" => self.add_definitions(lines, head),
                "called" => self.add(join(lines.iter().filter_map(|line| call_of(line)), "; "), PART * head),
                "printed" => self.add(join(lines, "\n"), OUTPUT * head),
                _ => self.add(join(lines, "\n"), PART * head),
            }
        }
        if !run.rest.is_empty() {
            self.text.push_str(if run.sections.is_empty() { " " } else { " ¶ " });
            self.add(join(&run.rest, "\n"), PART * head);
        }
    }

    fn add_definitions(&mut self, lines: &[&'t str], head: usize) {
        for (index, line) in lines.iter().filter(|line| !line.is_empty()).enumerate() {
            self.text.push_str(if index == 0 { "" } else { " ¶ " });
            let (name, value) = line.split_once(" ; ").unwrap_or((line, ""));
            self.add(format!("{} {}", name.trim(), value.trim()), PART * head);
        }
    }
}

/// A call without what stands before it in its section.
fn call_of(line: &str) -> Option<&str> {
    Some(line.trim_start_matches([';', ' '])).filter(|call| !call.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(program: &str, result: &str) -> Option<String> {
        let run = program_run(&format!("{{\"program\":{program:?}}}"), result)?;
        let mut line = DigestLine::default();
        line.add_program("run_program", &run, 80);
        Some(line.text)
    }

    #[test]
    fn a_program_becomes_what_it_left() {
        let result = ";; === user/ (your prelude) ===\nlate                          ; = list[60]\n(f [x])  ; \"doc\"\n\n\
                      ;; Tool calls made:\n;   orders({:n 1})\n;   orders({:n 2})\n\n;; Output:\na\n\nb\n\n;; Value:\n60";
        let expected = "run_program((count late)) → late = list[60] ¶ (f [x]) \"doc\" ¶ called orders({:n 1}); orders({:n 2}) ¶ \
                        printed a ¶ b ¶ value 60";
        assert_eq!(line("(def late 1)\n(count late)\n", result).as_deref(), Some(expected));
    }

    #[test]
    fn a_program_that_failed_has_its_error() {
        let result = ";; Output:\nError: is printed\n\nError: `n` is not defined\nHint: define it";
        let expected = "run_program(…) → printed Error: is printed ¶ Error: `n` is not defined ¶ Hint: define it";
        assert_eq!(line("(println n)", result).as_deref(), Some(expected));
    }

    #[test]
    fn other_calls_are_none() {
        assert_eq!(line("ls", "a\nb"), None);
        assert!(program_run("{\"command\":\"ls\"}", ";; Output:\na").is_none());
    }
}
