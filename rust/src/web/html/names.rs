//! Names of tags and attributes, and what they mean for a scan.

use memchr::memmem;

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
    /// Whether its content has no tags, so that it is one thing and not many.
    pub const fn is_raw(self) -> bool {
        matches!(
            self,
            Self::Script
                | Self::Style
                | Self::Title
                | Self::Textarea
                | Self::Xmp
                | Self::Iframe
                | Self::Raw
        )
    }

    fn find(name: &[u8]) -> Tag {
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
    Type,
    Class,
    Id,
    Role,
    ItemProp,
    Style,
    Hidden,
    AriaHidden,
    AccessKey,
    Srcset,
    ImageSrcset,
    Poster,
    Background,
    BgColor,
    Size,
}

impl Attribute {
    pub const COUNT: usize = Attribute::Size as usize + 1;

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
            (4, b't') => (b"type", Attribute::Type),
            (5, b'c') => (b"class", Attribute::Class),
            (2, b'i') => (b"id", Attribute::Id),
            (4, b'r') => (b"role", Attribute::Role),
            (8, b'i') => (b"itemprop", Attribute::ItemProp),
            (5, b's') => (b"style", Attribute::Style),
            (6, b'h') => (b"hidden", Attribute::Hidden),
            (11, b'a') => (b"aria-hidden", Attribute::AriaHidden),
            (9, b'a') => (b"accesskey", Attribute::AccessKey),
            (6, b's') => (b"srcset", Attribute::Srcset),
            (11, b'i') => (b"imagesrcset", Attribute::ImageSrcset),
            (6, b'p') => (b"poster", Attribute::Poster),
            (10, b'b') => (b"background", Attribute::Background),
            (7, b'b') => (b"bgcolor", Attribute::BgColor),
            (4, b's') => (b"size", Attribute::Size),
            _ => return None,
        };
        name.eq_ignore_ascii_case(wanted).then_some(which)
    }
}

/// Where a link stands, in the order of `webstrata.web.html.Kind`; the first are links to pages.
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
    /// `rel=preload` and `rel=modulepreload`.
    Preload,
    Manifest,
    /// In CSS of the page itself.
    Style,
}

impl Kind {
    pub fn is_page(self) -> bool {
        self <= Kind::Link
    }

    /// What a `link` with this `rel` is; None for hints to browsers, which name no document.
    pub fn of_rel(rel: &[u8]) -> Option<Kind> {
        let mut found = Kind::Link;
        for token in rel.to_ascii_lowercase().split(u8::is_ascii_whitespace) {
            match token {
                b"stylesheet" => return Some(Kind::Stylesheet),
                b"icon" | b"mask-icon" => return Some(Kind::Icon),
                _ if token.starts_with(b"apple-touch-icon") => return Some(Kind::Icon),
                b"manifest" => return Some(Kind::Manifest),
                b"preload" | b"modulepreload" => return Some(Kind::Preload),
                b"prefetch" | b"dns-prefetch" | b"preconnect" | b"prerender" | b"pingback" => {
                    return None;
                }
                b"canonical" => found = Kind::Canonical,
                b"next" => found = Kind::Next,
                b"prev" | b"previous" => found = Kind::Prev,
                b"amphtml" => found = Kind::Amp,
                b"alternate" if found == Kind::Link => found = Kind::Alternate,
                _ => {}
            }
        }
        Some(found)
    }
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

/// Whether a `script` of this type is text: no program, and no JSON, which often has times and keys in it.
pub fn is_template(kind: Option<&[u8]>) -> bool {
    let kind = kind.unwrap_or_default().to_ascii_lowercase();
    let has = |word: &[u8]| memmem::find(&kind, word).is_some();
    has(b"/") && !has(b"script") && !has(b"json")
}

/// Elements whose content is read in another way: SVG and MathML in lower case, HTML within them in upper case.
fn nesting(name: &[u8]) -> Option<u8> {
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

/// Whether an element goes on in the line, and whether it ends SVG and MathML wherever it stands.
fn layout(name: &[u8]) -> (bool, bool) {
    match name {
        b"b" | b"big" | b"code" | b"em" | b"i" | b"img" | b"nobr" | b"ruby" | b"s" | b"small"
        | b"span" | b"strong" | b"strike" | b"sub" | b"sup" | b"tt" | b"u" | b"var" => (true, true),
        b"a" | b"abbr" | b"acronym" | b"bdi" | b"bdo" | b"cite" | b"data" | b"del" | b"dfn"
        | b"font" | b"ins" | b"kbd" | b"label" | b"mark" | b"q" | b"rp" | b"rt" | b"samp"
        | b"time" | b"wbr" => (true, false),
        b"blockquote" | b"body" | b"br" | b"center" | b"dd" | b"div" | b"dl" | b"dt" | b"embed"
        | b"h1" | b"h2" | b"h3" | b"h4" | b"h5" | b"h6" | b"head" | b"hr" | b"li" | b"listing"
        | b"menu" | b"meta" | b"ol" | b"p" | b"pre" | b"table" | b"ul" => (false, true),
        _ => (false, false),
    }
}

/// Elements without content.
fn is_void(name: &[u8]) -> bool {
    matches!(
        name,
        b"area"
            | b"base"
            | b"basefont"
            | b"bgsound"
            | b"br"
            | b"col"
            | b"embed"
            | b"frame"
            | b"hr"
            | b"img"
            | b"image"
            | b"input"
            | b"keygen"
            | b"link"
            | b"meta"
            | b"param"
            | b"source"
            | b"track"
            | b"wbr"
    )
}

/// A name in lower case as a number: eight bytes tell short names apart, the last of them being the length; longer
/// ones are hashed.
pub const fn key(name: &[u8]) -> u64 {
    let mut place = name.len();
    if place > 7 {
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        while place > 0 {
            place -= 1;
            hash = (hash ^ name[place] as u64).wrapping_mul(0x100_0000_01b3);
        }
        return hash | 1 << 63;
    }
    let mut key = place as u64;
    while place > 0 {
        place -= 1;
        key = key << 8 | name[place] as u64;
    }
    key
}

/// What the name of an element means for a scan.
#[derive(Debug, Clone, Copy)]
pub struct Meaning {
    pub tag: Tag,
    /// Whether it goes on in the line.
    pub is_inline: bool,
    /// Whether it ends SVG and MathML wherever it stands.
    pub is_breaking: bool,
    pub nesting: Option<u8>,
    /// Its name, as `key` writes it.
    pub key: u64,
    /// Whether it is an element of the outline.
    pub begins_block: bool,
    /// Whether it ends a block and has no content.
    pub ends_block: bool,
}

impl Meaning {
    fn of(name: &[u8]) -> Self {
        let (is_inline, is_breaking) = layout(name);
        let tag = Tag::find(name);
        let is_unseen = matches!(
            tag,
            Tag::Script | Tag::Style | Tag::Template | Tag::Title | Tag::Iframe | Tag::Raw
        );
        Self {
            tag,
            key: key(name),
            begins_block: !is_inline && !is_void(name) && !is_unseen && name != b"head",
            ends_block: name == b"hr",
            is_inline,
            is_breaking,
            nesting: nesting(name),
        }
    }
}

/// Meanings of names that came before: a page has few of them, and to compare each with a hundred takes long.
pub struct Known([(u64, Meaning); 64]);

impl Default for Known {
    fn default() -> Self {
        Self([(0, Meaning::of(b"")); 64])
    }
}

impl Known {
    /// The meaning of a name in lower case.
    #[inline]
    pub fn find(&mut self, name: &[u8]) -> Meaning {
        if name.len() > 7 {
            return Meaning::of(name);
        }
        let key = key(name);
        let slot = &mut self.0[(key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58) as usize];
        if slot.0 != key {
            *slot = (key, Meaning::of(name));
        }
        slot.1
    }
}
