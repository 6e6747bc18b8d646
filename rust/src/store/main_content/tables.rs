//! Tables of data, told from those that lay out the page.

use super::{Kind, length};
use crate::web::html::outline::Outline;

/// Bytes of a block that is long for a cell of data.
const MIN_LONG: u64 = 150;

/// What a table has of its own, without those within it.
#[derive(Debug, Clone, Copy, Default)]
struct Grid {
    rows: u32,
    cells: u32,
    /// Bytes of text, and those in long blocks.
    size: u64,
    long: u64,
    has_head: bool,
    is_nested: bool,
    is_data: bool,
}

/// The tables of a page; filled again for the next one.
#[derive(Default)]
pub struct Tables {
    /// The number of the innermost table around each element, 0 where there is none.
    numbers: Vec<u32>,
    grids: Vec<Grid>,
}

impl Tables {
    /// Whether an element is in a data table, the innermost table around it counting.
    pub fn is_data(&self, number: usize) -> bool {
        let table = self.numbers[number] as usize;
        table > 0 && self.grids[table].is_data
    }

    /// Whether an element is in a table.
    pub fn has(&self, number: usize) -> bool {
        self.numbers[number] > 0
    }

    pub fn find(&mut self, outline: &Outline, kinds: &[Kind]) {
        let nodes = &outline.nodes;
        self.numbers.clear();
        self.grids.clear();
        self.numbers.resize(nodes.len(), 0);
        self.grids.resize(nodes.len(), Grid::default());
        if !kinds.iter().any(|kind| kind.is_table) {
            return;
        }
        for (number, node) in nodes.iter().enumerate() {
            let (kind, around) = (&kinds[number], self.numbers[node.parent as usize]);
            if kind.is_table {
                self.grids[around as usize].is_nested = true;
            }
            let table = if kind.is_table { number as u32 } else { around };
            self.numbers[number] = table;
            let grid = &mut self.grids[table as usize];
            grid.rows += u32::from(kind.is_row);
            grid.cells += u32::from(kind.is_cell);
            grid.has_head |= kind.is_head;
        }
        for block in &outline.blocks {
            let grid = &mut self.grids[self.numbers[block.node as usize] as usize];
            let size = length(block);
            grid.size += size;
            grid.long += if size >= MIN_LONG { size } else { 0 };
        }
        for (number, kind) in kinds.iter().enumerate().take(nodes.len()).skip(1) {
            if kind.is_table && !lays_out(outline.names(number)) {
                let grid = &mut self.grids[number];
                let is_even = grid.rows > 1 && grid.cells >= 2 * grid.rows;
                let is_short = 2 * grid.long <= grid.size;
                grid.is_data = grid.has_head || is_even && is_short && !grid.is_nested;
            }
        }
    }
}

/// Whether the role of a table says that it lays out the page.
fn lays_out(names: &[u8]) -> bool {
    names.split(u8::is_ascii_whitespace).any(|name| {
        name.eq_ignore_ascii_case(b"@presentation") || name.eq_ignore_ascii_case(b"@none")
    })
}
