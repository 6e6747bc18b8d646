//! The language of a text, by whatlang. That compares a text with the trigrams of every language of its script, 37 for
//! Latin letters, which takes longer than all else that is found in a page; so common words tell which are likely.

use hashbrown::HashMap;
use std::cmp::Reverse;
use std::sync::LazyLock;
use whatlang::{Detector, Info, Lang};

/// Words that are frequent in a language and short, for those that are written with Latin letters.
#[rustfmt::skip]
const COMMON: [(Lang, &str); 36] = [
    (Lang::Afr, "die en van is in nie het dat op te vir met om sy wat dit aan was"),
    (Lang::Aka, "na no ne wɔ a sɛ yɛ ho mu de ma sɛe wo"),
    (Lang::Aze, "və bir bu da də üçün ilə olan o ki kimi daha çox var"),
    (Lang::Cat, "el la de que i en un una per amb els les no és del al es com més"),
    (Lang::Ces, "a je v na se že to s z do o pro jako by ve jsou ale si za od"),
    (Lang::Dan, "og at det er en til af på for med som den ikke der har de i et kan fra"),
    (Lang::Deu, "der die das und ist in den von zu mit sie des auf nicht ein eine im dem es"),
    (Lang::Eng, "the of and to in is that for it with as be this are or on by not from at"),
    (Lang::Epo, "la de kaj en estas al ne por ke mi kun li sed ĝi pri el ĉi"),
    (Lang::Est, "ja on ei see et oli kui ta mis aga või ka seda oma kes siis"),
    (Lang::Fin, "ja on ei se että oli ovat mutta kun hän myös tai joka niin voi sen ole"),
    (Lang::Fra, "le la les de des et est un une que dans pour qui en sur du pas par vous ne"),
    (Lang::Hrv, "i je u na se da za su s od ne koji kao iz a bi što ili"),
    (Lang::Hun, "a az és hogy nem is egy meg ez volt de el csak van ha mint ki"),
    (Lang::Ind, "yang dan di ini itu dengan untuk dari dalam tidak akan pada juga ke oleh"),
    (Lang::Ita, "il la di che e un una per in è non del con sono della le si da i dei"),
    (Lang::Jav, "ing lan sing iku kang saka ana karo ora uga dadi"),
    (Lang::Lat, "et in est non ad ut cum quod qui sed si ex quae per esse sunt"),
    (Lang::Lav, "un ir par ar no uz kas ka to tas lai arī vai bet"),
    (Lang::Lit, "ir yra kad į su iš kaip tai bet o ne apie jo per"),
    (Lang::Nld, "de het een van en is dat op te in voor met niet zijn die aan er om ook als"),
    (Lang::Nob, "og å det er en til av på for med som den ikke har de i et kan fra at"),
    (Lang::Pol, "i w na z się nie do to jest że o jak po co od za dla przez są ale"),
    (Lang::Por, "o a os de que e em um uma para com não do da se na no por mais dos"),
    (Lang::Ron, "și de în la a cu pe nu o că din este care mai sau pentru un ce se"),
    (Lang::Slk, "a je v na sa že to s z do o pre ako by vo sú ale si za od"),
    (Lang::Slv, "in je v na se da za so ki z s ne pa bi kot po od tudi"),
    (Lang::Sna, "uye kuti mu pa ku ne zva asi ari"),
    (Lang::Spa, "el la los de que y en un una es por con para las del se no como su al"),
    (Lang::Swe, "och att det som en är på av för med den till inte om har ett i de kan"),
    (Lang::Tgl, "ang ng sa na at mga ay ito para si hindi ko niya"),
    (Lang::Tuk, "we bir bu bilen üçin hem ol da de ýaly"),
    (Lang::Tur, "ve bir bu da de için ile olarak ne gibi daha çok en var o olan kadar"),
    (Lang::Uzb, "va bir bu bilan uchun ham u esa edi deb"),
    (Lang::Vie, "và của là có trong cho một các người con hay khi ra"),
    (Lang::Zul, "ukuthi uma futhi noma ngoba kodwa lo na"),
];
const MAX_LETTERS: usize = 8;
/// Languages that are looked at, if a text has words of one.
const NUM_LIKELY: usize = 6;
/// Words from which on their languages are believed, and one in how many must be of the likeliest.
const MIN_WORDS: u32 = 30;
const SHARE: u32 = 16;

/// By word a bit for each language that has it.
static LANGUAGES: LazyLock<HashMap<&[u8], u64>> = LazyLock::new(|| {
    let mut languages = HashMap::new();
    for (place, (_, words)) in COMMON.iter().enumerate() {
        for word in words.split(' ') {
            *languages.entry(word.as_bytes()).or_insert(0) |= 1 << place;
        }
    }
    languages
});

/// What whatlang says of a text.
pub fn detect(text: &str) -> Option<Info> {
    let likely = find_likely(text.as_bytes()).map(Detector::with_allowlist);
    let found = likely.and_then(|detector| detector.detect(text));
    found.or_else(|| whatlang::detect(text))
}

/// The languages whose words a text has most of; None where it has few of all, or is not in Latin letters.
fn find_likely(text: &[u8]) -> Option<Vec<Lang>> {
    let num_ascii = text.iter().filter(|byte| byte.is_ascii()).count();
    if 5 * num_ascii < 4 * text.len() {
        return None;
    }
    let languages = &*LANGUAGES;
    let (mut counts, mut num_words) = ([0_u32; COMMON.len()], 0);
    for word in text.split(|byte| byte.is_ascii() && !byte.is_ascii_alphabetic()) {
        num_words += u32::from(!word.is_empty());
        let mut folded = [0; MAX_LETTERS];
        let Some(folded) = folded.get_mut(..word.len()) else {
            continue;
        };
        folded.copy_from_slice(word);
        folded.make_ascii_lowercase();
        let mut bits = languages.get(&*folded).copied().unwrap_or(0);
        while bits != 0 {
            counts[bits.trailing_zeros() as usize] += 1;
            bits &= bits - 1;
        }
    }
    let best = counts.iter().max()?;
    if num_words < MIN_WORDS || best * SHARE < num_words {
        return None;
    }
    let mut order: Vec<usize> = (0..COMMON.len()).collect();
    order.sort_by_key(|&place| Reverse(counts[place]));
    Some(
        order[..NUM_LIKELY]
            .iter()
            .map(|&place| COMMON[place].0)
            .collect(),
    )
}
