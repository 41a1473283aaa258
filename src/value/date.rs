//! Points in time as text: `2024-02-29T12:30:00.000Z`, in the proleptic Gregorian calendar.

use std::fmt::Write;

const MILLIS_PER_MINUTE: i64 = 60_000;
const MILLIS_PER_DAY: i64 = 86_400_000;
/// Days from 0000-03-01, where the arithmetic below starts, to 1970-01-01.
const EPOCH: i64 = 719_468;
/// Days of 400 years, after which the calendar repeats.
const ERA: i64 = 146_097;

/// True within the range of JavaScript dates: 100 million days before and after 1970-01-01.
pub(crate) fn is_instant(millis: i64) -> bool {
    millis.unsigned_abs() <= 8_640_000_000_000_000
}

/// Appends the UTC date and time of `millis` since 1970. Years outside 0 to 9999 have a sign and at
/// least six digits.
pub(crate) fn write_instant(millis: i64, out: &mut String) {
    write_day(millis.div_euclid(MILLIS_PER_DAY), out);
    let time = millis.rem_euclid(MILLIS_PER_DAY);
    let (hours, minutes) = (time / 3_600_000, time / MILLIS_PER_MINUTE % 60);
    let (seconds, millis) = (time / 1000 % 60, time % 1000);
    write!(out, "T{hours:02}:{minutes:02}:{seconds:02}.{millis:03}Z").expect("a String takes any text");
}

/// Appends the date of `days` since 1970, with the years of [`write_instant`].
pub(crate) fn write_day(days: i64, out: &mut String) {
    let (year, month, day) = civil_from_days(days);
    let written = match year {
        0..=9999 => write!(out, "{year:04}-{month:02}-{day:02}"),
        _ => write!(out, "{year:+07}-{month:02}-{day:02}"),
    };
    written.expect("a String takes any text");
}

/// Returns the days since 1970 of a date as [`parse_instant`] reads it, without a time.
pub fn parse_day(text: &str) -> Option<i64> {
    parse_instant(text).filter(|_| !text.contains('T')).map(|millis| millis.div_euclid(MILLIS_PER_DAY))
}

/// Returns the milliseconds since 1970 of a date `2024`, `2024-02` or `2024-02-29`, optionally followed by
/// a time `T12`, `T12:30`, `T12:30:59` or `T12:30:59.123456`, which `Z` or an offset `+01:00` may follow.
/// Without an offset the time is UTC; digits below milliseconds are dropped. Returns `None` for any other
/// text and for dates outside the range of JavaScript dates.
pub fn parse_instant(text: &str) -> Option<i64> {
    let mut text = Scanner(text.as_bytes());
    let year = text.year()?;
    let month = if text.skip(b'-') { text.two_digits(1..=12)? } else { 1 };
    let day = if text.skip(b'-') { text.two_digits(1..=days_in_month(year, month))? } else { 1 };
    let mut minutes = 0;
    let mut millis = 0;
    if text.skip(b'T') {
        minutes = text.two_digits(0..=23)? * 60;
        if text.skip(b':') {
            minutes += text.two_digits(0..=59)?;
            if text.skip(b':') {
                millis = text.two_digits(0..=59)? * 1000;
                if text.skip(b'.') {
                    millis += text.fraction()?;
                }
            }
        }
        minutes -= text.offset_in_minutes()?;
    }
    if !text.0.is_empty() {
        return None;
    }
    let days = i128::from(days_from_civil(year, month, day));
    let within = i128::from(minutes * MILLIS_PER_MINUTE + millis);
    i64::try_from(days * i128::from(MILLIS_PER_DAY) + within).ok().filter(|millis| is_instant(*millis))
}

struct Scanner<'a>(&'a [u8]);

impl Scanner<'_> {
    fn skip(&mut self, byte: u8) -> bool {
        let found = self.0.first() == Some(&byte);
        if found {
            self.0 = &self.0[1..];
        }
        found
    }

    fn digits(&mut self) -> &[u8] {
        let count = self.0.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (digits, rest) = self.0.split_at(count);
        self.0 = rest;
        digits
    }

    fn year(&mut self) -> Option<i64> {
        let negative = self.skip(b'-');
        let signed = negative || self.skip(b'+');
        let digits = self.digits();
        let fits = if signed { (4..=9).contains(&digits.len()) } else { digits.len() == 4 };
        let year = number(digits);
        fits.then_some(if negative { -year } else { year })
    }

    fn two_digits(&mut self, range: std::ops::RangeInclusive<i64>) -> Option<i64> {
        let (digits, rest) = self.0.split_at_checked(2)?;
        self.0 = rest;
        let value = number(digits);
        (digits.iter().all(u8::is_ascii_digit) && range.contains(&value)).then_some(value)
    }

    fn fraction(&mut self) -> Option<i64> {
        let digits = self.digits();
        let digit = |position| digits.get(position).map_or(0, |digit| i64::from(digit - b'0'));
        let millis = digit(0) * 100 + digit(1) * 10 + digit(2);
        (!digits.is_empty()).then_some(millis)
    }

    fn offset_in_minutes(&mut self) -> Option<i64> {
        let negative = self.skip(b'-');
        if !negative && !self.skip(b'+') {
            self.skip(b'Z');
            return Some(0);
        }
        let hours = self.two_digits(0..=23)?;
        let minutes = if self.skip(b':') { self.two_digits(0..=59)? } else { return None };
        let offset = hours * 60 + minutes;
        Some(if negative { -offset } else { offset })
    }
}

fn number(digits: &[u8]) -> i64 {
    digits.iter().take(9).fold(0, |sum, digit| sum * 10 + i64::from(digit.wrapping_sub(b'0')))
}

/// Returns the number of days of a month.
pub(crate) fn days_in_month(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

// Both directions count years from March, so that the leap day is the last one of its year.

/// Returns the days from 1970-01-01 to a calendar date.
pub(crate) fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, year_of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * ERA + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - EPOCH
}

/// Returns the year, month and day that is `days` after 1970-01-01.
pub(crate) fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let days = days + EPOCH;
    let (era, day_of_era) = (days.div_euclid(ERA), days.rem_euclid(ERA));
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    (era * 400 + year_of_era + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(millis: i64) -> String {
        let mut out = String::new();
        write_instant(millis, &mut out);
        out
    }

    #[test]
    fn instants_are_utc_with_milliseconds() {
        assert_eq!(written(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(written(-1), "1969-12-31T23:59:59.999Z");
        assert_eq!(written(1_709_164_800_000), "2024-02-29T00:00:00.000Z");
        assert_eq!(written(951_868_799_123), "2000-02-29T23:59:59.123Z");
    }

    #[test]
    fn years_outside_four_digits_have_a_sign() {
        assert_eq!(written(253_402_300_800_000), "+010000-01-01T00:00:00.000Z");
        assert_eq!(written(-62_167_219_200_000), "0000-01-01T00:00:00.000Z");
        assert_eq!(written(-62_167_219_200_001), "-000001-12-31T23:59:59.999Z");
        assert_eq!(written(8_640_000_000_000_000), "+275760-09-13T00:00:00.000Z");
        assert_eq!(written(i64::MAX), "+292278994-08-17T07:12:55.807Z");
        assert_eq!(written(i64::MIN), "-292275055-05-16T16:47:04.192Z");
    }

    #[test]
    fn every_written_instant_reads_back() {
        for millis in [
            0,
            -1,
            1_709_164_800_000,
            253_402_300_800_000,
            -62_167_219_200_001,
            8_640_000_000_000_000,
            -8_640_000_000_000_000,
        ] {
            assert_eq!(parse_instant(&written(millis)), Some(millis));
        }
        let mut millis = -70_000_000_000_000;
        while millis < 70_000_000_000_000 {
            assert_eq!(parse_instant(&written(millis)), Some(millis));
            millis += 86_399_999 * 311;
        }
    }

    #[test]
    fn parts_may_be_left_out() {
        let day = Some(1_709_164_800_000);
        for text in ["2024-02-29", "2024-02-29T00", "2024-02-29T00:00Z", "2024-02-29T01:30:00+01:30"] {
            assert_eq!(parse_instant(text), day, "{text}");
        }
        assert_eq!(parse_instant("2024"), Some(1_704_067_200_000));
        assert_eq!(parse_instant("1970-01-01T00:00:00.0019Z"), Some(1));
        assert_eq!(parse_instant("1970-01-01T00:00:00.5"), Some(500));
    }

    #[test]
    fn what_is_no_date_is_refused() {
        let texts = [
            "",
            "24",
            "20240",
            "2024-13",
            "2024-02-30",
            "2023-02-29",
            "2024-02-29T24",
            "2024-02-29T1",
            "2024-1-1",
            "2024-02-29T00:00:00.",
            "2024-02-29T00:00+1",
            "2024-02-29Z",
            "2024-02-29 00:00",
            "+275760-09-13T00:00:00.001Z",
            "-271821-04-19T23:59:59.999Z",
            "+999999999",
            "+1234567890",
            "2024-02-2é",
        ];
        for text in texts {
            assert_eq!(parse_instant(text), None, "{text}");
        }
    }
}
