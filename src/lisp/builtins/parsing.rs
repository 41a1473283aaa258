//! Numbers and booleans read from strings.

use super::arguments::arg;
use super::plain;
use crate::lisp::fault::{EvalResult, describe, error_with_hint, type_error};
use crate::lisp::literal::read_first;
use crate::lisp::native::{Builtin, Context};
use crate::lisp::number::to_integer;
use crate::lisp::text::{not_a_text, to_text};
use crate::value::{Value, parse_float, parse_integer};
use crate::work;

pub(super) const ROWS: &[Builtin] = &[
    plain("parse-long", "s", (1, 1), "The integer that s writes, else nil.", read_integer),
    plain("read-string", "s, options s", (1, 2), "The value that a text in Clojure's notation is; nothing runs.", read),
    plain("parse-int", "s", (1, 1), "The integer that s writes, else nil.", read_integer),
    plain("parse-double", "s", (1, 1), "The number that s writes, as a float, else nil.", |context, args| {
        let text = readable_text(context.name, arg(args, 0))?;
        Ok(text.and_then(read_float).map(Value::Float).unwrap_or_default())
    }),
    plain("parse-boolean", "s", (1, 1), "true for \"true\", false for \"false\", else nil.", |context, args| {
        Ok(match readable_text(context.name, arg(args, 0))? {
            Some("true") => Value::Bool(true),
            Some("false") => Value::Bool(false),
            _ => Value::Nil,
        })
    }),
    plain("Integer/parseInt", "s, s radix", (1, 2), "The integer that s writes; else an error.", demand_integer),
    plain("Long/parseLong", "s, s radix", (1, 2), "The integer that s writes; else an error.", demand_integer),
    binary("Integer/toBinaryString"),
    hexadecimal("Integer/toHexString"),
    octal("Integer/toOctalString"),
    plain("Integer/toString", "n, n radix", (1, 2), "The digits of n, in a base from 2 to 36.", digits_in_base),
    binary("Long/toBinaryString"),
    hexadecimal("Long/toHexString"),
    octal("Long/toOctalString"),
    plain("Long/toString", "n, n radix", (1, 2), "The digits of n, in a base from 2 to 36.", digits_in_base),
    plain("Integer/valueOf", "s", (1, 1), "The integer that s writes; else an error.", demand_integer),
    plain("Long/valueOf", "s", (1, 1), "The integer that s writes; else an error.", demand_integer),
    plain("Double/parseDouble", "s", (1, 1), "The float that s writes; else an error.", demand_float),
    plain("Double/valueOf", "s", (1, 1), "The float that s writes; else an error.", demand_float),
    plain("Float/parseFloat", "s", (1, 1), "The float that s writes; else an error.", demand_float),
    plain("Boolean/parseBoolean", "s", (1, 1), "True for \"true\" in any case.", |context, args| {
        Ok(Value::Bool(to_text(context.name, arg(args, 0), "")?.eq_ignore_ascii_case("true")))
    }),
];

/// The longest text that `read-string` reads, because reading does not pause.
const MAX_READ: usize = 200_000;

/// Reads the first value of a text; nil when there is none.
fn read(context: &mut Context<'_>, args: &mut [Value]) -> EvalResult {
    let Some(text) = readable_text(context.name, &args[args.len() - 1])? else { return Ok(Value::Nil) };
    if text.len() > MAX_READ {
        let message = format!("`read-string` takes at most {MAX_READ} bytes, got {}", text.len());
        return error_with_hint("out_of_range", message, "JSON may be longer: `(json/parse-string s)`");
    }
    context.meter.visit(text.len() / 4)?;
    context.meter.allocate(64 * text.len() as u64)?;
    match read_first(text) {
        Ok(value) => Ok(value),
        Err(problem) => {
            let hint = problem.hint.clone().unwrap_or_default();
            error_with_hint("type_error", format!("`read-string` reads data: {}", problem.message), hint)
        }
    }
}

/// Returns the digits of a 32-bit integer for `Integer/…`, else of a 64-bit one, without a sign.
const fn binary(name: &'static str) -> Builtin {
    plain(name, "n", (1, 1), "The binary digits of n, those of its complement when it is negative.", |context, args| {
        unsigned_digits(context, args, 2)
    })
}

const fn hexadecimal(name: &'static str) -> Builtin {
    plain(
        name,
        "n",
        (1, 1),
        "The hexadecimal digits of n, those of its complement when it is negative.",
        |context, args| unsigned_digits(context, args, 16),
    )
}

const fn octal(name: &'static str) -> Builtin {
    plain(name, "n", (1, 1), "The octal digits of n, those of its complement when it is negative.", |context, args| {
        unsigned_digits(context, args, 8)
    })
}

fn unsigned_digits(context: &mut Context<'_>, args: &mut [Value], radix: u64) -> EvalResult {
    let number = to_integer(context.name, arg(args, 0))?;
    let is_short = context.name.starts_with("Integer/") && i32::try_from(number).is_ok();
    Ok(Value::str(digits(if is_short { u64::from(number as u32) } else { number as u64 }, radix)))
}

fn digits_in_base(context: &mut Context<'_>, args: &mut [Value]) -> EvalResult {
    let number = to_integer(context.name, arg(args, 0))?;
    let radix = if args.len() == 2 { to_integer(context.name, arg(args, 1))? } else { 10 };
    // As in Java, other bases mean 10.
    let radix = if (2..=36).contains(&radix) { radix as u64 } else { 10 };
    let sign = if number < 0 { "-" } else { "" };
    Ok(Value::str(format!("{sign}{}", digits(number.unsigned_abs(), radix))))
}

fn digits(number: u64, radix: u64) -> String {
    let (mut rest, mut digits) = (number, Vec::new());
    loop {
        digits.push(char::from_digit((rest % radix) as u32, radix as u32).unwrap_or_default());
        rest /= radix;
        if rest == 0 {
            return digits.iter().rev().collect();
        }
    }
}

/// Returns the string argument of a parser; `None` for nil.
fn readable_text<'v>(name: &str, value: &'v Value) -> EvalResult<Option<&'v str>> {
    match value {
        Value::Nil => Ok(None),
        Value::Str(text) => Ok(Some(text)),
        Value::Int(_) | Value::BigInt(_) | Value::Float(_) => {
            not_a_text(name, value, "it is a number already: `(int x)` and `(double x)` convert numbers")
        }
        other => not_a_text(name, other, ""),
    }
}

fn parsed(text: &str, radix: u32) -> Option<Value> {
    if let Ok(small) = i64::from_str_radix(text, radix) {
        return Some(Value::Int(small));
    }
    work::read(text.len());
    parse_integer(text, radix).ok().map(Value::integer)
}

fn read_integer(context: &mut Context<'_>, args: &mut [Value]) -> EvalResult {
    let text = readable_text(context.name, arg(args, 0))?;
    Ok(text.and_then(|text| parsed(text, 10)).unwrap_or_default())
}

/// Reads a float as Java does: ignores the white space around it.
fn read_float(text: &str) -> Option<f64> {
    let text = text.trim();
    match text.strip_prefix(['-', '+']).unwrap_or(text) {
        "NaN" => Some(f64::NAN),
        "Infinity" if text.starts_with('-') => Some(f64::NEG_INFINITY),
        "Infinity" => Some(f64::INFINITY),
        _ => {
            work::read(text.len());
            parse_float(text)
        }
    }
}

fn demand_integer(context: &mut Context<'_>, args: &mut [Value]) -> EvalResult {
    let text = to_text(context.name, arg(args, 0), "")?;
    let radix = match args.get(1) {
        None => 10,
        Some(radix) => match to_integer(context.name, radix)? {
            radix @ 2..=36 => radix as u32,
            _ => return type_error(context.name, "a base from 2 to 36", radix, ""),
        },
    };
    match parsed(text, radix) {
        Some(value) => Ok(value),
        None => no_number(context.name, "an integer", arg(args, 0), "parse-long"),
    }
}

fn demand_float(context: &mut Context<'_>, args: &mut [Value]) -> EvalResult {
    match read_float(to_text(context.name, arg(args, 0), "")?) {
        Some(value) => Ok(Value::Float(value)),
        None => no_number(context.name, "a number", arg(args, 0), "parse-double"),
    }
}

#[cold]
fn no_number(name: &str, expected: &str, got: &Value, instead: &str) -> EvalResult {
    let message = format!("`{name}` reads {expected}, got {}", describe(got));
    error_with_hint("invalid_number", message, format!("`({instead} s)` gives nil for what is no number"))
}
