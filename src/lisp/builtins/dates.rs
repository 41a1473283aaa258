//! Dates, with the names of Java's functions. A date is a point in time, or a day of the calendar; a duration is an
//! integer of milliseconds.

use super::arguments::arg;
use super::plain;
use crate::lisp::fault::{EvalResult, describe, error, error_with_hint, type_error};
use crate::lisp::native::{Builtin, Context};
use crate::lisp::number::to_integer;
use crate::value::{Value, civil_from_days, days_from_civil, days_in_month, is_instant, parse_instant};

const SECOND: i64 = 1000;
const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

pub(super) const ROWS: &[Builtin] = &[
    plain(
        "System/currentTimeMillis",
        "",
        (0, 0),
        "The milliseconds since 1970 when the program began.",
        |context, _| Ok(Value::Int(context.meter.now)),
    ),
    plain(
        "java.util.Date.",
        ", x",
        (0, 1),
        "The date of an ISO text or of milliseconds since 1970; now without one.",
        make,
    ),
    plain("Date.", ", x", (0, 1), "The date of an ISO text or of milliseconds since 1970; now without one.", make),
    plain("Instant/now", "", (0, 0), "The time when the program began.", |context, _| {
        Ok(Value::Date(context.meter.now))
    }),
    plain("LocalDate/now", "", (0, 0), "The day when the program began.", |context, _| {
        Ok(Value::Day(context.meter.now.div_euclid(DAY)))
    }),
    plain("Instant/parse", "s", (1, 1), "The date of an ISO text.", parse),
    plain("LocalDate/parse", "s", (1, 1), "The day of an ISO date.", |context, args| match arg(args, 0).as_str() {
        Some(text) if text.contains('T') => no_date(arg(args, 0), "a date with a time is read by `(Instant/parse s)`"),
        _ => {
            let start = parse(context, args)?;
            day(to_date(context.name, &start)?.div_euclid(DAY).into())
        }
    }),
    plain("Instant/ofEpochMilli", "n", (1, 1), "The date so many milliseconds after 1970.", |context, args| {
        date(to_integer(context.name, arg(args, 0))?.into())
    }),
    plain("Instant/ofEpochSecond", "n", (1, 1), "The date so many seconds after 1970.", |context, args| {
        date(i128::from(to_integer(context.name, arg(args, 0))?) * i128::from(SECOND))
    }),
    plain("LocalDate/ofEpochDay", "n", (1, 1), "The day so many days after 1970.", |context, args| {
        day(to_integer(context.name, arg(args, 0))?.into())
    }),
    plain("LocalDate/of", "year month day", (3, 3), "A day.", |context, args| {
        let [year, month, number] = [0, 1, 2].map(|index| to_integer(context.name, arg(args, index)));
        let (year, month, number) = (year?, month?, number?);
        if !(1..=12).contains(&month) || !(1..=days_in_month(year, month)).contains(&number) || year.abs() > 999_999 {
            return error("invalid_date", format!("there is no day {number} in month {month} of {year}"));
        }
        day(days_from_civil(year, month, number).into())
    }),
    plain(".atStartOfDay", "day", (1, 1), "The time at which a day begins.", |context, args| {
        Ok(Value::Date(to_date(context.name, arg(args, 0))?))
    }),
    plain(".toLocalDate", "date", (1, 1), "The day of a date.", |context, args| {
        Ok(Value::Day(to_date(context.name, arg(args, 0))?.div_euclid(DAY)))
    }),
    plain(".getTime", "date", (1, 1), "The milliseconds since 1970.", millis),
    plain(".toEpochMilli", "date", (1, 1), "The milliseconds since 1970.", millis),
    plain("inst-ms", "date", (1, 1), "The milliseconds since 1970.", millis),
    plain(".getEpochSecond", "date", (1, 1), "The seconds since 1970.", |context, args| {
        Ok(Value::Int(to_date(context.name, arg(args, 0))?.div_euclid(SECOND)))
    }),
    plain(".toEpochDay", "date", (1, 1), "The days since 1970.", |context, args| {
        Ok(Value::Int(to_date(context.name, arg(args, 0))?.div_euclid(DAY)))
    }),
    plain(".toInstant", "date", (1, 1), "The date itself.", |context, args| {
        Ok(Value::Date(to_date(context.name, arg(args, 0))?))
    }),
    plain(".plusMillis", "date n", (2, 2), "The date n milliseconds later.", |context, args| moved(context, args, 1)),
    plain(".plusSeconds", "date n", (2, 2), "The date n seconds later.", |context, args| moved(context, args, SECOND)),
    plain(".plusMinutes", "date n", (2, 2), "The date n minutes later.", |context, args| moved(context, args, MINUTE)),
    plain(".plusHours", "date n", (2, 2), "The date n hours later.", |context, args| moved(context, args, HOUR)),
    plain(".plusDays", "date n", (2, 2), "The date n days later.", |context, args| moved(context, args, DAY)),
    plain(".plusWeeks", "date n", (2, 2), "The date n weeks later.", |context, args| moved(context, args, 7 * DAY)),
    plain(
        ".plusMonths",
        "date n",
        (2, 2),
        "The date n months later, or the last day of that month.",
        |context, args| months_later(context, args, 1),
    ),
    plain(".plusYears", "date n", (2, 2), "The date n years later.", |context, args| months_later(context, args, 12)),
    plain(".minusMillis", "date n", (2, 2), "The date n milliseconds before.", |context, args| {
        moved(context, args, -1)
    }),
    plain(".minusSeconds", "date n", (2, 2), "The date n seconds before.", |context, args| {
        moved(context, args, -SECOND)
    }),
    plain(".minusMinutes", "date n", (2, 2), "The date n minutes before.", |context, args| {
        moved(context, args, -MINUTE)
    }),
    plain(".minusHours", "date n", (2, 2), "The date n hours before.", |context, args| moved(context, args, -HOUR)),
    plain(".minusDays", "date n", (2, 2), "The date n days before.", |context, args| moved(context, args, -DAY)),
    plain(".minusWeeks", "date n", (2, 2), "The date n weeks before.", |context, args| moved(context, args, -7 * DAY)),
    plain(
        ".minusMonths",
        "date n",
        (2, 2),
        "The date n months before, or the last day of that month.",
        |context, args| months_later(context, args, -1),
    ),
    plain(".minusYears", "date n", (2, 2), "The date n years before.", |context, args| {
        months_later(context, args, -12)
    }),
    plain(".isBefore", "date other", (2, 2), "True when date is earlier.", |context, args| {
        compared(context, args, |date, other| date < other)
    }),
    plain(".before", "date other", (2, 2), "True when date is earlier.", |context, args| {
        compared(context, args, |date, other| date < other)
    }),
    plain(".isAfter", "date other", (2, 2), "True when date is later.", |context, args| {
        compared(context, args, |date, other| date > other)
    }),
    plain(".after", "date other", (2, 2), "True when date is later.", |context, args| {
        compared(context, args, |date, other| date > other)
    }),
    plain(".isEqual", "date other", (2, 2), "True for the same time.", |context, args| {
        compared(context, args, |date, other| date == other)
    }),
    plain(".getYear", "date", (1, 1), "The year.", |context, args| {
        day_of(context, args).map(|(year, _, _)| Value::Int(year))
    }),
    plain(".getMonthValue", "date", (1, 1), "The month, from 1 to 12.", |context, args| {
        day_of(context, args).map(|(_, month, _)| Value::Int(month))
    }),
    plain(".getMonth", "date", (1, 1), "The name of the month, as \"MARCH\".", |context, args| {
        day_of(context, args).map(|(_, month, _)| Value::str(MONTHS[(month - 1) as usize]))
    }),
    plain(".getDayOfMonth", "date", (1, 1), "The day of the month, from 1.", |context, args| {
        day_of(context, args).map(|(_, _, day)| Value::Int(day))
    }),
    plain(".getDayOfYear", "date", (1, 1), "The day of the year, from 1.", |context, args| {
        let days = to_date(context.name, arg(args, 0))?.div_euclid(DAY);
        Ok(Value::Int(days - days_from_civil(civil_from_days(days).0, 1, 1) + 1))
    }),
    plain(".getDayOfWeek", "date", (1, 1), "The name of the day, as \"MONDAY\".", |context, args| {
        let days = to_date(context.name, arg(args, 0))?.div_euclid(DAY);
        // 1970 began on a Thursday.
        Ok(Value::str(WEEKDAYS[(days + 3).rem_euclid(7) as usize]))
    }),
    plain(".getValue", "name", (1, 1), "The number of a day or month from its name, from 1.", |context, args| {
        let position = |names: &[&str]| names.iter().position(|name| arg(args, 0).as_str() == Some(name));
        match position(&WEEKDAYS).or_else(|| position(&MONTHS)) {
            Some(position) => Ok(Value::Int(position as i64 + 1)),
            None => type_error(
                context.name,
                "the name of a day or month",
                arg(args, 0),
                "as `(.getDayOfWeek date)` gives it",
            ),
        }
    }),
    plain(".isLeapYear", "date", (1, 1), "True in a leap year.", |context, args| {
        day_of(context, args).map(|(year, ..)| Value::Bool(days_in_month(year, 2) == 29))
    }),
    plain(".lengthOfMonth", "date", (1, 1), "How many days the month has.", |context, args| {
        day_of(context, args).map(|(year, month, _)| Value::Int(days_in_month(year, month)))
    }),
    plain(".lengthOfYear", "date", (1, 1), "How many days the year has.", |context, args| {
        day_of(context, args).map(|(year, ..)| Value::Int(337 + days_in_month(year, 2)))
    }),
    plain(".getHour", "date", (1, 1), "The hour, from 0 to 23.", |context, args| part(context, args, HOUR, 24)),
    plain(".getMinute", "date", (1, 1), "The minute, from 0 to 59.", |context, args| part(context, args, MINUTE, 60)),
    plain(".getSecond", "date", (1, 1), "The second, from 0 to 59.", |context, args| part(context, args, SECOND, 60)),
    plain("Duration/between", "start end", (2, 2), "The milliseconds from start to end.", |context, args| {
        Ok(Value::Int(to_date(context.name, arg(args, 1))? - to_date(context.name, arg(args, 0))?))
    }),
    plain("Duration/ofMillis", "n", (1, 1), "A duration of n milliseconds, which is n.", |context, args| {
        lasting(context, args, 1)
    }),
    plain("Duration/ofSeconds", "n", (1, 1), "The milliseconds of n seconds.", |context, args| {
        lasting(context, args, SECOND)
    }),
    plain("Duration/ofMinutes", "n", (1, 1), "The milliseconds of n minutes.", |context, args| {
        lasting(context, args, MINUTE)
    }),
    plain("Duration/ofHours", "n", (1, 1), "The milliseconds of n hours.", |context, args| {
        lasting(context, args, HOUR)
    }),
    plain("Duration/ofDays", "n", (1, 1), "The milliseconds of n days.", |context, args| lasting(context, args, DAY)),
    plain(".plus", "date duration, date n unit", (2, 3), "The date so much later.", |context, args| {
        let unit = unit_or_millisecond(context.name, args)?;
        moved(context, args, unit)
    }),
    plain(".minus", "date duration, date n unit", (2, 3), "The date so much before.", |context, args| {
        let unit = unit_or_millisecond(context.name, args)?;
        moved(context, args, -unit)
    }),
    plain(".toMillis", "duration", (1, 1), "A duration in milliseconds, which it is.", |context, args| {
        duration(context, args, 1)
    }),
    plain(".toSeconds", "duration", (1, 1), "The whole seconds of a duration.", |context, args| {
        duration(context, args, SECOND)
    }),
    plain(".getSeconds", "duration", (1, 1), "The whole seconds of a duration.", |context, args| {
        duration(context, args, SECOND)
    }),
    plain(".toMinutes", "duration", (1, 1), "The whole minutes of a duration.", |context, args| {
        duration(context, args, MINUTE)
    }),
    plain(".toHours", "duration", (1, 1), "The whole hours of a duration.", |context, args| {
        duration(context, args, HOUR)
    }),
    plain(".toDays", "duration", (1, 1), "The whole days of a duration.", |context, args| duration(context, args, DAY)),
    plain(".between", "unit start end", (3, 3), "How many whole units lie between two dates.", |context, args| {
        let unit = unit(context.name, arg(args, 0))?;
        Ok(Value::Int((to_date(context.name, arg(args, 2))? - to_date(context.name, arg(args, 1))?) / unit))
    }),
    plain(".until", "start end unit", (3, 3), "How many whole units lie between two dates.", |context, args| {
        let unit = unit(context.name, arg(args, 2))?;
        Ok(Value::Int((to_date(context.name, arg(args, 1))? - to_date(context.name, arg(args, 0))?) / unit))
    }),
];

const MONTHS: [&str; 12] = [
    "JANUARY",
    "FEBRUARY",
    "MARCH",
    "APRIL",
    "MAY",
    "JUNE",
    "JULY",
    "AUGUST",
    "SEPTEMBER",
    "OCTOBER",
    "NOVEMBER",
    "DECEMBER",
];

const WEEKDAYS: [&str; 7] = ["MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY"];

/// Returns the name of a day or month that a class of Java has.
pub(super) fn day_or_month(class: &str, name: &str) -> Option<&'static str> {
    let names: &[&str] = match class {
        "DayOfWeek" => &WEEKDAYS,
        "Month" => &MONTHS,
        _ => return None,
    };
    names.iter().find(|known| **known == name).copied()
}

/// Returns the milliseconds of a unit of time, given its name in Java.
pub(super) fn unit_named(name: &str) -> Option<i64> {
    Some(match name {
        "ChronoUnit/MILLIS" => 1,
        "ChronoUnit/SECONDS" => SECOND,
        "ChronoUnit/MINUTES" => MINUTE,
        "ChronoUnit/HOURS" => HOUR,
        "ChronoUnit/DAYS" => DAY,
        "ChronoUnit/WEEKS" => 7 * DAY,
        _ => return None,
    })
}

fn unit(name: &str, value: &Value) -> EvalResult<i64> {
    match value {
        Value::Int(unit) if *unit > 0 => Ok(*unit),
        other => type_error(name, "a unit", other, "units are `ChronoUnit/DAYS`, `ChronoUnit/HOURS` and the like"),
    }
}

/// Returns the unit after a date and a number; a date and a duration are followed by none, and durations are milliseconds.
fn unit_or_millisecond(name: &str, args: &[Value]) -> EvalResult<i64> {
    args.get(2).map_or(Ok(1), |value| unit(name, value))
}

fn date(millis: i128) -> EvalResult {
    match i64::try_from(millis).ok().filter(|millis| is_instant(*millis)) {
        Some(millis) => Ok(Value::Date(millis)),
        None => error("invalid_date", "the date is more than 100 million days away from 1970"),
    }
}

fn day(days: i128) -> EvalResult {
    date(days.saturating_mul(DAY.into()))?;
    Ok(Value::Day(days as i64))
}

/// Returns the date in milliseconds, for a day its start.
fn to_date(name: &str, value: &Value) -> EvalResult<i64> {
    match value {
        Value::Date(millis) => Ok(*millis),
        Value::Day(days) => Ok(days * DAY),
        other => {
            let hint = match other {
                Value::Str(_) => "read the text first: `(Instant/parse s)` or `(LocalDate/parse s)`",
                Value::Int(_) => "make a date of milliseconds first: `(java.util.Date. n)`",
                Value::Nil => "a key may be missing: `(some-> s Instant/parse)`",
                _ => "",
            };
            type_error(name, "a date", other, hint)
        }
    }
}

#[cold]
fn no_date(text: &Value, hint: &str) -> EvalResult {
    error_with_hint("invalid_date", format!("there is no date in {}", describe(text)), hint)
}

fn make(context: &mut Context<'_>, args: &mut [Value]) -> EvalResult {
    match args {
        [] => Ok(Value::Date(context.meter.now)),
        [date @ (Value::Date(_) | Value::Day(_)), ..] => Ok(Value::Date(to_date(context.name, date)?)),
        [Value::Str(text), ..] if parse_mail_date(text).is_some() => {
            Ok(Value::Date(parse_mail_date(text).unwrap_or_default()))
        }
        [Value::Str(_), ..] => parse(context, args),
        [Value::Int(millis), ..] => date((*millis).into()),
        [other, ..] => {
            type_error(context.name, "a text or milliseconds", other, "write `(java.util.Date. \"2024-02-29\")`")
        }
    }
}

fn parse(context: &mut Context<'_>, args: &mut [Value]) -> EvalResult {
    let hint = "write an ISO text, `2024-02-29` or `2024-02-29T12:30:00Z`";
    let Value::Str(text) = arg(args, 0) else {
        if let date @ (Value::Date(_) | Value::Day(_)) = arg(args, 0) {
            return Ok(Value::Date(to_date(context.name, date)?));
        }
        return type_error(context.name, "a text", arg(args, 0), hint);
    };
    let text = text.trim();
    // Databases write a space between date and time.
    let found = match text.as_bytes().get(10) {
        Some(b' ') => parse_instant(&text.replacen(' ', "T", 1)),
        _ => parse_instant(text),
    };
    match found {
        Some(millis) => Ok(Value::Date(millis)),
        None => no_date(arg(args, 0), hint),
    }
}

/// Reads a date in the format of e-mails: `Fri, 1 Mar 2024 08:00:00 +0100`.
fn parse_mail_date(text: &str) -> Option<i64> {
    let text = text.split_once(',').map_or(text, |(_, date)| date);
    let mut parts = text.split_ascii_whitespace();
    let day: i64 = parts.next()?.parse().ok()?;
    let name = parts.next()?.to_ascii_uppercase();
    let month = 1 + MONTHS.iter().position(|month| name.len() >= 3 && month.starts_with(&name))? as i64;
    let year: i64 = parts.next()?.parse().ok().filter(|year| (0..10_000).contains(year))?;
    let mut time = parts.next()?.split(':').map(|part| part.parse::<i64>().ok().filter(|part| (0..60).contains(part)));
    let (hours, minutes, seconds) = (time.next()??, time.next()??, time.next().unwrap_or(Some(0))?);
    let zone = parts.next().unwrap_or("GMT");
    let offset = match zone {
        "GMT" | "UT" | "UTC" | "Z" => 0,
        _ => {
            let digits = zone.strip_prefix(['+', '-']).filter(|digits| digits.len() == 4)?.parse::<i64>().ok()?;
            let size = digits / 100 * HOUR + digits % 100 * MINUTE;
            if zone.starts_with('-') { -size } else { size }
        }
    };
    let is_day = (1..=days_in_month(year, month)).contains(&day) && hours < 24;
    let start = days_from_civil(year, month, day) * DAY;
    is_day.then_some(start + hours * HOUR + minutes * MINUTE + seconds * SECOND - offset)
}

fn millis(context: &mut Context<'_>, args: &mut [Value]) -> EvalResult {
    Ok(Value::Int(to_date(context.name, arg(args, 0))?))
}

fn moved(context: &mut Context<'_>, args: &[Value], unit: i64) -> EvalResult {
    let (start, count) = (to_date(context.name, arg(args, 0))?, to_integer(context.name, arg(args, 1))?);
    let moved = i128::from(start) + i128::from(count) * i128::from(unit);
    match arg(args, 0) {
        Value::Day(_) if moved % i128::from(DAY) == 0 => day(moved / i128::from(DAY)),
        Value::Day(_) => {
            type_error(context.name, "a date with a time", arg(args, 0), "a day begins at `(.atStartOfDay day)`")
        }
        _ => date(moved),
    }
}

fn months_later(context: &mut Context<'_>, args: &[Value], unit: i64) -> EvalResult {
    let (start, count) = (to_date(context.name, arg(args, 0))?, to_integer(context.name, arg(args, 1))?);
    if count.abs() > 10_000_000 {
        return date(i128::MAX);
    }
    let (year, month, number) = civil_from_days(start.div_euclid(DAY));
    let months = year * 12 + month - 1 + count * unit;
    let (year, month) = (months.div_euclid(12), months.rem_euclid(12) + 1);
    let days = days_from_civil(year, month, number.min(days_in_month(year, month)));
    match arg(args, 0) {
        Value::Day(_) => day(days.into()),
        _ => date(i128::from(days) * i128::from(DAY) + i128::from(start.rem_euclid(DAY))),
    }
}

fn compared(context: &mut Context<'_>, args: &[Value], holds: fn(i64, i64) -> bool) -> EvalResult {
    Ok(Value::Bool(holds(to_date(context.name, arg(args, 0))?, to_date(context.name, arg(args, 1))?)))
}

fn day_of(context: &mut Context<'_>, args: &[Value]) -> EvalResult<(i64, i64, i64)> {
    Ok(civil_from_days(to_date(context.name, arg(args, 0))?.div_euclid(DAY)))
}

fn part(context: &mut Context<'_>, args: &[Value], unit: i64, count: i64) -> EvalResult {
    Ok(Value::Int(to_date(context.name, arg(args, 0))?.div_euclid(unit).rem_euclid(count)))
}

fn lasting(context: &mut Context<'_>, args: &[Value], unit: i64) -> EvalResult {
    match to_integer(context.name, arg(args, 0))?.checked_mul(unit) {
        Some(millis) => Ok(Value::Int(millis)),
        None => error("arithmetic_error", "the duration is too long"),
    }
}

fn duration(context: &mut Context<'_>, args: &[Value], unit: i64) -> EvalResult {
    match arg(args, 0) {
        Value::Int(millis) => Ok(Value::Int(millis / unit)),
        other => type_error(context.name, "a duration", other, "write `(.toDays (Duration/between start end))`"),
    }
}
