"""The study: races between algorithms and compilers, traces, and the page that shows them."""
