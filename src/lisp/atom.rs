//! Numbers, symbols, keywords and characters: forms that are one token.

use std::rc::Rc;

use super::form::{FormKind, Symbol};
use crate::unicode::cut_position;
use crate::value::{
    BigInt, IntegerError, MAX_INTEGER_DIGITS, Value, is_keyword_name, is_qualified_name, parse_float, parse_instant,
    parse_integer,
};

/// The message and the hint of a syntax error.
pub(super) struct SyntaxProblem {
    pub message: String,
    pub hint: String,
    /// Whether it is uncertain where the next form begins.
    pub is_last: bool,
}

/// A result of reading. Problems are boxed to keep it small.
pub(super) type Read<T = FormKind> = Result<T, Box<SyntaxProblem>>;

pub(super) fn problem<T>(message: impl Into<String>, hint: impl Into<String>) -> Read<T> {
    Err(Box::new(SyntaxProblem { message: message.into(), hint: hint.into(), is_last: false }))
}

/// Returns the start of `text`, short enough for a message.
pub(super) fn excerpt(text: &str) -> String {
    const LENGTH: usize = 40;
    match text.char_indices().nth(LENGTH) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.into(),
    }
}

/// Parses a run of symbol characters that begins with neither `:` nor `#`.
pub(super) fn number_or_symbol(text: &str) -> Read {
    if is_plain_name(text) {
        return Ok(match text {
            "nil" => FormKind::Nil,
            "true" => FormKind::Bool(true),
            "false" => FormKind::Bool(false),
            _ => FormKind::Symbol(Symbol { namespace: None, name: text.into() }),
        });
    }
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if unsigned.starts_with(|first: char| first.is_ascii_digit()) {
        return number(text, unsigned);
    }
    symbol(text).map(FormKind::Symbol)
}

/// Returns true for names of letters, digits and a few signs that begin with a letter, which need no more checks.
fn is_plain_name(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.first().is_some_and(u8::is_ascii_alphabetic)
        && bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'?' | b'!' | b'_' | b'*'))
}

fn number(text: &str, unsigned: &str) -> Read {
    let is_negative = text.starts_with('-');
    // Returns `None` when `digits` are not digits of the base `radix`.
    let integer = |digits: &str, radix| match parse_integer(digits, radix) {
        _ if !is_alphanumeric(digits) => None,
        Ok(size) => Some(Ok(integer(if is_negative { size.negated() } else { size }))),
        Err(IntegerError::TooLong) => Some(problem(
            format!("`{}` is too large: an integer has at most {MAX_INTEGER_DIGITS} digits", excerpt(text)),
            "write a float, as in `1e30`, or a string when every digit matters",
        )),
        Err(IntegerError::NotDigits) => None,
    };
    let decimal = unsigned.strip_suffix('N').unwrap_or(unsigned);
    if is_digits(decimal) {
        let significant = decimal.trim_start_matches('0');
        if decimal.len() > 1 && decimal.starts_with('0') && !matches!(significant.as_bytes(), [] | [b'1'..=b'7']) {
            return problem(
                format!("`{}` has leading zeros, which mean octal digits in Clojure", excerpt(text)),
                format!("write `{}`, or a string when the zeros matter", excerpt(significant)),
            );
        }
        return match text.parse() {
            Ok(small) => Ok(FormKind::Int(small)),
            Err(_) => integer(decimal, 10).expect("these are digits"),
        };
    }
    if is_float(unsigned) {
        return Ok(FormKind::Float(parse_float(text).expect("this is a decimal number")));
    }
    if let Some(digits) = decimal.strip_prefix("0x").or_else(|| decimal.strip_prefix("0X"))
        && let Some(integer) = integer(digits, 16)
    {
        return integer;
    }
    if let Some((radix, digits)) = unsigned.split_once(['r', 'R'])
        && is_digits(radix)
    {
        let valid = radix.parse().ok().filter(|radix| (2..=36).contains(radix));
        return match valid.and_then(|radix| integer(digits, radix)) {
            Some(integer) => integer,
            None => problem(
                format!("`{}` is not a number in base {}", excerpt(text), excerpt(radix)),
                "bases go from 2 to 36, as in `2r101`",
            ),
        };
    }
    if let Some((numerator, denominator)) = unsigned.split_once('/')
        && is_digits(numerator)
        && is_digits(denominator)
    {
        let parts = parse_float(numerator).zip(parse_float(denominator));
        return match parts.filter(|(_, denominator)| *denominator != 0.0) {
            Some((numerator, denominator)) => {
                Ok(FormKind::Float(numerator / denominator * if is_negative { -1.0 } else { 1.0 }))
            }
            None => problem(format!("`{}` divides by zero", excerpt(text)), "write another denominator"),
        };
    }
    let hint = hint_for_number(text, unsigned);
    problem(format!("`{}` is not a number", excerpt(text)), hint)
}

fn hint_for_number(text: &str, unsigned: &str) -> String {
    let plain = text.replace('_', "");
    match unsigned {
        _ if unsigned.strip_suffix('M').is_some_and(|number| is_digits(number) || is_float(number)) => {
            let number = excerpt(&text[..text.len() - 1]);
            format!("there are no decimals: write `{number}`, and `(format \"%.2f\" x)` where two decimals are shown")
        }
        _ if plain != text && (is_digits(&unsigned.replace('_', "")) || is_float(&unsigned.replace('_', ""))) => {
            format!("write `{}`", excerpt(&plain))
        }
        _ if parse_instant(text).is_some() => {
            format!("write a date as `#inst \"{text}\"`, or as a string")
        }
        _ => "put a space where the number ends, or write it as a string".into(),
    }
}

fn integer(value: BigInt) -> FormKind {
    match Value::integer(value) {
        Value::Int(small) => FormKind::Int(small),
        Value::BigInt(big) => FormKind::BigInt(Rc::clone(&big)),
        _ => unreachable!("an integer is small or big"),
    }
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_alphanumeric(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// Returns true for digits with a point, an exponent or both; digits after the point are optional.
fn is_float(unsigned: &str) -> bool {
    let (number, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((number, exponent)) => (number, Some(exponent.strip_prefix(['+', '-']).unwrap_or(exponent))),
        None => (unsigned, None),
    };
    let (whole, decimals) = match number.split_once('.') {
        Some((whole, decimals)) => (whole, Some(decimals)),
        None => (number, None),
    };
    is_digits(whole)
        && decimals.is_none_or(|decimals| decimals.is_empty() || is_digits(decimals))
        && exponent.is_none_or(is_digits)
        && (decimals.is_some() || exponent.is_some())
}

/// Parses `##Inf`, `##-Inf` or `##NaN`, given the text after `##`.
pub(super) fn symbolic_float(name: &str) -> Read {
    match name {
        "Inf" => Ok(FormKind::Float(f64::INFINITY)),
        "-Inf" => Ok(FormKind::Float(f64::NEG_INFINITY)),
        "NaN" => Ok(FormKind::Float(f64::NAN)),
        _ => problem(format!("`##{}` is not a number", excerpt(name)), "write `##Inf`, `##-Inf` or `##NaN`"),
    }
}

pub(super) fn symbol(text: &str) -> Read<Symbol> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if unsigned.starts_with('.') && is_float(&format!("0{unsigned}")) && unsigned.len() > 1 {
        let sign = &text[..text.len() - unsigned.len()];
        return problem(
            format!("`{}` is not a number", excerpt(text)),
            format!("write `{sign}0{}`", excerpt(unsigned)),
        );
    }
    if text.starts_with(['“', '”', '‘', '’']) {
        let message = "a typographic quote does not begin a string".into();
        let hint = "write straight quotes: `\"text\"`".into();
        return Err(Box::new(SyntaxProblem { message, hint, is_last: true }));
    }
    if let Some(name) = text.strip_suffix(':') {
        let hint = format!("a keyword has its colon in front: write `:{}`", excerpt(name));
        return problem(format!("`{}` is not a name", excerpt(text)), hint);
    }
    match text.split_once('/') {
        None | Some(("", "")) => Ok(Symbol { namespace: None, name: text.into() }),
        Some((namespace, name)) if !namespace.is_empty() && !name.is_empty() => {
            Ok(Symbol { namespace: Some(namespace.into()), name: name.into() })
        }
        Some(_) => problem(
            format!("`{}` is not a name", excerpt(text)),
            "write `namespace/name`, or `/` alone with spaces around it to divide",
        ),
    }
}

/// Parses a run of symbol characters that begins with `:`.
pub(super) fn keyword(text: &str) -> Read {
    let name = &text[1..];
    if is_qualified_name(name) {
        return Ok(FormKind::Keyword(name.into()));
    }
    let shown = excerpt(text);
    let last_part = name.rsplit(['/', ':']).find(|part| is_keyword_name(part));
    match last_part {
        None => problem(
            "a keyword needs a name behind its colon",
            "write a map as `{:name \"Laptop\"}`, and a key with spaces as a string",
        ),
        Some(part) if name.starts_with(':') || name.contains('/') => problem(
            format!("`{shown}` is not a keyword: no namespace is current, and a name has one slash at most"),
            format!(
                "write `:{}`, or the string \"{}\" for a key of data",
                excerpt(part),
                excerpt(name.trim_matches(':'))
            ),
        ),
        Some(part) => problem(format!("`{shown}` is not a keyword"), format!("write `:{}`", excerpt(part))),
    }
}

/// Parses a character literal, given the text after its backslash.
pub(super) fn character(name: &str) -> Read {
    let character = match name {
        "newline" => "\n",
        "space" => " ",
        "tab" => "\t",
        "return" => "\r",
        "backspace" => "\u{8}",
        "formfeed" => "\u{C}",
        _ => {
            if cut_position(name, 1).is_none() {
                return Ok(FormKind::Str(name.into()));
            }
            if let Some(character) = name.strip_prefix('u').and_then(four_hex_digits) {
                return match char::from_u32(character) {
                    Some(character) => Ok(FormKind::Str(character.to_string().into())),
                    None => {
                        problem(format!("`\\{name}` is half of a character"), "write the character itself, as a string")
                    }
                };
            }
            let hint = match name.strip_prefix('o').and_then(|octal| u32::from_str_radix(octal, 8).ok()) {
                Some(code) if code < 256 => format!("write `\\u{code:04X}`"),
                _ => format!("write more than one character as a string: \"{}\"", excerpt(name)),
            };
            return problem(format!("`\\{}` is not a character", excerpt(name)), hint);
        }
    };
    Ok(FormKind::Str(character.into()))
}

/// Returns the number that exactly four hexadecimal digits represent.
pub(super) fn four_hex_digits(digits: &str) -> Option<u32> {
    let is_hex = digits.len() == 4 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_hex { u32::from_str_radix(digits, 16).ok() } else { None }
}
