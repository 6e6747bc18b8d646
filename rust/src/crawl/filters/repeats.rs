//! Sequences of path segments that stand several times behind each other, as in `/foo/bar/foo/bar/`.

use xxhash_rust::xxh3::xxh3_64;

/// Whether some sequence of segments is repeated, one directly behind the other, at least so many times.
///
/// Main and Lorentz (1984): a repetition that lies in neither half of the path crosses its middle, and all of those
/// are found with four Z-functions, in linear time. The halves follow by recursion: O(n log n) for n segments.
pub fn has_repeat(path: &str, times: usize) -> bool {
    let path = path.strip_prefix('/').unwrap_or(path);
    let path = path.strip_suffix('/').unwrap_or(path);
    let times = times.max(2);
    let slashes = memchr::memchr_iter(b'/', path.as_bytes());
    let mut starts = [0; 16];
    let num_segments = slashes.fold(1, |place, slash| {
        starts[place % 16] = slash + 1;
        place + 1
    });
    let segment = |place: usize| {
        let end = if place + 1 < num_segments {
            starts[place + 1] - 1
        } else {
            path.len()
        };
        &path.as_bytes()[starts[place]..end]
    };
    // in most paths no segment comes twice, which is found out faster than the rest begins
    let has_twins = |place| (0..place).any(|before| segment(before) == segment(place));
    if num_segments < times || (num_segments <= 16 && !(1..num_segments).any(has_twins)) {
        return false;
    }
    let segments = path.as_bytes().split(|byte| *byte == b'/').map(xxh3_64);
    search(&segments.collect::<Vec<_>>(), times)
}

fn search(text: &[u64], times: usize) -> bool {
    if text.len() < times {
        return false;
    }
    let (left, right) = text.split_at(text.len() / 2);
    let reverse = |part: &[u64]| part.iter().rev().copied().collect::<Vec<_>>();
    search(left, times)
        || search(right, times)
        || crosses(left, right, times)
        || crosses(&reverse(right), &reverse(left), times)
}

/// Whether a repetition goes over from `left` to `right` with a whole period in `right`.
fn crosses(left: &[u64], right: &[u64], times: usize) -> bool {
    let ahead = z_function(right.iter().copied());
    // how far the ends of `left` and of all up to a place of `right` agree, read backwards
    let backwards = || left.iter().rev().copied();
    let back = z_function(
        backwards()
            .chain(right.iter().rev().copied())
            .chain(backwards()),
    );
    (1..=right.len()).any(|period| {
        let after = ahead.get(period).copied().unwrap_or(0);
        let before = back
            .get(left.len() + right.len() - period)
            .copied()
            .unwrap_or(0);
        // every place from `before` left of the middle to `after` right of it equals the one a period later
        before.min(left.len()) + after + period >= times * period
    })
}

/// For each place of a text, how much of what begins there the text itself begins with.
fn z_function(text: impl Iterator<Item = u64>) -> Vec<usize> {
    let text: Vec<u64> = text.collect();
    let mut z = vec![0; text.len()];
    let (mut start, mut end) = (0, 0);
    for place in 1..text.len() {
        let mut length = if place < end {
            z[place - start].min(end - place)
        } else {
            0
        };
        while place + length < text.len() && text[length] == text[place + length] {
            length += 1;
        }
        if place + length > end {
            (start, end) = (place, place + length);
        }
        z[place] = length;
    }
    z
}
