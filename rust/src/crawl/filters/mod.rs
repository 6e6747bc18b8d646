//! Filters: Boolean expressions over predicates, in the form that Python's compiler leaves them in.
//!
//! A program is one node per line, parents before children: `and N`, `or N`, `not`, `true`, `false`, `ask N` (a
//! predicate that only Python can tell), or a test with its arguments behind tabs (`\t`, `\n`, `\\` are escapes).
//! Which predicates there are and which tests they become is in `src/webstrata/crawl/filters/predicates.py`.

pub mod repeats;
mod test;

use std::collections::HashMap;
use test::Test;

/// What a filter looks at: a URL, the page it was found on, and the response once there is one.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    /// in normal form
    pub url: &'a str,
    pub source: Option<&'a str>,
    /// link distance from the first URL of the host
    pub depth: u32,
    pub response: Option<&'a Facts<'a>>,
}

/// What a filter may want to know of a response.
pub struct Facts<'a> {
    pub status: u16,
    /// as the header has it, empty if there is none
    pub content_type: &'a str,
    /// decoded
    pub body: &'a [u8],
    /// SHA-1 of the payload
    pub digest: &'a [u8; 20],
    pub is_duplicate: bool,
    /// the code of the page's language, computed only if a filter asks
    pub language: &'a dyn Fn() -> Option<String>,
}

enum Node {
    All(Vec<Node>),
    Any(Vec<Node>),
    Not(Box<Node>),
    Constant(bool),
    Test(Test),
    Ask(usize),
}

pub struct Filter {
    root: Node,
    has_external: bool,
    /// whether it looks at the page that a link stands on
    pub has_source: bool,
}

/// Trees deeper than this are refused, so that no program can exhaust the stack.
const MAX_DEPTH: usize = 200;

impl Filter {
    pub fn compile(program: &str) -> Result<Self, String> {
        let mut lines = program.lines();
        let mut has_external = false;
        let root = read(&mut lines, &mut has_external, 0)?;
        match lines.next() {
            Some(line) => Err(format!("nothing was expected behind the program: {line}")),
            None => Ok(Filter {
                root,
                has_external,
                has_source: program.lines().any(|line| line.starts_with("same-")),
            }),
        }
    }

    /// Whether a predicate of Python's is among the tests.
    pub fn has_external(&self) -> bool {
        self.has_external
    }

    /// None if only Python can tell (Kleene: `false and ?` is false, `true or ?` is true).
    pub fn admits(&self, subject: &Subject) -> Option<bool> {
        self.root.tell(&Parts::of(subject), &|_| None).ok()
    }

    /// The same for many. The oracle is given the number of a predicate of Python's and the places of the subjects for
    /// which its answer matters, which depends on the answers before: nobody is asked about what is decided.
    pub fn admits_batch(
        &self,
        subjects: &[Subject],
        oracle: &mut dyn FnMut(usize, &[usize]) -> Vec<bool>,
    ) -> Vec<bool> {
        let mut admitted = vec![false; subjects.len()];
        let mut answers = HashMap::new();
        let mut waiting = HashMap::<usize, Vec<usize>>::new();
        let mut places: Vec<usize> = (0..subjects.len()).collect();
        loop {
            for place in places.drain(..) {
                let known = |number| answers.get(&(number, place)).copied();
                match self.root.tell(&Parts::of(&subjects[place]), &known) {
                    Ok(is_admitted) => admitted[place] = is_admitted,
                    Err(number) => waiting.entry(number).or_default().push(place),
                }
            }
            // the leftmost first: by then nearly all who may need it wait for it
            let Some(&number) = waiting.keys().min() else {
                return admitted;
            };
            places = waiting.remove(&number).unwrap_or_default();
            let mut told = oracle(number, &places).into_iter();
            for &place in &places {
                answers.insert((number, place), told.next().unwrap_or(false));
            }
        }
    }
}

/// A subject with its URL taken apart.
pub(crate) struct Parts<'a> {
    subject: &'a Subject<'a>,
    scheme: &'a str,
    host: &'a str,
    /// path and query
    target: &'a str,
}

impl<'a> Parts<'a> {
    fn of(subject: &'a Subject<'a>) -> Self {
        let (scheme, host, target) = split(subject.url);
        Parts {
            subject,
            scheme,
            host,
            target,
        }
    }

    fn path(&self) -> &'a str {
        let end = memchr::memchr(b'?', self.target.as_bytes());
        &self.target[..end.unwrap_or(self.target.len())]
    }
}

/// Scheme, host without port, path and query of a normal form; of other texts, something.
fn split(url: &str) -> (&str, &str, &str) {
    let (scheme, rest) = match url.strip_prefix("http://") {
        Some(rest) => ("http", rest),
        None => url.split_once("://").unwrap_or(("", url)),
    };
    let end = memchr::memchr2(b'/', b'?', rest.as_bytes()).unwrap_or(rest.len());
    let (authority, target) = rest.split_at(end);
    // of names and addresses in brackets, those with a port alone end in a digit
    let host = match authority.as_bytes() {
        [.., b'0'..=b'9'] => authority
            .rsplit_once(':')
            .map_or(authority, |(host, _)| host),
        _ => authority,
    };
    (scheme, host, target)
}

impl Node {
    /// What is true, or else the first predicate of Python's whose answer could decide.
    fn tell(&self, parts: &Parts, known: &dyn Fn(usize) -> Option<bool>) -> Result<bool, usize> {
        let (nodes, decisive) = match self {
            Node::Test(test) => return Ok(test.holds(parts)),
            Node::Constant(value) => return Ok(*value),
            Node::Not(node) => return node.tell(parts, known).map(|value| !value),
            Node::Ask(number) => return known(*number).ok_or(*number),
            Node::All(nodes) => (nodes, false),
            Node::Any(nodes) => (nodes, true),
        };
        let mut outcome = Ok(!decisive);
        for node in nodes {
            match node.tell(parts, known) {
                Ok(value) if value == decisive => return Ok(value),
                Err(number) if outcome.is_ok() => outcome = Err(number),
                _ => {}
            }
        }
        outcome
    }
}

fn read<'a>(
    lines: &mut impl Iterator<Item = &'a str>,
    has_external: &mut bool,
    depth: usize,
) -> Result<Node, String> {
    let line = lines.next().ok_or("the program ends too early")?;
    if depth > MAX_DEPTH {
        return Err(format!(
            "more than {MAX_DEPTH} nodes stand within each other"
        ));
    }
    let mut next = || read(lines, has_external, depth + 1);
    let (name, rest) = line.split_once(' ').unwrap_or((line, ""));
    let number = || rest.parse().map_err(|_| format!("no number: {line}"));
    Ok(match name {
        "and" => Node::All((0..number()?).map(|_| next()).collect::<Result<_, _>>()?),
        "or" => Node::Any((0..number()?).map(|_| next()).collect::<Result<_, _>>()?),
        "not" => Node::Not(next()?.into()),
        "true" => Node::Constant(true),
        "false" => Node::Constant(false),
        "ask" => {
            *has_external = true;
            Node::Ask(number()?)
        }
        _ => {
            let mut words = line.split('\t');
            let name = words.next().unwrap_or("");
            Node::Test(Test::new(name, words.map(unescape).collect())?)
        }
    })
}

fn unescape(word: &str) -> String {
    let mut letters = word.chars();
    std::iter::from_fn(|| match letters.next()? {
        '\\' => match letters.next()? {
            't' => Some('\t'),
            'n' => Some('\n'),
            'r' => Some('\r'),
            other => Some(other),
        },
        letter => Some(letter),
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_is_asked_about_what_is_decided() {
        let program = "or 2\nand 2\nhost\ta\nask 0\nand 2\nask 1\nscheme\thttps";
        let filter = Filter::compile(program).unwrap();
        let urls = ["http://a/", "http://b/", "https://b/", "https://a/"];
        let subjects = urls.map(|url| Subject {
            url,
            source: None,
            depth: 0,
            response: None,
        });
        let told = subjects.each_ref().map(|subject| filter.admits(subject));
        assert_eq!(told, [None, Some(false), None, None]);
        let mut asked = Vec::new();
        let admitted = filter.admits_batch(&subjects, &mut |number, places| {
            asked.push((number, places.to_vec()));
            places
                .iter()
                .map(|place| number == 1 && *place == 3)
                .collect()
        });
        assert_eq!(asked, [(0, vec![0, 3]), (1, vec![2, 3])]);
        assert_eq!(admitted, [false, false, false, true]);
    }

    #[test]
    fn a_program_that_makes_no_sense_is_refused() {
        for program in [
            "",
            "and 2\ntrue",
            "true\ntrue",
            "ask x",
            "no-such-test",
            "digest\tab",
        ] {
            assert!(Filter::compile(program).is_err(), "{program}");
        }
        assert!(Filter::compile(&"not\n".repeat(100_000)).is_err());
    }
}
