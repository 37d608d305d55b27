/// Other threads may select too: all kernels compute the same.
fn on_every_kernel(check: impl Fn()) {
    use Kernels::{
        Aarch64, Adx, AdxAvx2, AdxAvx512Ifma, Avx2, Avx512Ifma, Avx512f, Mulx, Portable,
    };
    let all = [
        Portable,
        Mulx,
        Adx,
        Avx2,
        AdxAvx2,
        Avx512f,
        Avx512Ifma,
        AdxAvx512Ifma,
        Aarch64,
    ];
    let here = all.iter().filter(|kernels| kernels.select().is_ok());
    assert_ne!(here.map(|_| check()).count(), 0);
    Kernels::detect().select().expect("this processor has them");
}
