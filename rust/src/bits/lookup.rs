//! Codes of the crate `dsi-bitstream`, little-endian, with short codewords read from a table.

use dsi_bitstream::dispatch::FuncCodeReader;
use dsi_bitstream::prelude::{
    BitSeek, BitWrite, BufBitReader, BufBitWriter, CodeLen, Codes, DynamicCodeWrite, LE,
    MemWordReader, MemWordWriterVec, StaticCodeRead,
};

pub type Bits<'a> = BufBitReader<LE, MemWordReader<u32, &'a [u32]>>;

/// The longest codeword in a table, in bits.
const PEEK: u32 = 12;

/// The table of a code: for each value of the next 12 bits the number (12 bits) and the bits that it takes (the lowest 4),
/// which are 0 where the codeword is longer.
#[derive(Clone, Debug)]
pub struct Short(Box<[u16; 1 << PEEK]>);

impl Short {
    pub fn new(code: Codes) -> Self {
        let mut found = Box::new([0; 1 << PEEK]);
        for number in 0..1 << 12 {
            let bits = code.len(number) as u32;
            if bits > PEEK {
                continue;
            }
            let mut words = Vec::<u64>::new();
            let mut writer = BufBitWriter::<LE, _>::new(MemWordWriterVec::new(&mut words));
            let written = DynamicCodeWrite::write::<LE, _>(&code, &mut writer, number);
            if written.is_err() || writer.flush().is_err() {
                continue;
            }
            drop(writer);
            let word = words.first().copied().unwrap_or_default() as usize;
            for entry in found.iter_mut().skip(word).step_by(1 << bits) {
                *entry = (number as u16) << 4 | bits as u16;
            }
        }
        Self(found)
    }
}

/// Reads numbers of one code, most of them from its table.
pub struct ShortReader<'a, 'b> {
    pub short: &'a Short,
    /// Reads the others.
    pub long: &'a FuncCodeReader<LE, Bits<'b>>,
    pub words: &'b [u32],
}

impl<'b> ShortReader<'_, 'b> {
    /// The number at a bit, which becomes the bit after it.
    #[inline(always)]
    pub fn read(&self, at: &mut u64, bits: &mut Bits<'b>) -> Option<u64> {
        let place = (*at / 32) as usize;
        let word = match self.words.get(place..place + 2) {
            Some(&[low, high]) => u64::from(high) << 32 | u64::from(low),
            _ => self.words.get(place).copied().unwrap_or_default().into(),
        };
        let entry = self.short.0[(word >> (*at % 32)) as usize & ((1 << PEEK) - 1)];
        if entry & 15 == 0 {
            return self.read_long(at, bits);
        }
        *at += u64::from(entry & 15);
        Some((entry >> 4).into())
    }

    #[inline(never)]
    fn read_long(&self, at: &mut u64, bits: &mut Bits<'b>) -> Option<u64> {
        bits.set_bit_pos(*at).ok()?;
        let found = self.long.read(bits).ok()?;
        *at = bits.bit_pos().ok()?;
        Some(found)
    }
}
