//! SVG and MathML within HTML, and HTML within them, as far as a stack of open elements tells.

use super::Scanner;

impl Scanner<'_> {
    /// Whether what comes is SVG or MathML, and no HTML within it.
    pub(super) fn is_foreign(&self) -> bool {
        self.scan.nesting.last().is_some_and(u8::is_ascii_lowercase)
    }

    /// Whether an element of this sort changes what its content is. Deep nesting is not followed: a bound for the time.
    pub(super) fn may_nest(&self, point: u8) -> bool {
        let outer = self.scan.nesting.last();
        let is_deep = self.scan.nesting.len() >= 32;
        let parent = [b's', b'm'][usize::from(matches!(point, b'I' | b'X'))];
        !is_deep && (point.is_ascii_lowercase() || outer == Some(&parent))
    }

    pub(super) fn leave_foreign(&mut self) {
        while self.is_foreign() {
            self.scan.nesting.pop();
            (self.is_muted, self.is_style) = (false, false);
        }
    }
}
