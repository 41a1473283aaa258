//! Case conversion by Unicode 17. The standard library's tables for it are three times as large.

use super::{is_lower, is_mark, is_upper};

/// Code points at equal distances that all change by the same difference: the first one, their count, the distance, and
/// the difference.
type CaseRange = (u32, u8, u8, i32);

/// Converts a text to upper case.
pub(crate) fn uppercase(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_uppercase();
    }
    let mut upper = String::with_capacity(text.len());
    for character in text.chars() {
        let may_be_several = matches!(
            character,
            'ß' | 'ŉ' | 'ǰ' | 'ΐ' | 'ΰ' | 'և' | '\u{1E96}'..='\u{1E9A}' | '\u{1F50}'..='\u{1FFC}' | '\u{FB00}'..='\u{FB17}'
        );
        let several = || SEVERAL.split(' ').find_map(|word| word.strip_prefix(character));
        match may_be_several.then(several).flatten() {
            Some(several) => upper.push_str(several),
            None => upper.push(upper_of(character.to_ascii_uppercase())),
        }
    }
    upper
}

/// Converts a text to lower case.
pub(crate) fn lowercase(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let mut lower = String::with_capacity(text.len());
    for (position, character) in text.char_indices() {
        match character {
            'İ' => lower.push_str("i\u{307}"),
            'Σ' if ends_word(text, position) => lower.push('ς'),
            _ => lower.push(lower_of(character.to_ascii_lowercase())),
        }
    }
    lower
}

/// Returns true if the sigma at `position` follows a letter and precedes none.
fn ends_word(text: &str, position: usize) -> bool {
    let is_seen = |c: &char| !is_mark(*c) && !matches!(c, '\'' | '’' | '.' | ':' | '·' | '\u{AD}' | '\u{200D}');
    let is_letter = |c: char| is_lower(c) || is_upper(c);
    let (before, after) = text.split_at(position);
    before.chars().rev().find(is_seen).is_some_and(is_letter)
        && !after.chars().skip(1).find(is_seen).is_some_and(is_letter)
}

fn upper_of(character: char) -> char {
    mapped(character, &UPPER).unwrap_or(character)
}

fn lower_of(character: char) -> char {
    if let Some(lower) = mapped(character, &LOWER) {
        return lower;
    }
    let code = u32::from(character);
    let is_capital = !character.is_ascii() && is_upper(character);
    if !is_capital {
        return character;
    }
    let lower = |range: &CaseRange| code.wrapping_add_signed(-range.3);
    let found = UPPER.iter().find(|range| is_within(lower(range), range));
    found.and_then(|range| char::from_u32(lower(range))).unwrap_or(character)
}

/// Returns the character that one of the ranges maps `character` to, if any.
fn mapped(character: char, ranges: &[CaseRange]) -> Option<char> {
    let code = u32::from(character);
    let behind = ranges.partition_point(|range| range.0 <= code);
    let range = ranges.get(behind.checked_sub(1)?)?;
    char::from_u32(code.wrapping_add_signed(range.3)).filter(|_| is_within(code, range))
}

fn is_within(code: u32, (first, count, distance, _): &CaseRange) -> bool {
    let Some(behind) = code.checked_sub(*first) else { return false };
    behind.is_multiple_of((*distance).into()) && behind / u32::from(*distance) < (*count).into()
}

/// Characters whose upper-case form is more than one character, each followed by that form.
const SEVERAL: &str = "\
    ßSS ŉʼN ǰJ\u{30C} ΐΙ\u{308}\u{301} ΰΥ\u{308}\u{301} ևԵՒ ẖH\u{331} ẗT\u{308} ẘW\u{30A} ẙY\u{30A} ẚAʾ \
    ὐΥ\u{313} ὒΥ\u{313}\u{300} ὔΥ\u{313}\u{301} ὖΥ\u{313}\u{342} ᾀἈΙ ᾁἉΙ ᾂἊΙ ᾃἋΙ ᾄἌΙ ᾅἍΙ ᾆἎΙ ᾇἏΙ ᾈἈΙ ᾉἉΙ ᾊἊΙ \
    ᾋἋΙ ᾌἌΙ ᾍἍΙ ᾎἎΙ ᾏἏΙ ᾐἨΙ ᾑἩΙ ᾒἪΙ ᾓἫΙ ᾔἬΙ ᾕἭΙ ᾖἮΙ ᾗἯΙ ᾘἨΙ ᾙἩΙ ᾚἪΙ ᾛἫΙ ᾜἬΙ ᾝἭΙ ᾞἮΙ ᾟἯΙ ᾠὨΙ ᾡὩΙ ᾢὪΙ ᾣὫΙ ᾤὬΙ ᾥὭΙ \
    ᾦὮΙ ᾧὯΙ ᾨὨΙ ᾩὩΙ ᾪὪΙ ᾫὫΙ ᾬὬΙ ᾭὭΙ ᾮὮΙ ᾯὯΙ ᾲᾺΙ ᾳΑΙ ᾴΆΙ ᾶΑ\u{342} ᾷΑ\u{342}Ι ᾼΑΙ ῂῊΙ ῃΗΙ ῄΉΙ ῆΗ\u{342} \
    ῇΗ\u{342}Ι ῌΗΙ ῒΙ\u{308}\u{300} ΐΙ\u{308}\u{301} ῖΙ\u{342} ῗΙ\u{308}\u{342} ῢΥ\u{308}\u{300} \
    ΰΥ\u{308}\u{301} ῤΡ\u{313} ῦΥ\u{342} ῧΥ\u{308}\u{342} ῲῺΙ ῳΩΙ ῴΏΙ ῶΩ\u{342} ῷΩ\u{342}Ι ῼΩΙ \u{FB00}FF \
    \u{FB01}FI \u{FB02}FL \u{FB03}FFI \u{FB04}FFL \u{FB05}ST \u{FB06}ST \u{FB13}ՄՆ \u{FB14}ՄԵ \u{FB15}ՄԻ \
    \u{FB16}ՎՆ \u{FB17}ՄԽ";

#[rustfmt::skip]
static UPPER: [CaseRange; 197] = [
    (0xb5, 1, 1, 743), (0xe0, 23, 1, -32), (0xf8, 7, 1, -32), (0xff, 1, 1, 121), (0x101, 24, 2, -1),
    (0x131, 1, 1, -232), (0x133, 3, 2, -1), (0x13a, 8, 2, -1), (0x14b, 23, 2, -1), (0x17a, 3, 2, -1),
    (0x17f, 1, 1, -300), (0x180, 1, 1, 195), (0x183, 2, 2, -1), (0x188, 1, 1, -1), (0x18c, 1, 1, -1),
    (0x192, 1, 1, -1), (0x195, 1, 1, 97), (0x199, 1, 1, -1), (0x19a, 1, 1, 163), (0x19b, 1, 1, 42561),
    (0x19e, 1, 1, 130), (0x1a1, 3, 2, -1), (0x1a8, 1, 1, -1), (0x1ad, 1, 1, -1), (0x1b0, 1, 1, -1),
    (0x1b4, 2, 2, -1), (0x1b9, 1, 1, -1), (0x1bd, 1, 1, -1), (0x1bf, 1, 1, 56), (0x1c5, 1, 1, -1), (0x1c6, 1, 1, -2),
    (0x1c8, 1, 1, -1), (0x1c9, 1, 1, -2), (0x1cb, 1, 1, -1), (0x1cc, 1, 1, -2), (0x1ce, 8, 2, -1),
    (0x1dd, 1, 1, -79), (0x1df, 9, 2, -1), (0x1f2, 1, 1, -1), (0x1f3, 1, 1, -2), (0x1f5, 1, 1, -1),
    (0x1f9, 20, 2, -1), (0x223, 9, 2, -1), (0x23c, 1, 1, -1), (0x23f, 2, 1, 10815), (0x242, 1, 1, -1),
    (0x247, 5, 2, -1), (0x250, 1, 1, 10783), (0x251, 1, 1, 10780), (0x252, 1, 1, 10782), (0x253, 1, 1, -210),
    (0x254, 1, 1, -206), (0x256, 2, 1, -205), (0x259, 1, 1, -202), (0x25b, 1, 1, -203), (0x25c, 1, 1, 42319),
    (0x260, 1, 1, -205), (0x261, 1, 1, 42315), (0x263, 1, 1, -207), (0x264, 1, 1, 42343), (0x265, 1, 1, 42280),
    (0x266, 1, 1, 42308), (0x268, 1, 1, -209), (0x269, 1, 1, -211), (0x26a, 1, 1, 42308), (0x26b, 1, 1, 10743),
    (0x26c, 1, 1, 42305), (0x26f, 1, 1, -211), (0x271, 1, 1, 10749), (0x272, 1, 1, -213), (0x275, 1, 1, -214),
    (0x27d, 1, 1, 10727), (0x280, 1, 1, -218), (0x282, 1, 1, 42307), (0x283, 1, 1, -218), (0x287, 1, 1, 42282),
    (0x288, 1, 1, -218), (0x289, 1, 1, -69), (0x28a, 2, 1, -217), (0x28c, 1, 1, -71), (0x292, 1, 1, -219),
    (0x29d, 1, 1, 42261), (0x29e, 1, 1, 42258), (0x345, 1, 1, 84), (0x371, 2, 2, -1), (0x377, 1, 1, -1),
    (0x37b, 3, 1, 130), (0x3ac, 1, 1, -38), (0x3ad, 3, 1, -37), (0x3b1, 17, 1, -32), (0x3c2, 1, 1, -31),
    (0x3c3, 9, 1, -32), (0x3cc, 1, 1, -64), (0x3cd, 2, 1, -63), (0x3d0, 1, 1, -62), (0x3d1, 1, 1, -57),
    (0x3d5, 1, 1, -47), (0x3d6, 1, 1, -54), (0x3d7, 1, 1, -8), (0x3d9, 12, 2, -1), (0x3f0, 1, 1, -86),
    (0x3f1, 1, 1, -80), (0x3f2, 1, 1, 7), (0x3f3, 1, 1, -116), (0x3f5, 1, 1, -96), (0x3f8, 1, 1, -1),
    (0x3fb, 1, 1, -1), (0x430, 32, 1, -32), (0x450, 16, 1, -80), (0x461, 17, 2, -1), (0x48b, 27, 2, -1),
    (0x4c2, 7, 2, -1), (0x4cf, 1, 1, -15), (0x4d1, 48, 2, -1), (0x561, 38, 1, -48), (0x10d0, 43, 1, 3008),
    (0x10fd, 3, 1, 3008), (0x13f8, 6, 1, -8), (0x1c80, 1, 1, -6254), (0x1c81, 1, 1, -6253), (0x1c82, 1, 1, -6244),
    (0x1c83, 2, 1, -6242), (0x1c85, 1, 1, -6243), (0x1c86, 1, 1, -6236), (0x1c87, 1, 1, -6181),
    (0x1c88, 1, 1, 35266), (0x1c8a, 1, 1, -1), (0x1d79, 1, 1, 35332), (0x1d7d, 1, 1, 3814), (0x1d8e, 1, 1, 35384),
    (0x1e01, 75, 2, -1), (0x1e9b, 1, 1, -59), (0x1ea1, 48, 2, -1), (0x1f00, 8, 1, 8), (0x1f10, 6, 1, 8),
    (0x1f20, 8, 1, 8), (0x1f30, 8, 1, 8), (0x1f40, 6, 1, 8), (0x1f51, 4, 2, 8), (0x1f60, 8, 1, 8),
    (0x1f70, 2, 1, 74), (0x1f72, 4, 1, 86), (0x1f76, 2, 1, 100), (0x1f78, 2, 1, 128), (0x1f7a, 2, 1, 112),
    (0x1f7c, 2, 1, 126), (0x1fb0, 2, 1, 8), (0x1fbe, 1, 1, -7205), (0x1fd0, 2, 1, 8), (0x1fe0, 2, 1, 8),
    (0x1fe5, 1, 1, 7), (0x214e, 1, 1, -28), (0x2170, 16, 1, -16), (0x2184, 1, 1, -1), (0x24d0, 26, 1, -26),
    (0x2c30, 48, 1, -48), (0x2c61, 1, 1, -1), (0x2c65, 1, 1, -10795), (0x2c66, 1, 1, -10792), (0x2c68, 3, 2, -1),
    (0x2c73, 1, 1, -1), (0x2c76, 1, 1, -1), (0x2c81, 50, 2, -1), (0x2cec, 2, 2, -1), (0x2cf3, 1, 1, -1),
    (0x2d00, 38, 1, -7264), (0x2d27, 1, 1, -7264), (0x2d2d, 1, 1, -7264), (0xa641, 23, 2, -1), (0xa681, 14, 2, -1),
    (0xa723, 7, 2, -1), (0xa733, 31, 2, -1), (0xa77a, 2, 2, -1), (0xa77f, 5, 2, -1), (0xa78c, 1, 1, -1),
    (0xa791, 2, 2, -1), (0xa794, 1, 1, 48), (0xa797, 10, 2, -1), (0xa7b5, 8, 2, -1), (0xa7c8, 2, 2, -1),
    (0xa7cd, 8, 2, -1), (0xa7f6, 1, 1, -1), (0xab53, 1, 1, -928), (0xab70, 80, 1, -38864), (0xff41, 26, 1, -32),
    (0x10428, 40, 1, -40), (0x104d8, 36, 1, -40), (0x10597, 11, 1, -39), (0x105a3, 15, 1, -39), (0x105b3, 7, 1, -39),
    (0x105bb, 2, 1, -39), (0x10cc0, 51, 1, -64), (0x10d70, 22, 1, -32), (0x118c0, 32, 1, -32), (0x16e60, 32, 1, -32),
    (0x16ebb, 25, 1, -27), (0x1e922, 34, 1, -34),
];

/// The mappings to lower case that are not the inverse of [`UPPER`].
#[rustfmt::skip]
static LOWER: [CaseRange; 23] = [
    (0x1c4, 1, 1, 2), (0x1c5, 1, 1, 1), (0x1c7, 1, 1, 2), (0x1c8, 1, 1, 1), (0x1ca, 1, 1, 2), (0x1cb, 1, 1, 1),
    (0x1f1, 1, 1, 2), (0x1f2, 1, 1, 1), (0x399, 1, 1, 32), (0x39c, 1, 1, 32), (0x3a3, 1, 1, 32), (0x3f4, 1, 1, -60),
    (0x1e9e, 1, 1, -7615), (0x1f88, 8, 1, -8), (0x1f98, 8, 1, -8), (0x1fa8, 8, 1, -8), (0x1fbc, 1, 1, -9),
    (0x1fcc, 1, 1, -9), (0x1ffc, 1, 1, -9), (0x2126, 1, 1, -7517), (0x212a, 1, 1, -8383), (0x212b, 1, 1, -8262),
    (0xa64a, 1, 1, 1),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_characters_change_as_the_standard_library_does_it() {
        for character in (0..=u32::from(char::MAX)).filter_map(char::from_u32) {
            let text = character.to_string();
            assert_eq!(uppercase(&text), text.to_uppercase(), "{text:?}");
            assert_eq!(lowercase(&text), text.to_lowercase(), "{text:?}");
        }
    }

    #[test]
    fn a_sigma_at_the_end_of_a_word_has_its_own_form() {
        for text in ["ΟΔΥΣΣΕΥΣ", "ΣΑΣ ΣΕ", "Σ", "ΑΣ.", "ΑΣ'Α", "Α\u{301}Σ\u{301}", "1Σ", "ß Größe STRASSE"]
        {
            assert_eq!(lowercase(text), text.to_lowercase(), "{text}");
            assert_eq!(uppercase(text), text.to_uppercase(), "{text}");
        }
    }
}
