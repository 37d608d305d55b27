//! Four words at once: what AVX2 computes with.

use core::arch::x86_64::{
    __m256i, _mm_cvtsi64_si128, _mm256_add_epi64, _mm256_and_si256, _mm256_blend_epi32,
    _mm256_loadu_si256, _mm256_or_si256, _mm256_permute2x128_si256, _mm256_permute4x64_epi64,
    _mm256_set1_epi64x, _mm256_sll_epi64, _mm256_srl_epi64, _mm256_storeu_si256, _mm256_sub_epi64,
    _mm256_unpackhi_epi64, _mm256_unpacklo_epi64,
};

/// Words of a quad.
pub(super) const QUAD: usize = 4;

/// Four words.
pub(super) type Quad = __m256i;

/// Four places in a quad, as `permuted` takes them.
pub(super) const fn order([a, b, c, d]: [i32; QUAD]) -> i32 {
    a | b << 2 | c << 4 | d << 6
}

/// The proof that the processor has AVX2: who has it may compute with quads.
///
/// Compilers put single instructions for its methods where a function is compiled for AVX2.
#[derive(Clone, Copy)]
pub(super) struct Quads(());

impl Quads {
    /// # Safety
    /// The processor has AVX2.
    #[inline(always)]
    pub(super) unsafe fn new() -> Self {
        Self(())
    }

    /// The words from a place on.
    #[inline(always)]
    pub(super) fn load(self, words: &[u64], from: usize) -> Quad {
        let words: &[u64] = &words[from..from + QUAD];
        // SAFETY: by `new`; there are so many words.
        unsafe { _mm256_loadu_si256(words.as_ptr().cast()) }
    }

    /// Writes the words from a place on.
    ///
    /// # Safety
    /// There are so many words.
    #[inline(always)]
    pub(super) unsafe fn store(self, words: *mut u64, from: usize, x: Quad) {
        // SAFETY: by `new`, and the caller's.
        unsafe { _mm256_storeu_si256(words.add(from).cast(), x) }
    }

    /// Four times one word.
    #[inline(always)]
    pub(super) fn all(self, word: u64) -> Quad {
        // SAFETY: by `new`.
        unsafe { _mm256_set1_epi64x(word as i64) }
    }

    /// a + b, word by word modulo 2^64.
    #[inline(always)]
    pub(super) fn add(self, a: Quad, b: Quad) -> Quad {
        // SAFETY: by `new`.
        unsafe { _mm256_add_epi64(a, b) }
    }

    /// a - b, word by word modulo 2^64.
    #[inline(always)]
    pub(super) fn sub(self, a: Quad, b: Quad) -> Quad {
        // SAFETY: by `new`.
        unsafe { _mm256_sub_epi64(a, b) }
    }

    /// a*k for a constant k of few bits, not 0, by doubling and adding from its highest bit on.
    #[inline(always)]
    pub(super) fn times(self, a: Quad, k: u32) -> Quad {
        let mut result = a;
        for i in (0..k.ilog2()).rev() {
            result = self.add(result, result);
            if k >> i & 1 == 1 {
                result = self.add(result, a);
            }
        }
        result
    }

    /// The bits that both have.
    #[inline(always)]
    pub(super) fn and(self, a: Quad, b: Quad) -> Quad {
        // SAFETY: by `new`.
        unsafe { _mm256_and_si256(a, b) }
    }

    /// (high*2^64 + low) >> bits modulo 2^64, word by word, for bits below 64.
    #[inline(always)]
    pub(super) fn funnel(self, high: Quad, low: Quad, bits: u32) -> Quad {
        // SAFETY: by `new`. Words moved by 64 places are 0.
        unsafe {
            let above = _mm256_sll_epi64(high, _mm_cvtsi64_si128(64 - i64::from(bits)));
            _mm256_or_si256(above, self.shr(low, bits))
        }
    }

    /// Words moved down.
    #[inline(always)]
    pub(super) fn shr(self, a: Quad, bits: u32) -> Quad {
        // SAFETY: by `new`.
        unsafe { _mm256_srl_epi64(a, _mm_cvtsi64_si128(i64::from(bits))) }
    }

    /// Of the eight words of a and b those at 0, 2, 4 and 6.
    #[inline(always)]
    pub(super) fn even(self, a: Quad, b: Quad) -> Quad {
        // SAFETY: by `new`.
        unsafe { _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_unpacklo_epi64(a, b)) }
    }

    /// Of the eight words of a and b those at 3, 5, 1 and 7.
    #[inline(always)]
    pub(super) fn odd(self, a: Quad, b: Quad) -> Quad {
        // SAFETY: by `new`.
        unsafe { _mm256_permute4x64_epi64::<0b11_00_01_10>(_mm256_unpackhi_epi64(a, b)) }
    }

    /// The first words of all, then the second ones, and so on.
    #[inline(always)]
    pub(super) fn transposed(self, [a, b, c, d]: [Quad; QUAD]) -> [Quad; QUAD] {
        // SAFETY: by `new`.
        unsafe {
            let (even, odd) = (_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b));
            let (even_cd, odd_cd) = (_mm256_unpacklo_epi64(c, d), _mm256_unpackhi_epi64(c, d));
            [
                _mm256_permute2x128_si256::<0x20>(even, even_cd),
                _mm256_permute2x128_si256::<0x20>(odd, odd_cd),
                _mm256_permute2x128_si256::<0x31>(even, even_cd),
                _mm256_permute2x128_si256::<0x31>(odd, odd_cd),
            ]
        }
    }

    /// The words at four places, as `order` says them.
    #[inline(always)]
    pub(super) fn permuted<const ORDER: i32>(self, a: Quad) -> Quad {
        // SAFETY: by `new`.
        unsafe { _mm256_permute4x64_epi64::<ORDER>(a) }
    }

    /// The words at 0, 1, 0 and 1.
    #[inline(always)]
    pub(super) fn low_twice(self, a: Quad) -> Quad {
        self.permuted::<{ order([0, 1, 0, 1]) }>(a)
    }

    /// The words at 2, 3, 2 and 3.
    #[inline(always)]
    pub(super) fn high_twice(self, a: Quad) -> Quad {
        self.permuted::<{ order([2, 3, 2, 3]) }>(a)
    }

    /// The words at 2, 3, 0 and 1.
    #[inline(always)]
    pub(super) fn exchanged(self, a: Quad) -> Quad {
        self.permuted::<{ order([2, 3, 0, 1]) }>(a)
    }

    /// The words at 1, 2, 3 and 0.
    #[inline(always)]
    pub(super) fn turned(self, a: Quad) -> Quad {
        self.permuted::<{ order([1, 2, 3, 0]) }>(a)
    }

    /// The words of a, but word W of b.
    #[inline(always)]
    pub(super) fn with_word<const W: usize>(self, a: Quad, b: Quad) -> Quad {
        const { assert!(W < QUAD) }
        // SAFETY: by `new`.
        unsafe {
            match W {
                0 => _mm256_blend_epi32::<0b0000_0011>(a, b),
                1 => _mm256_blend_epi32::<0b0000_1100>(a, b),
                2 => _mm256_blend_epi32::<0b0011_0000>(a, b),
                _ => _mm256_blend_epi32::<0b1100_0000>(a, b),
            }
        }
    }
}
