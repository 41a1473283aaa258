//! Writes values that are not collections.

use std::fmt::Write;

use crate::unicode::{cut_position, word_cut_position};
use crate::value::Value;
use crate::value::date::{write_day, write_instant};
use crate::value::number::{write_integer, write_shortest, write_whole};

/// Writes a value that is not a collection. Returns true when a string was cut to `limit` graphemes; a sample is cut
/// between two words.
pub fn write_scalar(value: &Value, limit: Option<usize>, is_sample: bool, out: &mut String) -> bool {
    match value {
        Value::Nil => out.push_str("nil"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Int(value) => write_to(out, format_args!("{value}")),
        Value::BigInt(value) => write_integer(value, out),
        Value::Float(value) => write_float(*value, out),
        Value::Str(text) => return write_string(text, limit, is_sample, out),
        Value::Keyword(name) => write_to(out, format_args!(":{name}")),
        Value::Closure(closure) => write_to(out, format_args!("#fn[{}]", closure.params)),
        Value::Builtin(name) => write_to(out, format_args!("#builtin[{name}]")),
        Value::Var(name) if value.atom_number().is_some() => write_to(out, format_args!("#{name}")),
        Value::Var(name) => write_to(out, format_args!("#'{name}")),
        Value::Regex(source) => write_regex(source, out),
        Value::Date(millis) => {
            out.push_str("#inst \"");
            write_instant(*millis, out);
            out.push('"');
        }
        Value::Day(days) => {
            out.push_str("#time/date \"");
            write_day(*days, out);
            out.push('"');
        }
        Value::Vector(_) | Value::Map(_) | Value::Set(_) => unreachable!("collections are opened, not written"),
    }
    false
}

pub fn write_to(out: &mut String, text: std::fmt::Arguments<'_>) {
    out.write_fmt(text).expect("a String takes any text");
}

/// Writes a float with at most ten decimals and no exponent: `3.3` for 3.3000000000000003.
fn write_float(value: f64, out: &mut String) {
    /// From this size on a double has no fraction.
    const WHOLE: f64 = 4_503_599_627_370_496.0;
    /// From this size on, ten decimals may be more than the shortest digits of a double.
    const FEW_DECIMALS: f64 = 1e5;
    if !value.is_finite() {
        out.push_str(match value {
            f64::INFINITY => "##Inf",
            f64::NEG_INFINITY => "##-Inf",
            _ => "##NaN",
        });
        return;
    }
    let size = value.abs();
    if size >= WHOLE {
        write_whole(value, out);
        return out.push_str(".0");
    }
    if size >= FEW_DECIMALS {
        let start = out.len();
        write_shortest(value, out);
        match out[start..].split_once('.') {
            None => return out.push_str(".0"),
            Some((_, decimals)) if decimals.len() <= 10 => return,
            Some(_) => out.truncate(start),
        }
    }
    let mut whole = size as i64;
    let mut decimals = ((size - size.trunc()) * 1e10 + 0.5) as i64;
    if decimals == 10_000_000_000 {
        whole += 1;
        decimals = 0;
    }
    let sign = if value.is_sign_negative() { "-" } else { "" };
    write_to(out, format_args!("{sign}{whole}.{decimals:010}"));
    let kept = out.trim_end_matches('0').len();
    out.truncate(kept);
    if out.ends_with('.') {
        out.push('0');
    }
}

fn write_string(text: &str, limit: Option<usize>, is_sample: bool, out: &mut String) -> bool {
    let cut_at = if is_sample { word_cut_position } else { cut_position };
    let cut = limit.and_then(|limit| cut_at(text, limit));
    out.push('"');
    let mut rest = &text[..cut.unwrap_or(text.len())];
    while let Some(position) = rest.find(is_escaped) {
        out.push_str(&rest[..position]);
        let character = rest[position..].chars().next().expect("found here");
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            control => write_control(control, out),
        }
        rest = &rest[position + character.len_utf8()..];
    }
    out.push_str(rest);
    out.push_str(if cut.is_some() { "...\"" } else { "\"" });
    cut.is_some()
}

fn is_escaped(character: char) -> bool {
    matches!(character, '"' | '\\' | '\u{FEFF}' | '\u{2028}' | '\u{2029}') || character.is_control()
}

fn write_control(character: char, out: &mut String) {
    match character {
        '\n' => out.push_str("\\n"),
        '\t' => out.push_str("\\t"),
        '\r' => out.push_str("\\r"),
        '\u{C}' => out.push_str("\\f"),
        other => write_to(out, format_args!("\\u{:04X}", u32::from(other))),
    }
}

/// Writes a regex literal. Backslashes are part of the pattern, so only characters that would end the
/// literal or the line are escaped, in a form with the same meaning in a regex.
fn write_regex(source: &str, out: &mut String) {
    out.push_str("#\"");
    let mut characters = source.chars();
    while let Some(character) = characters.next() {
        let (escaped, character) = match character {
            '\\' => (true, characters.next().unwrap_or('\\')),
            plain => (false, plain),
        };
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            control if is_escaped(control) => write_control(control, out),
            plain => {
                if escaped {
                    out.push('\\');
                }
                out.push(plain);
            }
        }
    }
    out.push('"');
}
