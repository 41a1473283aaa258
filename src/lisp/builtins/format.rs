//! `format`: Java's directives.

use super::arguments::arg;
use super::filling::with_digits;
use super::{ANY, steps};
use crate::lisp::equality::is_truthy;
use crate::lisp::fault::{EvalResult, describe, error_with_hint};
use crate::lisp::native::{Builtin, Context};
use crate::lisp::number::{Number, number};
use crate::lisp::text::{Style, append, finish, push, to_text};
use crate::unicode::{cut_position, uppercase, width};
use crate::value::{BigInt, Value, decimal_digits};

pub(super) const ROWS: &[Builtin] = &[
    steps(
        "format",
        "template x …",
        (1, ANY),
        "The template with its directives, as %s and %.2f, filled in.",
        |context, args| with_digits(context, args, format),
    ),
    steps(
        "printf",
        "template x …",
        (1, ANY),
        "Prints a line, the template with its directives filled in; nil.",
        |context, args| {
            with_digits(context, args, |context, args| {
                let line = format(context, args)?;
                context.print(line.as_str().unwrap_or_default().trim_end_matches('\n'))?;
                Ok(Value::Nil)
            })
        },
    ),
];

/// The largest width and precision.
const MAX_WIDTH: usize = 1000;

/// A directive, as in `%-10s` or `%1$,.2f`.
#[derive(Default)]
struct Directive<'t> {
    /// The source.
    text: &'t str,
    /// The explicit argument, from 1.
    argument: Option<usize>,
    left: bool,
    zeros: bool,
    plus: bool,
    space: bool,
    groups: bool,
    brackets: bool,
    alternate: bool,
    width: usize,
    precision: Option<usize>,
    conversion: char,
}

fn format(context: &mut Context<'_>, args: &mut [Value]) -> EvalResult {
    let hint = "the template stands first: `(format \"%s: %d\" name n)`";
    let template = to_text(context.name, arg(args, 0), hint)?;
    let values = &args[1..];
    let (mut out, mut rest, mut next) = (String::new(), template, 0);
    while let Some(position) = rest.find('%') {
        push(context.meter, &rest[..position], &mut out)?;
        rest = &rest[position..];
        let directive = read(rest)?;
        rest = &rest[directive.text.len()..];
        let text = match directive.conversion {
            '%' => "%".into(),
            'n' => "\n".into(),
            _ => {
                let index = directive.argument.map_or(next, |argument| argument - 1);
                next += usize::from(directive.argument.is_none());
                let Some(value) = values.get(index) else { return missing(&directive, index, values) };
                directive.write(context, value)?
            }
        };
        push(context.meter, &directive.padded(text), &mut out)?;
    }
    push(context.meter, rest, &mut out)?;
    finish(context.meter, out)
}

fn read(text: &str) -> EvalResult<Directive<'_>> {
    let mut directive = Directive::default();
    let mut signs = text.char_indices().skip(1).peekable();
    let mut number = None;
    while let Some((position, sign)) = signs.next() {
        let end = position + sign.len_utf8();
        directive.text = &text[..end];
        match sign {
            '$' if directive.argument.is_none() && number.is_some_and(|number| number > 0) => {
                directive.argument = number.take();
            }
            '-' if number.is_none() => directive.left = true,
            '0' if number.is_none() => directive.zeros = true,
            '+' => directive.plus = true,
            ' ' => directive.space = true,
            ',' => directive.groups = true,
            '(' => directive.brackets = true,
            '#' => directive.alternate = true,
            '0'..='9' => {
                let digit = sign as usize - '0' as usize;
                number = Some((number.unwrap_or(0) * 10 + digit).min(10 * MAX_WIDTH));
            }
            '.' => {
                let mut precision = None;
                while let Some((_, digit)) = signs.next_if(|(_, sign)| sign.is_ascii_digit()) {
                    precision = Some((precision.unwrap_or(0) * 10 + digit as usize - '0' as usize).min(10 * MAX_WIDTH));
                }
                directive.precision = precision;
                if precision.is_none() {
                    break;
                }
            }
            's' | 'S' | 'd' | 'x' | 'X' | 'o' | 'f' | 'e' | 'E' | 'c' | 'C' | 'b' | 'B' | '%' | 'n' => {
                directive.conversion = sign;
                directive.width = number.unwrap_or(0);
                if directive.width > MAX_WIDTH || directive.precision.is_some_and(|precision| precision > MAX_WIDTH) {
                    let message = format!("the directive `{}` is wider than {MAX_WIDTH}", directive.text);
                    return error_with_hint("invalid_format", message, "repeat a text with `(apply str (repeat n s))`");
                }
                return Ok(directive);
            }
            _ => break,
        }
    }
    let shown = if directive.text.is_empty() { "%" } else { directive.text };
    let hint = match directive.text.chars().last() {
        Some('i' | 'u') => "an integer is `%d`",
        Some('g' | 'G' | 'a') => "a float is `%f`, `%.2f` or `%e`",
        Some('t' | 'T') => {
            "the parts of a date are `(.getYear d)`, `(.getMonthValue d)` and so on; its text is `(str d)`"
        }
        _ => "directives are `%s %d %f %.2f %5d %-10s %05d %,d %x %o %e %c %b %n`; a percent sign is `%%`",
    };
    error_with_hint("invalid_format", format!("`{shown}` is no directive"), hint)
}

#[cold]
fn missing<T>(directive: &Directive<'_>, index: usize, values: &[Value]) -> EvalResult<T> {
    let message = format!(
        "the directive `{}` wants argument {} of the template, but there are {}",
        directive.text,
        index + 1,
        values.len()
    );
    let hint = match values {
        [Value::Vector(_)] => "spread a vector over the directives: `(apply format template coll)`",
        _ => "give a value for every directive; a percent sign is written `%%`",
    };
    error_with_hint("arity_error", message, hint)
}

impl Directive<'_> {
    fn write(&self, context: &mut Context<'_>, value: &Value) -> EvalResult<String> {
        let mut text = match (self.conversion, value) {
            ('b' | 'B', value) => is_truthy(value).to_string(),
            (_, Value::Nil) => "null".into(),
            ('s' | 'S', value) => {
                let style = if matches!(value, Value::Date(_) | Value::Day(_) | Value::Float(_)) {
                    Style::Str
                } else {
                    Style::Line
                };
                let mut text = String::new();
                append(context.meter, value, style, &mut text)?;
                text
            }
            ('c' | 'C', value) => return self.character(value).map(|text| self.in_case(text)),
            (conversion, value) => {
                let text = match (conversion, number(value)) {
                    ('f' | 'e' | 'E', Some(number)) => self.float(&number),
                    ('d', Some(Number::Int(value))) => self.signed(value < 0, &value.unsigned_abs().to_string()),
                    ('d', Some(Number::Big(value))) => {
                        let mut digits = String::new();
                        append(context.meter, &Value::integer(value), Style::Line, &mut digits)?;
                        let size = digits.strip_prefix('-').unwrap_or(&digits);
                        self.signed(digits.starts_with('-'), size)
                    }
                    ('x' | 'X' | 'o', Some(Number::Int(value))) => {
                        // A negative integer shows its 64 bits.
                        let prefix = match (self.alternate, conversion) {
                            (false, _) => "",
                            (_, 'o') => "0",
                            _ => "0x",
                        };
                        let digits = if conversion == 'o' { format!("{value:o}") } else { format!("{value:x}") };
                        self.zero_filled(prefix, digits, "")
                    }
                    _ => return self.mismatch(value),
                };
                return Ok(self.in_case(text));
            }
        };
        if let Some(end) = self.precision.and_then(|precision| cut_position(&text, precision)) {
            text.truncate(end);
        }
        Ok(self.in_case(text))
    }

    fn in_case(&self, text: String) -> String {
        if self.conversion.is_ascii_uppercase() { uppercase(&text) } else { text }
    }

    fn character(&self, value: &Value) -> EvalResult<String> {
        match value {
            Value::Str(text) if !text.is_empty() && cut_position(text, 1).is_none() => Ok(text.to_string()),
            Value::Int(code) => match u32::try_from(*code).ok().and_then(char::from_u32) {
                Some(character) => Ok(character.into()),
                None => self.mismatch(value),
            },
            other => self.mismatch(other),
        }
    }

    #[cold]
    fn mismatch<T>(&self, value: &Value) -> EvalResult<T> {
        let (takes, hint) = match (self.conversion, value) {
            ('d' | 'x' | 'X' | 'o', Value::Float(_)) => {
                ("an integer", "round it first, `(int x)`, or write it as `%.0f` or `%.2f`")
            }
            ('d' | 'x' | 'X' | 'o', Value::Str(_)) => {
                ("an integer", "write any value as `%s`, or read it with `(parse-long s)`")
            }
            ('d' | 'x' | 'X' | 'o', _) => ("an integer", "any value is written by `%s`"),
            ('c' | 'C', _) => ("a character or its code", "any value is written by `%s`"),
            (_, Value::Str(_)) => ("a number", "write any value as `%s`, or read it with `(parse-double s)`"),
            _ => ("a number", "any value is written by `%s`"),
        };
        let message = format!("the directive `{}` of `format` takes {takes}, got {}", self.text, describe(value));
        error_with_hint("type_error", message, hint)
    }

    fn float(&self, number: &Number) -> String {
        let (negative, digits, point) = match number {
            Number::Float(value) if !value.is_finite() => {
                let text = if value.is_nan() { "NaN" } else { "Infinity" };
                let sign = match *value < 0.0 {
                    true => "-",
                    false if self.plus && !value.is_nan() => "+",
                    false => "",
                };
                return format!("{sign}{text}");
            }
            Number::Float(value) => {
                let (digits, point) = decimal_digits(value.abs());
                (value.is_sign_negative(), digits, point)
            }
            Number::Int(value) => whole_digits(&BigInt::from(*value)),
            Number::Big(value) => whole_digits(value),
        };
        let precision = self.precision.unwrap_or(6);
        if self.conversion == 'f' {
            let (whole, decimals) = rounded(&digits, point, precision);
            let dot = if precision > 0 { "." } else { "" };
            return self.signed(negative, &format!("{whole}{dot}{decimals}"));
        }
        // One digit before the point. Rounding up may make it two.
        let exponent = if digits.is_empty() { 0 } else { point - 1 };
        let (mut whole, mut decimals) = rounded(&digits, point - exponent, precision);
        let mut exponent = exponent;
        if whole.len() > 1 {
            decimals = format!("{}{decimals}", &whole[1..]);
            decimals.truncate(precision);
            whole.truncate(1);
            exponent += 1;
        }
        let dot = if precision > 0 { "." } else { "" };
        let sign = if exponent < 0 { '-' } else { '+' };
        self.signed(negative, &format!("{whole}{dot}{decimals}e{sign}{:02}", exponent.abs()))
    }

    /// Returns digits with their sign, grouped and filled with zeros according to the flags.
    fn signed(&self, negative: bool, size: &str) -> String {
        let (before, after) = match (negative, self.brackets) {
            (true, true) => ("(", ")"),
            (true, false) => ("-", ""),
            _ if self.plus => ("+", ""),
            _ if self.space => (" ", ""),
            _ => ("", ""),
        };
        let size = if self.groups { grouped(size) } else { size.into() };
        self.zero_filled(before, size, after)
    }

    fn zero_filled(&self, before: &str, size: String, after: &str) -> String {
        let taken = before.len() + size.len() + after.len();
        let zeros = if self.zeros { self.width.saturating_sub(taken) } else { 0 };
        format!("{before}{}{size}{after}", "0".repeat(zeros))
    }

    fn padded(&self, text: String) -> String {
        let spaces = " ".repeat(self.width.saturating_sub(width(&text)));
        if self.left { text + &spaces } else { spaces + &text }
    }
}

fn whole_digits(value: &BigInt) -> (bool, String, i32) {
    let negative = value.is_negative();
    let text = crate::value::to_clojure(&Value::integer(value.clone()), &Default::default()).text;
    let digits = text.trim_start_matches('-').to_owned();
    let point = digits.len() as i32;
    (negative, digits, point)
}

/// Rounds `0.digits × 10^point` to a number of decimals, half up. Returns the digits before and after the point.
fn rounded(digits: &str, point: i32, decimals: usize) -> (String, String) {
    let kept = usize::try_from(point + decimals as i32);
    let mut all = String::new();
    // Zeros between the point and the first digit.
    let leading = (-point).clamp(0, decimals as i32) as usize;
    all.extend(std::iter::repeat_n('0', leading + usize::from(point <= 0)));
    let mut up = false;
    if let Ok(kept) = kept {
        let end = kept.min(digits.len());
        all.push_str(&digits[..end]);
        all.extend(std::iter::repeat_n('0', kept - end));
        up = digits.as_bytes().get(kept).is_some_and(|digit| *digit >= b'5');
    }
    if up {
        let carried = all.trim_end_matches('9');
        let nines = all.len() - carried.len();
        all = match carried.as_bytes().last() {
            Some(last) => format!("{}{}", &carried[..carried.len() - 1], char::from(last + 1)),
            None => "1".into(),
        };
        all.extend(std::iter::repeat_n('0', nines));
    }
    let decimals = all.split_off(all.len() - decimals);
    (all, decimals)
}

/// Separates the digits before the point into groups of three.
fn grouped(size: &str) -> String {
    let whole = size.find(['.', 'e']).unwrap_or(size.len());
    let mut out = String::new();
    for (position, digit) in size[..whole].chars().enumerate() {
        if position > 0 && (whole - position).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out + &size[whole..]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_template_breaks_the_reader(template in "(%|[-0#+ ,(.$]|[0-9]{1,4}|[sdfxeéc]){0,12}") {
            if let Some(position) = template.find('%') {
                let _ = read(&template[position..]);
            }
        }

        #[test]
        fn floats_are_rounded_to_the_nearest(value in -1e15..1e15, decimals in 0..12_usize) {
            let directive = Directive { precision: Some(decimals), conversion: 'f', ..Directive::default() };
            let text = directive.float(&Number::Float(value));
            let difference = (text.parse::<f64>().unwrap() - value).abs();
            prop_assert!(difference <= 0.5000001 * 10_f64.powi(-(decimals as i32)) + value.abs() * 1e-15, "{text}");
        }
    }

    #[test]
    fn halves_of_the_shortest_digits_go_up() {
        let shown = |value: f64, decimals| {
            let (digits, point) = decimal_digits(value);
            let (whole, decimals) = rounded(&digits, point, decimals);
            format!("{whole}.{decimals}")
        };
        for (value, decimals, expected) in [
            (0.125, 2, "0.13"),
            (1.005, 2, "1.01"),
            (0.15, 1, "0.2"),
            (9.995, 2, "10.00"),
            (0.995, 2, "1.00"),
            (0.05, 1, "0.1"),
            (0.04, 1, "0.0"),
            (0.005, 1, "0.0"),
            (0.0, 3, "0.000"),
            (0.5, 0, "1."),
            (0.4, 0, "0."),
            (123.0, 1, "123.0"),
            (1e21, 1, "1000000000000000000000.0"),
            (1e-9, 3, "0.000"),
            (5e-4, 3, "0.001"),
            (99.99, 1, "100.0"),
        ] {
            assert_eq!(shown(value, decimals), expected, "{value}");
        }
    }
}
