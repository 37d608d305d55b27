"""Features and name of the processor."""

import platform

import pytest

from fieldc.machine import processor


def test_cpuid_agrees_with_the_feature_list() -> None:
    if not processor.is_x86_64():
        assert processor.features() == frozenset()
        assert processor.cpuid(7) == (0, 0, 0, 0)
        return
    ebx = processor.cpuid(7)[1]
    assert bool(ebx >> 8 & 1) == ("bmi2" in processor.features())
    assert bool(ebx >> 19 & 1) == ("adx" in processor.features())
    assert processor.cpuid(0)[0] >= 7


def test_brand_is_one_printable_line() -> None:
    assert processor.brand().isprintable()
    assert processor.brand()


def test_missing_features_are_named_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processor, "features", lambda: frozenset({"bmi2", "sse2"}))
    assert processor.missing(["bmi2", "adx", "avx512f"]) == ["adx", "avx512f"]


def test_other_hosts_have_no_features(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(platform, "machine", lambda: "aarch64")
        assert processor.missing(["adx"]) == ["adx"]
        assert processor.cpuid(0) == (0, 0, 0, 0)
    test_cpuid_agrees_with_the_feature_list()
