//! The markup around the words and links of a page; what each fragment is for, `theme.py` says.

#[derive(Clone, Debug, Default)]
pub struct Theme {
    pub head: Vec<u8>,
    pub item: Vec<u8>,
    pub item_end: Vec<u8>,
    pub link: Vec<u8>,
    pub paragraph: Vec<u8>,
    pub main: Vec<u8>,
    pub main_end: Vec<u8>,
}

impl Theme {
    pub fn new([head, item, item_end, link, paragraph, main, main_end]: [Vec<u8>; 7]) -> Self {
        Self {
            head,
            item,
            item_end,
            link,
            paragraph,
            main,
            main_end,
        }
    }
}
