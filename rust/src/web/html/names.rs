//! Names of tags and attributes, and what they mean for a scan.

/// Tags that a scan treats apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tag {
    A,
    Area,
    Base,
    Embed,
    Frame,
    Html,
    Iframe,
    Img,
    Link,
    /// `audio`, `source`, `track`, `video`.
    Media,
    Meta,
    Object,
    Plaintext,
    /// `noembed`, `noframes`: no tags inside, and nothing that is shown.
    Raw,
    Script,
    Style,
    Svg,
    Template,
    Textarea,
    Title,
    Xmp,
    Other,
}

impl Tag {
    pub fn find(name: &[u8]) -> Tag {
        match name {
            b"a" => Tag::A,
            b"area" => Tag::Area,
            b"audio" | b"source" | b"track" | b"video" => Tag::Media,
            b"base" => Tag::Base,
            b"embed" => Tag::Embed,
            b"frame" => Tag::Frame,
            b"html" => Tag::Html,
            b"iframe" => Tag::Iframe,
            b"img" | b"image" => Tag::Img,
            b"link" => Tag::Link,
            b"meta" => Tag::Meta,
            b"noembed" | b"noframes" => Tag::Raw,
            b"object" => Tag::Object,
            b"plaintext" => Tag::Plaintext,
            b"script" => Tag::Script,
            b"style" => Tag::Style,
            b"svg" | b"math" => Tag::Svg,
            b"template" => Tag::Template,
            b"textarea" => Tag::Textarea,
            b"title" => Tag::Title,
            b"xmp" => Tag::Xmp,
            _ => Tag::Other,
        }
    }
}

/// Attributes that a scan reads.
#[derive(Debug, Clone, Copy)]
pub enum Attribute {
    Href,
    Src,
    Rel,
    Name,
    Content,
    HttpEquiv,
    Data,
    Lang,
    XlinkHref,
    ShadowRootMode,
}

impl Attribute {
    pub const COUNT: usize = 10;

    pub fn find(name: &[u8]) -> Option<Attribute> {
        let (wanted, which): (&[u8], _) = match (name.len(), name[0] | 0x20) {
            (4, b'h') => (b"href", Attribute::Href),
            (3, b's') => (b"src", Attribute::Src),
            (3, b'r') => (b"rel", Attribute::Rel),
            (4, b'n') => (b"name", Attribute::Name),
            (7, b'c') => (b"content", Attribute::Content),
            (10, b'h') => (b"http-equiv", Attribute::HttpEquiv),
            (4, b'd') => (b"data", Attribute::Data),
            (4, b'l') => (b"lang", Attribute::Lang),
            (10, b'x') => (b"xlink:href", Attribute::XlinkHref),
            (14, b's') => (b"shadowrootmode", Attribute::ShadowRootMode),
            _ => return None,
        };
        name.eq_ignore_ascii_case(wanted).then_some(which)
    }
}

/// Where a link stands; the first are links to pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd)]
pub enum Kind {
    Anchor,
    Area,
    Frame,
    Iframe,
    Refresh,
    Canonical,
    Next,
    Prev,
    Alternate,
    Amp,
    /// A `link` that is none of the others: `rel=author`, `rel=license`.
    Link,
    Stylesheet,
    Icon,
    Image,
    Script,
    Embed,
    Object,
    Media,
}

impl Kind {
    pub const NAMES: [&str; 18] = [
        "anchor",
        "area",
        "frame",
        "iframe",
        "refresh",
        "canonical",
        "next",
        "prev",
        "alternate",
        "amp",
        "link",
        "stylesheet",
        "icon",
        "image",
        "script",
        "embed",
        "object",
        "media",
    ];

    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    pub fn is_page(self) -> bool {
        self <= Kind::Link
    }

    /// What a `link` with this `rel` is; None for hints to browsers, which name no document.
    pub fn of_rel(rel: &[u8]) -> Option<Kind> {
        let mut found = Kind::Link;
        for token in rel
            .split(u8::is_ascii_whitespace)
            .filter(|token| !token.is_empty())
        {
            let is = |name: &str| token.eq_ignore_ascii_case(name.as_bytes());
            let hints = [
                "preload",
                "prefetch",
                "modulepreload",
                "dns-prefetch",
                "preconnect",
            ];
            if is("stylesheet") {
                return Some(Kind::Stylesheet);
            } else if hints.into_iter().chain(["prerender", "pingback"]).any(is) {
                return None;
            } else if is("icon") || is("manifest") || is("mask-icon") || is_touch_icon(token) {
                return Some(Kind::Icon);
            } else if is("canonical") {
                found = Kind::Canonical;
            } else if is("next") {
                found = Kind::Next;
            } else if is("prev") || is("previous") {
                found = Kind::Prev;
            } else if is("amphtml") {
                found = Kind::Amp;
            } else if is("alternate") && found == Kind::Link {
                found = Kind::Alternate;
            }
        }
        Some(found)
    }
}

/// `apple-touch-icon`, `apple-touch-icon-precomposed`.
fn is_touch_icon(token: &[u8]) -> bool {
    let name = b"apple-touch-icon";
    token.len() >= name.len() && token[..name.len()].eq_ignore_ascii_case(name)
}

/// Bits of `rel`: nofollow 1, ugc 2, sponsored 4.
pub fn rel(value: &[u8]) -> u8 {
    let tokens = value.split(u8::is_ascii_whitespace);
    tokens.fold(0, |bits, token| {
        let names = ["nofollow", "ugc", "sponsored"];
        let place = names
            .iter()
            .position(|name| token.eq_ignore_ascii_case(name.as_bytes()));
        bits | place.map_or(0, |place| 1 << place)
    })
}

/// Elements whose content is read in another way: SVG and MathML in lower case, HTML within them in upper case.
pub fn nesting(name: &[u8]) -> Option<u8> {
    match name {
        b"svg" => Some(b's'),
        b"math" => Some(b'm'),
        b"foreignobject" => Some(b'F'),
        b"desc" => Some(b'D'),
        b"title" => Some(b'T'),
        b"mi" | b"mo" | b"mn" | b"ms" | b"mtext" => Some(b'I'),
        b"annotation-xml" => Some(b'X'),
        _ => None,
    }
}

/// Elements of HTML that end SVG and MathML wherever they stand.
pub fn breaks_out(name: &[u8]) -> bool {
    const NAMES: &str = " b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img \
        li listing menu meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul var ";
    is_in(NAMES, name)
}

/// Elements that do not begin a line.
pub fn is_inline(name: &[u8]) -> bool {
    const NAMES: &str = " a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr q rp rt \
        ruby s samp small span strike strong sub sup time tt u var wbr ";
    is_in(NAMES, name)
}

fn is_in(names: &str, name: &[u8]) -> bool {
    name.len() <= 10
        && names
            .split_ascii_whitespace()
            .any(|known| known.as_bytes() == name)
}
