//! The class of each code point in the rules of grapheme clusters, by Unicode 17.
//!
//! A test computes the table anew and prints it when it differs.

use std::cell::OnceCell;
use std::rc::Rc;

use crate::unicode::runs::{Decoded, Runs};

/// The classes that the rules distinguish. Consonants and linkers are those of the scripts that join syllables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Class {
    #[default]
    Other,
    CarriageReturn,
    LineFeed,
    Control,
    /// Continues a cluster, also between a consonant and its linker.
    Extend,
    /// Continues a cluster, and ends the conjunct that a consonant began.
    OtherExtend,
    Linker,
    /// U+200D
    Joiner,
    SpacingMark,
    Prepend,
    FlagLetter,
    HangulL,
    HangulV,
    HangulT,
    HangulLv,
    HangulLvt,
    Picture,
    Consonant,
}

impl Class {
    /// All classes, in the order of their letters in the table.
    const ALL: [Class; 18] = [
        Class::Other,
        Class::CarriageReturn,
        Class::LineFeed,
        Class::Control,
        Class::Extend,
        Class::OtherExtend,
        Class::Linker,
        Class::Joiner,
        Class::SpacingMark,
        Class::Prepend,
        Class::FlagLetter,
        Class::HangulL,
        Class::HangulV,
        Class::HangulT,
        Class::HangulLv,
        Class::HangulLvt,
        Class::Picture,
        Class::Consonant,
    ];
}

/// The classes of all characters.
pub struct Classes(Rc<[u8]>);

impl Classes {
    /// Returns the classes; decodes the table on the first call.
    pub fn load() -> Classes {
        Classes(COMMON.with(|common| common.get_or_init(|| CLASSES.letters_below(RARE).into()).clone()))
    }

    pub fn of(&self, character: char) -> Class {
        let code = u32::from(character);
        match code {
            0x20..=0x7e => Class::Other,
            // Each syllable of two letters precedes the 27 that have a third.
            0xac00..=0xd7a3 if (code - 0xac00).is_multiple_of(28) => Class::HangulLv,
            0xac00..=0xd7a3 => Class::HangulLvt,
            _ => {
                let letter = self.0.get(code as usize).copied().unwrap_or_else(|| CLASSES.letter_of(character));
                Class::ALL.get(usize::from(letter - b'A')).copied().unwrap_or_default()
            }
        }
    }
}

/// The first code point after the pictographs. Below it a list has the class of each character; searching the runs
/// takes ten times as long.
const RARE: u32 = 0x1fc00;

thread_local! {
    static DECODED: OnceCell<Decoded> = const { OnceCell::new() };
    static COMMON: OnceCell<Rc<[u8]>> = const { OnceCell::new() };
}

/// A letter is the index of a class in [`Class::ALL`], counted from `A`.
#[rustfmt::skip]
static CLASSES: Runs = Runs {
    decoded: &DECODED,
    lengths: b"\
:121BROQ191311bAS@XC7X7Q=11121211QH6:;11Q>E@1S571162214Q1111NKRK;QJ991H4191315Q;3QD259Q:H1Q01AQ51111\
3841217822D8112AD1711342111242222191421122<2<1221QH1132422331N231;21AD17121521135121121D2E16112AD171\
2152112142222173421122=1@1QK11123313191Q8131@D1@2113413131721372M12QH1112112131472;2?1<22AQ621124131\
31181:2M12R61412311171B2QM1117<8S21119;7R92K1111142QA>15125;1Q491QIQ;2416111221@62243132734=1112611>\
1S2S0R8RHZM3mB4L3M2N2<QD21781291191Q=311SE2Q21SF342342163VK2214QE11171111286:21Q@Q>2<D41626Q1:4218N9\
<21N1423122;3Q81123115Q@8822TH31=174161212V6R0`;1112H7=1<1F@S0Q1QA1F1RJ6?2[?2<1U61I;43V71W72:191QJ41\
5912122214121122131328351115<;2211211B122B6111232512242;25221521112D256142141212611211111613161:2?12\
141114311;2Q@391>1>1[D2^?3C2QC141\\I3T=1S0Q0a:61<1RK2_L111lnE41:Q02R@2X@13141G22141RC2QB@2JB=1Q68I;11\
<M331533Q41242221O5119:5Q:62222<1811B@13611112Q@113225211N;122511V9K821212111Zn2G4QAXi21g1@@@V?1TN2R\
@<`11W21TE5Qd51312544131M2341U52aM4R15YM2R=6R6;QA4SJ111QE?Q9122:31Q=34222141:1QB3Q451611?121Q;1<21Q@\
39111254111RL33246121TM138E22QG2111142222191:22735;:11211Q621261121131122111>2RB382311G1RA1261121121\
2W;12424212K2RB382112S:11128S51112415X03912V572128121H151223111111T=34224131K1:Q861148181623Q86=111V\
6113111V7171611RBF1171212SJ631121711R251212111ZK229211=1Q2253221G1UVE@16?[V8<33R^05QK7a<134_411QG74R\
A1;2cU;214TbLQ>2G`N5368827N4TD3QmKQG4QB81>1F51?QZ@71A271215S41U07[G1QM4_L4WN2WC1217251^J7S=7QeI1Q74S\
4<?2?1>2Q5:S@2<2>12:CQHJ1?:1D129149G6UL2S@22132RC23145WN1QO;61H7228<1242142=221829153<38321114161316\
RFQ@R6582A31162=VJQ6<4QH8:6Q88N2<42>9Q7<Q?1:1UIRH8>TBX0oNhPP2Q0S0T0W@S`@UlP0",
    letters: b"\
DCDBDADAQADQAEAEAEAEAEAEAEAJAEADAEAEAEJAEAEAEAJAEAEAEAEAEAEAEAEAEAEAJAEAEJEIAREIEAIEIGIAERAEARAEIARA\
RARARAEAEIEAIAIGAEARARAEARAEAEIAEAIEAEAEAEAEAEAEIARARARARAEAIEAEIAIGAEAREAEIARARARARAEAEIEAIAIGAEARA\
RAEARAEAEIEIAIAIEAEAEIEARARAEAEIAEAEGAEARAEAEIAEAIEIEIAEAEAEAEAIAEIAREAEIEAIAIGJAEAEAEIAEAEIEAEAIEAI\
AEAIEAEAEAIEAEAEAEAEAEAIAEIEAEAEAEAEARAEIEAGEIERARIERERARAREREAIEAERAEALMNAEAEAEAEAEAREIEIEIEGEAEAED\
EAEAEAEIEIAIEIEAEIEARIEIEAGAEAEIEAEAEAEAEIARAREIEGRAEAEIRIEIEGERARAEIEIEIEAIEIEAEAEIEAEAEAIEAEADFHDA\
DAQAQADAEAQAQAQAQAQAQAQAQAQAQAQAQAQAQAQAQAQAQAQAQAQAQAQAQAQAQAQAQAQAQAQAQAQAQAQAQAQAQAQAQAQAQAQAQAQA\
QAQAQAQAQAQAQAQAQAQAQAQAQAQAQAQAQAQAQAQAQAQAQAQAQAQAQAQAQAQAQAQAQAQAEAEAEAEQAQAEAQAQAEAEAEAEAEAEAEAI\
EIAEAIAIEAEAEAEAEIEALAEIARAREIEIEIGAREARARAEIEIEAEAEIARARARAEARAEAEAEAEAEARIEIAIGARAIEIEIAIEAMANAEAE\
AEADAEADAEAEAEAREAEAERARARAEAGAEAEAEAEAEAEAEAIEIAEAEAEAEIAIEIEAJAEAJAEREIEGEARIRAEAEIAIEIEAJAEAIEAIE\
IEAEAEAEIEAEIAEAEIEIAIAIEAEAIAEAEARARARARAEIEAEAEAEIAIEGJEAEAIEIEIEAEAEIEIEIEIEIEAEIEAIEIEAEAIEIEIEA\
EIEIEAEIEAEIEAIEIEARARARARAREIAIAEGJIJIEAIEAEIEAIAREREIAEAGAREIERJEIEGAEIEIEIAIEAEIEAEAIEIEIEAEAEAEA\
EJEAIAEAIEIEAEIAEJIRARIEAIEGAEADEAEAEIEAEAEAMAMAEAIAEAEAEAEADAEAEAEAEDEAEAEAEAEAEAEAEAEAEAEAEAEAEAEA\
EAEAEAEAEAEAEAEAEAEAEAEAQAQAQAQAQAQAQAQAQAQAQAQKAQAQAQAQAQAQAQAQAQAQAQAQAQEQAQAQAQAQAQAQAQAQAQAQAQAQ\
AQAQAQAQAQAQAQAQAQAQAQAQAQAQAQAQAQAQAQAQAQAQAQAQAQAQAQAQAQAQAQADEDEDA",
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unicode::runs::encode;
    use unicode_segmentation::UnicodeSegmentation;

    /// A character of each class.
    const ONE_OF_EACH: [char; 18] = [
        'a',
        '\r',
        '\n',
        '\0',
        '\u{300}',
        '\u{200c}',
        '\u{94d}',
        '\u{200d}',
        '\u{903}',
        '\u{600}',
        '\u{1f1e6}',
        '\u{1100}',
        '\u{1160}',
        '\u{11a8}',
        '\u{ac00}',
        '\u{ac01}',
        '\u{1f600}',
        '\u{915}',
    ];

    /// Returns how a character joins others: the lengths of the clusters of a text that has characters of
    /// every class before and after it.
    fn manners(c: char) -> Vec<usize> {
        let text = format!(
            "a{c}a{c}\u{300}\u{1100}{c}\u{1160}{c}\u{11a8}a\u{1f1e6}{c}a{c}\u{200d}\u{1f600}{c}\u{200d}\u{1f600}{c}\u{1f600}\
             a\u{915}{c}\u{915}\u{94d}{c}\u{915}a{c}\u{94d}\u{915}{c}\n\r{c}a\u{1160}{c}"
        );
        text.graphemes(true).map(|cluster| cluster.chars().count()).collect()
    }

    #[test]
    fn the_table_is_that_of_unicode() {
        let manners_of_classes = ONE_OF_EACH.map(manners);
        // All other code points have the class `Other`. Hangul syllables are not in the table.
        let codes = (0..0x2_0000).chain(0xe_0000..=0xe_1000).filter(|code| !(0xac00..=0xd7a3).contains(code));
        let (lengths, letters) = encode(codes, |character| {
            let manners = manners(character);
            b'A' + manners_of_classes.iter().position(|class| *class == manners).expect("a known class") as u8
        });
        assert!(
            (CLASSES.lengths, CLASSES.letters) == (lengths.as_bytes(), letters.as_bytes()),
            "{lengths}\n\n{letters}"
        );
    }

    #[test]
    fn every_class_is_found() {
        for (character, class) in ONE_OF_EACH.into_iter().zip(Class::ALL) {
            assert_eq!(Classes::load().of(character), class, "{character:?}");
        }
        assert_eq!(Classes::load().of('\u{ac1c}'), Class::HangulLv);
    }
}
